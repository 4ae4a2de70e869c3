"""What a bundle says for people and for other programs, written again in the words of the version that wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dprelease.bundle.findings import finding
from dprelease.bundle.formats import PACKAGE, formats
from dprelease.bundle.listing import facts_of, is_made_of, parts
from dprelease.bundle.outputs import release_files
from dprelease.bundle.read import ReadBundle
from dprelease.bundle.row_files import parquet_paths, row_files
from dprelease.bundle.workbook import WORKBOOK
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.version import VERSION
from dprelease.verdict.findings import check_finding
from dprelease.verdict.packed import holds_the_same
from dprelease.verdict.parquet import holds_the_same_rows
from dprelease.verdict.pictures import PAGE, check_pictures, comparable
from dprelease.words import as_of, phrase, quoted, versions

FAULTS = (DPReleaseError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What hostile files can lead to."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked and holds."""

    name: str
    words: str


def written(bundle: ReadBundle) -> list[Check]:
    """Checks that page, charts and formats say what certificate and tables say, in words and looks that a version has.

    Taken are those of this version, else those of the one that the bundle names: what each version that was released
    writes is kept. Whichever it is, nothing passes but what it would write. Raises IntegrityError.
    """
    version = bundle.release.certificate.made_by
    try:
        return list(_checks(bundle))
    except IntegrityError as own:
        if version not in versions():
            another = phrase("verdict.words_of_another_version", cause=own, version=quoted(version))
            raise (own if version == VERSION else IntegrityError(another)) from None
        with as_of(version):
            try:
                return list(_checks(bundle))
            except IntegrityError as earlier:
                raise (own if version == VERSION else earlier) from None


def _checks(bundle: ReadBundle) -> Iterator[Check]:
    try:
        yield _formats(bundle)
        yield from _shown(bundle)
    except (
        DPReleaseError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as cause:
        if isinstance(cause, IntegrityError):
            raise
        raise IntegrityError(phrase("verdict.page_chart_holds_what", kind=type(cause).__name__)) from None


def _shown(bundle: ReadBundle) -> Iterator[Check]:
    release = bundle.release
    count = check_pictures(bundle, comparable(release.certificate))
    for table in release.tables:
        if found := finding(release, table):
            check_finding(release, table, found.way, found.places)
    yield Check("page", f"{PAGE} is, byte by byte, what release.json and the tables give.")
    if count:
        yield Check("charts", f"{count} pictures are those that the tables give, drawn again.")


def _formats(bundle: ReadBundle) -> Check:
    """The descriptor of the tables is always there; of other formats any are: one may be newer than the bundle."""
    release, found = bundle.release, bundle.contents
    rows = [path for path in parquet_paths(release) if path in found]
    answers = facts_of({path: found[path] for path in (*release_files(release), *rows)})
    again = {path: made for path, made in formats(release, answers).items() if path == PACKAGE or path in found}
    again |= row_files(release) if rows else {}
    for path, content in sorted(again.items()):
        if path == WORKBOOK:
            same = holds_the_same(found[path], b"".join(parts(content)))
        elif path in rows:
            same = holds_the_same_rows(found[path], b"".join(parts(content)))
        else:
            same = is_made_of(found.get(path, b""), content)
        if not same:
            raise IntegrityError(phrase("verdict.does_say_what_release", different=path))
    return Check("formats", f"{len(again)} files in other formats say what release.json and the tables say.")

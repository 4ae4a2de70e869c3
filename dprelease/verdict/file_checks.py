"""Page, pictures and exports of a bundle: written again and compared, where this version is the one that wrote them.

Another version has other words and looks. Then only the exports without prose are compared, and what was left out is
told. Who wrote a bundle decides nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from dprelease.bundle.all_tables import ALL_PARQUET
from dprelease.bundle.formats import PACKAGE, formats, without_prose
from dprelease.bundle.listing import CHARTS, Content, facts_of, is_made_of, parts
from dprelease.bundle.outputs import release_files
from dprelease.bundle.read import ReadBundle
from dprelease.bundle.row_files import parquet_paths, row_files
from dprelease.bundle.workbook import WORKBOOK
from dprelease.charts.renderer import Alike, alike, installed, named
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.version import VERSION
from dprelease.verdict.check import MAX_NAME, NOT_COMPARED, Check
from dprelease.verdict.container_checks import holds_the_same, holds_the_same_rows
from dprelease.verdict.pictures import PAGE, check_files, check_pictures
from dprelease.words import phrase
from dprelease.words.phrases import visible

FAULTS = (DPReleaseError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""Exceptions that hostile files can lead to."""
MAX_VERSION = 40
"""Characters of a version."""
PARQUET = ".parquet"
SAME, ABSENT = "same", "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFiles:
    """The result of comparing page, pictures and exports: each is `same`, `not_compared` or `absent`."""

    checks: tuple[Check, ...]
    page: str
    charts: str


def written(bundle: ReadBundle, *, prose: bool = True, pictures: bool = True) -> ComparedFiles:
    """Compare page, pictures and exports with what certificate and tables say. Raises IntegrityError.

    `prose`: False compares neither page nor pictures nor exports with prose. `pictures`: False leaves out the pictures
    alone with their notes, and imports nothing that draws.
    """
    ours = prose and bundle.release.certificate.is_ours
    has_page, drawn = PAGE in bundle.contents, any(name.startswith(CHARTS) for name in bundle.contents)
    compared = alike(bundle.release.certificate.versions) if ours and pictures else Alike.NOTHING
    checks = _guarded(bundle, partial(_formats, tables=pictures) if ours else _values)
    checks += _guarded(bundle, partial(_shown, compared=compared, page=ours))
    page = ABSENT if not has_page else SAME if ours else NOT_COMPARED
    charts = ABSENT if not drawn else SAME if compared is Alike.DRAWING else NOT_COMPARED
    return ComparedFiles(checks=tuple(checks), page=page, charts=charts)


def not_compared(
    bundle: ReadBundle, compared: ComparedFiles, *, tables_only: bool, pictures: bool
) -> tuple[Check | None, list[Check]]:
    """Return the warning above the verdict, if any, and sentences for what was not compared."""
    if NOT_COMPARED not in (compared.page, compared.charts):
        return None, []
    if not bundle.release.certificate.is_ours:
        wrote = visible(bundle.release.certificate.made_by, MAX_VERSION)
        other = Check("cannot.written_by_other", {"wrote": wrote, "own": VERSION})
        return None if tables_only else other, [other]
    if pictures and not tables_only:
        wrote = visible(named(bundle.release.certificate.versions), MAX_NAME)
        other = Check("cannot.drawn_by_other", {"wrote": wrote, "own": named(installed())})
        return other, [other]
    return None, [Check("cannot.page_left_out" if tables_only else "cannot.pictures_left_out")]


def _guarded(bundle: ReadBundle, compare: Callable[[ReadBundle], Iterator[Check]]) -> list[Check]:
    """Run a comparison. Raises IntegrityError for whatever hostile files lead to."""
    try:
        return list(compare(bundle))
    except IntegrityError:
        raise
    except FAULTS as cause:
        raise IntegrityError(phrase("verdict.page_chart_holds_what", kind=type(cause).__name__)) from None


def _shown(bundle: ReadBundle, compared: Alike, *, page: bool) -> Iterator[Check]:
    """Compare the pictures, as far as they are, and the page around them."""
    check_files(bundle)
    if not page:
        return
    count = check_pictures(bundle, compared)
    if PAGE in bundle.contents:
        yield Check("check.page")
    if count and compared is Alike.DRAWING:
        yield Check("check.charts", {"count": count})
    elif count and compared is Alike.SPECIFICATION:
        yield Check("check.specifications")


def _formats(bundle: ReadBundle, *, tables: bool) -> Iterator[Check]:
    """Check the descriptor of the tables, always there, and other formats: one may be newer than the bundle.

    `tables`: False leaves out all.parquet, which takes long to load.
    """
    release, found = bundle.release, bundle.contents
    rows = [path for path in parquet_paths(release) if path in found]
    answers = facts_of({path: found[path] for path in (*release_files(release), *rows)})
    again = {path: made for path, made in formats(release, answers).items() if path == PACKAGE or path in found}
    if not tables:
        again.pop(ALL_PARQUET, None)
    yield _alike(found, again | (row_files(release) if rows else {}))


def _values(bundle: ReadBundle) -> Iterator[Check]:
    """Compare the exports without prose, and of Parquet files the rows."""
    release, found = bundle.release, bundle.contents
    rows = [path for path in parquet_paths(release) if path in found]
    again = {path: made for path, made in without_prose(release).items() if path in found}
    yield _alike(found, again | (row_files(release) if rows else {}), prose=False)


def _alike(found: Mapping[str, bytes], again: Mapping[str, Content], *, prose: bool = True) -> Check:
    for path, content in sorted(again.items()):
        if path == WORKBOOK:
            same = holds_the_same(found[path], b"".join(parts(content)))
        elif path.endswith(PARQUET):
            same = holds_the_same_rows(found[path], b"".join(parts(content)), metadata=prose)
        else:
            same = is_made_of(found.get(path, b""), content)
        if not same:
            raise IntegrityError(phrase("verdict.does_say_what_release", different=path))
    return Check("check.formats", {"count": len(again)})

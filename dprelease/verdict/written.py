"""Page, pictures and exports of a bundle: written again and compared, where this version is the one that wrote them.

Another version has other words and looks. Then only the exports without prose are compared, and what was left out is
told. Who wrote a bundle decides nothing else.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from math import exp, log
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from dprelease.bundle.findings import finding
from dprelease.bundle.formats import PACKAGE, formats, without_prose
from dprelease.bundle.listing import CHARTS, Content, facts_of, is_made_of, parts
from dprelease.bundle.outputs import release_files
from dprelease.bundle.read import ReadBundle
from dprelease.bundle.row_files import parquet_paths, row_files
from dprelease.bundle.workbook import WORKBOOK
from dprelease.charts.renderer import Alike, alike, installed, named
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.presentation import Quantity
from dprelease.model.release import TOTAL, Estimates, Release
from dprelease.model.version import VERSION
from dprelease.verdict.check import Check
from dprelease.verdict.pictures import PAGE, check_files, check_pictures
from dprelease.words import phrase, quoted
from dprelease.words.phrases import visible

FAULTS = (DPReleaseError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What hostile files can lead to."""
MOST_VERSION, MOST_NAME, MOST_NAMES = 40, 80, 20
"""Characters of a version and of a key, and keys that are named."""
SAME, NOT_COMPARED, ABSENT = "same", "not_compared", "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The result of comparing page, pictures and exports: each is `same`, `not_compared` or `absent`."""

    checks: tuple[Check, ...]
    page: str
    charts: str


def written(bundle: ReadBundle, *, prose: bool = True, pictures: bool = True) -> Written:
    """Compare page, pictures and exports with what certificate and tables say. Raises IntegrityError.

    `prose`: False compares neither page nor pictures nor exports with prose. `pictures`: False leaves out the pictures
    alone with their notes, and imports nothing that draws.
    """
    ours = prose and bundle.release.certificate.is_ours
    has_page, drawn = PAGE in bundle.contents, any(name.startswith(CHARTS) for name in bundle.contents)
    compared = alike(bundle.release.certificate.versions) if ours and pictures else Alike.NOTHING
    checks = _guarded(bundle, _formats if ours else _values)
    checks += _guarded(bundle, partial(_shown, compared=compared, page=ours))
    page = ABSENT if not has_page else SAME if ours else NOT_COMPARED
    charts = ABSENT if not drawn else SAME if compared is Alike.DRAWING else NOT_COMPARED
    return Written(checks=tuple(checks), page=page, charts=charts)


def not_compared(
    bundle: ReadBundle, compared: Written, *, tables_only: bool, pictures: bool
) -> tuple[Check | None, list[Check]]:
    """Return the warning above the verdict, if any, and sentences for what was not compared."""
    if NOT_COMPARED not in (compared.page, compared.charts):
        return None, []
    if not bundle.release.certificate.is_ours:
        wrote = visible(bundle.release.certificate.made_by, MOST_VERSION)
        other = Check("cannot.written_by_other", {"wrote": wrote, "own": VERSION})
        return None if tables_only else other, [other]
    if pictures and not tables_only:
        wrote = visible(named(bundle.release.certificate.versions), MOST_NAME)
        other = Check("cannot.drawn_by_other", {"wrote": wrote, "own": named(installed())})
        return other, [other]
    return None, [Check("cannot.page_left_out" if tables_only else "cannot.pictures_left_out")]


def unread_keys(bundle: ReadBundle) -> list[Check]:
    """Name the keys of release.json that this version does not know."""
    if not bundle.unread:
        return []
    names = [visible(name, MOST_NAME) for name in bundle.unread[:MOST_NAMES]]
    return [Check("cannot.keys_unread", {"keys": ", ".join(names)})]


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
    release = bundle.release
    check_files(bundle)
    if not page:
        return
    count = check_pictures(bundle, compared)
    if PAGE in bundle.contents:
        for table in release.tables:
            if found := finding(release, table):
                check_finding(release, table, found.way, found.places)
        yield Check("check.page")
    if count and compared is Alike.DRAWING:
        yield Check("check.charts", {"count": count})
    elif count and compared is Alike.SPECIFICATION:
        yield Check("check.specifications")


def _formats(bundle: ReadBundle) -> Iterator[Check]:
    """The descriptor of the tables is always there; of other formats any are: one may be newer than the bundle."""
    release, found = bundle.release, bundle.contents
    rows = [path for path in parquet_paths(release) if path in found]
    answers = facts_of({path: found[path] for path in (*release_files(release), *rows)})
    again = {path: made for path, made in formats(release, answers).items() if path == PACKAGE or path in found}
    yield _alike(found, again | (row_files(release) if rows else {}), rows)


def _values(bundle: ReadBundle) -> Iterator[Check]:
    """Compare the exports without prose, and of Parquet files the rows."""
    release, found = bundle.release, bundle.contents
    rows = [path for path in parquet_paths(release) if path in found]
    again = {path: made for path, made in without_prose(release).items() if path in found}
    yield _alike(found, again | (row_files(release) if rows else {}), rows, prose=False)


def _alike(found: Mapping[str, bytes], again: Mapping[str, Content], rows: list[str], *, prose: bool = True) -> Check:
    for path, content in sorted(again.items()):
        if path == WORKBOOK:
            same = holds_the_same(found[path], b"".join(parts(content)))
        elif path in rows:
            same = holds_the_same_rows(found[path], b"".join(parts(content)), metadata=prose)
        else:
            same = is_made_of(found.get(path, b""), content)
        if not same:
            raise IntegrityError(phrase("verdict.does_say_what_release", different=path))
    return Check("check.formats", {"count": len(again)})


SLACK, LEAST = 4, 100_000
"""How many times as many bytes, unpacked, as in the file that is made again, and beyond: more are not read."""


def holds_the_same_rows(found: bytes, made: bytes, *, metadata: bool = True) -> bool:
    """Tells whether a Parquet file holds the rows of another, in the same types and with the same `metadata`.

    Builds of Arrow write the same rows to other bytes. The number of rows and of bytes is compared before any is read.
    """
    if found == made:
        return True
    import pyarrow
    from pyarrow import parquet

    try:
        one, other = (parquet.ParquetFile(BytesIO(data)) for data in (found, made))
        if one.metadata.num_rows != other.metadata.num_rows or one.metadata.num_columns != other.metadata.num_columns:
            return False
        if _unpacked(one) > SLACK * _unpacked(other) + LEAST:
            return False
        alike: bool = one.schema_arrow.equals(other.schema_arrow, check_metadata=metadata)
        return alike and bool(one.read().combine_chunks().equals(other.read().combine_chunks(), check_metadata=False))
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError):
        return False


def _unpacked(file: Any) -> int:
    return sum(file.metadata.row_group(number).total_byte_size for number in range(file.metadata.num_row_groups))


LOCAL, CENTRAL, END = 30, 46, 22
"""Bytes of the headers of a ZIP archive, without names."""


def holds_the_same(found: bytes, made: bytes) -> bool:
    """Tells whether an archive holds the members of another in their order, and nothing besides.

    Builds of zlib compress the same text to other bytes, and headers name the operating system: neither is part of
    what a release says. Every other byte has to be accounted for, so that no reader finds another workbook in it.
    """
    if found == made:
        return True
    try:
        with ZipFile(BytesIO(found)) as one, ZipFile(BytesIO(made)) as other:
            own, expected = one.infolist(), other.infolist()
            alike = [_facts(info) for info in own] == [_facts(info) for info in expected]
            return (
                alike
                and _is_filled(found, one)
                and all(_member(found, info) == other.read(each) for info, each in zip(own, expected, strict=True))
            )
    except (BadZipFile, zlib.error, struct.error, NotImplementedError, ValueError, EOFError):
        return False


def _facts(info: ZipInfo) -> tuple[object, ...]:
    return (
        *(info.filename, info.date_time, info.compress_type == ZIP_DEFLATED, info.flag_bits),
        *(info.CRC, info.file_size, info.extra, info.comment),
    )


def _is_filled(found: bytes, archive: ZipFile) -> bool:
    """Whether members, their list and its end follow one another from the first byte to the last."""
    place, names = 0, 0
    for info in archive.infolist():
        called = info.filename.encode()
        length = len(called)
        _, _, flags, method, _, _, *rest = struct.unpack_from("<IHHHHHIIIHH", found, place)
        stated = [info.CRC, info.compress_size, info.file_size, length, 0]
        if info.header_offset != place or [flags, method, *rest] != [info.flag_bits, info.compress_type, *stated]:
            return False
        if found[place + LOCAL : place + LOCAL + length] != called:
            return False
        place, names = place + LOCAL + length + info.compress_size, names + CENTRAL + length
    return place + names + END == len(found)


def _member(found: bytes, info: ZipInfo) -> bytes | None:
    """What is packed there: nothing where the packed bytes go on after its end."""
    start = info.header_offset + LOCAL + len(info.filename.encode())
    packed = zlib.decompressobj(-zlib.MAX_WBITS)
    content = packed.decompress(found[start : start + info.compress_size], info.file_size + 1)
    return content if packed.eof and not packed.unused_data else None


CHANCE = 0.05
"""At most this often any of the findings in a table may be one of noise."""
ROUNDED = 1e-9
"""What arithmetic may make of it."""


def check_finding(release: Release, table: str, way: str, places: Sequence[int]) -> None:
    """Raises IntegrityError where two cells that are told apart are not, by their published intervals.

    The noise of a cell is beyond r in 1 of 20 cases at most (r: the reach of its interval and one step) and is
    log-concave: beyond t·r in at most 0.05^t. That what is larger by d is not so in truth takes a noise beyond
    d·r1 / (r1 + r2) in the one, or beyond d·r2 / (r1 + r2) in the other, of the right sign: 0.05^(d / (r1 + r2)) at
    most, and m times that in a table of m cells.
    """
    certificate, estimates = release.certificate, release.tables[table]
    margins = "margins" in certificate.asked(table)
    rows = [
        place
        for place, row in enumerate(estimates.rows())
        if not (margins and _is_total(estimates, row)) and not _is_cut(estimates, row)
    ]
    pairs = list(_pairs(way, places, rows))
    step = _step(certificate, table)
    most = CHANCE / max(1, len(rows)) * (1 - ROUNDED if way == "nothing" else 1 + ROUNDED)
    apart = [_chance(estimates, first, second, step) < most for first, second in pairs]
    if not {*places} <= {*rows} or not pairs or any(each is (way == "nothing") for each in apart):
        raise IntegrityError(phrase("verdict.finding_does_not_hold", statistic=quoted(table)))


def _pairs(way: str, places: Sequence[int], rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Which cell is said to have more than which; of `nothing`, which one might have been."""
    if way == "most":
        yield from ((first, second) for first in places for second in rows if second not in places)
    elif way == "between":
        yield (places[0], places[1])
    else:
        yield from ((first, second) for first in rows for second in rows if first != second)


def _chance(estimates: Estimates, first: int, second: int, step: float) -> float:
    """How often at most noise would do that. 1 where the first is not the larger, or an interval is missing."""
    sizes, reaches = [], []
    for place in (first, second):
        cells = (estimates.value[place], estimates.lower95[place], estimates.upper95[place])
        value, lower, upper = (float(cell) if isinstance(cell, int | float) else None for cell in cells)
        if value is None or lower is None or upper is None:
            return 1
        sizes.append(value)
        reaches.append(max(upper - value, value - lower) + step)
    more = sizes[0] - sizes[1]
    return exp(log(CHANCE) * more / sum(reaches)) if more > 0 else 1


def _step(certificate: Certificate, table: str) -> float:
    """The largest step of its noise, in units of the value; one record where records are counted."""
    asked, stated = certificate.asked(table), certificate.statistic(table)
    if stated.presentation.measure in (Quantity.RECORDS, Quantity.UNITS) and "survey_weights" not in asked:
        return 1
    return max((float(each.step) for each in certificate.rests_on(stated) if each.step is not None), default=0)


def _is_cut(estimates: Estimates, row: Sequence[object]) -> bool:
    """Whether a row is of a period of which the bounds hold a part: a further key column of an axis says so."""
    place = 0
    for axis in estimates.axes:
        further = zip(axis.names, row[place : place + len(axis.names)], strict=True)
        if any(name.rstrip("_").endswith("_partial") and cell == "yes" for name, cell in [*further][1:]):
            return True
        place += len(axis.names)
    return False


def _is_total(estimates: Estimates, row: Sequence[object]) -> bool:
    """Whether a row is a total along a key: the first key column of an axis says so."""
    place = 0
    for axis in estimates.axes:
        if row[place] == TOTAL:
            return True
        place += len(axis.names)
    return False

"""Where the rows of a file would be read otherwise, if they decided it, than a layout says. Tells shares, no cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dprelease.errors import UploadError
from dprelease.model.reading import Dates, Format, Reading
from dprelease.table.detect import detect
from dprelease.table.detect_header import DATE
from dprelease.table.detect_text import WITH_COMMA, WITH_POINT, sampled
from dprelease.words import Phrase, phrase, quoted

PARTS = ("encoding", "delimiter", "sheet", "header")


def unlike(source: Path, filename: str, kept: Reading) -> tuple[Phrase, ...]:
    """Returns what would be detected otherwise, in words; nothing of a file that nothing can be detected of."""
    try:
        found = detect(source, filename).reading
        cells = sampled(source, kept) if kept.format is Format.TEXT else []
    except (OSError, UploadError, UnicodeError):
        return ()
    if found.format is not kept.format:
        return ()
    told = [
        phrase(f"table.{part}_otherwise", found=_shown(getattr(found, part)), kept=_shown(getattr(kept, part)))
        for part in PARTS
        if kept.asks(part) and getattr(found, part) != getattr(kept, part)
    ]
    if kept.dates is not Dates.MONTH_FIRST:
        told += _share("table.dates_month_first", cells, _is_date, _is_month)
    if kept.dates is not Dates.DAY_FIRST:
        told += _share("table.dates_day_first", cells, _is_date, _is_day)
    other = WITH_COMMA if kept.decimal == "." else WITH_POINT
    told += _share(
        "table.decimal_comma" if kept.decimal == "." else "table.decimal_point",
        cells,
        lambda cell: bool(WITH_COMMA.fullmatch(cell) or WITH_POINT.fullmatch(cell)),
        lambda cell: bool(other.fullmatch(cell)),
    )
    return tuple(told)


def _shown(part: object) -> object:
    return quoted(part) if isinstance(part, str) else part


def _is_date(cell: str) -> bool:
    return DATE.fullmatch(cell) is not None


def _is_month(cell: str) -> bool:
    match = DATE.fullmatch(cell)
    return match is not None and int(match[3]) > 12


def _is_day(cell: str) -> bool:
    match = DATE.fullmatch(cell)
    return match is not None and (int(match[1]) > 12 or match[2] == ".")


def _share(key: str, cells: Sequence[str], of: Callable[[str], bool], fits: Callable[[str], bool]) -> list[Phrase]:
    """How many in a hundred of such cells fit another form alone; nothing where none does."""
    all_of = [cell for cell in cells if of(cell)]
    count = sum(map(fits, all_of))
    return [phrase(key, percent=max(1, round(100 * count / len(all_of))))] if count else []

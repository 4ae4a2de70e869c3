"""Columns as keys of a table: which cells they have, and how each cell is named."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from dprelease.model.column import LISTED, ORDERED, Column, ColumnType
from dprelease.model.release import NO_ANSWER, Axis, Cell, is_partial
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.levels import KEEP, cell_names, level_key
from dprelease.statistics.algebra.unanswered import with_missing
from dprelease.words import phrase, quoted

GROUPING = LISTED | {ColumnType.INTEGER, ColumnType.DATE}
"""Column types that `by` and cross tables take without bins: each declared value is a group."""
MAX_CELLS = 4_000_000
RESERVED = (
    "value",
    "lower95",
    "upper95",
    "raw",
    "count",
    "count_lower95",
    "count_upper95",
    "perturbed",
    "predicts",
    "lower95_both",
    "upper95_both",
    "across",
    "chosen",
    "rows",
)
"""Names of columns that are not keys."""
BESIDE = ("status", "margin95", "noise_scale", "annotation")
"""Names of what stands beside each estimate in some formats."""
ANSWER_KEYS = ("probability", "rank", "question", "bound", "column", "with_column")
"""Names of keys that statistics have of themselves, not from the plan's columns."""


def each_value(column: Column) -> Key:
    """Return every declared value a cell."""
    return Key(column.name, column.codes, column.codes)


def equal_bins(column: Column, bins: int) -> Key:
    """Return bins of equal width from lower to upper, the last with upper. As many bins as codes: each value a cell."""
    return each_value(column) if bins >= column.codes else Key(column.name, bins, column.lattice.steps)


def given_edges(column: Column, codes: Sequence[int]) -> Key:
    """Return bins between given codes, the last one holding the last code."""
    return Key(column.name, len(codes) - 1, column.codes, (*codes[:-1], column.codes))


def group_keys(
    schema: Schema,
    columns: Sequence[str],
    bins: Mapping[str, int] | None = None,
    *,
    levels: Mapping[str, str] | None = None,
    partial: str = KEEP,
    missing: Collection[str] = (),
) -> tuple[Key, ...]:
    """Return one key a column: binned where bins are given, at a level where one is, else each value.

    `missing`: those with one more cell, of the rows without an answer.
    """
    keys = (
        level_key(schema[name], levels[name], partial)
        if levels and name in levels
        else equal_bins(schema[name], bins[name])
        if bins and name in bins
        else each_value(schema[name])
        for name in columns
    )
    return tuple(with_missing(key) if key.column in missing else key for key in keys)


def axes(schema: Schema, keys: Sequence[Key]) -> tuple[Axis, ...]:
    """Return the names of cells. A key with several values a cell gives two columns, from and to, both included.

    With a cell of the rows without an answer all are texts, and that one is the last.
    """
    taken = {*RESERVED, *BESIDE, *ANSWER_KEYS}
    result = []
    names: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    for key in keys:
        column = schema[key.column]
        if key.level and column.type is not ColumnType.INTEGER:
            names, cells = cell_names(column, key)
        elif key.coded == column.codes:
            names = (column.name,)
            cells = tuple((column.value(code),) for code in range(key.coded))
        else:
            names = (f"{column.name}_from", f"{column.name}_to")
            firsts = [key.first_code(cell) for cell in range(key.coded)]
            lasts = [first - 1 for first in firsts[1:]] + [column.lattice.steps]
            cells = tuple((column.value(first), column.value(last)) for first, last in zip(firsts, lasts, strict=True))
        if key.missing:
            last = tuple("no" if is_partial(name) else NO_ANSWER for name in names)
            cells = (*(tuple(map(str, cell)) for cell in cells), last)
        result.append(Axis(tuple(_free(name, taken) for name in names), cells))
    return tuple(result)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def check_binned(
    columns: Sequence[str],
    bins: Mapping[str, int],
    levels: Mapping[str, str],
    path: str,
    schema: Schema,
    report: Report,
) -> None:
    """Add problems where key columns cannot have these numbers of bins, or number columns have none."""
    for name, wanted in bins.items():
        place = f"{path}.bins.{name}"
        if name not in columns or schema[name].type not in ORDERED:
            report.add(place, found=name, allowed=phrase("statistics.integer_number_date_column"))
        elif name in levels:
            found = phrase("statistics.both_bins_level", name=quoted(name))
            report.add(place, found=found, allowed=phrase("model.one_them"))
        elif wanted > schema[name].codes:
            allowed = phrase("statistics.at_most_declared_values", codes=schema[name].codes)
            report.add(place, found=wanted, allowed=allowed)
    for name in columns:
        if schema[name].type is ColumnType.NUMBER and name not in bins:
            found = phrase("statistics.number_column_without_bins", name=quoted(name))
            allowed, remedy = phrase("statistics.number_columns_bins"), phrase("statistics.add_bins_10", name=name)
            report.add(f"{path}.columns", found=found, allowed=allowed, remedy=remedy)


def check_cells(keys: Sequence[Key], path: str, report: Report, *, most: int = MAX_CELLS) -> None:
    """Check that a table has at most so many cells."""
    cells = prod(key.cells for key in keys)
    if cells > most:
        report.add(
            path,
            found=phrase("statistics.cells", cells=cells),
            allowed=phrase("model.at_most", max_text=most),
            remedy=phrase("statistics.use_fewer_columns_bins"),
        )

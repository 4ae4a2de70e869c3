"""Presentation of a statistic's numbers: facts about a kind that tables, charts, comparisons and words need."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Quantity(StrEnum):
    """Unit in which a number is counted.

    `column`, `squared` and `product`: in the unit of measure of the statistic's column, its square, or the product of
    two columns' units. `share`, `rate` and `number`: pure numbers, of which a share lies between 0 and 1. `width`:
    parts of the widths of columns, from lower to upper.
    """

    RECORDS = "records"
    UNITS = "units"
    COLUMN = "column"
    SQUARED = "squared"
    PRODUCT = "product"
    SHARE = "share"
    RATE = "rate"
    NUMBER = "number"
    WIDTH = "width"


class ValueKind(StrEnum):
    """Kind of a value: a `noisy` number; one of declared numbers (`graded`); an entry of a declared list, or a
    discovered one (`named`); or an answer such as above or below (`state`). Only noisy numbers have intervals.
    """

    NOISY = "noisy"
    GRADED = "graded"
    NAMED = "named"
    STATE = "state"


class ChartType(StrEnum):
    """Best chart of a table: a mark for each cell, words, a staircase, boxes, a matrix, or a span between two."""

    MARKS = "marks"
    WORDS = "words"
    STAIRS = "stairs"
    BOXES = "boxes"
    MATRIX = "matrix"
    SPAN = "span"


class Trait(StrEnum):
    """Further property of a table.

    `additive`: its cells add up to a whole, so that a bar from zero is what they mean. `never_negative`: no true value
    is below 0. `own_noise`: each cell has one independent draw of noise on a lattice, so that the noise of a difference
    of two is known. `unlike`: its cells are of several kinds, so that they have no order. `signed`: values lie between
    -1 and 1. `ranked`: its rows are ranks, the first, the second and so on. `rows_exact`: it tells the number of rows
    exactly. `counts_rows`: each row is counted in one declared cell. `quotient`: each number is x/(x + x′) of the two
    noisy ones beside it, over its range. `quantile`: values up to which declared shares of the rows lie. `spread`: it
    tells how far values lie apart. `by_bin`: its points are log-odds of bins. `of_columns`: its columns are what is
    asked about, not its keys.
    """

    ADDITIVE = "additive"
    NEVER_NEGATIVE = "never_negative"
    OWN_NOISE = "own_noise"
    UNLIKE = "unlike"
    SIGNED = "signed"
    RANKED = "ranked"
    ROWS_EXACT = "rows_exact"
    COUNTS_ROWS = "counts_rows"
    QUOTIENT = "quotient"
    QUANTILE = "quantile"
    SPREAD = "spread"
    BY_BIN = "by_bin"
    OF_COLUMNS = "of_columns"


class Presentation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Declaration of a kind's numbers. Nothing has a default: a kind that leaves something unsaid is not built."""

    measure: Quantity
    """Unit in which its values are counted."""
    error: Quantity
    """Unit in which its error is counted: where values are chosen, mostly records."""
    values: ValueKind
    look: ChartType
    traits: tuple[Trait, ...]

    def has(self, trait: Trait) -> bool:
        return trait in self.traits

    @property
    def is_chosen(self) -> bool:
        """True if values are among declared ones, so that every digit of them is meant."""
        return self.values in (ValueKind.GRADED, ValueKind.NAMED)


def shown(
    measure: Quantity, *traits: Trait, values: ValueKind = ValueKind.NOISY, look: ChartType = ChartType.MARKS
) -> Presentation:
    """Return the presentation of a kind whose error has the unit of its values: mostly noisy, with a mark for each."""
    return Presentation(measure=measure, error=measure, values=values, look=look, traits=traits)


COUNTED = shown(Quantity.RECORDS, Trait.ADDITIVE, Trait.NEVER_NEGATIVE, Trait.OWN_NOISE, Trait.COUNTS_ROWS)
"""Presentation of tables in which every row counts in one cell."""

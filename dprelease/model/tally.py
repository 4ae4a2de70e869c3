"""Declared tally: the public description of what to count. The counts themselves are in `table`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from dprelease.model.condition import Condition
from dprelease.model.reading_report import STATES


@dataclass(frozen=True, slots=True)
class Key:
    """A partition of one column's codes 0..codes-1 into cells.

    Without edges, code c falls into cell min(c * coded // span, coded - 1); span = coded makes each code a cell.
    With edges, stretch j holds the codes from edges[j] up to, not including, edges[j + 1]; it is cell j, or cell to[j].
    """

    column: str
    cells: int
    span: int
    edges: tuple[int, ...] = ()
    to: tuple[int, ...] = ()
    """Cell of each stretch, where stretches are no cells of their own; -1 for none."""
    level: str = ""
    """Level of the column, where its cells are those of one; they are named as that says."""
    missing: bool = False
    """True if the last cell is of the rows without a code; else these have no cell."""

    @property
    def coded(self) -> int:
        """Number of cells of codes: all, or all but the last."""
        return self.cells - self.missing

    @property
    def of_codes(self) -> Key:
        """The key without the cell of the rows that have no code."""
        return replace(self, cells=self.coded, missing=False) if self.missing else self

    @property
    def in_order(self) -> bool:
        """True if each cell holds codes next to one another, those of the first cell first."""
        return not self.to and not self.missing

    @property
    def whole(self) -> bool:
        """True if each code has a cell."""
        return -1 not in self.to

    def first_code(self, cell: int) -> int:
        """Return the smallest code in a cell of codes in a row; for cell = coded, one more than the largest code
        (for span = codes)."""
        return self.edges[cell] if self.edges else -(-cell * self.span // self.coded)


@dataclass(frozen=True, slots=True)
class Addend:
    """Addend of one column to a score: so much for each step of its code, or a number for each code or stretch."""

    column: str
    slope: int = 0
    of_code: tuple[int, ...] = ()
    """Addends by code, or by stretch of codes; () where `slope` says it."""
    firsts: tuple[int, ...] = ()
    """The first code of each stretch, from 0 on; () where each code has a number of its own."""

    def ends(self, codes: int) -> tuple[int, int]:
        """Return the least and the largest that it adds, of a column with so many codes."""
        listed = self.of_code or (0, self.slope * (codes - 1))
        return min(listed), max(listed)


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """A partition of rows by a score of several columns' codes: start + what each column adds, in whole numbers.

    A score s falls into cell min(max(floor(s / 2^bits + 1/2), -half), half) + half, of 2·half + 1 cells: the middle one
    holds what is nearest to 0. A row without one of the codes has no cell. The numbers come from earlier rounds' noisy
    integers or from public facts, never from rows.
    """

    start: int
    addends: tuple[Addend, ...]
    bits: int
    half: int

    @property
    def cells(self) -> int:
        return 2 * self.half + 1

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it looks at."""
        return tuple(addend.column for addend in self.addends)

    @property
    def shift(self) -> int:
        """Offset added to a score, so that floor(score / 2^bits) is its cell."""
        return (self.half << self.bits) + (1 << self.bits >> 1)

    def reach(self, codes: Mapping[str, int]) -> int:
        """Return a bound on every part of the sum, by the columns' numbers of codes. Engines add below MAX_SCORE."""
        ends = [addend.ends(codes[addend.column]) for addend in self.addends]
        return abs(self.start) + self.shift + sum(max(abs(low), abs(high)) for low, high in ends)


@dataclass(frozen=True, slots=True)
class UnitPart:
    """Part of the privacy units, by a public number of each: those below a limit, or all others.

    The number is made of the identifier alone (`dprelease.table.held_out`): all rows of a unit are in one part,
    whatever they are, before any is left out for `max_rows`.
    """

    limit: int
    """Limit from 0 to 2^60: the numbers are below that."""
    below: bool


MAX_SCORE = 2**62
"""A score and each part of its sum stay below it, so that no engine's 64 bits overflow: whatever the rows are."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Summand in each cell: the product of the codes of `factors`; with none, 1 (so rows are counted).

    Only rows in which every column of `present` and of `factors` has a code, and that pass `where`, are counted.
    """

    factors: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it looks at."""
        return (*self.factors, *self.present, *(condition.column for condition in self.where))


@dataclass(frozen=True, slots=True)
class TallyQuery:
    """cells = product of the keys and the score (row-major, the score last), times a measure.

    With `units`, privacy units are counted instead of rows: each in the cells that its kept rows fall into, and in no
    more than `PrivacyUnit.groups` of them.
    """

    keys: tuple[Key, ...] = ()
    measure: Measure = Measure()
    units: bool = False
    score: ScoreKey | None = None
    """A further key, of several columns at once."""
    part: UnitPart | None = None
    """Part of the units whose rows are counted; None for everybody's."""
    states: tuple[str, ...] = ()
    """Columns whose cells are counted by their states (`reading_report.STATES`, row-major), not by their values: one
    further key, the last one, of all of them together. Not beside a score."""

    @property
    def shape(self) -> tuple[int, ...]:
        last = (self.score.cells,) if self.score else (len(STATES) ** len(self.states),) if self.states else ()
        return (*(key.cells for key in self.keys), *last)

    @property
    def cells(self) -> int:
        return prod(self.shape)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it looks at."""
        scored = self.score.columns if self.score else ()
        return (*(key.column for key in self.keys), *scored, *self.measure.columns, *self.states)


@dataclass(frozen=True, slots=True)
class DiscoveryQuery:
    """Rows by the values that some columns turn out to have, and by declared keys of others.

    The answer maps cells to counts; a cell is the JSON list of its texts and of its keys' cells, in the order of
    `columns`. A unit's rows count in no more than `PrivacyUnit.groups` cells. Which cells there are is confidential.
    """

    columns: tuple[str | Key, ...]
    """A column's name where its values are to be discovered, else its declared key."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that it looks at."""
        return tuple(each if isinstance(each, str) else each.column for each in self.columns)


Query = TallyQuery | DiscoveryQuery
Shape = tuple[int, ...]
"""Number of integers measured, along each axis; () for a single one."""
UNDECLARED: Shape = (0,)
"""The shape of counts by cells that are discovered: none of them is declared."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Sensitivity of a vector of integers to one unit: the norms of the largest differences.

    `monotone`: one unit changes all entries in the same direction. `shape`: of the integers that it was worked out for;
    it holds for no others.
    """

    l1: int
    linf: int
    l2_squared: int = 0
    """The square of the L2 norm, which is whole."""
    l0: int = 0
    """Maximum number of entries that change; for vectors whose entries are not declared."""
    monotone: bool = False
    shape: Shape | None = None
    """Shape of the integers; None where nobody said: a plan's price takes no such sensitivity."""

"""Families of cells that are compared in a table, and their level: by what is declared alone, never by the numbers.

A table has 5 % for all its claims together. A table with totals is read by these: the totals of each key are a family
of their own, at an equal part. Any other table is one family, of all its cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Literal

from dprelease.model.calendar import CONTIGUOUS, RECURRING
from dprelease.model.certificate import Certificate
from dprelease.model.column import LISTED, OTHER, Column, ColumnType
from dprelease.model.grade import Grade, Scale, grades
from dprelease.model.noise import GAUSSIAN, LAPLACE, Drawn, IntervalNoise, Noise
from dprelease.model.presentation import Quantity, Trait
from dprelease.model.release import NO_ANSWER, TOTAL, Axis, Cell, Estimates

ALPHA = Fraction(1, 20)
"""Error level of all claims about one table, and of the lead of a release."""
MAX_CELLS = 400
"""Largest number of cells of a family."""
MAX_DRAWS = 10_000
"""Largest number of draws in a total whose noise is computed; beyond, its interval bounds it."""
LIST, TWO, BINS, PERIODS = "list", "two", "bins", "periods"
PARTS: Mapping[str, Mapping[str, Fraction]] = {
    LIST: {
        "most": Fraction(2, 5),
        "ahead2": Fraction(1, 10),
        "ahead3": Fraction(1, 10),
        "least": Fraction(1, 5),
        "spread": Fraction(1, 5),
    },
    TWO: {"share": Fraction(1)},
    BINS: {"stretch": Fraction(1)},
    PERIODS: {
        "first_last": Fraction(2, 5),
        "most": Fraction(3, 10),
        "least": Fraction(1, 10),
        "spread": Fraction(1, 5),
    },
}
"""Parts of a family's level that each claim has, by the shape of its key."""
NOISES = (LAPLACE, GAUSSIAN)
YES = "true"
"""Code whose share is stated where it is one of two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFamily:
    """Cells of one table that are compared with one another: numbers y = x + n in whole steps of their noise."""

    shape: str
    level: Fraction
    """Level of all claims about it together."""
    axis: int | None
    """Key whose totals they are; None where they are the cells of the table."""
    places: Sequence[int]
    """Rows of the table."""
    counts: Sequence[Fraction]
    """Noisy numbers y; whole where the noise is known."""
    shown: Sequence[float]
    """Published numbers in their place; they differ from y where they were adjusted."""
    noises: Sequence[Noise]
    never: frozenset[int] = field(default=frozenset())
    """Places that stand for several values, which are never named among several."""
    none: frozenset[int] = field(default=frozenset())
    """Places that are not told apart from none (grade N): no claim says that they have more than others."""
    widths: Sequence[Fraction] = ()
    """Widths of bins, in values or days."""

    @property
    def basis(self) -> Literal["exact", "bounded"]:
        return "exact" if self.is_exact else "bounded"

    @property
    def is_exact(self) -> bool:
        """True if the noise of every number is known, and has one distribution for all."""
        return all(isinstance(each, Drawn) for each in self.noises) and len(set(self.noises)) == 1

    @property
    def noise(self) -> Drawn:
        """Noise of each number, where all have one distribution."""
        (own,) = set(self.noises)
        assert isinstance(own, Drawn)
        return own

    def part(self, claim: str) -> Fraction:
        """Return the level of one claim; 0 where none is made."""
        return self.level * PARTS[self.shape].get(claim, Fraction(0))

    def at(self, part: Fraction) -> CellFamily:
        """Return the family at a part of its level."""
        return replace(self, level=self.level * part)


def families(certificate: Certificate, table: str, estimates: Estimates) -> list[CellFamily]:
    """Return the families of a table, each of two cells at least; none where its numbers are not compared."""
    if not estimates.axes or not is_compared(certificate, table):
        return []
    asked, measure = certificate.asked(table), certificate.statistic(table).presentation.measure
    records = measure is Quantity.RECORDS and "max_rows_per_cell" not in asked
    axes: Sequence[int | None] = range(len(estimates.axes)) if asked.get("margins") else [None]
    named = [(axis, places_of(estimates, asked, axis)) for axis in axes]
    chosen = [(axis, places) for axis, places in named if 2 <= len(places) <= MAX_CELLS]
    own = _noisy(certificate, table, estimates)
    none = frozenset(at for at, letter in enumerate(grades(certificate, table, estimates)) if letter is Grade.NONE)
    found = []
    for axis, places in chosen:
        key = axis if axis is not None or len(estimates.axes) > 1 else 0
        column, level = (None, "") if key is None else _key(certificate, table, key)
        shape = _shape(column, level, len(places), records=records)
        if not all(place in own for place in places):
            continue
        cells = [("",) if key is None else cell_of(estimates, key, place) for place in places]
        family = CellFamily(
            shape=shape,
            level=ALPHA / len(chosen),
            axis=axis,
            places=places,
            counts=[own[place][0] for place in places],
            shown=[float(estimates.value[place]) for place in places],  # type: ignore[arg-type]
            noises=[own[place][1] for place in places],
            never=frozenset(place for place, cell in zip(places, cells, strict=True) if cell[0] == OTHER),
            none=none,
            widths=[_width(cell, column) for cell in cells] if shape == BINS else (),
        )
        found.append(family)
    return found


def is_compared(certificate: Certificate, table: str) -> bool:
    """Return True if the numbers of a table are compared: counts and sums of declared cells, of all rows."""
    asked, stated = certificate.asked(table), certificate.statistic(table)
    shown, mechanisms = stated.presentation, certificate.rests_on(stated)
    adds_up = shown.has(Trait.ADDITIVE) and not shown.has(Trait.UNLIKE) and not shown.has(Trait.RANKED)
    noised = bool(mechanisms) and all(each.name in NOISES and "threshold" not in each.settings for each in mechanisms)
    return adds_up and noised and not {"survey_weights", "sampling"} & asked.keys()


def own_noise(certificate: Certificate, table: str) -> tuple[Drawn, Decimal] | None:
    """Return the noise of each cell and the size of its step, where each has one draw of its own; else None."""
    stated = certificate.statistic(table)
    if stated.source is not None or certificate.several is not None or not stated.presentation.has(Trait.OWN_NOISE):
        return None
    mechanisms = certificate.rests_on(stated)
    if len(mechanisms) != 1 or mechanisms[0].name not in NOISES or mechanisms[0].step is None:
        return None
    return Drawn(mechanisms[0].name, float(mechanisms[0].scale)), Decimal(mechanisms[0].step)


def places_of(estimates: Estimates, asked: Mapping[str, Any], axis: int | None) -> list[int]:
    """Return the rows that are compared: totals of one key, or the cells; whole periods only, no missing answers."""
    missing = {NO_ANSWER} if asked.get("missing") else set[str]()
    totals = {TOTAL} if asked.get("margins") else set[str]()
    keep = []
    for number, own in enumerate(estimates.axes):
        if axis is not None and number != axis:
            keep.append([cell[0] in totals for cell in own.cells])
        else:
            left_out = missing | totals
            keep.append([cell[0] not in left_out and not own.is_cut(at) for at, cell in enumerate(own.cells)])
    return [place for place, kept in enumerate(product(*keep)) if all(kept)]


def _key(certificate: Certificate, table: str, axis: int) -> tuple[Column | None, str]:
    """Return the column of a key, and the level at which it is told apart."""
    asked, presentation = certificate.asked(table), certificate.statistic(table).presentation
    columns = () if presentation.has(Trait.OF_COLUMNS) else asked.get("columns", ())
    names = [*asked.get("by", ()), *columns, *([asked["column"]] if "column" in asked else [])]
    name = names[axis] if axis < len(names) else ""
    return certificate.columns.get(name), asked.get("levels", {}).get(name, "")


def _shape(column: Column | None, level: str, cells: int, *, records: bool) -> str:
    """Return the shape of a key: names in any order, two of them, ordered numbers or days, or calendar periods."""
    if column is not None and column.type not in LISTED:
        if column.type is ColumnType.DATE and level in CONTIGUOUS:
            return PERIODS
        return BINS if records and level not in RECURRING else LIST
    return TWO if column is not None and cells == 2 and records else LIST


def cell_of(estimates: Estimates, axis: int, place: int) -> tuple[Cell, ...]:
    """Return the entries of a row for one key."""
    behind = prod(len(own.cells) for own in estimates.axes[axis + 1 :])
    cells = estimates.axes[axis].cells
    return cells[place // behind % len(cells)]


def _width(cell: tuple[Cell, ...], column: Column | None) -> Fraction:
    """Return the number of values or days in a bin."""
    if len(cell) < 2 or column is None:
        return Fraction(1)
    if column.type is ColumnType.DATE:
        begin, end = (date.fromisoformat(str(day)).toordinal() for day in cell[:2])
        return Fraction(end - begin + 1)
    first, last = (Fraction(Decimal(str(end))) for end in cell[:2])
    return (last - first) / Fraction(column.lattice.resolution) + 1


def _noisy(certificate: Certificate, table: str, estimates: Estimates) -> dict[int, tuple[Fraction, Noise]]:
    """Return each row's number in steps of its noise, and its noise; without rows where these are unknown.

    The noise is known where each cell has a draw of its own. Else it is bounded by the interval, where that is the one
    of the number itself.
    """
    stated, asked = certificate.statistic(table), certificate.asked(table)
    mechanisms, margins = certificate.rests_on(stated), bool(asked.get("margins"))
    draws = [prod(each) for each in product(*(_draws(axis, margins=margins) for axis in estimates.axes))]
    drawn = stated.presentation.has(Trait.OWN_NOISE) or margins
    (own, *others) = mechanisms
    alone = drawn and stated.source is None and not others and certificate.several is None and own.step is not None
    cells = prod(len(axis.cells) - margins for axis in estimates.axes)
    if alone and prod(own.shape) == cells and max(draws, default=1) <= MAX_DRAWS:
        step, raw = Fraction(Decimal(own.step or 1)), estimates.extra.get("raw", estimates.value)
        return {
            place: (Fraction(round(Fraction(Decimal(str(value))) / step)), Drawn(own.name, float(own.scale), many))
            for place, (value, many) in enumerate(zip(raw, draws, strict=True))
            if isinstance(value, int | float)
        }
    unit = Scale.of(certificate, table).step
    if not unit or certificate.plan.get("postprocess"):
        return {}
    found: dict[int, tuple[Fraction, Noise]] = {}
    for place, row in enumerate(zip(estimates.value, estimates.lower95, estimates.upper95, strict=True)):
        value, lower, upper = (cell if isinstance(cell, int | float) else None for cell in row)
        if value is not None and lower is not None and upper is not None:
            reach = max(value - lower, upper - value) / unit + 1
            found[place] = Fraction(Decimal(str(value))) / Fraction(Decimal(str(unit))), IntervalNoise(reach)
    return found


def _draws(axis: Axis, *, margins: bool) -> list[int]:
    """Return the number of cells along a key that each of its cells is the sum of."""
    return [len(axis.cells) - 1 if margins and cell[0] == TOTAL else 1 for cell in axis.cells]

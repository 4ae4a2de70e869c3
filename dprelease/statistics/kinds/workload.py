"""Many tables of the same rows, planned together: each as precise as the others' measurements can make it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import ceil, sqrt
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from dprelease.errors import InternalError
from dprelease.mechanisms import Mechanism, ResidualGaussian
from dprelease.mechanisms.residual import MOST_AXES, named, sensitivity
from dprelease.model.column import CODED, ORDERED, ColumnType
from dprelease.model.column_options import ColumnNames, LevelByColumn, WholeByColumn
from dprelease.model.options import Choice, Whole, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.privacy import Currency, Terms
from dprelease.model.release import Axis, Estimates, Model, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Key, Measure, TallyQuery
from dprelease.statistics.algebra.grouping import axes, check_cells, group_keys
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.residual import OBJECTIVES, Family, Places, Wholes
from dprelease.statistics.levelled import Levelled
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement
from dprelease.words import phrase, quoted

RESIDUALS = "residuals"
"""The fact that all tables are computed from: noisy integers, those of each set of columns after the others."""
SMOOTH = 5.0
"""From this scale on, sums of discrete Gaussian noises are normal on their lattice to 1e-10."""
SLACK = 1 + 1e-9
"""For the rounding of variances."""
MOST_ORDER = 5
MOST_CELLS = 50_000_000
"""Of all tables together."""


@dataclass(frozen=True, kw_only=True)
class Workload(Levelled):
    """Rows in each combination of declared values, in all tables over up to `order` of some columns.

    Rows that lack a value in any of the columns count in no table, so all are of the same rows. Discrete Gaussian noise
    is added to residuals (`algebra/residual.py`), which all tables are computed of: so they agree, and each cell is
    the best linear estimate of all that was measured. Sensitivity L2: that of all residuals together, whose joint loss
    depends on the scale of each (`ResidualGaussian`).
    """

    kind: ClassVar[str] = "workload"
    output: ClassVar[OutputKind] = "model"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.RECORDS,
        error=Quantity.RECORDS,
        values=Answers.NOISY,
        look=Look.MARKS,
        traits=(Trait.ADDITIVE, Trait.NEVER_NEGATIVE),
    )
    columns: tuple[str, ...] = option(ColumnNames(CODED, most=MOST_AXES))
    """Whose values are counted."""
    order: int = option(Whole(1, MOST_ORDER), default=2)
    """Up to how many columns a table has: all tables of one column, of two, and so on."""
    objective: str = option(Choice(tuple(OBJECTIVES)), default="equalise")
    """What is made small: the largest error (equalise), or the sum over all cells (minimise) or tables (means)."""
    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("columns"), default=())
    """The level of a key column: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    bins: tuple[tuple[str, int], ...] = option(WholeByColumn(1, 100_000), default=())
    """How many bins of equal width a column has; number columns need them."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        for name, bins in self.bins:
            if name not in self.columns or schema[name].type not in ORDERED:
                report.add(f"{path}.bins.{name}", found=name, allowed=phrase("statistics.integer_number_date_column"))
            elif bins > schema[name].codes:
                allowed = phrase("statistics.at_most_declared_values", codes=schema[name].codes)
                report.add(f"{path}.bins.{name}", found=bins, allowed=allowed)
        for name in self.columns:
            if schema[name].type is ColumnType.NUMBER and name not in dict(self.bins):
                report.add(
                    f"{path}.columns",
                    found=phrase("statistics.number_column_without_bins", name=quoted(name)),
                    allowed=phrase("statistics.number_columns_bins"),
                    remedy=phrase("statistics.add_bins_10", name=name),
                )
        if len(report.problems) > before:
            return
        keys, family = self.keys(schema), self.family(schema)
        for key in keys:
            if not key.whole:
                report.add(
                    f"{path}.levels.{key.column}",
                    found=phrase("statistics.level_leaves_out", name=quoted(key.column)),
                    allowed=phrase("statistics.level_holds_all"),
                )
        for places in family.tables:
            check_cells([keys[place] for place in places], f"{path}.columns", report)
        cells = int(family.sizes(family.tables).sum())
        if cells > MOST_CELLS:
            found = phrase("statistics.cells", cells=cells)
            allowed = phrase("model.at_most", max_text=MOST_CELLS)
            remedy = phrase("statistics.use_fewer_columns_bins")
            report.add(f"{path}.columns", found=found, allowed=allowed, remedy=remedy)

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        if terms.currency is not Currency.ZCDP:
            report.add(
                f"{path}.kind",
                found=phrase("statistics.workload_in_pure"),
                allowed=phrase("statistics.workload_needs_zcdp"),
                remedy=phrase("statistics.workload_crosstabs"),
            )

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """One a column."""
        return group_keys(schema, self.columns, dict(self.bins), levels=dict(self.levels), partial=self.partial)

    def family(self, schema: Schema) -> Family:
        """Its tables."""
        return _family(tuple(key.cells for key in self.keys(schema)), self.order)

    def parts(self) -> dict[str, Places]:
        """The names of its tables, and the places of their columns."""
        found: dict[str, Places] = {}
        for places in _up_to(len(self.columns), self.order):
            text = re.sub(r"[^a-z0-9]+", "_", "_".join(self.columns[place] for place in places).lower()).strip("_")
            name = base = (text if text[:1].isalpha() else f"t_{text}")[:50].strip("_")
            number = 1
            while name in found:
                number += 1
                name = f"{base}_{number}"
            found[name] = places
        return found

    def _widest(self) -> list[Places]:
        """The tables that all others are margins of."""
        length = min(self.order, len(self.columns))
        return [places for places in self.parts().values() if len(places) == length]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        keys = self.keys(schema)
        return tuple(
            TallyQuery(
                tuple(keys[place] for place in places),
                Measure(
                    (), with_nulls([name for place, name in enumerate(self.columns) if place not in places], schema)
                ),
            )
            for places in self._widest()
        )

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        family = self.family(schema)
        own = {
            "cells": " ".join(map(str, family.cells)),
            "sets": named(family.sets),
            "rows": terms.max_rows,
            "moves": terms.substitute,
        }
        known = sensitivity(**own)
        assert known.shape is not None
        ratios = _ratios(family, self.objective)
        return (Measurement(ResidualGaussian, known.shape, known, settings={**own, "ratios": ratios}),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (self.family(schema).residuals(dict(zip(self._widest(), tallies, strict=True))),)

    def tables(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.id}.{part}" for part in self.parts())

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        family, keys, (noise,) = self.family(schema), self.keys(schema), mechanisms
        assert isinstance(noise, ResidualGaussian)
        noisy, halves = family.split(drawn[0]), half_widths(family, noise)
        tables = {
            name: _estimates(
                axes(schema, [keys[place] for place in places]),
                family.table(noisy, places),
                family.step(places),
                halves[places],
            )
            for name, places in self.parts().items()
        }
        return Model(parts=tables, facts={RESIDUALS: drawn[0].tolist()})

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, Model) or tuple(output.parts) != tuple(self.parts()):
            return False
        numbers, family = output.facts.get(RESIDUALS), self.family(schema)
        if not isinstance(numbers, list) or len(numbers) != family.sizes(family.sets).sum():
            return False
        if not all(type(number) is int and abs(number) < 2**63 for number in numbers):
            return False
        return output == self.answered(schema, [np.array(numbers, dtype=np.int64)], mechanisms)

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        raise InternalError("a workload answers with several tables")

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        raise InternalError("a workload answers with several tables")

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        """Returns that of the least precise table."""
        family, (noise,) = self.family(schema), mechanisms
        assert isinstance(noise, ResidualGaussian)
        return ExpectedError(float(max(half_widths(family, noise, confidence).values())), "mechanism")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        family = self.family(schema)
        return expected.rows / float(family.sizes(family.tables).max())

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return ()

    def size(self, schema: Schema) -> int:
        family = self.family(schema)
        return int(family.sizes(family.tables).sum())


def _up_to(columns: int, order: int) -> Iterator[Places]:
    for length in range(1, min(order, columns) + 1):
        yield from combinations(range(columns), length)


@lru_cache(maxsize=64)
def _family(cells: tuple[int, ...], order: int) -> Family:
    return Family(cells, tuple(_up_to(len(cells), order)))


@lru_cache(maxsize=64)
def _ratios(family: Family, objective: str) -> tuple[float, ...]:
    return tuple(family.ratios(family.planned(objective, np.ones(len(family.tables)))))


@lru_cache(maxsize=64)
def half_widths(family: Family, noise: ResidualGaussian, confidence: float = 0.95) -> Mapping[Places, Fraction]:
    """Those of each cell, by table: z·√V and half a step of the lattice, rounded up to the lattice.

    Where some noise is small, values cluster on a coarser lattice, whose steps are whole rows at most.
    """
    scales, z = noise.by_set, NormalDist().inv_cdf((1 + confidence) / 2)
    variances = family.variances(family.squares(scales)).tolist()
    found: dict[Places, Fraction] = {}
    for places, variance in zip(family.tables, variances, strict=True):
        step = family.step(places)
        least = min(scales[part] for part in family.parts(places))
        coarse = step if least >= SMOOTH else 1
        reach = Fraction(z * sqrt(variance) * SLACK) + Fraction(1, 2 * coarse)
        found[places] = Fraction(ceil(reach * step), step)
    return MappingProxyType(found)


def _estimates(keys: tuple[Axis, ...], numbers: Wholes, step: int, half: Fraction) -> Estimates:
    """Parts of a row as decimals, each the nearest to the exact number."""
    whole, reach = numbers.ravel().tolist(), int(half * step)
    return Estimates(
        axes=keys,
        value=[number / step for number in whole],
        lower95=[(number - reach) / step for number in whole],
        upper95=[(number + reach) / step for number in whole],
    )

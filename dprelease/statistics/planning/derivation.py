"""Derivation of a statistic's answer from sealed integers: of its own measurement, or of another's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.plan import Plan
from dprelease.model.release import Estimates, Output
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.linear import IntegerSource
from dprelease.statistics.kinds.mean import Mean
from dprelease.statistics.noisy import NoisyTable, counts_rows, scaled
from dprelease.statistics.noisy import alike as alike_tables
from dprelease.statistics.planning.measurement import PricedMeasurement
from dprelease.statistics.planning.source import alike, of_moments, ranks, source
from dprelease.statistics.ranked import QuantileTable
from dprelease.statistics.source_tables import lacking
from dprelease.statistics.table_family import TableFamily
from dprelease.statistics.tabulated import ExpectedError, TallyStatistic

Drawn = Mapping[str, Sequence[Any]]
"""Sealed draws by measurement: for each mechanism integers, or integers by discovered cell."""


@dataclass(frozen=True)
class Derivation(ABC):
    """Way of computing a statistic, and its measurement. `name` is what a certificate states."""

    name: ClassVar[str]
    measurement: PricedMeasurement

    @property
    def own(self) -> PricedMeasurement | None:
        """The measurement that is made for this statistic."""
        return None

    @property
    def measurements(self) -> tuple[PricedMeasurement, ...]:
        """All that it is computed of."""
        return (self.measurement,)

    @property
    def mechanisms(self) -> Sequence[Mechanism]:
        """Mechanisms by which its numbers got their noise."""
        return self.measurement.mechanisms

    def measured_by(self, others: Mapping[str, PricedMeasurement]) -> Self:
        """Return the same of other measurements, by their ids."""
        return replace(self, measurement=others[self.measurement.id])

    @property
    def count_variance(self) -> float:
        """Variance of the noise on each count of a table of counts, in rows squared."""
        (mechanism, *_) = self.measurement.mechanisms
        assert isinstance(mechanism, Noise)
        return float(mechanism.variance)

    @abstractmethod
    def answered(self, statistic: TallyStatistic, schema: Schema, drawn: Drawn) -> Output:
        """Return what is published."""

    def could_answer(self, statistic: TallyStatistic, schema: Schema, output: Output) -> bool:
        """Return True if some draw gives this answer."""
        return statistic.could_answer(schema, output, self.mechanisms)

    @abstractmethod
    def error(self, statistic: TallyStatistic, plan: Plan) -> ExpectedError | None:
        """Return how far it is expected to err; None where that takes the expected number of rows."""


@dataclass(frozen=True)
class SameMeasurement(Derivation):
    """Derivation by the statistic's own formulas, from another's measurement of the very same integers."""

    name = "same"

    def answered(self, statistic: TallyStatistic, schema: Schema, drawn: Drawn) -> Output:
        return statistic.answered(schema, drawn[self.measurement.id], self.measurement.mechanisms)

    def error(self, statistic: TallyStatistic, plan: Plan) -> ExpectedError | None:
        return statistic.error(plan.schema, self.measurement.mechanisms, plan.expected)


@dataclass(frozen=True)
class Own(SameMeasurement):
    """Derivation by the statistic's own formulas, from its own measurement."""

    name = "own"

    @property
    def own(self) -> PricedMeasurement:
        return self.measurement


@dataclass(frozen=True)
class DerivedFromTables(Derivation):
    """Rows that are made of the tables of a workload, at no cost: what was measured of it, or of these alone."""

    name = "tables"

    @property
    def by(self) -> TableFamily:
        """Family of tables that was measured."""
        assert isinstance(self.measurement.statistic, TableFamily)
        return self.measurement.statistic

    def answered(self, statistic: TallyStatistic, schema: Schema, drawn: Drawn) -> Output:
        assert isinstance(statistic, TableFamily)
        return statistic.answered_by(self.by, schema, drawn[self.measurement.id], self.measurement.mechanisms)

    def could_answer(self, statistic: TallyStatistic, schema: Schema, output: Output) -> bool:
        assert isinstance(statistic, TableFamily)
        return statistic.could_answer_by(self.by, schema, output, self.measurement.mechanisms)

    def error(self, statistic: TallyStatistic, plan: Plan) -> ExpectedError | None:
        assert isinstance(statistic, TableFamily)
        mechanisms = self.measurement.mechanisms
        halves = self.by.measuring(plan.schema, type(mechanisms[0])).half_widths(mechanisms)
        return ExpectedError(
            float(max(halves[statistic.among(self.by, places)] for places in statistic.places)), "mechanism"
        )


@dataclass(frozen=True)
class CountsOfSource(Derivation):
    """Counts that follow from the noisy integers of another statistic, at no cost."""

    name = "counts"
    way: IntegerSource

    @property
    def half_width(self) -> int:
        """Largest margin of error of a number, with 95 % confidence."""
        return self.way.half_width(self.measurement.mechanisms[0])

    @cached_property
    def _halves(self) -> list[int]:
        return self.way.half_widths(self.measurement.mechanisms[0])

    @property
    def count_variance(self) -> float:
        return super().count_variance * self.way.squares / self.way.size**2

    def answered(self, statistic: TallyStatistic, schema: Schema, drawn: Drawn) -> Estimates:
        return self.table(statistic, schema, self.way.numbers(drawn[self.measurement.id][0]))

    def table(self, statistic: TallyStatistic, schema: Schema, steps: NDArray[Any]) -> Estimates:
        """Return so many steps with their intervals."""
        assert isinstance(statistic, NoisyTable)
        halves, values, step = self._halves, steps.ravel().tolist(), statistic.step(schema)
        value, lower, upper = (
            [scaled(number + sign * half, step) for number, half in zip(values, halves, strict=True)]
            for sign in (0, -1, 1)
        )
        return Estimates(axes=statistic.axes(schema), value=value, lower95=lower, upper95=upper)

    def could_answer(self, statistic: TallyStatistic, schema: Schema, output: Output) -> bool:
        if not isinstance(output, Estimates) or not isinstance(statistic, NoisyTable):
            return False
        steps = statistic.in_steps(schema, output)
        return steps is not None and alike_tables(output, self.table(statistic, schema, steps))

    def error(self, statistic: TallyStatistic, plan: Plan) -> ExpectedError | None:
        assert isinstance(statistic, NoisyTable)
        return ExpectedError(float(self.half_width * statistic.step(plan.schema)), "mechanism")


@dataclass(frozen=True)
class SumsOfSource(CountsOfSource):
    """Sums of values that follow from one-sided sums or moments of the same column, at no cost."""

    name = "sums"


@dataclass(frozen=True)
class MeanOfMoments(Derivation):
    """A mean that follows from the second moments of the same column, at no cost."""

    name = "moments"

    def answered(self, statistic: TallyStatistic, schema: Schema, drawn: Drawn) -> Output:
        assert isinstance(statistic, Mean)
        sums = drawn[self.measurement.id][0].reshape(-1, 3).astype(np.float64)
        return statistic.of_moments(schema, sums, self.measurement.mechanisms[0])

    def error(self, statistic: TallyStatistic, plan: Plan) -> ExpectedError | None:
        assert isinstance(statistic, Mean)
        return statistic.error_of_moments(plan.schema, self.measurement.mechanisms[0], plan.expected)


@dataclass(frozen=True)
class QuantilesOfSource(Derivation):
    """Quantiles that are read from counts of bins, at no cost, with the intervals that these allow."""

    name = "ranks"
    firsts: tuple[int, ...]
    """The first code of each bin, and the one after the last."""

    def answered(self, statistic: TallyStatistic, schema: Schema, drawn: Drawn) -> Output:
        assert isinstance(statistic, QuantileTable)
        return statistic.of_counts(schema, self.firsts, drawn[self.measurement.id], self.measurement.mechanisms)

    def error(self, statistic: TallyStatistic, plan: Plan) -> ExpectedError | None:
        assert isinstance(statistic, QuantileTable)
        return statistic.error_of_counts(plan.schema, self.firsts, self.measurement.mechanisms, plan.expected)


def following(statistic: TallyStatistic, given: PricedMeasurement, schema: Schema) -> Derivation | None:
    """Return the derivation of a statistic from another's measurement; None where it does not follow."""
    if isinstance(statistic, TableFamily) and statistic.follows is not None:
        by = given.statistic
        return (
            DerivedFromTables(given) if isinstance(by, TableFamily) and lacking(statistic, by, schema) is None else None
        )
    way = source(statistic, given.statistic, schema)
    if way is not None:
        return CountsOfSource(given, way) if counts_rows(statistic) else SumsOfSource(given, way)
    if alike(statistic, given.statistic, schema):
        return SameMeasurement(given)
    bins = ranks(statistic, given.statistic, schema)
    if bins is not None:
        return QuantilesOfSource(given, (*map(bins.first_code, range(bins.cells)), bins.span))
    return MeanOfMoments(given) if of_moments(statistic, given.statistic, schema) else None

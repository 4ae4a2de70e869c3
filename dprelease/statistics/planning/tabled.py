"""Models that are fitted to tables which other statistics of the plan measure: at no ε of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from dprelease.model.plan import Expected, Plan
from dprelease.model.release import Output
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.linear import Rule
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.binned import Binned, variance
from dprelease.statistics.kinds.workload import Workload
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.planning.derivation import Derivation, Drawn
from dprelease.statistics.planning.measurement import PricedMeasurement
from dprelease.statistics.tabulated import ExpectedError, TallyStatistic

Pair = tuple[Key, Key]


@dataclass(frozen=True)
class PairCounts:
    """Noisy counts by two keys that a measurement tells as they were drawn."""

    measurement: PricedMeasurement
    place: int
    """Place of the mechanism that drew them."""
    turned: bool
    """True if the measurement has the second key first."""

    @property
    def is_drawn(self) -> bool:
        """True if its mechanism adds noise to just these counts, to each by itself."""
        own = self.measurement.mechanisms
        return self.place < len(own) and isinstance(own[self.place], DiscreteLaplace | DiscreteGaussian)

    @property
    def mechanism(self) -> Mechanism:
        """Mechanism by which they were drawn, for the shape that they have here."""
        drawn = self.measurement.mechanisms[self.place]
        shape = drawn.sensitivity.shape
        if not self.turned or shape is None:
            return drawn
        return replace(drawn, sensitivity=replace(drawn.sensitivity, shape=shape[::-1]))

    @property
    def variance(self) -> float:
        """Variance of the noise on a cell."""
        return variance(self.mechanism)

    def counts(self, drawn: Drawn) -> NDArray[Any]:
        """Return the counts, by the first key and the second."""
        found = np.asarray(drawn[self.measurement.id][self.place])
        return found.T if self.turned else found


@dataclass(frozen=True)
class PublishedTables(Derivation):
    """A model by its own formulas, of tables that were measured for other statistics, each by itself, at no cost."""

    name = "tables"
    told: tuple[PairCounts, ...]
    """In the order of the model's own tables."""

    @property
    def measurements(self) -> tuple[PricedMeasurement, ...]:
        return tuple({each.measurement.id: each.measurement for each in self.told}.values())

    def measured_by(self, others: Mapping[str, PricedMeasurement]) -> Self:
        told = tuple(replace(each, measurement=others[each.measurement.id]) for each in self.told)
        return replace(self, measurement=told[0].measurement, told=told)

    @property
    def mechanisms(self) -> list[Mechanism]:
        """The one of each table."""
        return [each.mechanism for each in self.told]

    @property
    def count_variance(self) -> float:
        return self.told[0].variance

    def answered(self, statistic: TallyStatistic, schema: Schema, drawn: Drawn) -> Output:
        return statistic.answered(schema, [each.counts(drawn) for each in self.told], self.mechanisms)

    def error(self, statistic: TallyStatistic, plan: Plan) -> ExpectedError | None:
        return statistic.error(plan.schema, self.mechanisms, plan.expected)


def from_tables(
    statistic: TallyStatistic, given: Sequence[PricedMeasurement], schema: Schema, expected: Expected | None
) -> PublishedTables | None:
    """Return the tables measured for others from which a model follows; None where they do not tell all of its tables.

    Of several that tell a table, that with the least noise is taken; where the model may have pair tables or not, they
    are taken by its own rule. The tables have to count the rows that it counts, by the same cells, with noise of the
    same kind.
    """
    if not isinstance(statistic, Binned):
        return None
    offered: dict[tuple[Rule, Pair], PairCounts] = {}
    for each in given:
        for rule, pair, place in pair_tables(each.statistic, schema):
            for turned, own in ((False, pair), (True, pair[::-1])):
                told, before = PairCounts(each, place, turned), offered.get((rule, own))
                if told.is_drawn and (before is None or told.variance < before.variance):
                    offered[rule, own] = told
    found = []
    for wanted in statistic.told_by_tables(schema):
        rule = (statistic.noise, statistic.null_rule(schema))
        tables = [offered.get((rule, pair)) for pair in wanted]
        if all(tables):
            every = tuple(each for each in tables if each is not None)
            found.append(PublishedTables(every[0].measurement, every))
    if len(found) < 2:
        return found[0] if found else None
    return min(found, key=lambda way: statistic.uncertainty(schema, way.mechanisms, expected))


def tells(statistic: TallyStatistic, schema: Schema) -> bool:
    """Return True if models may be fitted to what a statistic measures."""
    return any(True for _ in pair_tables(statistic, schema))


def is_no_worse(statistic: Binned, way: PublishedTables, own: PricedMeasurement, plan: Plan) -> bool:
    """Return True if a model errs no more by other statistics' tables than by its own.

    That is: no more expected error, which counts the tables with the classes; where no rows are expected, no more noise
    in any of these; and where it would count pairs itself, pairs again, with no more noise in all tables together (the
    sum of the variances of a cell of each).
    """
    many = len(statistic.on)
    before, after = ([variance(each) for each in noises] for noises in (own.mechanisms, way.mechanisms))
    if len(after) < len(before) or (len(before) > many and sum(after) > sum(before)):
        return False
    if plan.expected is None:
        return all(new <= old for new, old in zip(after[:many], before[:many], strict=True))
    old, new = (statistic.error(plan.schema, each, plan.expected) for each in (own.mechanisms, way.mechanisms))
    return old is not None and new is not None and new.error95 <= old.error95


def parts(statistic: Binned, way: PublishedTables) -> Iterator[tuple[str, Fraction]]:
    """Yield the id of each table's measurement, and its part of the model's weight, as the model would divide it."""
    many, pairs = len(statistic.on), len(way.told) - len(statistic.on)
    for place, each in enumerate(way.told):
        whole = Fraction(1, 2) if pairs else Fraction(1)
        yield each.measurement.id, whole / (many if place < many else pairs)


def pair_tables(statistic: TallyStatistic, schema: Schema) -> Iterator[tuple[Rule, Pair, int]]:
    """Yield tables by two keys that a statistic measures as they are, with the place of each one's mechanism."""
    if counts_rows(statistic):
        keys = statistic.keys(schema)
        if len(keys) == 2 and replace(statistic, margins=False, shares=()).is_plain(schema):
            yield (statistic.noise, statistic.null_rule(schema)), (keys[0], keys[1]), 0
    elif isinstance(statistic, Workload):
        keys = statistic.keys(schema)
        rule = (None, left_out(keys, schema))
        for place, places in enumerate(statistic.widest(schema)):
            if len(places) == 2:
                yield rule, (keys[places[0]], keys[places[1]]), place

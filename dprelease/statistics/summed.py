"""Noisy sums of products of two terms of a row, each with its weight, that are measured together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import prod
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.model.privacy import Terms
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Key, Query, TallyQuery
from dprelease.statistics.algebra.line import Entry, LineSums, ThroughOrigin
from dprelease.statistics.algebra.products import Changes, attained, sensitivity
from dprelease.statistics.algebra.weighing import Weights
from dprelease.statistics.modelled import deviation
from dprelease.statistics.predictors import Predictors, Term
from dprelease.statistics.tabulated import Integers, Measurement, TallyStatistic

MAX_UNIT = 2**24
"""Largest product before its weight, as integers are measured: sums of 2^31 rows stay below 2^62."""


@dataclass(frozen=True, kw_only=True)
class Summed(TallyStatistic):
    """Made of one vector: the weighted sum of products of each two of (1, terms, outcome)."""

    output: ClassVar[OutputKind] = "model"
    offers: ClassVar[tuple[str, ...]] = ("noise",)
    PARTS: ClassVar[tuple[str, ...]] = ("coefficients",)

    @abstractmethod
    def predictors(self, schema: Schema) -> Predictors:
        """Return the columns as terms."""

    @abstractmethod
    def weights(self, noise: type[Mechanism]) -> Weights:
        """Return the weight of each product."""

    @property
    def one_sided(self) -> bool:
        """True if terms are measured from 0 at their lower bound to 1; else from -1."""
        return False

    @property
    def outcome_centred(self) -> bool:
        """True if the outcome is measured from -1 nevertheless."""
        return not self.one_sided

    def group_keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return the keys that rows are grouped by, each group having sums of its own."""
        return ()

    def unit(self, schema: Schema) -> int:
        """Return the largest product before its weight, as integers are measured."""
        return min(MAX_UNIT, self.predictors(schema).unit)

    def changes(self, schema: Schema, noise: type[Mechanism]) -> Changes:
        """Return the change by a row, in units."""
        own = self.predictors(schema)
        return self.weights(noise).changes(
            len(own.columns),
            own.squares,
            outcome_squared=Term(own.outcome).is_square,
            grouped=own.grouped > 0,
        )

    def queries(self, schema: Schema) -> tuple[Query, ...]:
        asked, keys = self.predictors(schema).queries, self.group_keys(schema)
        return tuple(replace(query, keys=(*keys, *query.keys)) for query in asked) if keys else asked

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        own, noise = self.predictors(schema), self.noise_for(terms)
        by, changes = TallyQuery(self.group_keys(schema)).shape, self.changes(schema, noise)
        shape, grouped = (*by, len(own.entries)), own.grouped > 0
        stated = sensitivity(terms, shape, changes, self.unit(schema), grouped=grouped, groups=prod(by))
        return (Measurement(noise, shape, stated, attained=attained(terms)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return self.given(schema, tallies, ())

    def given(
        self, schema: Schema, tallies: Sequence[Integers], mechanisms: Sequence[type[Mechanism]]
    ) -> tuple[Integers, ...]:
        weights = self.weights(mechanisms[0] if mechanisms else DiscreteLaplace)
        groups = TallyQuery(self.group_keys(schema))
        if not groups.keys:
            return (np.array(self._numbers(schema, tallies, weights), dtype=np.int64),)
        each = [np.asarray(tally).reshape(groups.cells, *np.shape(tally)[len(groups.shape) :]) for tally in tallies]
        found = [self._numbers(schema, [tally[group, ...] for tally in each], weights) for group in range(groups.cells)]
        return (np.array(found, dtype=np.int64).reshape(*groups.shape, -1),)

    def _numbers(self, schema: Schema, tallies: Sequence[Integers], weights: Weights) -> list[int]:
        """Return the weighted sums of one group."""
        own, unit = self.predictors(schema), self.unit(schema)
        products, last = own.products(tallies), 1 + len(own.terms)
        if self.one_sided and not own.origin:
            products = own.from_lower(products, outcome=not self.outcome_centred)
        return [weights.of(i, j, last) * unit * products[i, j] // (own.scale(i) * own.scale(j)) for i, j in own.entries]

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        """Return the step of weighted sums of products of terms, which lie between -1 and 1."""
        return Decimal(1) / self.unit(schema)

    def sums(self, schema: Schema, drawn: Any, mechanism: Mechanism) -> LineSums:
        """Return the drawn sums, without their weights."""
        own, unit = self.predictors(schema), self.unit(schema)
        last, weights = 1 + len(own.terms), self.weights(type(mechanism))
        numbers = dict(zip(own.entries, np.ravel(drawn).tolist(), strict=True))
        counted = {entry: weights.of(*entry, last) * unit for entry in own.entries}
        noise = deviation(mechanism, 1)
        entries = {entry: number / counted[entry] for entry, number in numbers.items()}
        deviations = {entry: noise / whole for entry, whole in counted.items()}
        if own.origin:
            return ThroughOrigin(last - 1, _before(entries), _before(deviations), {})
        return LineSums(last, entries, deviations, own.elsewhere(one_sided=self.one_sided))


def _before(numbers: Mapping[Entry, float]) -> dict[Entry, float]:
    """Return the same by places that count from the first term, there being no constant."""
    return {(i - 1, j - 1): number for (i, j), number in numbers.items()}

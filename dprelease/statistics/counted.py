"""Tables of counts: rows in each declared cell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from dprelease.model.plan import Expected
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Measure, TallyQuery
from dprelease.statistics.algebra.grouping import axes
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class CountTable(NoisyTable):
    """Rows in each combination of keys, also the empty ones."""

    @abstractmethod
    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return the keys of its cells."""

    def is_plain(self, schema: Schema) -> bool:
        """Return True if it publishes the number of rows in each declared cell."""
        return all(key.whole for key in self.keys(schema))

    def rows_with(self, schema: Schema) -> tuple[str, ...]:
        """Return columns that a row must have a code in to be counted, beside those of the keys."""
        return ()

    def null_rule(self, schema: Schema) -> frozenset[str]:
        """Return the columns with nulls that a row must have a code in to be counted."""
        return left_out(self.keys(schema), schema).union(with_nulls(self.rows_with(schema), schema))

    def count_query(self, schema: Schema) -> TallyQuery:
        """Return the counts that it publishes."""
        keys = self.keys(schema)
        told = {key.column for key in keys if not key.missing}
        others = [name for name in self.rows_with(schema) if name not in told]
        return TallyQuery(keys, Measure((), with_nulls(others, schema)))

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (self.count_query(schema),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = self.count_query(schema).shape
        return (Measurement(self.noise_for(terms), shape, simplex(terms, shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return expected.rows / max(1, self.size(schema))  # as if one category were discovered

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, self.keys(schema))

    def size(self, schema: Schema) -> int:
        return TallyQuery(self.keys(schema)).cells

"""Choice of statistics computed of another's measurement: what is needed more than once is measured once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprelease.mechanisms import DiscreteLaplace
from dprelease.model.privacy import Currency, Terms
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.linear import IntegerSource
from dprelease.statistics.algebra.tree import precision
from dprelease.statistics.kinds.cdf import Cdf
from dprelease.statistics.kinds.mean import Mean
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.kinds.variance import Spread
from dprelease.statistics.noisy import NoisyTable, counts_rows
from dprelease.statistics.planning.source import of_moments, source
from dprelease.statistics.tabulated import Measurement, TallyStatistic

ON = True
"""The privacy audit publishes many copies of one statistic and turns this off; nothing else does."""
OFF_MIDDLE = Fraction(5, 4)
"""The variance of a mean by moments, in that of one by two sums, where it is largest: of rows at a bound."""


def sources(
    statistics: Sequence[TallyStatistic], schema: Schema, terms: Terms, weights: Sequence[Fraction | None]
) -> dict[int, int]:
    """Return by statistic the other one that gives it with less noise; only among those with a weight.

    Their shares are added up, so both gain. `weights` is None where a statistic has a share of its own.
    """
    if not ON:
        return {}
    chosen = _Choice(statistics, schema, terms, {i: weight for i, weight in enumerate(weights) if weight is not None})
    chosen.same_integers()
    before = -1
    while len(chosen.found) > before:
        before = len(chosen.found)
        chosen.counts()
        chosen.cumulated()
        chosen.means()
        chosen.sums()
    return chosen.found


class _Choice:
    """Choice of who pays for whom, a step at a time: no step gives anybody more noise than before."""

    def __init__(
        self, statistics: Sequence[TallyStatistic], schema: Schema, terms: Terms, total: dict[int, Fraction]
    ) -> None:
        self.statistics, self.schema, self.terms = statistics, schema, terms
        self.total = total
        """Weight of all that a statistic pays for, by its place."""
        self.found: dict[int, int] = {}
        """Place of the payer, by place of a statistic that does not pay."""

    def paying(self, *kinds: type) -> list[int]:
        """Return the places of those that pay, of some kinds or all."""
        kinds = kinds or (TallyStatistic,)
        return [i for i in self.total if i not in self.found and isinstance(self.statistics[i], kinds)]

    def follow(self, index: int, other: int) -> None:
        """Let one statistic, with all that follow from it, follow from another."""
        for each in (index, *self._followers(index)):
            self.found[each] = other
        self.total[other] += self.total[index]

    def same_integers(self) -> None:
        """Share tables of the same counts, and statistics that measure the same families of tables, moments or sums."""
        first: dict[Any, int] = {}
        for index in list(self.total):
            statistic = self.statistics[index]
            own: Any = None
            if counts_rows(statistic):
                table = statistic.integers(self.schema)
                own = None if table is None else (table.rule, frozenset(table.keys))
            elif not isinstance(statistic, Cdf):
                own = statistic.identity(self.schema)
            if own is not None:
                twin = first.setdefault(own, index)
                if twin != index:
                    self.follow(index, twin)

    def counts(self) -> None:
        """Share counts that follow from finer tables, means or moments; coarser tables first."""
        given = {i: own for i in self.paying() if (own := self._at(i).integers(self.schema))}
        families = _grouped((own.rule, index) for index, own in given.items())
        having = _grouped(
            ((own.rule, name), index) for index, own in given.items() for name in {key.column for key in own.keys}
        )
        for family in families.values():
            tables = [index for index in family if counts_rows(self._at(index))]
            taken: set[int] = set()
            for index in sorted(tables, key=lambda index: (self._at(index).size(self.schema), -index)):
                if index not in taken:
                    own = given[index]
                    finer = min((having[own.rule, key.column] for key in own.keys), key=len, default=family)
                    best = self._best(index, (other for other in finer if other not in self.found))
                    if best is not None:
                        taken.add(best)
                        self.follow(index, best)

    def cumulated(self) -> None:
        """Share cumulative shares by a histogram's or another's same bins, unless at several levels they err less."""
        given = {index: self._at(index).identity(self.schema) for index in self.paying(NoisyTable, Cdf)}
        alike = _grouped((integers, index) for index, integers in given.items())
        for index in self.paying(Cdf):
            others = (i for i in alike[given[index]] if i != index and i not in self.found)
            twin = next((i for i in others if not self._levels_err_less(index, i)), None)
            if twin is not None:
                self.follow(index, twin)

    def means(self) -> None:
        """Share means that follow from moments of the same column, with the counts that follow from them."""
        given = self._of_column(Spread)
        for index in self.paying(Mean):
            for other in given.get(self._at(index).column, ()):
                if of_moments(self._at(index), self._at(other), self.schema) and self._gains(index, other):
                    self.follow(index, other)
                    break

    def sums(self) -> None:
        """Share sums that follow from means or moments of the same column."""
        given = self._of_column(Mean, Spread)
        for index in self.paying(Sum):
            best = self._best(index, given.get(self._at(index).column, ()))
            if best is not None:
                self.follow(index, best)

    def _at(self, index: int) -> Any:
        return self.statistics[index]

    def _of_column(self, *kinds: type) -> Mapping[str, list[int]]:
        """Return the places of those that pay, of some kinds, by their column."""
        return _grouped((self._at(index).column, index) for index in self.paying(*kinds))

    def _followers(self, index: int) -> list[int]:
        return [place for place, payer in self.found.items() if payer == index]

    def _follows(self, index: int, other: int) -> bool:
        return source(self._at(index), self._at(other), self.schema) is not None

    def _best(self, index: int, others: Iterable[int]) -> int | None:
        """Return the one of which a statistic's numbers follow with the least noise, if with less than its own."""
        best, direct = None, self._variance(index, self.total[index])
        for other in others:
            way = None if other == index else source(self._at(index), self._at(other), self.schema)
            if way is not None and all(self._follows(each, other) for each in self._followers(index)):
                noise = self._of(way) * self._variance(other, self.total[other] + self.total[index])
                if noise < direct and (best is None or noise < best[0]):
                    best = (noise, other)
        return None if best is None else best[1]

    def _gains(self, index: int, other: int) -> bool:
        """Return True if a mean, and what follows from it, have no more noise by the moments for which all pay."""
        before = self._variance(index, self.total[index])
        after = self._variance(other, self.total[other] + self.total[index])
        one, moments = (self._at(each).integers(self.schema) for each in (index, other))
        if one is None or moments is None:
            return False
        if OFF_MIDDLE * after * Fraction(moments.counts[0], moments.size) ** 2 > before / Fraction(one.size) ** 2:
            return False
        for place in self._followers(index):
            old, new = (source(self._at(place), self._at(each), self.schema) for each in (index, other))
            if old is not None and (new is None or self._of(new) * after > self._of(old) * before):
                return False
        return True

    def _levels_err_less(self, index: int, other: int) -> bool:
        """Return True if cumulative shares err less at their own levels than by a table's bins for which both pay."""
        own: tuple[Measurement, ...] = self._at(index).measurements(self.schema, self.terms)
        if len(own) == 1 or isinstance(self._at(other), Cdf):
            return False
        sizes = tuple(each.shape[0] for each in own)
        apart = self._variance(index, self.total[index] / len(own)) * Fraction(precision(sizes))
        return apart < self._variance(other, self.total[index] + self.total[other]) * Fraction(precision(sizes[:1]))

    @staticmethod
    def _of(way: IntegerSource) -> Fraction:
        return Fraction(way.squares, way.size**2)

    def _variance(self, index: int, weight: Fraction) -> Fraction:
        """Return the variance of an integer of a statistic's only measurement, up to a factor common to the plan."""
        own: Measurement = self._at(index).measurements(self.schema, self.terms)[0]
        if self.terms.currency is Currency.PURE:
            return (own.sensitivity.l1 / weight) ** 2
        return (own.sensitivity.l1**2 if own.mechanism is DiscreteLaplace else own.sensitivity.l2_squared) / weight


def _grouped(pairs: Iterable[tuple[Any, int]]) -> Mapping[Any, list[int]]:
    """Return the places that go with the same thing, in order."""
    found: dict[Any, list[int]] = {}
    for thing, place in pairs:
        found.setdefault(thing, []).append(place)
    return found

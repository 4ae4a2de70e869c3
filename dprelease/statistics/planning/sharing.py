"""Counts that a plan needs more than once are measured once: a count follows from a finer table, or from a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.privacy import Currency, Terms
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.reach import sum_reach
from dprelease.statistics.counted import CountTable
from dprelease.statistics.kinds.mean import ONE_SIDED, Mean
from dprelease.statistics.tabulated import Tabulated

ON = True
"""The privacy audit publishes many copies of one statistic and turns this off; nothing else does."""


@dataclass(frozen=True, slots=True)
class Source:
    """How the counts of one statistic follow from the noisy integers of another, at no cost."""

    axes: tuple[int, ...]
    """The places of its keys among the source's, in its own order."""
    shape: tuple[int, ...]
    """Of the source's noisy integers."""
    size: int
    """How much of a row's total is one row: 1 for counts, K for one-sided sums."""

    @property
    def terms(self) -> int:
        """Tells how many noisy integers are added for one cell."""
        terms = 1
        for place, cells in enumerate(self.shape):
            terms *= 1 if place in self.axes else cells
        return terms

    def summed(self, values: NDArray[Any]) -> NDArray[Any]:
        """The source's numbers added up over the keys that the counts do not have, in the order of their keys."""
        whole = values.reshape(self.shape)
        others = tuple(place for place in range(len(self.shape)) if place not in self.axes)
        kept = sorted(self.axes)
        return np.transpose(whole.sum(axis=others) if others else whole, [kept.index(place) for place in self.axes])

    def counts(self, noisy: NDArray[Any]) -> NDArray[np.int64]:
        """The noisy counts, to the nearest whole row."""
        ordered = np.asarray(self.summed(noisy.astype(object)), dtype=object)
        return np.asarray((2 * ordered + self.size) // (2 * self.size), dtype=np.int64)

    def half_width(self, mechanism: Mechanism, confidence: float = 0.95) -> int:
        """Returns that of such a count: the quantile of the sum of the noises, to the next whole row."""
        assert isinstance(mechanism, Noise)
        if self.terms == 1 and self.size == 1:
            return mechanism.half_width(confidence)
        reach = sum_reach(mechanism, self.terms, confidence)
        if self.size == 1:
            return ceil(reach)
        return max(0, ceil((reach + self.terms / 2) / self.size - 0.5))


@dataclass(frozen=True, slots=True)
class _Counts:
    """What the noisy integers of a statistic tell of counts."""

    rule: tuple[str | None, frozenset[str]]
    """Noise, and the columns without which a row is not counted: what two statistics must have in common."""
    keys: tuple[Key, ...]
    shape: tuple[int, ...]
    size: int


def _counts(statistic: Tabulated, schema: Schema) -> _Counts | None:
    if isinstance(statistic, CountTable) and statistic.is_plain(schema):
        keys = statistic.keys(schema)
        return _Counts((statistic.noise, statistic.null_rule(schema)), keys, tuple(key.cells for key in keys), 1)
    if isinstance(statistic, Mean) and statistic.method == ONE_SIDED and statistic.survey_weights is None:
        keys, column = statistic.keys(schema), statistic.column
        if not all(key.whole for key in keys):
            return None
        nulls = frozenset(name for name in (column, *(key.column for key in keys)) if not schema[name].complete)
        shape = (*(key.cells for key in keys), 2)
        return _Counts((statistic.noise, nulls), keys, shape, schema[column].lattice.steps)
    return None


def source(wanted: Tabulated, given: Tabulated, schema: Schema) -> Source | None:
    """Tells how one statistic's counts follow from another's; None where they do not."""
    counts, finer = _counts(wanted, schema), _counts(given, schema)
    if not isinstance(wanted, CountTable) or counts is None or finer is None or counts.rule != finer.rule:
        return None
    if not set(counts.keys) <= set(finer.keys) or len(set(finer.keys)) != len(finer.keys):
        return None
    return Source(tuple(finer.keys.index(key) for key in counts.keys), finer.shape, finer.size)


def sources(
    statistics: Sequence[Tabulated], schema: Schema, terms: Terms, weights: Sequence[Fraction | None]
) -> dict[int, int]:
    """Tells for each statistic whose counts another gives with less noise which one; only among those with a weight.

    Their shares are added up, so both gain. `weights` is None where a statistic has a share of its own.
    """
    if not ON:
        return {}
    total = {index: weight for index, weight in enumerate(weights) if weight is not None}
    found: dict[int, int] = {}
    families: dict[Any, list[int]] = {}
    first: dict[Any, int] = {}
    for index in total:
        counts = _counts(statistics[index], schema)
        if counts is None:
            continue
        if isinstance(statistics[index], CountTable):
            same = first.setdefault((counts.rule, frozenset(counts.keys)), index)
            if same != index:
                found[index] = same
                total[same] += total[index]
                continue
        families.setdefault(counts.rule, []).append(index)
    for family in families.values():
        _among(family, statistics, schema, terms, total, found)
    return {index: found.get(other, other) for index, other in found.items()}


def _among(
    family: list[int],
    statistics: Sequence[Tabulated],
    schema: Schema,
    terms: Terms,
    total: dict[int, Fraction],
    found: dict[int, int],
) -> None:
    """Finds sources among statistics with one null rule and one noise; coarser tables first."""
    tables = [index for index in family if isinstance(statistics[index], CountTable)]
    taken: set[int] = set()
    for index in sorted(tables, key=lambda index: (statistics[index].size(schema), -index)):
        if index in taken:
            continue
        best = None
        for other in family:
            if other == index or other in found:
                continue
            gain = _gain(statistics[index], statistics[other], terms, schema, total[index], total[other])
            if gain is not None and gain < 1 and (best is None or gain < best[0]):
                best = (gain, other)
        if best is not None:
            found[index] = best[1]
            taken.add(best[1])
            total[best[1]] += total[index]


def _gain(
    wanted: Tabulated, given: Tabulated, terms: Terms, schema: Schema, own: Fraction, others: Fraction
) -> float | None:
    """The variance of the derived count as a part of the direct one's."""
    way = source(wanted, given, schema)
    if way is None:
        return None
    direct, derived = (item.measurements(schema, terms)[0].sensitivity for item in (wanted, given))
    if terms.currency is Currency.PURE:
        return float(way.terms * (derived.l1 / way.size / direct.l1 * own / (own + others)) ** 2)
    return float(way.terms * derived.l2_squared / way.size**2 / direct.l2_squared * own / (own + others))

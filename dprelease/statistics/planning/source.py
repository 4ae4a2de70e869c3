"""Whole numbers that follow from noisy integers of another statistic: its cells, one-sided sums or moments."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra import combination
from dprelease.statistics.algebra.inversion import rounding
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.reach import noises
from dprelease.statistics.algebra.sensitivity import quotient
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.kinds.cdf import Cdf
from dprelease.statistics.kinds.histogram import Histogram
from dprelease.statistics.kinds.mean import ONE_SIDED, Mean
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.kinds.variance import Spread
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.ranked import QuantileTable
from dprelease.statistics.table_family import TableFamily
from dprelease.statistics.tabulated import TallyStatistic

Rule = tuple[str | None, frozenset[str]]
"""Noise, and the columns without which a row is not counted: what two statistics must have in common."""


@dataclass(frozen=True, slots=True)
class IntegerSource:
    """Noisy integers of another statistic, from which the whole numbers of one follow at no cost.

    A cell of the other has one integer, or several `parts`; a number is Σ part · integer / size over its cells.
    """

    axes: tuple[int, ...]
    """The places of its keys among the source's, in its own order."""
    shape: tuple[int, ...]
    """Number of the source's cells along each key."""
    parts: tuple[int, ...]
    """Weight of each integer of a cell in a number."""
    size: int
    """Divisor of a number's steps: 1 for counts by counts, K by one-sided sums, K² by moments."""
    off: float = 0.5
    """Most by which an integer may be off, in steps: half by discrete noise, one more where it was divided."""

    @property
    def terms(self) -> int:
        """Number of cells that are added up for one number."""
        terms = 1
        for place, cells in enumerate(self.shape):
            terms *= 1 if place in self.axes else cells
        return terms

    @property
    def squares(self) -> int:
        """Variance of a number before it is divided by `size`, where that of an integer is 1."""
        return self.terms * sum(part**2 for part in self.parts)

    def summed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the source's numbers, weighted by parts and added up over the keys that are not wanted, in order."""
        whole = values.reshape(self.shape if self.parts == (1,) else (*self.shape, len(self.parts)))
        if self.parts != (1,):
            whole = (whole.astype(object) * np.array(self.parts, dtype=object)).sum(axis=-1)
            whole = np.asarray(whole, dtype=object)
        others = tuple(place for place in range(len(self.shape)) if place not in self.axes)
        kept = sorted(self.axes)
        return np.transpose(whole.sum(axis=others) if others else whole, [kept.index(place) for place in self.axes])

    def numbers(self, noisy: NDArray[Any]) -> NDArray[Any]:
        """Return the noisy numbers, to the nearest whole one."""
        ordered = np.asarray(self.summed(noisy.astype(object)), dtype=object)
        return np.asarray((2 * ordered + self.size) // (2 * self.size), dtype=object)

    def half_width(self, mechanism: Mechanism, confidence: float = 0.95) -> int:
        """Return the half-width of such a number: the quantile of the weighted sum of noises, to the next whole one."""
        assert isinstance(mechanism, Noise)
        if self.terms == 1 and self.parts == (1,) and self.size == 1:
            return mechanism.half_width(confidence)
        sizes = [abs(part) for part in self.parts]
        if isinstance(mechanism, DiscreteGaussian):
            reach = combination.quantile(confidence, (), mechanism.scale * self.squares**0.5)
        else:
            each = noises(mechanism, self.terms)
            laplaces = tuple(own for part in sizes if part for own in each.scaled(part).laplaces)
            reach = combination.quantile(confidence, laplaces)
        if self.size == 1:
            return ceil(reach)
        return max(0, ceil((reach + self.terms * sum(sizes) * self.off) / self.size - 0.5))


@dataclass(frozen=True, slots=True)
class MeasuredSource:
    """Noisy integers of a statistic: `counts` and `sums` tell what they count of rows and of values."""

    rule: Rule
    keys: tuple[Key, ...]
    size: int
    counts: tuple[int, ...]
    column: str | None = None
    sums: tuple[int, ...] = ()
    """In steps of the column's lattice."""
    off: float = 0.5

    def source(self, keys: tuple[Key, ...], parts: tuple[int, ...]) -> IntegerSource | None:
        """Return the source of numbers by other keys; None where they do not follow."""
        if not set(keys) <= set(self.keys) or len(set(self.keys)) != len(self.keys):
            return None
        cells = tuple(key.cells for key in self.keys)
        return IntegerSource(tuple(self.keys.index(key) for key in keys), cells, parts, self.size, self.off)


def measured(statistic: TallyStatistic, schema: Schema) -> MeasuredSource | None:
    """Return the integers a statistic measures, where others may follow from them; None of what has a way of its own.

    Of codes c from 0 to K and a lower bound of l steps: Σc and Σ(K − c) make K a row, and K·l more for each step of l.
    Moments a = Σc², b = Σ2c(K − c), d = Σ(K − c)² make K² a row, and Σc = (2a + b)/2K. Each
    is divided by q and counts q times.
    """
    if counts_rows(statistic):
        if not statistic.is_plain(schema):
            return None
        return MeasuredSource((statistic.noise, statistic.null_rule(schema)), statistic.keys(schema), 1, (1,))
    if isinstance(statistic, Mean):
        if statistic.method != ONE_SIDED or statistic.survey_weights is not None:
            return None
    elif not isinstance(statistic, Spread):
        return None
    keys, column = statistic.keys(schema), statistic.column
    if not all(key.whole for key in keys):
        return None
    rule = (statistic.noise, _nulls(schema, column, keys))
    steps, start = schema[column].lattice.steps, schema[column].lattice.start
    if isinstance(statistic, Mean):
        return MeasuredSource(rule, keys, steps, (1, 1), column, (start + steps, start))
    by = quotient(steps**2)
    counts, sums = (2 * by,) * 3, tuple(by * (2 * start + part * steps) for part in (2, 1, 0))
    return MeasuredSource(rule, keys, 2 * steps**2, counts, column, sums, rounding(by))


def _nulls(schema: Schema, column: str, keys: tuple[Key, ...]) -> frozenset[str]:
    return left_out(keys, schema).union(with_nulls((column,), schema))


def source(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> IntegerSource | None:
    """Return the source of one statistic's whole numbers in another's integers; None where there is none."""
    finer = measured(given, schema)
    if finer is None:
        return None
    if counts_rows(wanted):
        own = measured(wanted, schema)
        return None if own is None or own.rule != finer.rule else finer.source(own.keys, finer.counts)
    if isinstance(wanted, Sum) and _is_plain(wanted) and wanted.column == finer.column:
        keys = wanted.keys(schema)
        if (wanted.noise, _nulls(schema, wanted.column, keys)) == finer.rule:
            return finer.source(keys, finer.sums)
    return None


def alike(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> bool:
    """Return True if two statistics of another kind than counts measure the very same integers."""
    if counts_rows(wanted):
        return False
    own = same(wanted, schema)
    return own is not None and own == same(given, schema)


def same(statistic: TallyStatistic, schema: Schema) -> Any:
    """Return a value equal for two statistics that measure the same; None of kinds that share nothing so."""
    if isinstance(statistic, TableFamily):
        return "tables", statistic.keys(schema), statistic.places, statistic.planned_for
    if isinstance(statistic, Cdf):
        return "counts", statistic.noise, (statistic.key(schema),)
    if counts_rows(statistic):
        own = measured(statistic, schema)
        is_bins = own is not None and {key.column for key in own.keys} >= own.rule[1]
        return ("counts", statistic.noise, own.keys) if own is not None and is_bins else None
    if isinstance(statistic, Spread):
        return "moments", statistic.noise, statistic.column, statistic.keys(schema)
    if isinstance(statistic, Mean) and statistic.survey_weights is None:
        return statistic.method, statistic.noise, statistic.column, statistic.keys(schema)
    if isinstance(statistic, Sum) and _is_plain(statistic):
        return "sum", statistic.noise, statistic.column, statistic.keys(schema)
    return None


def ranks(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> Key | None:
    """Return the bins from whose counts quantiles of all rows follow; None where they do not."""
    if not isinstance(wanted, QuantileTable) or not wanted.is_free or not isinstance(given, Cdf | Histogram):
        return None
    if given.column != wanted.column:
        return None
    integers = same(given, schema)
    keys: tuple[Key, ...] = () if integers is None else integers[2]
    is_bins = len(keys) == 1 and keys[0].in_order and not keys[0].level
    return keys[0] if is_bins and keys[0].span == schema[wanted.column].codes else None


def _is_plain(statistic: Sum) -> bool:
    """Return True if a sum publishes its own integers, without weights and totals."""
    return statistic.survey_weights is None and not statistic.margins


def of_moments(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> bool:
    """Return True if a mean follows from moments of the same column by the same groups."""
    if not isinstance(wanted, Mean) or wanted.method != ONE_SIDED or wanted.survey_weights is not None:
        return False
    return isinstance(given, Spread) and (wanted.noise, wanted.column, wanted.keys(schema)) == (
        given.noise,
        given.column,
        given.keys(schema),
    )

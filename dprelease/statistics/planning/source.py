"""Sources of a statistic's numbers in another's noisy integers, by what both say of themselves."""

from __future__ import annotations

from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.linear import IntegerSource
from dprelease.statistics.kinds.cdf import Cdf
from dprelease.statistics.kinds.histogram import Histogram
from dprelease.statistics.kinds.mean import ONE_SIDED, Mean
from dprelease.statistics.kinds.variance import Spread
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.ranked import QuantileTable
from dprelease.statistics.tabulated import TallyStatistic


def source(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> IntegerSource | None:
    """Return the source of one statistic's whole numbers in another's integers; None where there is none."""
    finer = given.integers(schema)
    return None if finer is None else wanted.follows_from(schema, finer)


def alike(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> bool:
    """Return True if two statistics of another kind than counts measure the very same integers."""
    own = None if counts_rows(wanted) else wanted.identity(schema)
    return own is not None and own == given.identity(schema)


def ranks(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> Key | None:
    """Return the bins from whose counts quantiles of all rows follow; None where they do not."""
    if not isinstance(wanted, QuantileTable) or not wanted.is_free or not isinstance(given, Cdf | Histogram):
        return None
    if given.column != wanted.column:
        return None
    integers = given.identity(schema)
    keys: tuple[Key, ...] = () if integers is None else integers[2]
    is_bins = len(keys) == 1 and keys[0].in_order and not keys[0].level
    return keys[0] if is_bins and keys[0].span == schema[wanted.column].codes else None


def of_moments(wanted: TallyStatistic, given: TallyStatistic, schema: Schema) -> bool:
    """Return True if a mean follows from moments of the same column by the same groups."""
    if not isinstance(wanted, Mean) or wanted.method != ONE_SIDED or wanted.survey_weights is not None:
        return False
    return isinstance(given, Spread) and (wanted.noise, wanted.column, wanted.keys(schema)) == (
        given.noise,
        given.column,
        given.keys(schema),
    )

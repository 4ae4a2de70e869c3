"""One file a family of statistics. Adding a kind is one file and one line in STATISTICS."""

from dprelease.model.plan import Plan
from dprelease.model.statistic import KINDS
from dprelease.statistics.count import Count
from dprelease.statistics.crosstab import Crosstab
from dprelease.statistics.histogram import Histogram
from dprelease.statistics.mean import Mean
from dprelease.statistics.quantiles import Median, Quantiles
from dprelease.statistics.sum import Sum
from dprelease.statistics.tabulated import Tabulated

STATISTICS: tuple[type[Tabulated], ...] = (Count, Sum, Mean, Histogram, Crosstab, Quantiles, Median)

KINDS.update({statistic.kind: statistic for statistic in STATISTICS})

__all__ = ["STATISTICS", "Plan", "Tabulated"]

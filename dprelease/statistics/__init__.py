"""One file a family of statistics. Adding a kind is one file in kinds/ and one line in STATISTICS."""

from dprelease.model.plan import Plan
from dprelease.model.statistic import KINDS
from dprelease.statistics.kinds.bounds import Bounds
from dprelease.statistics.kinds.cdf import Cdf
from dprelease.statistics.kinds.count import Count
from dprelease.statistics.kinds.covariance import Correlation, Covariance
from dprelease.statistics.kinds.crosstab import Crosstab
from dprelease.statistics.kinds.histogram import Histogram
from dprelease.statistics.kinds.mean import Mean
from dprelease.statistics.kinds.mode import Mode
from dprelease.statistics.kinds.proportion import Proportion, Rate
from dprelease.statistics.kinds.quantiles import FiveNumbers, Median, Quantiles
from dprelease.statistics.kinds.ratio import Ratio
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.kinds.survey import Survey
from dprelease.statistics.kinds.threshold import Threshold
from dprelease.statistics.kinds.top import Top
from dprelease.statistics.kinds.units import Units
from dprelease.statistics.kinds.variance import StandardDeviation, Variance
from dprelease.statistics.tabulated import Tabulated

STATISTICS: tuple[type[Tabulated], ...] = (
    Count,
    Units,
    Sum,
    Mean,
    Ratio,
    Proportion,
    Rate,
    Variance,
    StandardDeviation,
    Histogram,
    Crosstab,
    Cdf,
    Quantiles,
    Median,
    FiveNumbers,
    Mode,
    Top,
    Threshold,
    Covariance,
    Correlation,
    Survey,
    Bounds,
)

KINDS.update({statistic.kind: statistic for statistic in STATISTICS})

__all__ = ["STATISTICS", "Plan", "Tabulated"]

"""One file a family of statistics. Adding a kind is one file and one line in STATISTICS."""

from dprelease.model.plan import Plan
from dprelease.model.statistic import KINDS
from dprelease.statistics.bounds import Bounds
from dprelease.statistics.cdf import Cdf
from dprelease.statistics.count import Count
from dprelease.statistics.covariance import Correlation, Covariance
from dprelease.statistics.crosstab import Crosstab
from dprelease.statistics.histogram import Histogram
from dprelease.statistics.mean import Mean
from dprelease.statistics.mode import Mode
from dprelease.statistics.proportion import Proportion, Rate
from dprelease.statistics.quantiles import FiveNumbers, Median, Quantiles
from dprelease.statistics.ratio import Ratio
from dprelease.statistics.sum import Sum
from dprelease.statistics.survey import Survey
from dprelease.statistics.tabulated import Tabulated
from dprelease.statistics.threshold import Threshold
from dprelease.statistics.top import Top
from dprelease.statistics.units import Units
from dprelease.statistics.variance import StandardDeviation, Variance

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

"""One file a family of statistics. Adding a kind is one file in kinds/ and one line in PLACES."""

from typing import TYPE_CHECKING, Any

from dprelease.model.plan import Plan
from dprelease.model.statistic import KINDS
from dprelease.statistics.tabulated import TallyStatistic

if TYPE_CHECKING:
    STATISTICS: tuple[type[TallyStatistic], ...]

PLACES = {
    "count": "count.Count",
    "answered": "answered.Answered",
    "units": "units.Units",
    "sum": "sum.Sum",
    "mean": "mean.Mean",
    "ratio": "ratio.Ratio",
    "proportion": "proportion.Proportion",
    "rate": "proportion.Rate",
    "variance": "variance.Variance",
    "std": "variance.StandardDeviation",
    "histogram": "histogram.Histogram",
    "crosstab": "crosstab.Crosstab",
    "workload": "workload.Workload",
    "synthetic": "synthetic.Synthetic",
    "cdf": "cdf.Cdf",
    "quantiles": "quantiles.Quantiles",
    "median": "quantiles.Median",
    "five_numbers": "quantiles.FiveNumbers",
    "mode": "mode.Mode",
    "top": "top.Top",
    "threshold": "threshold.Threshold",
    "covariance": "covariance.Covariance",
    "correlation": "covariance.Correlation",
    "survey": "survey.Survey",
    "bounds": "bounds.Bounds",
    "naive_bayes": "naive_bayes.NaiveBayes",
    "scorecard": "scorecard.Scorecard",
    "linear": "linear.Linear",
    "logistic": "logistic.Logistic",
    "clusters": "clusters.Clusters",
    "components": "components.Components",
}
"""Module and class of each kind, below kinds/: loaded when a plan first asks for it."""

for kind, place in PLACES.items():
    KINDS.place(kind, f"dprelease.statistics.kinds.{place}")

__all__ = ["PLACES", "STATISTICS", "Plan", "TallyStatistic"]


def __getattr__(name: str) -> Any:
    if name == "STATISTICS":
        return tuple(KINDS[kind] for kind in PLACES)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

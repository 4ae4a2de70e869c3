"""A statistic of every kind and of most combinations of options, on the columns of the contract kit."""

from __future__ import annotations

from typing import Any

from dprelease.model.condition import Condition
from dprelease.model.report import Report
from dprelease.model.statistic import read_statistic
from dprelease.statistics import TallyStatistic
from dprelease.statistics.kit.rows import SCHEMA, WHERE


def statistic(**declared: Any) -> TallyStatistic:
    """A statistic as a plan file declares it, checked against the schema."""
    report = Report()
    read = read_statistic({"id": "s", **declared}, "s", report)
    assert isinstance(read, TallyStatistic), report.problems
    read.check("s", SCHEMA, report)
    assert report.problems == []
    return read


VARIANTS: dict[str, TallyStatistic] = {
    "count": statistic(kind="count"),
    "count by g": statistic(kind="count", by=["g"]),
    "count by g, flag, day": statistic(kind="count", by=["g", "flag", "day"]),
    "sum of x": statistic(kind="sum", column="x"),
    "sum of far": statistic(kind="sum", column="far"),
    "sum of low": statistic(kind="sum", column="low"),
    "sum of x by g": statistic(kind="sum", column="x", by=["g"]),
    "sum of low by k": statistic(kind="sum", column="low", by=["k"]),
    "mean of x": statistic(kind="mean", column="x"),
    "mean of far by h, flag": statistic(kind="mean", column="far", by=["h", "flag"]),
    "histogram of k": statistic(kind="histogram", column="k"),
    "histogram of x in 3 bins": statistic(kind="histogram", column="x", bins=3),
    "histogram of x in 1 bin": statistic(kind="histogram", column="x", bins=1),
    "histogram of x with edges": statistic(kind="histogram", column="x", edges=[-2, -1.5, 0.5, 1.5]),
    "histogram of g": statistic(kind="histogram", column="g"),
    "histogram of flag": statistic(kind="histogram", column="flag"),
    "histogram of day": statistic(kind="histogram", column="day", bins=2),
    "histogram of day by weekday": statistic(kind="histogram", column="day", levels={"day": "weekday"}),
    "crosstab of day, g at levels": statistic(
        kind="crosstab", columns=["day", "g"], levels={"day": "week", "g": "apart"}
    ),
    "count by k in pairs": statistic(kind="count", by=["k"], levels={"k": "pairs"}),
    "mean of x by month": statistic(kind="mean", column="x", by=["day"], levels={"day": "month"}),
    "count by h, flag with a group of no answer": statistic(
        kind="count", by=["h", "flag"], missing={"h": "group"}, margins=True
    ),
    "mean of x by month with a group of no answer": statistic(
        kind="mean", column="x", by=["day"], levels={"day": "month"}, missing={"day": "group"}
    ),
    "proportion by only with a group of no answer": statistic(
        kind="proportion", where=[{"column": "k", "in": [1, 3]}], by=["only"], missing={"only": "group"}
    ),
    "median of x by flag with a group of no answer": statistic(
        kind="median", column="x", by=["flag"], missing={"flag": "group"}
    ),
    "units by h with a group of no answer": statistic(kind="units", by=["h"], missing={"h": "group"}),
    "histogram of x in 3 bins with a group of no answer": statistic(
        kind="histogram", column="x", bins=3, missing={"x": "group"}
    ),
    "histogram of x with edges and a group of no answer": statistic(
        kind="histogram", column="x", edges=[-2, -1.5, 0.5, 1.5], missing={"x": "group"}
    ),
    "histogram of h, once a cell, with a group of no answer": statistic(
        kind="histogram", column="h", missing={"h": "group"}, max_rows_per_cell=1
    ),
    "crosstab of day, h at levels with groups of no answer": statistic(
        kind="crosstab", columns=["day", "h"], levels={"day": "week"}, missing={"day": "group", "h": "group"}
    ),
    "workload of h, k, flag with groups of no answer": statistic(
        kind="workload", columns=["h", "k", "flag"], missing={"h": "group", "k": "group"}
    ),
    "crosstab of g, h with totals": statistic(kind="crosstab", columns=["g", "h"], margins=True),
    "crosstab of g, h, once a cell": statistic(kind="crosstab", columns=["g", "h"], max_rows_per_cell=1),
    "crosstab of day, g at levels, once a cell": statistic(
        kind="crosstab", columns=["day", "g"], levels={"day": "week", "g": "apart"}, max_rows_per_cell=1
    ),
    "histogram of g, once a cell": statistic(kind="histogram", column="g", max_rows_per_cell=1),
    "histogram of x in 1 bin, once a cell": statistic(kind="histogram", column="x", bins=1, max_rows_per_cell=1),
    "histogram of x with edges, once a cell, by Laplace noise": statistic(
        kind="histogram", column="x", edges=[-2, -1.5, 0.5, 1.5], max_rows_per_cell=1, noise="laplace"
    ),
    "count of both by band, which are made": statistic(kind="count", column="both", by=["band"]),
    "sum of span, which is made": statistic(kind="sum", column="span"),
    "mean of span by both, which are made": statistic(kind="mean", column="span", by=["both"]),
    "crosstab of band, g, of which one is made": statistic(kind="crosstab", columns=["band", "g"]),
    "quantiles of span, which is made": statistic(kind="quantiles", column="span", probs=[0.5]),
    "crosstab of g, h": statistic(kind="crosstab", columns=["g", "h"]),
    "crosstab of g, h with shares": statistic(kind="crosstab", columns=["g", "h"], shares=["row", "column", "table"]),
    "crosstab of g, flag with totals and shares": statistic(
        kind="crosstab", columns=["g", "flag"], shares=["row"], margins=True, survey_weights="far"
    ),
    "count by g, flag with totals": statistic(kind="count", by=["g", "flag"], margins=True),
    "sum of low by g with totals": statistic(kind="sum", column="low", by=["g"], margins=True),
    "sum of low by only with weights and totals": statistic(
        kind="sum", column="low", by=["only"], survey_weights="far", margins=True
    ),
    "workload of g, h, flag": statistic(kind="workload", columns=["g", "h", "flag"], order=3),
    "workload of k, only, x": statistic(kind="workload", columns=["k", "only", "x"], bins={"x": 2}, objective="means"),
    "workload of listed tables": statistic(
        kind="workload", columns=["g", "h", "only", "k"], tables=[["h"], ["k", "g"], ["only"], ["only", "h"]]
    ),
    "workload of only": statistic(kind="workload", columns=["only"], order=1),
    "naive Bayes of h, held out": statistic(
        kind="naive_bayes", outcome="h", on=["x", "g"], bins={"x": 1}, held_out=0.2
    ),
    "scorecard of flag, held out": statistic(kind="scorecard", outcome="flag", on=["k", "x", "wide"], held_out=0.5),
    "logistic of h by only, held out": statistic(
        kind="logistic", outcome="h", on=["only"], rounds=0, positive="first", held_out=0.3
    ),
    "synthetic rows of g, h, flag": statistic(kind="synthetic", columns=["g", "h", "flag"]),
    "synthetic rows of k, only, x": statistic(
        kind="synthetic", columns=["k", "only", "x"], bins={"x": 2}, order=2, rows=9
    ),
    "synthetic rows of chosen tables of g, h, flag": statistic(
        kind="synthetic", columns=["g", "h", "flag"], method="mwem", rounds=2
    ),
    "synthetic rows of chosen tables of k, only, x": statistic(
        kind="synthetic", columns=["k", "only", "x"], bins={"x": 2}, order=3, rows=9, method="mwem"
    ),
    "synthetic rows of far tables of g, h, flag": statistic(
        kind="synthetic", columns=["g", "h", "flag"], method="pmw", rounds=2
    ),
    "synthetic rows of far tables of k, only": statistic(kind="synthetic", columns=["k", "only"], rows=9, method="pmw"),
    "synthetic rows of drawn cells of g, h, flag": statistic(
        kind="synthetic", columns=["g", "h", "flag"], method="dual_query", rounds=2
    ),
    "synthetic rows of drawn cells of k, only": statistic(
        kind="synthetic", columns=["k", "only"], rows=9, method="dual_query", rounds=1
    ),
    "synthetic rows of day, one bin": statistic(kind="synthetic", columns=["day"], bins={"day": 1}, order=1),
    "no synthetic rows of only": statistic(kind="synthetic", columns=["only"], rows=0),
    "crosstab of x, flag": statistic(kind="crosstab", columns=["x", "flag"], bins={"x": 2}),
    "quantiles of k": statistic(kind="quantiles", column="k", probs=[0.25, 0.5, 0.9]),
    "quantiles of x in 3 cells": statistic(kind="quantiles", column="x", probs=[0.1, 0.75], cells=3),
    "quantiles of x by g": statistic(kind="quantiles", column="x", probs=[0.3, 0.5], by=["g"]),
    "quantiles of k with intervals": statistic(kind="quantiles", column="k", probs=[0.25, 0.9], interval=True),
    "median of far by h with intervals": statistic(kind="median", column="far", by=["h"], interval=True, cells=7),
    "median of x among candidates with an interval": statistic(
        kind="median", column="x", candidates=[-1.5, 0, 1], interval=True
    ),
    "five numbers of day with intervals": statistic(kind="five_numbers", column="day", interval=True),
    "median of day": statistic(kind="median", column="day"),
    "median of x among candidates": statistic(kind="median", column="x", candidates=[-1.5, 0, 1]),
    "median of far by h": statistic(kind="median", column="far", by=["h"]),
    "count with a value of x": statistic(kind="count", column="x"),
    "count with weights": statistic(kind="count", survey_weights="far"),
    "count with weights by g": statistic(kind="count", survey_weights="far", by=["g"]),
    "histogram of g with weights": statistic(kind="histogram", column="g", survey_weights="far"),
    "histogram of only with weights": statistic(kind="histogram", column="only", survey_weights="far"),
    "crosstab of x, flag with weights, totals": statistic(
        kind="crosstab", columns=["x", "flag"], bins={"x": 2}, survey_weights="far", margins=True
    ),
    "crosstab of only, x in 1 bin with weights": statistic(
        kind="crosstab", columns=["only", "x"], bins={"x": 1}, survey_weights="far"
    ),
    "proportion with weights": statistic(
        kind="proportion", where=[{"column": "k", "in": [1, 3]}], survey_weights="far"
    ),
    "proportion by g with weights": statistic(
        kind="proportion", where=[{"column": "x", "at_least": 0}], by=["g"], survey_weights="far"
    ),
    "proportion by g with sampling": statistic(
        kind="proportion", where=[{"column": "x", "at_least": 0}], by=["g"], survey_weights="far", sampling=True
    ),
    "mean of x with sampling": statistic(kind="mean", column="x", survey_weights="far", sampling=True, effect=1.5),
    "answered of x": statistic(kind="answered", columns=["x"]),
    "answered of x, h and flag": statistic(kind="answered", columns=["x", "h", "flag"]),
    "answered of all columns that have codes, by only": statistic(
        kind="answered", columns=["k", "x", "far", "low", "g", "h", "flag", "day", "answer", "coded"], by=["only"]
    ),
    "answered of k by g, flag": statistic(kind="answered", columns=["k"], by=["g", "flag"]),
    "answered of x in detail": statistic(kind="answered", columns=["x"], detail=True),
    "answered of coded in detail, by only": statistic(kind="answered", columns=["coded"], detail=True, by=["only"]),
    "answered of answer in detail": statistic(kind="answered", columns=["answer"], detail=True),
    "answered of span in detail, by g": statistic(kind="answered", columns=["span"], detail=True, by=["g"]),
    "units": statistic(kind="units"),
    "units by g": statistic(kind="units", by=["g"]),
    "sum of x with weights": statistic(kind="sum", column="x", survey_weights="far"),
    "sum of low with weights by h": statistic(kind="sum", column="low", survey_weights="far", by=["h"]),
    "mean of x with weights": statistic(kind="mean", column="x", survey_weights="far"),
    "mean of x, centred": statistic(kind="mean", column="x", method="centred"),
    "mean of low, sum and count, by h": statistic(kind="mean", column="low", method="sum_and_count", by=["h"]),
    "ratio of x to far": statistic(kind="ratio", numerator="x", denominator="far"),
    "ratio of low to k with weights by h": statistic(
        kind="ratio", numerator="low", denominator="k", survey_weights="far", by=["h"]
    ),
    "proportion": statistic(kind="proportion", where=[{"column": "k", "in": [1, 3]}]),
    "proportion by g": statistic(kind="proportion", where=[{"column": "x", "at_least": 0}], by=["g"]),
    "rate": statistic(kind="rate", where=[{"column": "flag", "equals": True}], per=100),
    "rate per far": statistic(kind="rate", where=[{"column": "flag", "equals": True}], column="far"),
    "rate per far by h": statistic(kind="rate", where=[{"column": "k", "at_least": 2}], column="far", by=["h"]),
    "variance of x": statistic(kind="variance", column="x"),
    "variance of far by h": statistic(kind="variance", column="far", by=["h"]),
    "std of low": statistic(kind="std", column="low"),
    "std of k by g": statistic(kind="std", column="k", by=["g"]),
    "cdf of k": statistic(kind="cdf", column="k"),
    "cdf of x in 3 bins": statistic(kind="cdf", column="x", bins=3),
    "cdf of wide in 150 bins": statistic(kind="cdf", column="wide", bins=150),
    "five numbers of k": statistic(kind="five_numbers", column="k"),
    "five numbers of x by h": statistic(kind="five_numbers", column="x", by=["h"], whiskers=[0.1, 0.8]),
    "mode of g": statistic(kind="mode", column="g"),
    "mode of k by h": statistic(kind="mode", column="k", by=["h"]),
    "top 2 of g": statistic(kind="top", column="g", k=2),
    "top 2 of k, selected": statistic(kind="top", column="k", k=2, method="noisy_top_k"),
    "threshold": statistic(
        kind="threshold",
        threshold=3,
        answers=2,
        numeric=True,
        questions=[
            {"label": "zero", "where": [{"column": "k", "equals": 0}]},
            {"label": "three, true", "where": [{"column": "k", "equals": 3}, {"column": "flag", "equals": True}]},
            {"label": "in u", "where": [{"column": "h", "equals": "u"}]},
        ],
    ),
    "covariance of x, far": statistic(kind="covariance", columns=["x", "far"]),
    "correlation of x, far, low": statistic(kind="correlation", columns=["x", "far", "low"]),
    "naive_bayes of flag on x, g": statistic(kind="naive_bayes", outcome="flag", on=["x", "g"], bins={"x": 2}),
    "naive_bayes of g on only": statistic(kind="naive_bayes", outcome="g", on=["only"]),
    "naive_bayes of h on x in 1 bin": statistic(kind="naive_bayes", outcome="h", on=["x"], bins={"x": 1}),
    "naive_bayes of answer with edges": statistic(
        kind="naive_bayes", outcome="answer", on=["x", "day", "wide"], bins={"x": [-2, 0.5, 1.5]}
    ),
    "naive_bayes of flag on x, g, normal": statistic(
        kind="naive_bayes", outcome="flag", on=["x", "g"], method="normal"
    ),
    "naive_bayes of h on far, normal": statistic(kind="naive_bayes", outcome="h", on=["far"], method="normal"),
    "naive_bayes of g on day, wide, x, normal but for wide": statistic(
        kind="naive_bayes", outcome="g", on=["day", "wide", "x"], bins={"wide": 1}, method="normal"
    ),
    "naive_bayes of h on only, normal": statistic(kind="naive_bayes", outcome="h", on=["only"], method="normal"),
    "scorecard of flag on x, g": statistic(kind="scorecard", outcome="flag", on=["x", "g"], bins={"x": 2}),
    "scorecard of h on only": statistic(kind="scorecard", outcome="h", on=["only"]),
    "scorecard of h on x in 1 bin, only": statistic(
        kind="scorecard", outcome="h", on=["x", "only"], bins={"x": 1}, together="all"
    ),
    "scorecard of h on listed pairs": statistic(
        kind="scorecard", outcome="h", on=["x", "k", "day", "g"], together=[["x", "k"], ["g", "x"]]
    ),
    "scorecard of h, columns apart": statistic(kind="scorecard", outcome="h", on=["x", "k"], together="none"),
    "linear of k on x": statistic(kind="linear", outcome="k", on=["x"]),
    "linear of x on g, flag": statistic(kind="linear", outcome="x", on=["g", "flag"]),
    "linear of k on only": statistic(kind="linear", outcome="k", on=["only"]),
    "linear of k on x by g": statistic(kind="linear", outcome="k", on=["x"], by=["g"]),
    "linear of x on g, flag by h": statistic(kind="linear", outcome="x", on=["g", "flag"], by=["h"]),
    "linear of k on x by only": statistic(kind="linear", outcome="k", on=["x"], by=["only"]),
    "linear of k on x by h, functional": statistic(kind="linear", outcome="k", on=["x"], by=["h"], method="functional"),
    "linear of k on x, functional": statistic(kind="linear", outcome="k", on=["x"], method="functional"),
    "linear of far on g, flag, functional": statistic(
        kind="linear", outcome="far", on=["g", "flag"], method="functional"
    ),
    "linear of k on only, functional": statistic(kind="linear", outcome="k", on=["only"], method="functional"),
    "linear of k on x through 0": statistic(kind="linear", outcome="k", on=["x"], intercept=False),
    "linear of k on x, g through 0 by h": statistic(
        kind="linear", outcome="k", on=["x", "g"], by=["h"], intercept=False, method="functional"
    ),
    "linear of k on x, medians": statistic(kind="linear", outcome="k", on=["x"], method="medians"),
    "linear of x on far, medians": statistic(kind="linear", outcome="x", on=["far"], method="medians"),
    "logistic of flag on x, functional": statistic(kind="logistic", outcome="flag", on=["x"], method="functional"),
    "logistic of h on x, g, functional": statistic(kind="logistic", outcome="h", on=["x", "g"], method="functional"),
    "logistic of flag on x": statistic(kind="logistic", outcome="flag", on=["x"], rounds=1),
    "logistic of h on x, g, only": statistic(kind="logistic", outcome="h", on=["x", "g", "only"], rounds=0),
    "logistic of flag on x, g": statistic(kind="logistic", outcome="flag", on=["x", "g"], positive="first", rounds=1),
    "logistic of flag on only": statistic(kind="logistic", outcome="flag", on=["only"], rounds=0),
    "survey of answer": statistic(kind="survey", column="answer"),
    "survey of told, which arrived changed": statistic(kind="survey", column="told"),
    "survey of answer by subsets": statistic(kind="survey", column="answer", method="subset"),
    "survey of answer, unary": statistic(kind="survey", column="answer", method="unary"),
    "bounds of wide": statistic(kind="bounds", column="wide"),
    "components of x, far": statistic(kind="components", on=["x", "far"], k=1),
    "components of k, low, x": statistic(kind="components", on=["k", "low", "x"], k=3),
    "clusters of x, wide": statistic(kind="clusters", on=["x", "wide"], k=2, grid=3),
    "clusters of k, fuzzy": statistic(kind="clusters", on=["k"], k=3, grid=40, method="fuzzy", fuzziness=1.5),
    "clusters of four columns, fuzzy": statistic(
        kind="clusters", on=["k", "x", "far", "low"], k=2, grid=2, method="fuzzy"
    ),
    "clusters of x in one cell, one cluster": statistic(kind="clusters", on=["x"], k=1, grid=1),
    "count with a value of coded": statistic(kind="count", column="coded"),
    "sum of coded": statistic(kind="sum", column="coded"),
    "mean of coded": statistic(kind="mean", column="coded"),
    "variance of coded": statistic(kind="variance", column="coded"),
    "histogram of coded": statistic(kind="histogram", column="coded"),
    "median of coded": statistic(kind="median", column="coded"),
    "top 1 of coded": statistic(kind="top", column="coded", k=1, method="noisy_top_k"),
    "histogram of unseen": statistic(kind="histogram", column="unseen"),
    "histogram of unknown": statistic(kind="histogram", column="unknown"),
    "crosstab of unknown, h": statistic(kind="crosstab", columns=["unknown", "h"]),
    "top 2 of unknown": statistic(kind="top", column="unknown", k=2),
    "count by only": statistic(kind="count", by=["only"]),
    "units by only": statistic(kind="units", by=["only"]),
    "sum of x by only": statistic(kind="sum", column="x", by=["only"]),
    "ratio of x to far with weights by only": statistic(
        kind="ratio", numerator="x", denominator="far", survey_weights="far", by=["only"]
    ),
    "mean of low, centred, by only": statistic(kind="mean", column="low", method="centred", by=["only"]),
    "variance of far by only": statistic(kind="variance", column="far", by=["only"]),
    "rate per far by only": statistic(kind="rate", where=[{"column": "k", "at_least": 2}], column="far", by=["only"]),
    "histogram of only": statistic(kind="histogram", column="only"),
    "crosstab of only, x in 1 bin": statistic(kind="crosstab", columns=["only", "x"], bins={"x": 1}),
    "cdf of x in 2 bins": statistic(kind="cdf", column="x", bins=2),
    "quantiles of x by only": statistic(kind="quantiles", column="x", probs=[0.1, 0.5], by=["only"]),
    "median of x among two": statistic(kind="median", column="x", candidates=[-1.5, 1]),
    "median of x in 2 cells": statistic(kind="median", column="x", cells=2),
    "mode of only": statistic(kind="mode", column="only"),
    "mode of k by only": statistic(kind="mode", column="k", by=["only"]),
    "top 1 of g": statistic(kind="top", column="g", k=1),
    "top 1 of only": statistic(kind="top", column="only", k=1),
    "top 1 of k, selected": statistic(kind="top", column="k", k=1, method="noisy_top_k"),
    "top 1 of unknown": statistic(kind="top", column="unknown", k=1),
    "threshold of one question": statistic(
        kind="threshold", threshold=0, questions=[{"label": "zero", "where": [{"column": "k", "equals": 0}]}]
    ),
}
SUBSTITUTE_ROWS_ONLY = ("survey",)
"""Kinds that are refused under any other unit or relation."""


def only_in_rho(variant: TallyStatistic) -> bool:
    """Tells whether it is refused where ε is counted: a regression by rounds."""
    return (
        variant.kind == "logistic" and bool(getattr(variant, "rounds", 0)) and not getattr(variant, "objective", None)
    )


FILTERS: dict[str, tuple[Condition, ...]] = {"all": (), "filtered": WHERE}

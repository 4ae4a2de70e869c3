"""Statistics of every kind with every option varied, made from the options that the kinds declare."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, product
from typing import Any

from dprelease.errors import PlanError
from dprelease.model.column import DISCOVER, ColumnType
from dprelease.model.column_options import (
    GROUP,
    ColumnName,
    ColumnNames,
    ColumnSets,
    LevelByColumn,
    MissingByColumn,
    WholeByColumn,
)
from dprelease.model.model_options import BinsByColumn, PairOption
from dprelease.model.options import (
    Choice,
    Choices,
    Conditions,
    Flag,
    NumberOption,
    Only,
    Option,
    Probabilities,
    Questions,
    StatisticName,
    Values,
    Whole,
)
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.statistics import STATISTICS, Plan, TallyStatistic
from dprelease.statistics.planning.price import Price, price

COLUMNS: dict[str, dict[str, Any]] = {
    "k": {"type": "integer", "lower": 0, "upper": 3, "levels": {"pairs": {"width": 2}, "odd": {"edges": [0, 1]}}},
    "two": {"type": "integer", "lower": -1, "upper": 0},
    "x": {"type": "number", "lower": -2, "upper": 1.5, "resolution": 0.5},
    "low": {"type": "number", "lower": -3, "upper": -1, "resolution": 0.25},
    "far": {"type": "integer", "lower": 5, "upper": 8},
    "fine": {"type": "number", "lower": 0, "upper": 1000000, "resolution": 0.5},
    "odd": {"type": "integer", "lower": -100001, "upper": 100002},
    "g": {
        "type": "category",
        "categories": ["a", "b"],
        "other": True,
        "levels": {"apart": {"rest": ["b"], "first": ["a"]}, "all": {"one": ["rest", "first", "other"]}},
    },
    "h": {"type": "category", "categories": ["u", "v"]},
    "only": {"type": "category", "categories": ["a"]},
    "flag": {"type": "boolean"},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-04"},
    "weeks": {"type": "date", "lower": "2024-12-25", "upper": "2025-02-09"},
    "bands": {"type": "integer", "lower": 3, "upper": 21, "resolution": 3, "levels": {"five": {"width": 6}}},
    "answer": {"type": "category", "categories": ["yes", "no", "none"], "count_missing_as": "none"},
    "told": {
        "type": "boolean",
        "count_missing_as": False,
        "randomized": {"method": "response", "epsilon": 0.1},
    },
    "lone": {"type": "category", "categories": ["yes", "none"], "count_missing_as": "none"},
    "name": {"type": "category", "categories": DISCOVER},
}
"""With the least that can be declared of each type, and more."""
WHERE = [{"column": "k", "at_least": 1}]
UNITS: tuple[Any, ...] = (
    "row",
    {"column": "person", "max_rows": 1},
    {"column": "person", "max_rows": 3},
    {"column": "person", "max_rows": 3, "max_groups": 2},
    {"column": "person", "max_rows": 4, "max_groups": 1},
)
WORLDS = tuple(product(NeighboringRelation, UNITS, Currency))


def values(name: str, reader: Option) -> list[Any]:
    """What an option is tried with: its ends first. Fails for a reader that nobody has said the ends of."""
    match reader:
        case ColumnName():
            return [each for each in COLUMNS if _takes(reader, each)]
        case ColumnNames() if name == "by":
            return [["only"], ["h"], ["g", "flag"], ["k", "only"], ["day"], ["day", "k", "g"]]
        case ColumnNames():
            taken = [each for each in COLUMNS if _takes(reader, each)]
            return [*map(list, combinations(taken, 2)), taken[:3]]
        case Whole():
            return [number for number in (1, 2, 3, 4, 20) if reader.lowest <= number <= reader.highest]
        case ColumnSets():
            return [[["g"]], [["g", "h"], ["h"]], [["only", "g"], ["g", "h"]]]
        case LevelByColumn():
            named = [{"day": period} for period in ("week", "month", "weekday")]
            return [*named, {"k": "odd"}, {"g": "apart"}, {"g": "all"}, {"day": "day", "k": "pairs", "g": "apart"}]
        case MissingByColumn():
            return [{"only": GROUP}, {"h": GROUP}, {"g": GROUP, "flag": GROUP}, {"k": GROUP}, {"day": GROUP}]
        case BinsByColumn():
            return [{"x": 1, "fine": 1}, {"x": 3}, {"x": [-2, 0, 1.5]}, {"low": 2, "k": 2}]
        case PairOption():
            return [*reader.words, [["x", "g"]], [["g", "k"], ["only", "g"]]]
        case WholeByColumn():
            return [{"x": 1, "fine": 1, "odd": 1, "low": 1}, {"x": 3}, {"low": 2, "fine": 7}, {"x": 1, "low": 1}]
        case Choice():
            return list(reader.words)
        case Choices():
            return [list(reader.words), *([word] for word in reader.words)]
        case Flag():
            return [True, False]
        case Only():
            return [reader.number]
        case NumberOption():
            return [1, 100]
        case Conditions():
            return [WHERE, [{"column": "h", "equals": "u"}, {"column": "x", "at_most": 0}]]
        case Questions():
            one = [{"label": "one", "where": WHERE}]
            return [one, [*one, {"label": "two", "where": [{"column": "k", "equals": 0}]}], three()]
        case Probabilities():
            return [[0.5], [0.1], [0.25, 0.75], [0.05, 0.95], [0.123456]]
        case Values():
            return [[0, 3], [0, 1, 3], [-2, 1.5], [-2, 0, 1.5], [-1, 0], ["2025-01-01", "2025-01-04"], [5, 6, 7, 8]]
    raise AssertionError(f"say here what to try of {name}, read by {type(reader).__name__}")


def three() -> list[dict[str, Any]]:
    return [{"label": str(k), "where": [{"column": "k", "equals": k}]} for k in range(3)]


def _takes(reader: ColumnName | ColumnNames, column: str) -> bool:
    declared = COLUMNS[column]
    discovered = declared.get("categories") == DISCOVER
    return ColumnType(declared["type"]) in reader.types and (reader.discover or not discovered)


def plan(statistic: Mapping[str, Any], relation: NeighboringRelation, unit: Any) -> dict[str, Any]:
    """A plan of one statistic, as in a file."""
    return {
        "dprelease": 1,
        "dataset": "d",
        "privacy": {"unit": unit, "neighbors": relation.value, "epsilon": 1, "delta": 1e-6},
        "columns": {name: column for name, column in COLUMNS.items() if f'"{name}"' in json.dumps(statistic)},
        "statistics": [{"id": "s", **statistic}],
    }


def priced(statistic: Mapping[str, Any], relation: NeighboringRelation, unit: Any, currency: Currency) -> Price | None:
    """Its price; None where such a population does not take it."""
    try:
        return price(Plan.parse(plan(statistic, relation, unit)), currency=currency)
    except PlanError:
        return None


def _is_sound(statistic: Mapping[str, Any]) -> bool:
    return priced(statistic, NeighboringRelation.SUBSTITUTE, "row", Currency.ZCDP) is not None


def candidates(cls: type[TallyStatistic]) -> Iterator[dict[str, Any]]:
    """A kind with its required options, and beside them none, one or two of the others, each with all its values."""
    alone = {name: reader for name, reader in cls.options().items() if not isinstance(reader, StatisticName)}
    tried = {name: values(name, reader) for name, reader in alone.items()}
    required = cls.required()
    for chosen in product(*(tried[name] for name in required)):
        base = {"kind": cls.kind, **dict(zip(required, chosen, strict=True))}
        yield base
        others = [name for name in tried if name not in required]
        for names in (*((name,) for name in others), *combinations(others, 2)):
            for given in product(*(tried[name] for name in names)):
                yield base | dict(zip(names, given, strict=True))


ONE_QUESTION = [{"label": "one", "where": WHERE}]
DEGENERATE: tuple[dict[str, Any], ...] = (
    {"kind": "top", "column": "g", "k": 1},
    {"kind": "top", "column": "g", "k": 1, "method": "noisy_top_k"},
    {"kind": "top", "column": "name", "k": 1},
    {"kind": "top", "column": "only", "k": 1},
    {"kind": "top", "column": "h", "k": 2, "method": "noisy_top_k"},
    {"kind": "histogram", "column": "x", "bins": 1},
    {"kind": "histogram", "column": "x", "edges": [-2, 1.5]},
    {"kind": "histogram", "column": "only"},
    {"kind": "crosstab", "columns": ["only", "x"], "bins": {"x": 1}},
    {"kind": "crosstab", "columns": ["only", "name"]},
    {"kind": "workload", "columns": ["only"], "order": 1},
    {"kind": "workload", "columns": ["x", "low", "h"], "bins": {"x": 1, "low": 2}, "order": 3, "objective": "means"},
    {"kind": "workload", "columns": ["x", "g"], "bins": {"x": 3}, "objective": "minimise"},
    {"kind": "workload", "columns": ["only", "h", "two"], "order": 3},
    {"kind": "workload", "columns": ["two", "h", "only"], "tables": [["only", "h"], ["h"], ["only"], ["two"]]},
    {"kind": "naive_bayes", "outcome": "h", "on": ["only"]},
    {"kind": "naive_bayes", "outcome": "g", "on": ["x"], "bins": {"x": 1}},
    {"kind": "naive_bayes", "outcome": "g", "on": ["x", "two", "day", "only"], "method": "normal"},
    {"kind": "naive_bayes", "outcome": "flag", "on": ["fine", "x"], "bins": {"x": 2}, "method": "normal"},
    {"kind": "naive_bayes", "outcome": "h", "on": ["odd"], "method": "normal"},
    {"kind": "scorecard", "outcome": "h", "on": ["only"]},
    {"kind": "scorecard", "outcome": "flag", "on": ["x", "two"], "bins": {"x": [-2, 0, 1.5]}, "together": "all"},
    {"kind": "scorecard", "outcome": "flag", "on": ["x", "g", "k"], "together": [["k", "x"]]},
    {"kind": "scorecard", "outcome": "flag", "on": ["x", "two"], "held_out": 0.2},
    {"kind": "naive_bayes", "outcome": "h", "on": ["only"], "held_out": 0.5},
    {"kind": "logistic", "outcome": "h", "on": ["x", "g"], "rounds": 0, "held_out": 0.1},
    {"kind": "synthetic", "columns": ["x", "g", "only", "h"], "bins": {"x": 2}},
    {"kind": "synthetic", "columns": ["h", "two"], "order": 1, "rows": 0},
    {"kind": "synthetic", "columns": ["x", "g", "only", "h"], "bins": {"x": 2}, "method": "mwem", "rounds": 2},
    {"kind": "synthetic", "columns": ["h", "two"], "method": "mwem", "rows": 5},
    {"kind": "synthetic", "columns": ["x", "g", "only"], "bins": {"x": 2}, "method": "pmw", "rounds": 1},
    {"kind": "synthetic", "columns": ["h", "two"], "method": "pmw", "rows": 0},
    {"kind": "synthetic", "columns": ["x", "g"], "bins": {"x": 2}, "method": "dual_query", "rounds": 3},
    {"kind": "synthetic", "columns": ["h", "two"], "method": "dual_query", "rows": 0},
    {"kind": "linear", "outcome": "x", "on": ["only"]},
    {"kind": "linear", "outcome": "two", "on": ["x"]},
    {"kind": "linear", "outcome": "k", "on": ["x", "g", "flag"]},
    {"kind": "linear", "outcome": "k", "on": ["x", "g", "flag"], "method": "functional"},
    {"kind": "linear", "outcome": "x", "on": ["far", "only", "two"], "method": "functional"},
    *({"kind": "linear", "outcome": "low", "on": [*on], "intercept": False} for on in (["far"], ["x", "odd", "only"])),
    {"kind": "linear", "outcome": "k", "on": ["x", "g", "flag"], "intercept": False, "by": ["h"]},
    {"kind": "linear", "outcome": "x", "on": ["two"], "method": "functional", "intercept": False},
    {"kind": "linear", "outcome": "far", "on": ["k", "g"], "method": "functional", "intercept": False},
    {"kind": "linear", "outcome": "k", "on": ["x"], "method": "medians"},
    {"kind": "linear", "outcome": "x", "on": ["two"], "method": "medians"},
    {"kind": "logistic", "outcome": "flag", "on": ["x", "k"], "method": "functional"},
    {"kind": "logistic", "outcome": "h", "on": ["x", "g", "only", "two"], "method": "functional"},
    {"kind": "components", "on": ["x", "two"], "k": 1},
    {"kind": "components", "on": ["two", "k", "far"], "k": 3},
    {"kind": "logistic", "outcome": "h", "on": ["only"]},
    {"kind": "logistic", "outcome": "flag", "on": ["x"], "rounds": 0},
    {"kind": "logistic", "outcome": "h", "on": ["x", "g", "k"], "rounds": 2, "positive": "first"},
    {"kind": "cdf", "column": "two"},
    {"kind": "cdf", "column": "fine", "bins": 30},
    {"kind": "cdf", "column": "odd", "bins": 1001},
    {"kind": "mode", "column": "only"},
    {"kind": "mode", "column": "h", "by": ["only"]},
    {"kind": "median", "column": "two"},
    {"kind": "median", "column": "x", "cells": 2, "by": ["only"]},
    {"kind": "median", "column": "x", "candidates": [-2, 1.5]},
    {"kind": "threshold", "questions": ONE_QUESTION, "threshold": 1},
    {"kind": "threshold", "questions": ONE_QUESTION, "threshold": 1, "numeric": True},
    {"kind": "survey", "column": "lone"},
    {"kind": "survey", "column": "lone", "method": "unary"},
    {"kind": "survey", "column": "told"},
    *({"kind": kind, "by": ["only"]} for kind in ("count", "units")),
    *({"kind": kind, "column": "x", "by": ["only"]} for kind in ("sum", "mean", "variance", "std")),
    {"kind": "mean", "column": "two", "method": "centred", "by": ["only"]},
    {"kind": "mean", "column": "two", "method": "sum_and_count"},
    {"kind": "ratio", "numerator": "x", "denominator": "far", "by": ["only"]},
    {"kind": "rate", "where": WHERE, "column": "far", "by": ["only"]},
    {"kind": "proportion", "where": WHERE, "by": ["only"]},
    {"kind": "covariance", "columns": ["two", "k"]},
    {"kind": "clusters", "on": ["x"], "k": 1, "grid": 1},
    {"kind": "clusters", "on": ["two", "x"], "k": 2, "grid": 2, "method": "fuzzy", "fuzziness": 3},
    {"kind": "count", "by": ["day"], "levels": {"day": "year"}},
    {"kind": "crosstab", "columns": ["weeks", "g"], "levels": {"weeks": "week", "g": "apart"}, "partial": "drop"},
    {"kind": "histogram", "column": "weeks", "levels": {"weeks": "month"}, "partial": "drop"},
    {"kind": "units", "by": ["weeks"], "levels": {"weeks": "half"}},
    {"kind": "histogram", "column": "bands", "levels": {"bands": "five"}},
    {"kind": "mode", "column": "k", "by": ["g"], "levels": {"g": "apart"}},
    {"kind": "answered", "columns": ["only"]},
    {"kind": "answered", "columns": ["only"], "detail": True},
    {"kind": "answered", "columns": ["x"], "detail": True, "by": ["only"]},
    {"kind": "answered", "columns": ["answer"], "detail": True, "by": ["only"], "missing": {"only": GROUP}},
    {"kind": "answered", "columns": ["only", "answer"], "by": ["only"], "missing": {"only": GROUP}},
    {"kind": "histogram", "column": "only", "missing": {"only": GROUP}},
    {"kind": "histogram", "column": "x", "bins": 1, "missing": {"x": GROUP}},
    {"kind": "histogram", "column": "x", "edges": [-2, 0, 1.5], "missing": {"x": GROUP}},
    {"kind": "histogram", "column": "weeks", "levels": {"weeks": "month"}, "missing": {"weeks": GROUP}},
    {"kind": "crosstab", "columns": ["only", "x"], "bins": {"x": 2}, "missing": {"only": GROUP, "x": GROUP}},
    {"kind": "workload", "columns": ["only", "x"], "bins": {"x": 1}, "missing": {"only": GROUP, "x": GROUP}},
)
ONCE: tuple[dict[str, Any], ...] = tuple(
    {**each, "max_rows_per_cell": 1}
    for each in (
        {"kind": "histogram", "column": "only"},
        {"kind": "histogram", "column": "k"},
        {"kind": "histogram", "column": "x", "bins": 1, "noise": "laplace"},
        {"kind": "histogram", "column": "odd", "noise": "laplace"},
        {"kind": "histogram", "column": "weeks", "levels": {"weeks": "month"}, "partial": "drop"},
        {"kind": "crosstab", "columns": ["g", "h"], "noise": "gaussian"},
        {"kind": "crosstab", "columns": ["only", "flag"]},
    )
)
"""What a unit that is a row has no use for: it has no more rows than one in a cell."""
"""One cell, one category, one group, one question, two codes, k = 1."""
FEW = 20
"""Of each combination of options of a kind, so many at most, spread evenly over all that are sound."""


@cache
def generated() -> tuple[dict[str, Any], ...]:
    """The variants, each once."""
    found: dict[str, dict[str, Any]] = {}
    for cls in STATISTICS:
        by_options: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for statistic in candidates(cls):
            by_options.setdefault(tuple(sorted(statistic)), []).append(statistic)
        for several in by_options.values():
            sound = _some(several)
            found |= {json.dumps(each, sort_keys=True): each for each in sound}
    found |= {json.dumps(each, sort_keys=True): each for each in (*DEGENERATE, *ONCE)}
    return tuple(found.values())


def _some(several: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ends and a few between, of those that a plan takes."""
    step = max(1, len(several) // FEW)
    sound = [each for each in several[::step] if _is_sound(each)]
    return sound[:: max(1, len(sound) // 4)]

"""Pairs of neighbouring tables, and how far apart the real engine finds what each statistic's mechanisms are given.

A trial is a base table without one unit, and two sets of rows that the unit may have: before and after. Its three
tables (without the unit, before, after) give two pairs that differ by adding the unit and one that substitutes it.
Thousands of tables are answered at once: they stand in one stored table with a column `trial`, which every query gets
as one more key. What depends on a unit's other rows being cut is tested table by table, see `test_contract.py`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dprelease.mechanisms import (
    ExponentialMechanism,
    NoisyTopK,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    ThresholdedLaplace,
)
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.condition import Condition
from dprelease.model.privacy import NeighboringRelation, PrivacyUnit, Terms
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.model.tally import DiscoveryQuery, Key, Query, TallyQuery
from dprelease.statistics import Tabulated
from dprelease.statistics.tabulated import Measurement
from dprelease.table import Engine, Tally

Row = dict[str, Any]
RELATIONS = tuple(NeighboringRelation)

SCHEMA = Schema.parse(
    {
        "k": {"type": "integer", "lower": 0, "upper": 3},
        "x": {"type": "number", "lower": -2, "upper": 1.5, "resolution": 0.5},
        "far": {"type": "integer", "lower": 5, "upper": 8},
        "low": {"type": "number", "lower": -3, "upper": -1, "resolution": 0.25},
        "g": {"type": "category", "categories": ["a", "b"], "other": True},
        "h": {"type": "category", "categories": ["u", "v"]},
        "flag": {"type": "boolean"},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-04"},
        "answer": {"type": "category", "categories": ["yes", "no", "none"], "count_missing_as": "none"},
        "wide": {"type": "integer", "lower": -1000, "upper": 1000, "count_missing_as": 0},
        "unknown": {"type": "category", "categories": "discover"},
        "only": {"type": "category", "categories": ["a"]},
        "coded": {
            "type": "integer",
            "lower": 0,
            "upper": 5,
            "missing_codes": [2, {"from": 90, "to": 99}],
            "outside": "missing",
        },
        "unseen": {"type": "category", "categories": "discover", "missing_codes": ["b None"]},
    }
)
STORED = {
    "k": pa.float64(),
    "x": pa.float64(),
    "far": pa.int64(),
    "low": pa.float64(),
    "g": pa.string(),
    "h": pa.string(),
    "flag": pa.bool_(),
    "day": pa.date32(),
    "answer": pa.string(),
    "wide": pa.float64(),
    "unknown": pa.string(),
    "only": pa.string(),
    "coded": pa.float64(),
    "unseen": pa.string(),
}


def statistic(**declared: Any) -> Tabulated:
    """A statistic as a plan file declares it, checked against the schema."""
    report = Report()
    read = read_statistic({"id": "s", **declared}, "s", report)
    assert isinstance(read, Tabulated), report.problems
    read.check("s", SCHEMA, report)
    assert report.problems == []
    return read


VARIANTS: dict[str, Tabulated] = {
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
    "crosstab of g, h": statistic(kind="crosstab", columns=["g", "h"]),
    "crosstab of x, flag": statistic(kind="crosstab", columns=["x", "flag"], bins={"x": 2}),
    "quantiles of k": statistic(kind="quantiles", column="k", probs=[0.25, 0.5, 0.9]),
    "quantiles of x in 3 cells": statistic(kind="quantiles", column="x", probs=[0.1, 0.75], cells=3),
    "quantiles of x by g": statistic(kind="quantiles", column="x", probs=[0.3, 0.5], by=["g"]),
    "median of day": statistic(kind="median", column="day"),
    "median of x among candidates": statistic(kind="median", column="x", candidates=[-1.5, 0, 1]),
    "median of far by h": statistic(kind="median", column="far", by=["h"]),
    "count with a value of x": statistic(kind="count", column="x"),
    "count with weights": statistic(kind="count", survey_weights="far"),
    "count with weights by g": statistic(kind="count", survey_weights="far", by=["g"]),
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
    "survey of answer": statistic(kind="survey", column="answer"),
    "bounds of wide": statistic(kind="bounds", column="wide"),
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

WHERE = (Condition("k", (("in", (0, 3)),)), Condition("day", (("at_most", "2025-01-03"),)))
UNITS = {"rows": PrivacyUnit()} | {f"people, {most} rows": PrivacyUnit("person", most) for most in (1, 2, 3)}
UNITS["people, 3 rows, 2 groups"] = PrivacyUnit("person", 3, 2)
FILTERS: dict[str, tuple[Condition, ...]] = {"all": (), "filtered": WHERE}


CODED = {
    ("a", "u"): 0.0,
    ("b", "v"): 5.0,
    ("a", "v"): 1.0,
    ("elsewhere", "u"): 4.0,
    ("b", "u"): 3.0,
    ("other", "u"): -9.0,
}
"""Anything else is a code for no answer; what lies below the bounds has no value either."""


def row(k: Any, x: Any, far: Any, low: Any, g: Any, h: Any, flag: Any, day: int | None) -> Row:
    return {
        "k": k,
        "x": x,
        "far": far,
        "low": low,
        "g": g,
        "h": h,
        "flag": flag,
        "day": None if day is None else date.fromordinal(date(2025, 1, 1).toordinal() + day),
        "answer": {"u": "yes", "v": "no"}.get(h),
        "wide": None if x is None else 300 * x,
        "unknown": None if g is None else f"{g} {h}",
        "only": None if x is None else "a",
        "coded": CODED.get((g, h), 2.0),
        "unseen": None if g is None else f"{g} {h}",
    }


EXTREMES = (
    row(0, -2.0, 5, -3.0, "a", "u", True, 0),
    row(3, 1.5, 8, -1.0, "a", "u", True, 2),
    row(0, -2.0, 8, -3.0, "b", "v", False, 0),
    row(3, 1.5, 5, -3.0, "b", "v", False, 2),
    row(0, 0.0, 8, -1.0, "elsewhere", "v", True, 2),
    row(3, -0.5, 8, -3.0, "elsewhere", "u", False, 0),
    row(3, -2.0, 8, -3.0, "b", "v", True, 0),
)
"""At the bounds, in different cells, and passing the filter."""
AWKWARD = (
    row(None, nan, None, None, None, None, None, None),
    row(nan, inf, 2**62, -inf, "", "w", None, 0),
    row(-9, -1e308, -(2**63), 5e-324, "other", "u", False, -400),
    row(1, 0.25, 6, -2.0, "a", "v", True, 1),
    row(2, 0.2499999, 7, -1.9, "b", None, True, 3),
    row(99, 1e308, 99, 1e308, None, "v", False, 400),
    row(0, None, 8, -3.0, "a", "u", None, 0),
    row(0, -2.0, 5, -3.0, "a", "v", True, 0),
    row(3, 1.5, 8, -1.0, "other", "u", False, 2),
)
"""Null, NaN, infinite, out of bounds, undeclared, and some that do not pass the filter."""
PALETTE = EXTREMES + AWKWARD


@dataclass(frozen=True)
class Trial:
    base: tuple[Row, ...]
    """One row of each other unit."""
    before: tuple[Row, ...]
    after: tuple[Row, ...]

    @property
    def tables(self) -> tuple[tuple[tuple[Row, ...], tuple[Row, ...]], ...]:
        """The other units' rows and its own: without it, before, after."""
        return (self.base, ()), (self.base, self.before), (self.base, self.after)


def worst(most: int) -> Iterator[Trial]:
    """All rows of the unit alike and at the bounds, moved to every other corner, over bases that lean each way."""
    bases = [(), EXTREMES[:1] * 9, EXTREMES[1:2] * 9, EXTREMES[2:3] * 5 + EXTREMES[3:4] * 5]
    for base, before, after in product(bases, EXTREMES, EXTREMES):
        yield Trial(base, (before,) * most, (after,) * most)


def apart(most: int) -> Iterator[Trial]:
    """Rows that all fall into different cells, moved to as many other ones."""
    passing = [item for item in PALETTE if item["k"] in (0, 3) and item["unknown"] and item["day"] < date(2025, 1, 4)]
    rows = tuple({item["unknown"]: item for item in passing}.values())
    yield Trial((), rows[:most], rows[most : 2 * most])


def mixed(most: int, trials: int, seed: int) -> Iterator[Trial]:
    """Any rows, 0 to two more than are kept."""
    draw = random.Random(seed)
    longest = most + 2 if most > 1 else 1
    for _ in range(trials):
        sides = (tuple(draw.choices(PALETTE, k=draw.randint(0, longest))) for _ in range(2))
        yield Trial(tuple(draw.choices(PALETTE, k=draw.randint(0, 8))), *sides)


SMALL = 2**24
"""Sums of squares of numbers up to this fit into 64 bits; larger ones are kept as Python's own integers."""


@dataclass(frozen=True, eq=False)
class Pool:
    """What each statistic's mechanisms are given in every table of many trials."""

    unit: PrivacyUnit
    trials: NDArray[np.int64]
    """A row each: the tables without the unit, before, after. Equal ones are one table."""
    tables: int
    tallies: dict[Query, Any]
    """The first axis is the table."""

    @cache  # noqa: B019 (a pool lives as long as the tests)
    def exact(self, name: str) -> list[Any]:
        """The inputs of a statistic's measurements: for each an array with a row a table, or a list of discoveries."""
        chosen = VARIANTS[name]
        tallies = [self.tallies[query] for query in chosen.queries(SCHEMA)]
        inputs = [chosen.exact(SCHEMA, [tally[table] for tally in tallies]) for table in range(self.tables)]
        return [self._together(given) for given in zip(*inputs, strict=True)]

    @staticmethod
    def _together(given: Sequence[Any]) -> Any:
        """Fails where tables give different shapes, or anything else than whole numbers."""
        if isinstance(given[0], Mapping):
            assert all(isinstance(number, int) for found in given for number in found.values())
            return given
        array = np.array(given)
        assert array.dtype.kind in "iO"
        array = array.reshape(len(given), 1) if array.ndim == 1 else array
        return array.astype(object) if (array > SMALL).any() or (array < -SMALL).any() else array

    @property
    def terms(self) -> dict[NeighboringRelation, Terms]:
        """What a sensitivity is stated for."""
        return {relation: Terms(self.unit, relation) for relation in RELATIONS}

    @cache  # noqa: B019
    def pairs(self, relation: NeighboringRelation) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Neighbouring tables. A unit without rows counts as one whose rows are none: those pairs are both."""
        absent, before, after = self.trials.T
        pairs = [(absent, before), (absent, after)]
        pairs += [(before, after)] if relation is NeighboringRelation.SUBSTITUTE else []
        first, second = np.unique(np.concatenate([np.stack(pair) for pair in pairs], axis=1), axis=1)
        return first, second


ENGINE = Engine()


@cache
def pool(unit_name: str, filter_name: str) -> Pool:
    """The trials of one privacy unit under one filter, answered by one question to the engine."""
    unit, where = UNITS[unit_name], FILTERS[filter_name]
    trials = (*worst(unit.max_rows), *apart(unit.max_rows), *mixed(unit.max_rows, 200, seed=unit.max_rows))
    different = {repr(table): table for trial in trials for table in trial.tables}
    places = {text: place for place, text in enumerate(different)}
    tables = len(different)
    stored = [
        item | {"trial": place, "person": person}
        for place, (base, own) in enumerate(different.values())
        for item, person in _people(base, own, 100 * place)
    ]
    schema = SCHEMA.updated(Schema.parse({"trial": {"type": "integer", "lower": 0, "upper": tables - 1}}))
    key = Key("trial", tables, tables)
    asked = list(dict.fromkeys(query for chosen in VARIANTS.values() for query in chosen.queries(SCHEMA)))
    wide = [
        replace(query, keys=(key, *query.keys))
        if isinstance(query, TallyQuery)
        else DiscoveryQuery((key, *query.columns))
        for query in asked
    ]
    answered = ENGINE.answer(ENGINE.hold(stored_table(stored)), wide, schema=schema, where=where, unit=unit)
    found = (tally.values if isinstance(tally, Tally) else by_table(tally.values, tables) for tally in answered)
    numbered = np.array([[places[repr(table)] for table in trial.tables] for trial in trials])
    return Pool(unit, numbered, tables, dict(zip(asked, found, strict=True)))


def by_table(found: Mapping[str, int], tables: int) -> list[dict[str, int]]:
    """Discovered cells table by table."""
    result: list[dict[str, int]] = [{} for _ in range(tables)]
    for name, count in found.items():
        table, *cell = json.loads(name)
        result[table][json.dumps(cell)] = count
    return result


def _people(base: Sequence[Row], own: Sequence[Row], first: int) -> Iterator[tuple[Row, int]]:
    yield from ((item, first + 1 + number) for number, item in enumerate(base))
    yield from ((item, first) for item in own)


def stored_table(rows: Sequence[Row]) -> pa.Table:
    """Rows as a table of stated types, so that null and NaN stay what they are."""
    types = STORED | {"trial": pa.int64(), "person": pa.int64()}
    return pa.table(
        {name: pa.array([item[name] for item in rows], type=type_, from_pandas=False) for name, type_ in types.items()}
    )


def distances(measurement: Measurement, before: Any, after: Any) -> dict[str, list[int]]:
    """How far apart two inputs of a mechanism are, in the norms that its loss is stated in, pair by pair."""
    if measurement.mechanism is ThresholdedLaplace:
        gaps = [
            [abs(there.get(name, 0) - here.get(name, 0)) for name in {*here, *there}]
            for here, there in zip(before, after, strict=True)
        ]
        return {
            "l0": [sum(gap > 0 for gap in pair) for pair in gaps],
            "l1": [sum(pair) for pair in gaps],
            "linf": [max(pair, default=0) for pair in gaps],
        }
    gap = np.abs(after - before)
    flat = gap.reshape(len(gap), -1)
    if issubclass(measurement.mechanism, Noise):
        found = {"l1": flat.sum(axis=1), "linf": flat.max(axis=1), "l2_squared": (flat**2).sum(axis=1)}
    elif measurement.mechanism is RandomizedResponse:
        found = {"l1": flat.sum(axis=1)}
    else:
        named = (PermuteAndFlip, ExponentialMechanism, NoisyTopK, SparseVector)
        assert measurement.mechanism in named, "say here in which norm the loss of this mechanism is stated"
        found = {"linf": gap.max(axis=-1).reshape(len(gap), -1).sum(axis=1)}
    return {norm: numbers.tolist() for norm, numbers in found.items()}


def check_sensitivity(name: str, relation: NeighboringRelation, neighbours: Pool) -> None:
    """Fails where a pair beats a stated sensitivity, and where no pair attains it."""
    for norm, stated, largest in largest_distances(name, relation, neighbours):
        assert largest == stated, f"{name}: no pair attains the stated {norm} {stated} under {relation}, only {largest}"


def largest_distances(name: str, relation: NeighboringRelation, neighbours: Pool) -> list[tuple[str, int, int]]:
    """For each norm of each measurement what is stated and what the furthest pair has; fails where that is more."""
    if VARIANTS[name].kind in SUBSTITUTE_ROWS_ONLY and (neighbours.unit.column, relation) != (None, RELATIONS[1]):
        return []
    result = []
    first, second = neighbours.pairs(relation)
    measurements = VARIANTS[name].measurements(SCHEMA, neighbours.terms[relation])
    for measurement, inputs in zip(measurements, neighbours.exact(name), strict=True):
        if isinstance(inputs, np.ndarray):
            before, after = inputs[first], inputs[second]
            change = (after - before).reshape(len(first), -1)
            alike = (change >= 0).all(axis=1) | (change <= 0).all(axis=1)
            assert not measurement.sensitivity.monotone or alike.all(), f"{name}: not monotone under {relation}"
        else:
            before, after = ([inputs[table] for table in side] for side in (first, second))
        for norm, found in distances(measurement, before, after).items():
            stated, largest = getattr(measurement.sensitivity, norm), max(found)
            assert largest <= stated, f"{name}: {norm} {largest} beats the stated {stated} under {relation}"
            result.append((norm, stated, largest))
    return result

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
        "answer": {"type": "category", "categories": ["yes", "no", "none"], "missing": "none"},
        "wide": {"type": "integer", "lower": -1000, "upper": 1000, "missing": 0},
        "unknown": {"type": "category", "categories": "discover"},
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
    "histogram of unknown": statistic(kind="histogram", column="unknown"),
    "crosstab of unknown, h": statistic(kind="crosstab", columns=["unknown", "h"]),
    "top 2 of unknown": statistic(kind="top", column="unknown", k=2),
}
SUBSTITUTE_ROWS_ONLY = ("survey",)
"""Kinds that are refused under any other unit or relation."""

WHERE = (Condition("k", (("in", (0, 3)),)), Condition("day", (("at_most", "2025-01-03"),)))
UNITS = {"rows": PrivacyUnit()} | {f"people, {most} rows": PrivacyUnit("person", most) for most in (1, 2, 3)}
UNITS["people, 3 rows, 2 groups"] = PrivacyUnit("person", 3, 2)
FILTERS: dict[str, tuple[Condition, ...]] = {"all": (), "filtered": WHERE}


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


@dataclass(frozen=True, eq=False)
class Pool:
    """What each statistic's mechanisms are given in every table of many trials."""

    unit: PrivacyUnit
    trials: tuple[Trial, ...]
    tallies: dict[Query, Any]
    """The first axis is the table: 3 a trial."""

    @cache  # noqa: B019 (a pool lives as long as the tests)
    def exact(self, name: str) -> list[tuple[Any, ...]]:
        """The inputs of a statistic's measurements, one entry a table."""
        chosen = VARIANTS[name]
        tallies = [self.tallies[query] for query in chosen.queries(SCHEMA)]
        return [chosen.exact(SCHEMA, [tally[table] for tally in tallies]) for table in range(3 * len(self.trials))]

    @property
    def terms(self) -> dict[NeighboringRelation, Terms]:
        """What a sensitivity is stated for."""
        return {relation: Terms(self.unit, relation) for relation in RELATIONS}

    def pairs(self, relation: NeighboringRelation) -> Iterator[tuple[int, int]]:
        """Neighbouring tables. A unit without rows counts as one whose rows are none: those pairs are both."""
        for trial in range(len(self.trials)):
            yield 3 * trial, 3 * trial + 1
            yield 3 * trial, 3 * trial + 2
            if relation is NeighboringRelation.SUBSTITUTE:
                yield 3 * trial + 1, 3 * trial + 2


ENGINE = Engine()


@cache
def pool(unit_name: str, filter_name: str) -> Pool:
    """The trials of one privacy unit under one filter, answered by one question to the engine."""
    unit, where = UNITS[unit_name], FILTERS[filter_name]
    trials = (*worst(unit.max_rows), *apart(unit.max_rows), *mixed(unit.max_rows, 400, seed=unit.max_rows))
    tables = 3 * len(trials)
    stored = [
        item | {"trial": 3 * index + version, "person": person}
        for index, trial in enumerate(trials)
        for version, own in enumerate(((), trial.before, trial.after))
        for item, person in _people(trial.base, own, 100 * (3 * index + version))
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
    return Pool(unit, trials, dict(zip(asked, found, strict=True)))


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


def distances(measurement: Measurement, before: Any, after: Any) -> dict[str, int]:
    """How far apart two inputs of a mechanism are, in the norms that its loss is stated in."""
    if measurement.mechanism is ThresholdedLaplace:
        gaps = [abs(after.get(name, 0) - before.get(name, 0)) for name in {*before, *after}]
        return {"l0": sum(gap > 0 for gap in gaps), "l1": sum(gaps), "linf": max(gaps, default=0)}
    gap = np.abs(np.atleast_1d(np.asarray(after, dtype=object)) - np.atleast_1d(np.asarray(before, dtype=object)))
    if issubclass(measurement.mechanism, Noise):
        return {"l1": int(gap.sum()), "linf": int(gap.max()), "l2_squared": int((gap**2).sum())}
    if measurement.mechanism is RandomizedResponse:
        return {"l1": int(gap.sum())}
    named = (PermuteAndFlip, ExponentialMechanism, NoisyTopK, SparseVector)
    assert measurement.mechanism in named, "say here in which norm the loss of this mechanism is stated"
    return {"linf": int(np.atleast_2d(gap).max(axis=-1).sum())}


def check_sensitivity(name: str, relation: NeighboringRelation, neighbours: Pool) -> None:
    """Fails where a pair beats a stated sensitivity, and where no pair attains it."""
    if VARIANTS[name].kind in SUBSTITUTE_ROWS_ONLY and (neighbours.unit.column, relation) != (None, RELATIONS[1]):
        return
    measurements = VARIANTS[name].measurements(SCHEMA, neighbours.terms[relation])
    inputs = neighbours.exact(name)
    largest: list[dict[str, int]] = [{} for _ in measurements]
    for first, second in neighbours.pairs(relation):
        check_lattice(inputs[first], inputs[second])
        for place, measurement in enumerate(measurements):
            if measurement.sensitivity.monotone and not isinstance(inputs[first][place], dict):
                ends = [np.atleast_1d(np.asarray(inputs[table][place], dtype=object)) for table in (first, second)]
                change = ends[1] - ends[0]
                assert (change >= 0).all() or (change <= 0).all(), f"{name}: not monotone under {relation}"
            for norm, found in distances(measurement, inputs[first][place], inputs[second][place]).items():
                stated = getattr(measurement.sensitivity, norm)
                assert found <= stated, f"{name}: {norm} {found} beats the stated {stated} under {relation}"
                largest[place][norm] = max(found, largest[place].get(norm, 0))
    for place, measurement in enumerate(measurements):
        for norm, found in largest[place].items():
            stated = getattr(measurement.sensitivity, norm)
            assert found == stated, f"{name}: no pair attains the stated {norm} {stated} under {relation}, only {found}"


def check_lattice(before: Sequence[Any], after: Sequence[Any]) -> None:
    """Both tables give whole numbers in the same shape."""
    assert len(before) == len(after)
    for first, second in zip(before, after, strict=True):
        assert np.shape(first) == np.shape(second) or isinstance(first, dict)
        for part in (first, second):
            values = list(part.values()) if isinstance(part, dict) else part
            assert np.asarray(values, dtype=object if isinstance(part, dict) else None).dtype.kind in "iO"

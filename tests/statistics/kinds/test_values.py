"""Without noise, each statistic is what its name says: the whole way from rows to published tables."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics import Plan
from dprelease.statistics.answer import draw, exact, queries, table, without_noise
from dprelease.statistics.planning.price import Price, price
from dprelease.table import Engine, Tally
from tests.model.plans import small
from tests.statistics.ready import ready

pytestmark = pytest.mark.quick

COLUMNS = {
    "age": {"type": "integer", "lower": 0, "upper": 9},
    "x": {"type": "number", "lower": -1, "upper": 2, "resolution": 0.25},
    "g": {"type": "category", "categories": ["a", "b"], "other": True},
    "ok": {"type": "boolean"},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-04"},
}
FRAME = pd.DataFrame(
    {
        "age": [0, 1, 1, 2, 9, 12, None],
        "x": [-1.0, -0.5, 0.25, 2.0, 5.0, 0.3, float("nan")],
        "g": ["a", "a", "b", "b", "b", "z", None],
        "ok": [True, False, True, True, None, False, True],
        "day": [date(2025, 1, day) for day in (1, 1, 2, 3, 4, 4, 4)],
    }
)


def answered(statistic: dict[str, Any], frame: pd.DataFrame = FRAME, **changes: Any) -> pd.DataFrame:
    """The published table without noise."""
    priced = price(Plan.parse(small(columns=COLUMNS, statistics=[{"id": "s", **statistic}], **changes)))
    given = exact(priced, tallies_of(priced, frame))
    return table(priced["s"], priced.plan.schema, {"s": without_noise(given["s"])}).frame()


def tallies_of(priced: Price, frame: pd.DataFrame) -> list[Tally]:
    engine, plan = Engine(), priced.plan
    return engine.answer(engine.hold(frame), queries(priced), schema=plan.schema, where=plan.where, unit=plan.unit)


def values(statistic: dict[str, Any], **changes: Any) -> list[Any]:
    return answered(statistic, **changes)["value"].tolist()


def test_counts() -> None:
    assert values({"kind": "count"}) == [7]
    assert values({"kind": "count", "by": ["g"]}) == [2, 3, 1]
    assert values({"kind": "count"}, where=[{"column": "age", "at_least": 1}]) == [5]
    assert values(
        {"kind": "count"}, where=[{"column": "g", "in": ["b", "other"]}, {"column": "ok", "equals": True}]
    ) == [2]
    assert values({"kind": "count"}, where=[{"column": "day", "at_most": "2025-01-02"}]) == [3]


def test_sums_are_clipped_and_in_steps() -> None:
    assert values({"kind": "sum", "column": "age"}) == [0 + 1 + 1 + 2 + 9 + 9]
    assert values({"kind": "sum", "column": "x"}) == [-1 - 0.5 + 0.25 + 2 + 2 + 0.25]
    assert values({"kind": "sum", "column": "x", "by": ["g"]}) == [-1.5, 4.25, 0.25]


def test_means() -> None:
    assert values({"kind": "mean", "column": "age"}) == pytest.approx([22 / 6])
    assert values({"kind": "mean", "column": "x", "by": ["ok"]}) == pytest.approx([-0.125, (-1 + 0.25 + 2) / 3])
    assert values({"kind": "mean", "column": "x"}, where=[{"column": "age", "equals": 7}]) == [
        0.5
    ]  # nobody: the middle


def test_histograms() -> None:
    assert values({"kind": "histogram", "column": "age"}) == [1, 2, 1, 0, 0, 0, 0, 0, 0, 2]
    assert values({"kind": "histogram", "column": "g"}) == [2, 3, 1]
    assert values({"kind": "histogram", "column": "ok"}) == [2, 4]
    assert values({"kind": "histogram", "column": "day", "bins": 2}) == [3, 4]
    bins = answered({"kind": "histogram", "column": "x", "bins": 3})
    assert bins[["x_from", "x_to", "value"]].to_numpy().tolist() == [[-1, -0.25, 2], [0, 0.75, 2], [1, 2, 2]]
    edges = answered({"kind": "histogram", "column": "age", "edges": [0, 1, 2, 9]})
    assert edges[["age_from", "age_to", "value"]].to_numpy().tolist() == [[0, 0, 1], [1, 1, 2], [2, 9, 3]]


def test_a_value_on_an_edge_belongs_above_it() -> None:
    frame = pd.DataFrame({"x": [-1.0, 0.0, 0.5, 2.0]})
    table = answered({"kind": "histogram", "column": "x", "edges": [-1, 0, 0.5, 2]}, frame)
    assert table["value"].tolist() == [1, 1, 2]


def test_crosstabs() -> None:
    table = answered({"kind": "crosstab", "columns": ["g", "ok"]})
    assert list(table.columns) == ["g", "ok", "value", "lower95", "upper95"]
    assert table[["g", "ok", "value"]].to_numpy().tolist() == [
        *(["a", "false", 1], ["a", "true", 1], ["b", "false", 0]),
        *(["b", "true", 2], ["other", "false", 1], ["other", "true", 0]),
    ]
    binned = answered({"kind": "crosstab", "columns": ["ok", "x"], "bins": {"x": 2}})
    assert list(binned.columns)[:3] == ["ok", "x_from", "x_to"]
    assert binned["value"].tolist() == [2, 0, 2, 1]


def test_quantiles() -> None:
    assert values({"kind": "median", "column": "age"}) == [1]
    table = answered({"kind": "quantiles", "column": "age", "probs": [0.9, 0.1, 0.5]})
    assert table["probability"].tolist() == [0.1, 0.5, 0.9]
    assert table["value"].tolist() == [0, 1, 9]
    assert values({"kind": "median", "column": "day"}) == ["2025-01-03"]
    assert values({"kind": "median", "column": "x", "candidates": [-0.5, 0.25, 2]}) == [0.25]
    grouped = answered({"kind": "quantiles", "column": "x", "probs": [0.25, 0.75], "by": ["ok"]})
    assert list(grouped.columns) == ["ok", "probability", "value", "lower95", "upper95"]
    assert grouped["ok"].tolist() == ["false", "false", "true", "true"]


@pytest.mark.parametrize("probability", [0.1, 0.25, 0.5, 0.8])
def test_a_quantile_without_noise_leaves_the_right_share_on_each_side(probability: float) -> None:
    """At most α of the rows below the chosen value and at most 1 − α above it, ties and all."""
    random = np.random.default_rng(5)
    for size in (1, 2, 9, 100):
        ages = np.minimum(random.poisson(3, size), 9)
        frame = pd.DataFrame({"age": ages})
        (value,) = answered({"kind": "quantiles", "column": "age", "probs": [probability]}, frame)["value"]
        assert (ages < value).sum() <= probability * size
        assert (ages > value).sum() <= (1 - probability) * size


def test_names_of_key_columns_never_clash() -> None:
    columns = {"value": {"type": "boolean"}, "raw": {"type": "integer", "lower": 0, "upper": 500}}
    plan = Plan.parse(
        small(
            columns=columns,
            statistics=[{"id": "s", "kind": "crosstab", "columns": ["value", "raw"], "bins": {"raw": 2}}],
        )
    )
    priced = price(plan)
    drawn = draw(priced, ready(priced, [np.zeros((2, 2), dtype=int)]))
    assert table(priced["s"], priced.plan.schema, drawn).key_names == ("value_", "raw_from", "raw_to")


def test_a_draw_is_plain_whole_numbers_and_quantiles_are_in_order() -> None:
    statistics = [
        {"id": "n", "kind": "count"},
        {"id": "s", "kind": "sum", "column": "x"},
        {"id": "m", "kind": "mean", "column": "x", "by": ["g"]},
        {"id": "q", "kind": "quantiles", "column": "x", "probs": [0.2, 0.4, 0.6, 0.8], "cells": 3},
    ]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 0.01}
    priced = price(Plan.parse(small(columns=COLUMNS, statistics=statistics, privacy=privacy)))
    inputs = exact(priced, tallies_of(priced, FRAME))
    for _ in range(20):
        drawn = draw(priced, inputs)
        assert json.loads(json.dumps(drawn)) == drawn
        quantiles = list(table(priced["q"], priced.plan.schema, drawn).value)
        assert quantiles == sorted(quantiles)


def test_a_sum_far_beyond_64_bits_is_published_clamped() -> None:
    """A resolution that makes totals exceed 2^63 steps must not fail on the rows: an error would tell of them.

    Noise of scale 1e9 goes beyond the tolerance of 4.6e10 with a chance of exp(-46).
    """
    schema = Schema.parse({"x": {"type": "number", "lower": 999_999_999, "upper": 1e9, "resolution": 1e-6}})
    plan = Plan.parse(small(columns=schema.to_mapping(), statistics=[{"id": "s", "kind": "sum", "column": "x"}]))
    priced = price(plan)
    rows, codes = (np.array(value) for value in (10**6, 10**12))
    inputs = priced["s"].statistic.exact(priced.plan.schema, [rows, codes])
    value = table(priced["s"], priced.plan.schema, draw(priced, ready(priced, inputs))).value[0]
    assert float(value) == pytest.approx(2**62 * 1e-6, rel=1e-2)  # type: ignore[arg-type]


def test_statistics_that_need_the_same_tally_ask_once() -> None:
    statistics = [
        {"id": "a", "kind": "mean", "column": "x"},
        {"id": "b", "kind": "sum", "column": "x"},
        {"id": "c", "kind": "quantiles", "column": "age", "probs": [0.5]},
        {"id": "d", "kind": "median", "column": "age"},
        {"id": "e", "kind": "count"},
    ]
    priced = price(Plan.parse(small(columns=COLUMNS, statistics=statistics)))
    asked = queries(priced)
    assert len(asked) == len(set(asked)) == 4
    assert asked.count(TallyQuery()) == 1
    assert priced.plan.unit == PrivacyUnit()


@pytest.mark.parametrize("kind", ["variance", "covariance", "mean"])
def test_sums_of_squares_beyond_64_bits_change_by_no_more_than_stated(kind: str) -> None:
    """600 rows at the bound of a fine lattice, and one more: their squares exceed 2^62, the sensitivity must hold."""
    bounds = {"type": "integer", "lower": 0, "upper": 90_000_000}
    named = {"columns": ["x", "y"]} if kind == "covariance" else {"column": "x"}
    plan = Plan.parse(small(columns={"x": bounds, "y": bounds}, statistics=[{"id": "s", "kind": kind, **named}]))
    priced = price(plan)
    given = []
    for rows in (600, 601):
        engine, asked = Engine(), queries(priced)
        held = engine.hold(pd.DataFrame({"x": [90_000_000] * rows, "y": [90_000_000] * rows}))
        tallies = engine.answer(held, asked, schema=priced.plan.schema, where=(), unit=PrivacyUnit())
        given.append(exact(priced, tallies)["s"])
    for measurement, before, after in zip(priced["s"].mechanisms, given[0].first, given[1].first, strict=True):
        clamped = [np.clip(part, -(2**62), 2**62) for part in (before, after)]
        assert abs(clamped[1] - clamped[0]).sum() <= measurement.sensitivity.l1
        assert abs(after - before).sum() >= 0.99 * measurement.sensitivity.l1

"""Every kind of statistic from rows to a verified bundle, also where there are no rows and where there is no noise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.release import Axis, Estimates, Release
from dprelease.statistics import STATISTICS
from dprelease.statistics.planning.price import price
from dprelease.verdict.recompute import compare_answers

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "income": {"type": "number", "lower": 0, "upper": 200_000, "resolution": 0.01},
    "years": {"type": "number", "lower": 0, "upper": 10, "resolution": 0.01},
    "w": {"type": "number", "lower": 0, "upper": 5, "resolution": 0.1},
    "region": {"type": "category", "categories": ["n", "s", "e"], "count_missing_as": "n"},
    "sex": {"type": "category", "categories": ["f", "m"], "count_missing_as": "f"},
    "town": {"type": "category", "categories": "discover"},
}
OLD = [{"column": "age", "at_least": 65}]
ASKED: list[dict[str, Any]] = [
    {"kind": "count"},
    {"kind": "count", "survey_weights": "w"},
    {"kind": "count", "by": ["region"]},
    {"kind": "units"},
    {"kind": "units", "by": ["region"]},
    {"kind": "sum", "column": "income"},
    {"kind": "mean", "column": "income", "by": ["sex"]},
    {"kind": "mean", "column": "income", "method": "centred"},
    {"kind": "mean", "column": "income", "method": "sum_and_count", "survey_weights": "w"},
    {"kind": "ratio", "numerator": "income", "denominator": "years", "survey_weights": "w"},
    {"kind": "proportion", "where": OLD, "by": ["sex"]},
    {"kind": "proportion", "where": OLD, "by": ["sex"], "survey_weights": "w"},
    {"kind": "rate", "where": OLD},
    {"kind": "rate", "where": OLD, "column": "years"},
    {"kind": "variance", "column": "income"},
    {"kind": "std", "column": "age", "by": ["sex"]},
    {"kind": "histogram", "column": "age", "bins": 5},
    {"kind": "histogram", "column": "town"},
    {"kind": "crosstab", "columns": ["region", "sex"]},
    {"kind": "histogram", "column": "age", "bins": 5, "survey_weights": "w"},
    {"kind": "crosstab", "columns": ["region", "sex"], "survey_weights": "w"},
    {"kind": "crosstab", "columns": ["town", "sex"]},
    {"kind": "workload", "columns": ["region", "sex", "age"], "bins": {"age": 4}, "order": 3},
    {
        "kind": "workload",
        "columns": ["region", "sex", "age"],
        "bins": {"age": 4},
        "tables": [["age", "sex"], ["region"]],
    },
    {"kind": "synthetic", "columns": ["region", "sex", "age"], "bins": {"age": 4}},
    {"kind": "synthetic", "columns": ["region", "sex", "age"], "bins": {"age": 4}, "method": "mwem"},
    {"kind": "synthetic", "columns": ["region", "sex", "age"], "bins": {"age": 4}, "method": "pmw"},
    {"kind": "synthetic", "columns": ["region", "sex"], "method": "dual_query", "rounds": 2},
    {"kind": "synthetic", "columns": ["sex", "age"], "bins": {"age": 4}, "source": "s22"},
    {"kind": "cdf", "column": "income", "bins": 150},
    {"kind": "quantiles", "column": "income", "probs": [0.1, 0.5], "cells": 100},
    {"kind": "median", "column": "age", "by": ["sex"]},
    {"kind": "five_numbers", "column": "age"},
    {"kind": "mode", "column": "region", "by": ["sex"]},
    {"kind": "top", "column": "age", "k": 3},
    {"kind": "top", "column": "age", "k": 3, "method": "noisy_top_k"},
    {"kind": "top", "column": "town", "k": 2},
    {
        "kind": "threshold",
        "threshold": 3,
        "answers": 2,
        "numeric": True,
        "questions": [{"label": f"from {age}", "where": [{"column": "age", "at_least": age}]} for age in (90, 50, 0)],
    },
    {"kind": "covariance", "columns": ["age", "income"]},
    {"kind": "correlation", "columns": ["age", "income", "years"]},
    {"kind": "bounds", "column": "income"},
    {"kind": "naive_bayes", "outcome": "region", "on": ["age", "sex"], "bins": {"age": 4}},
    {"kind": "naive_bayes", "outcome": "region", "on": ["age", "sex"], "method": "normal"},
    {"kind": "scorecard", "outcome": "sex", "on": ["age", "region"], "together": "all"},
    {"kind": "linear", "outcome": "income", "on": ["age", "region"]},
    {"kind": "linear", "outcome": "income", "on": ["age"], "by": ["region"]},
    {"kind": "linear", "outcome": "income", "on": ["age", "region"], "method": "functional"},
    {"kind": "linear", "outcome": "income", "on": ["age"], "method": "medians"},
    {"kind": "logistic", "outcome": "sex", "on": ["age", "region"], "rounds": 0},
    {"kind": "logistic", "outcome": "sex", "on": ["age", "region"], "method": "functional"},
    {"kind": "clusters", "on": ["age"], "k": 4},
    {"kind": "clusters", "on": ["age", "income", "years"], "k": 2, "method": "fuzzy"},
    {"kind": "components", "on": ["age", "income", "years"], "k": 2},
    {"kind": "survey", "column": "sex"},
    {"kind": "survey", "column": "region", "method": "subset"},
    {"kind": "survey", "column": "region", "method": "unary"},
    {"kind": "answered", "columns": ["income"], "by": ["region"]},
    {"kind": "answered", "columns": ["income"], "by": ["region"], "detail": True},
    {"kind": "median", "column": "income", "interval": True},
    {"kind": "mean", "column": "age", "by": ["sex"]},
    {"kind": "sum", "column": "age", "by": ["sex"]},
    {"kind": "cdf", "column": "age", "bins": 5},
]


def rows(count: int) -> pd.DataFrame:
    rng = np.random.default_rng(count)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 101, count),
            "income": rng.uniform(0, 200_000, count),
            "years": rng.uniform(0, 10, count),
            "w": rng.uniform(0, 5, count),
            "region": rng.choice(["n", "s", "e"], count).astype(object),
            "sex": rng.choice(["f", "m"], count).astype(object),
            "town": rng.choice(["Ulm", "=1+1", "Ålesund"], count).astype(object),
        }
    )


def publish(
    table: pd.DataFrame, neighbors: str, currency: str, epsilon: float, **others: Any
) -> tuple[dprelease.Workspace, Release]:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population(
        "people", unit="person", neighbors=neighbors, epsilon=1_000_000, delta=0.001, currency=currency
    )
    workspace.add_dataset("d", table, population="people", columns=COLUMNS)
    asked = [item for item in ASKED if item["kind"] != "survey" or neighbors == "substitute"]
    plan = {
        "dprelease": 1,
        "dataset": "d",
        "privacy": {"unit": "row", "neighbors": neighbors, "epsilon": epsilon, "delta": 1e-4},
        "expected": {"rows": 1000},
        "statistics": [{"id": f"s{place}", **item} for place, item in enumerate(asked)],
        **others,
    }
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    return workspace, workspace.publish(plan_id)


def test_every_kind_is_here() -> None:
    assert {item["kind"] for item in ASKED} == {cls.kind for cls in STATISTICS}


@pytest.mark.one_in(15)
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
@pytest.mark.parametrize(("count", "epsilon"), [(0, 0.1), (1, 10), (300, 100_000)])
def test_from_rows_to_tables(count: int, epsilon: float, neighbors: str, currency: str) -> None:
    """Nothing fails after the charge: not without rows, not with hardly any noise, not with a great deal."""
    steps = ["consistent", "nonnegative", "integer"]
    _, release = publish(rows(count), neighbors, currency, epsilon, postprocess=steps)
    for name, table in release.tables.items():
        numbers = [number for column in table.numbers.values() for number in column if isinstance(number, float)]
        assert all(np.isfinite(numbers)), name
    compare_answers(release, price(dprelease.Plan.parse(release.certificate.plan), currency=_currency(currency)))


def _currency(name: str) -> Any:
    from dprelease.model.privacy import Currency

    return Currency(name)


@pytest.mark.full
def test_a_release_of_every_kind_verifies_as_a_bundle(tmp_path: Path) -> None:
    workspace, release = publish(rows(300), "substitute", "pure", 60)
    verdict = dprelease.verify(release.write(tmp_path), key=workspace.public_key)
    assert verdict.signer_known


def forge(table: Estimates, **changed: Any) -> Estimates:
    return replace(table, **changed)


FORGERIES: dict[str, tuple[str, Any]] = {
    "a median with one column more": ("median", lambda t: forge(t, extra={"true": [1] * len(t)})),
    "a discovered cell that is not declared": (
        "crosstab",
        lambda t: forge(t, axes=(Axis(t.axes[0].names, tuple((cell[0], "x") for cell in t.axes[0].cells)),)),
    ),
    "a discovered count below the threshold": ("histogram", lambda t: forge(t, value=[1] * len(t))),
    "a ratio without a value, with an interval": ("ratio", lambda t: forge(t, value=[None] * len(t))),
    "a mean outside its bounds": ("mean", lambda t: forge(t, value=[-1.0] * len(t))),
    "an undeclared mode": ("mode", lambda t: forge(t, value=["x"] * len(t))),
    "top counts out of order": (
        "top",
        lambda t: forge(t, extra={name: list(range(len(t))) for name in t.extra}),
    ),
    "another estimate from the same answers": ("survey", lambda t: forge(t, value=[0.1234567] * len(t))),
    "a cdf that does not follow from its raw shares": (
        "cdf",
        lambda t: forge(t, value=[0.5] * (len(t) - 1) + [1.0], lower95=[0.0] * len(t), upper95=[1.0] * len(t)),
    ),
    "an asymmetric matrix": ("covariance", lambda t: forge(t, value=[0.0, 1.0, 0.0, 0.0])),
    "answers after the last": ("threshold", lambda t: forge(t, value=["not reached", "above", "below"])),
    "a lower bound above the upper": ("bounds", lambda t: forge(t, value=list(t.value)[::-1])),
}


@pytest.fixture(scope="module")
def published() -> Release:
    return publish(rows(300), "substitute", "pure", 60)[1]


@pytest.mark.one_in(15)
@pytest.mark.parametrize("name", FORGERIES)
def test_a_table_that_no_draw_gives_does_not_verify(name: str, published: Release) -> None:
    kind, change = FORGERIES[name]
    recomputed = price(dprelease.Plan.parse(published.certificate.plan))
    chosen = [item for item in recomputed.statistics if item.kind == kind]
    if "discovered" in name:
        chosen = [item for item in chosen if item.statistic.discovers(recomputed.plan.schema)]
    chosen_id = chosen[0].id
    forged = replace(published, outputs={**published.outputs, chosen_id: change(published.tables[chosen_id])})
    with pytest.raises(IntegrityError, match=chosen_id):
        compare_answers(forged, recomputed)


def test_the_spread_of_many_rows_on_a_fine_lattice_is_right() -> None:
    """30,000 rows on 2·10^7 steps: their squares add up to more than 2^63 steps."""
    table = pd.DataFrame({"income": np.repeat([50_000.0, 150_000.0], 15_000)})
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("d", table, epsilon=10, columns={"income": COLUMNS["income"]})
    asked = [{"id": "s", "kind": "std", "column": "income"}]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    plan = dprelease.Plan.parse({"dprelease": 1, "dataset": "d", "privacy": privacy, "statistics": asked})
    plan_id = workspace.plans.submit(plan)
    workspace.plans.approve(plan_id)
    ((value,),) = workspace.publish(plan_id).estimates["s"][["value"]].to_numpy().tolist()
    assert value == pytest.approx(50_000, abs=300)

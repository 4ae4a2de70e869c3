"""What the workbench stands on: prices at every ε, tallies read once, and noise as it would be published."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

import dprelease
from dprelease.workspace.bench import RUNGS, ladder
from tests.workspace.test_every_kind import ASKED, COLUMNS, rows


def workspace(table: pd.DataFrame, neighbors: str = "substitute", currency: str = "pure") -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_population("people", unit="person", neighbors=neighbors, epsilon=20, delta=0.001, currency=currency)
    made.add_dataset("d", table, population="people", columns=COLUMNS)
    return made


def plan(
    asked: list[dict[str, Any]], neighbors: str = "substitute", epsilon: float = 2, **others: Any
) -> dprelease.Plan:
    mapping = {
        "dprelease": 1,
        "dataset": "d",
        "privacy": {"unit": "row", "neighbors": neighbors, "epsilon": epsilon, "delta": 1e-4},
        "expected": {"rows": 1000},
        "statistics": [{"id": f"s{place}", **item} for place, item in enumerate(asked)],
    }
    return dprelease.Plan.parse(mapping | others)


def of(kind: str, **options: Any) -> dict[str, Any]:
    return {"kind": kind, **options}


def looks(made: dprelease.Workspace) -> int:
    return Counter(event.kind for event in made.ledger.events())["preview_taken"]


# The ladder and the chips


@pytest.mark.parametrize(("own", "cap"), [("1", "4"), ("0.05", "4"), ("4", "4"), ("0.001", "10"), ("1", "0.02")])
def test_a_ladder_reaches_from_the_least_to_the_cap_and_has_the_plans_own(own: str, cap: str) -> None:
    rungs = ladder(Decimal(own), Decimal(cap))
    assert Decimal(own) in rungs
    assert rungs[-1] == max(Decimal(own), Decimal(cap))
    assert list(rungs) == sorted(set(rungs))
    assert RUNGS - 1 <= len(rungs) <= RUNGS + 1
    assert rungs[0] <= Decimal("0.05")


@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_chips_on_the_way_are_those_of_the_prices_there(currency: str) -> None:
    """Between rungs that are priced, errors are read off a line: within a fifth where they are below a fifth."""
    made = workspace(rows(30), "add_remove", currency)
    asked = plan([item for item in ASKED if item["kind"] != "survey"], "add_remove")
    bench = made.plans.bench(asked)
    for place in (3, 11, 17):
        epsilon_nano = int(bench.ladder[place] * 10**9)
        there = made.price(replace(asked, epsilon_nano=epsilon_nano))
        for item in there.statistics:
            told, size = bench.errors[item.id][place], item.statistic.magnitude(there.plan.schema, there.plan.expected)
            if told is not None and item.error95 is not None and item.error95 / size < 0.2:
                assert told * size == pytest.approx(item.error95, rel=0.2, abs=0.02 * size), item.id


@pytest.mark.parametrize("invented", [False, True])
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
@pytest.mark.parametrize("count", [0, 1, 300])
def test_every_kind_opens_and_is_drawn(
    count: int, neighbors: str, invented: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = workspace(rows(count), neighbors)
    monkeypatch.setattr("dprelease.workspace.look.DRAWS", 2)
    asked = [item for item in ASKED if item["kind"] != "survey" or (neighbors == "substitute" and count)]
    look = made.plans.look(plan(asked, neighbors), invented=invented)
    assert look.names
    for name in look.names:
        if count == 300:
            assert list(look.prepare(name))[-1:] in ([], [1.0])
        look.draw(name)
        told = json.loads(json.dumps(look.open(name).to_json(), allow_nan=False))
        assert len(told["true"]) == len(told["cells"]) == len(told["drawn"]["value"]), name
        assert sorted(cell for panel in told["panels"] for cell in panel["cells"]) == list(range(len(told["cells"])))
        if count == 300:
            assert (told["law"] is None) != (told["ladder"] is None), name

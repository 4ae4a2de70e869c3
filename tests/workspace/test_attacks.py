"""Attacks on plans: of every kind of statistic, of ordinary units, over a population; and won as often as is said."""

from __future__ import annotations

from math import tanh
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import stats

import dprelease
from dprelease.errors import AccessError, InputError, PlanError
from dprelease.mechanisms import DiscreteGaussian
from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.statistics.planning.price import price
from dprelease.workspace import attacks
from dprelease.workspace.attacks import attacked
from tests.workspace.test_every_kind import ASKED, COLUMNS

FALSE_ALARM = 1e-7


def plan(statistics: list[dict[str, Any]], **others: Any) -> Plan:
    """A plan of the columns of every kind."""
    privacy = {"unit": {"column": "id", "max_rows": 3}, "neighbors": "add_remove", "epsilon": 2, "delta": 1e-5}
    return Plan.parse(
        {
            "dprelease": 1,
            "dataset": "d",
            "privacy": {**privacy, **others.pop("privacy", {})},
            "expected": {"rows": 1000, "units": 500},
            "columns": others.pop("columns", COLUMNS),
            "statistics": [{"id": f"s{place}", **item} for place, item in enumerate(statistics)],
            **others,
        }
    )


@pytest.mark.full
@pytest.mark.parametrize("currency", list(Currency))
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
def test_plans_of_every_kind_are_attacked(neighbors: str, currency: Currency) -> None:
    by_row = neighbors == "substitute"
    asked = [item for item in ASKED if item["kind"] != "survey" or by_row]
    unit: dict[str, Any] = {"unit": "row"} if by_row else {}
    priced = price(plan(asked, privacy={"neighbors": neighbors, **unit}), currency=currency)
    found = attacked(priced).found
    assert {part.statistic for part in found.parts} == {each.id for each in priced.measurements}
    several = list(found.adversaries.values())
    assert 0 < several[3].advantage < several[2].advantage <= several[1].advantage < several[0].advantage
    # Of units that are exchanged the number of all rows tells nothing.
    assert all((by_row or part.ordinary > 0) and 0 <= part.ordinary <= part.worst for part in found.parts)
    assert sum(part.ordinary > 0 for part in found.parts) > len(found.parts) / 2


def told(priced: Any, rows: int = 1) -> dict[str, list[Any]]:
    """By statistic, what the ordinary unit changes: the numbers that are not 0."""
    changes = attacks._changes(priced, rows)
    return {name: [np.asarray(each)[np.asarray(each) != 0].tolist() for each in own] for name, own in changes.items()}


@pytest.mark.full
def test_an_ordinary_unit_has_values_in_the_middle() -> None:
    asked = [
        {"kind": "count"},
        {"kind": "sum", "column": "income"},
        {"kind": "histogram", "column": "age", "bins": 4},
        {"kind": "crosstab", "columns": ["region", "sex"]},
    ]
    priced = price(plan(asked))
    income = [10_000_000]  # of 200,000.00, in hundredths
    assert told(priced) == {"s0": [[1]], "s1": [income], "s2": [[1]], "s3": [[1]]}
    assert told(priced, 3) == {"s0": [[3]], "s1": [[30_000_000]], "s2": [[3]], "s3": [[3]]}
    one, three = (attacked(priced, rows).found for rows in (1, 3))
    assert one.ordinary.advantage < three.ordinary.advantage < three.worst.advantage == one.worst.advantage


def test_an_ordinary_unit_passes_the_filter_where_any_does() -> None:
    asked = [{"kind": "count"}, {"kind": "sum", "column": "age"}]
    where = [
        {"column": "age", "at_least": 80},
        {"column": "sex", "equals": "m"},
        {"column": "region", "in": ["e", "n"]},
    ]
    assert told(price(plan(asked, where=where))) == {"s0": [[1]], "s1": [[90]]}
    nobody = [where[0], {"column": "age", "at_most": 20}]
    assert attacked(price(plan(asked, where=nobody))).found.ordinary.advantage == 0


def test_what_is_discovered_and_later_rounds_count_as_of_the_worst_unit() -> None:
    found = attacked(price(plan([{"kind": "histogram", "column": "town"}]))).found
    assert found.ordinary.advantage == found.worst.advantage


def test_of_very_many_cells_an_ordinary_unit_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    priced = price(plan([{"kind": "count"}, {"kind": "histogram", "column": "age"}]))
    monkeypatch.setattr(attacks, "MAX_CELLS", 101)
    assert attacks._changes(priced, 1) == {"s0": [None], "s1": [None]}
    monkeypatch.setattr(attacks, "MAX_CELLS", 102)
    assert told(priced) == {"s0": [[1]], "s1": [[1]]}


def test_rows_are_those_of_a_unit() -> None:
    priced = price(plan([{"kind": "count"}]))
    for rows in (0, 4):
        with pytest.raises(InputError, match="from 1 to 3"):
            attacked(priced, rows)


def test_an_ordinary_unit_has_the_values_that_are_stated() -> None:
    asked = [{"kind": "sum", "column": "income"}, {"kind": "crosstab", "columns": ["region", "sex"]}]
    priced = price(plan(asked))
    usual, rich, poor = (
        attacked(priced, person=each) for each in ({}, {"income": 200_000, "sex": "f"}, {"income": "0"})
    )
    by_sum = [
        next(part.ordinary for part in each.found.parts if part.statistic == "s0") for each in (poor, usual, rich)
    ]
    assert 0 == by_sum[0] < by_sum[1] < by_sum[2]
    assert rich.found.ordinary.advantage <= rich.found.worst.advantage == usual.found.worst.advantage
    assert rich.to_mapping()["ordinary_values"] == {"income": 200_000, "sex": "f"}
    assert "ordinary_values" not in usual.to_mapping()
    for wrong in ({"income": 200_001}, {"income": None}, {"sex": "F"}, {"income": "much"}):
        with pytest.raises(InputError, match="declared of this column"):
            attacked(priced, person=wrong)
    with pytest.raises(InputError, match=r"income"):
        attacked(priced, person={"hat": 1})


def test_of_two_that_are_exchanged_the_second_has_them() -> None:
    asked = [{"kind": "count", "by": ["sex"]}]
    priced = price(plan(asked, privacy={"neighbors": "substitute", "unit": "row"}))
    found = [attacked(priced, person={"sex": each}).found.ordinary.advantage for each in ("f", "m")]
    assert min(found) == 0 < max(found)  # one of them has what the first has, too


AGE = {"age": {"type": "integer", "lower": 0, "upper": 100}}


def small() -> dprelease.Workspace:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=3)
    table = pandas.DataFrame({"id": ["a", "b"], "age": [1, 2]})
    workspace.add_dataset("d", table, population="people", unit_column="id", columns=AGE)
    return workspace


def test_a_workspace_adds_what_all_releases_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = small()
    asked = plan([{"kind": "count"}], privacy={"epsilon": 1, "delta": 0}, columns=AGE)
    before = workspace.attack(asked).over_all
    assert before is not None
    assert (before.releases, before.cap) == (1, pytest.approx(tanh(1.5), abs=1e-9))
    assert before.charged == pytest.approx(tanh(0.5), abs=1e-8)
    workspace.publish(asked)
    workspace.publish(asked, again=True)
    events = workspace.ledger.count("people")
    monkeypatch.setattr(type(workspace._state), "tallies", None)
    monkeypatch.setattr(type(workspace._state), "table", None)
    after = workspace.attack(asked)
    assert after.over_all is not None
    assert (after.over_all.releases, after.over_all.cap) == (3, before.cap)
    assert before.charged < after.over_all.charged < before.cap
    assert workspace.ledger.count("people") == events  # nothing is noted, and no row was read
    assert after.to_mapping()["population"]["releases"] == 3
    with pytest.raises(PlanError):
        workspace.attack(plan([{"kind": "count"}], privacy={"neighbors": "substitute"}))
    with pytest.raises(AccessError):
        workspace.attack(asked, actor=Actor("ad", frozenset({Role.ADMINISTRATOR})))


CELLS = 4000
NAMES = [f"c{place:04}" for place in range(CELLS)]
"""As many trials at once: each unit is in one cell, which tells of that unit alone."""
OLDEST = 20
TRIALS: dict[str, tuple[str, str, int, float]] = {
    "counts and sums by laplace noise": ("pure", "add_remove", 1, 1.5),
    "three rows a unit": ("pure", "add_remove", 3, 2.5),
    "gaussian noise of a step": ("zcdp", "add_remove", 1, 6),
}


@pytest.mark.full
@pytest.mark.parametrize("name", TRIALS)
def test_an_optimal_attack_on_what_is_published_wins_what_is_said(name: str) -> None:
    """Of units with the most that may be: the likelihood ratio, by probabilities of another library.

    With another seed each fails once in 10 million times.
    """
    currency, neighbors, rows, epsilon = TRIALS[name]
    present = np.random.default_rng(1).integers(0, 2, CELLS).astype(bool)
    there = np.repeat(np.array(NAMES)[present], rows)
    table = pandas.DataFrame({"id": there, "cell": there, "age": OLDEST})
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset(
        "d",
        table,
        unit_column="id",
        epsilon=epsilon,
        delta=0 if currency == "pure" else 1e-6,
        currency=currency,
        columns={
            "cell": {"type": "category", "categories": NAMES},
            "age": {"type": "integer", "lower": 0, "upper": OLDEST},
        },
    )
    asked = Plan.parse(
        {
            "dprelease": 1,
            "dataset": "d",
            "privacy": {
                "unit": {"column": "id", "max_rows": rows},
                "neighbors": neighbors,
                "epsilon": epsilon,
                "delta": 0 if currency == "pure" else 1e-6,
            },
            "statistics": [
                {"id": "n", "kind": "count", "by": ["cell"]},
                {"id": "ages", "kind": "sum", "column": "age", "by": ["cell"]},
            ],
        }
    )
    said = workspace.attack(asked)
    release = workspace.publish(asked)
    evidence = np.zeros(CELLS)
    for measurement in said.price.measurements:
        (mechanism,) = measurement.mechanisms
        (published,) = [table for key, table in release.tables.items() if key == measurement.id]
        noisy = np.array(published.value, dtype=np.int64)
        change = rows * (OLDEST if measurement.id == "ages" else 1)
        evidence += log_chance(mechanism, noisy - change) - log_chance(mechanism, noisy)
    guessed = np.where(evidence == 0, np.random.default_rng(2).integers(0, 2, CELLS) == 1, evidence > 0)
    right = int((guessed == present).sum())
    assert stats.binomtest(right, CELLS, said.found.worst.right).pvalue > FALSE_ALARM, right / CELLS
    assert stats.binomtest(right, CELLS, said.found.any.right, alternative="greater").pvalue > FALSE_ALARM


def log_chance(mechanism: Any, noise: Any) -> Any:
    if isinstance(mechanism, DiscreteGaussian):
        return -(noise**2) / (2 * mechanism.scale**2)
    return stats.dlaplace.logpmf(noise, 1 / mechanism.scale)


def test_where_units_are_exchanged_an_ordinary_one_leaves_a_cell_and_enters_another() -> None:
    """Two counts move by one each: with Gaussian noise √2 times as far as by a unit that appears, as the worst does."""
    told = {}
    for neighbors in ("add_remove", "substitute"):
        workspace = dprelease.Workspace.in_memory()
        columns = {"sex": {"type": "category", "categories": ["F", "M"]}}
        workspace.add_population(
            "p", unit="row", neighbors=neighbors, epsilon=10, delta=1e-5, currency="zcdp", discovers=False
        )
        workspace.add_dataset("d", pandas.DataFrame({"sex": ["F"]}), columns=columns, population="p")
        plan = dprelease.Plan.parse(
            {
                "dprelease": 1,
                "dataset": "d",
                "privacy": {"unit": "row", "neighbors": neighbors, "epsilon": 1, "delta": 1e-6},
                "statistics": [{"id": "n", "kind": "count", "by": ["sex"]}],
            }
        )
        told[neighbors] = workspace.attack(plan).to_mapping()
    own = told["substitute"]
    assert own["ordinary"]["advantage"] == pytest.approx(own["worst"]["advantage"], rel=0.01)

"""A logistic regression by rounds: what it finds, what it refuses, and that its fit can be made again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from math import exp, inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import PlanError
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit, Terms
from dprelease.model.release import FittedOutput
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import logit
from dprelease.statistics.answer import Inputs, without_noise
from dprelease.statistics.kinds.logistic import Logistic
from dprelease.statistics.planning.price import price
from dprelease.store import releases
from dprelease.table import Engine

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 20, "upper": 80},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-03-01"},
    "region": {"type": "category", "categories": ["north", "south", "west"]},
    "member": {"type": "boolean"},
    "ill": {"type": "category", "categories": ["no", "yes"]},
}
TRUE = {"age": 0.06, "south": 1.0, "west": -0.7, "member": 0.8, "intercept": -3.5}


def rows(count: int = 4000) -> pandas.DataFrame:
    """Rows whose outcome follows a known line of log-odds; spread evenly, not by chance."""
    place = np.arange(count)
    age = 20 + (place * 37) % 61
    region = np.array(["north", "south", "west"])[(place * 7) % 3]
    member = (place // 5) % 2 == 0
    z = TRUE["intercept"] + TRUE["age"] * age + TRUE["member"] * member
    z = z + TRUE["south"] * (region == "south") + TRUE["west"] * (region == "west")
    ill = (place * 0.6180339887498949) % 1 < 1 / (1 + np.exp(-z))
    day = pandas.to_datetime("2025-01-01") + pandas.to_timedelta(place % 60, unit="D")
    return pandas.DataFrame(
        {"age": age, "day": day, "region": region, "member": member, "ill": np.where(ill, "yes", "no")}
    )


def workspace(table: pandas.DataFrame, currency: str = "zcdp") -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_population("people", unit="person", neighbors="add_remove", epsilon=2000, delta=1e-3, currency=currency)
    made.add_dataset("people", table, columns=COLUMNS, population="people")
    return made


def plan(epsilon: float = 100, **options: Any) -> dict[str, Any]:
    return {
        "dprelease": 1,
        "dataset": "people",
        "title": "Risk",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": 1e-6},
        "statistics": [{"id": "m", "kind": "logistic", "outcome": "ill", "on": ["age", "region", "member"], **options}],
    }


def published(made: dprelease.Workspace, asked: dict[str, Any]) -> FittedOutput:
    plan_id = made.plans.submit(dprelease.Plan.parse(asked))
    made.plans.approve(plan_id)
    found = made.publish(plan_id).outputs["m"]
    assert isinstance(found, FittedOutput)
    return found


def coefficients(model: FittedOutput) -> dict[str, float]:
    function = model.facts["function"]
    named = {each.get("category", each["column"]): each["coefficient"] for each in function["terms"]}
    return {"intercept": function["intercept"], **named}


def test_it_finds_the_line_of_odds_in_the_columns_own_units() -> None:
    """ε = 100: noise is next to none. Within 0.15 of what 4000 rows were made with; a slope within 0.004."""
    found = coefficients(published(workspace(rows()), plan(rounds=8)))
    assert found["age"] == pytest.approx(TRUE["age"], abs=0.004)
    assert found["south"] == pytest.approx(TRUE["south"], abs=0.15)
    assert found["west"] == pytest.approx(TRUE["west"], abs=0.15)
    assert found["true"] == pytest.approx(TRUE["member"], abs=0.15)
    assert found["intercept"] == pytest.approx(TRUE["intercept"], abs=0.3)


@pytest.mark.full
def test_the_first_outcome_has_the_opposite_odds() -> None:
    last, first = (
        coefficients(published(workspace(rows()), plan(rounds=4, positive=which))) for which in ("last", "first")
    )
    assert {name: -number for name, number in first.items()} == pytest.approx(last, abs=0.1)


def test_a_date_counts_in_days_from_1970() -> None:
    table = rows()
    table["ill"] = np.where(
        (np.arange(len(table)) * 0.618034) % 1 < np.where(table["day"] < "2025-02-01", 0.2, 0.8), "yes", "no"
    )
    function = published(workspace(table), plan(on=["day"], rounds=4)).facts["function"]
    (term,) = function["terms"]
    middle = function["intercept"] + term["coefficient"] * 20120  # 2025-02-01
    assert term["coefficient"] > 0.02
    assert abs(middle) < 0.5


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_the_fit_is_made_again_of_the_published_integers_of_every_round(rounds: int) -> None:
    model = published(workspace(rows(500)), plan(epsilon=2, rounds=rounds))
    made = dprelease.Plan.parse(plan(epsilon=2, rounds=rounds))
    priced = price(made, Schema.parse(COLUMNS), currency=Currency.ZCDP)
    item = priced["m"]
    assert len(model.facts["integers"]) == 1 + rounds
    assert item.could_answer(priced.plan.schema, model)
    for place in range(1 + rounds):
        integers = [list(each) for each in model.facts["integers"]]
        integers[place][0] += 10**12
        assert not item.could_answer(priced.plan.schema, replace(model, facts={**model.facts, "integers": integers}))
    for broken in (None, [], [[1]], [["x"]], [[True] * 9]):
        assert not item.could_answer(priced.plan.schema, replace(model, facts={**model.facts, "integers": broken}))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_of_no_rows_or_few_nothing_is_said_and_nothing_fails(count: int, currency: str) -> None:
    rounds = 0 if currency == "pure" else 2
    model = published(workspace(rows(3).head(count), currency), plan(epsilon=0.5, rounds=rounds))
    assert all(abs(number) < inf for number in coefficients(model).values())


def test_all_rows_with_one_outcome_and_a_constant_column() -> None:
    table = rows(300)
    table["ill"], table["age"] = "no", 50
    found = coefficients(published(workspace(table), plan(epsilon=1, rounds=2)))
    assert all(abs(number) < 1000 for number in found.values())


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "outcome among predictors": ({"on": ["age", "ill"]}, "outcome"),
    "three outcomes": ({"outcome": "region", "on": ["age"]}, "two categories"),
    "no column": ({"on": []}, "on"),
    "too many rounds": ({"rounds": 11}, "rounds"),
    "a number as outcome": ({"outcome": "age", "on": ["region"]}, "outcome"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_charged(case: str) -> None:
    options, words = BAD[case]
    made = workspace(rows(10))
    with pytest.raises(PlanError, match=words):
        made.plans.submit(dprelease.Plan.parse(plan(**options)))


def test_rounds_are_refused_where_epsilon_is_counted_and_the_remedy_works() -> None:
    made = workspace(rows(10), "pure")
    with pytest.raises(PlanError, match="rounds: 0"):
        made.plans.submit(dprelease.Plan.parse(plan(rounds=4)))
    made.plans.submit(dprelease.Plan.parse(plan(rounds=0)))


def test_a_target_error_is_met_and_the_price_falls_with_epsilon() -> None:
    asked = plan(epsilon=4, rounds=4) | {"expected": {"rows": 4000}}
    made = workspace(rows(10))
    errors = [
        made.price(dprelease.Plan.parse(plan(epsilon=e, rounds=4) | {"expected": {"rows": 4000}}))["m"].error95
        for e in (0.5, 1, 4)
    ]
    assert errors == sorted(errors, reverse=True)  # type: ignore[type-var]
    asked["statistics"][0]["target_error"] = {"value": 0.05}
    priced = made.price(dprelease.Plan.parse(asked))["m"]
    assert priced.error95 is not None
    assert priced.error95 <= 0.05
    assert errors[0] <= log(2)


def test_a_crash_between_rounds_draws_none_of_them_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace(rows(500))
    plan_id = made.plans.submit(dprelease.Plan.parse(plan(epsilon=2, rounds=3)))
    made.plans.approve(plan_id)
    usual, seen = Logistic.queries_after, []

    def fails(self: Logistic, schema: Any, drawn: Any, mechanisms: Any) -> Any:
        seen.append([each.tolist() for each in drawn])
        if len(drawn) == 2 and len(seen) < 8:
            raise MemoryError
        return usual(self, schema, drawn, mechanisms)

    monkeypatch.setattr(Logistic, "queries_after", fails)
    with pytest.raises(MemoryError):
        made.publish(plan_id)
    (kept,) = releases.every(made._state.database)
    assert releases.kept_round(made._state.database, kept.id, 1) is not None
    with pytest.raises(MemoryError):
        made.publish(plan_id)
    monkeypatch.setattr(Logistic, "queries_after", usual)
    output = made.publish(plan_id).outputs["m"]
    assert isinstance(output, FittedOutput)
    twice = [each for each in seen if len(each) == 2]
    assert all(each == twice[0] for each in twice)
    assert output.facts["integers"][:2] == twice[0]
    with made._state.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM ledger WHERE kind = 'charge'").fetchone() == (1,)


KILLED = """
import os, signal, sys
import dprelease
from dprelease.statistics.kinds.logistic import Logistic

usual = Logistic.queries_after

def killed(self, schema, drawn, mechanisms):
    if len(drawn) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return usual(self, schema, drawn, mechanisms)

Logistic.queries_after = killed
dprelease.Workspace.open(sys.argv[1]).publish(sys.argv[2])
"""


@pytest.mark.full
def test_a_killed_process_leaves_its_rounds_to_the_next(tmp_path: Path) -> None:
    """kill -9 after the third draw is kept: the one that goes on publishes these three, and draws the last alone."""
    made = dprelease.Workspace.create(tmp_path / "home")
    made.add_population("people", unit="person", neighbors="add_remove", epsilon=20, delta=1e-3, currency="zcdp")
    made.add_dataset("people", rows(300), columns=COLUMNS, population="people")
    plan_id = made.plans.submit(dprelease.Plan.parse(plan(epsilon=2, rounds=3)))
    made.plans.approve(plan_id)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "home"), plan_id], check=False)
    assert ended.returncode == -signal.SIGKILL
    again = dprelease.Workspace.open(tmp_path / "home")
    (charged,) = releases.every(again._state.database)
    kept = [releases.kept_round(again._state.database, charged.id, number) for number in range(4)]
    assert [each is None for each in kept] == [False, False, False, True]
    (finished,) = again.releases.resume().finished
    output = finished.outputs["m"]
    assert isinstance(output, FittedOutput)
    drawn = [json.loads(each)["drawn"]["m"] for each in kept if each is not None]
    assert output.facts["integers"][:3] == [each for (each,) in drawn]
    with again._state.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM ledger WHERE kind = 'charge'").fetchone() == (1,)


def test_gradients_are_those_of_the_rows() -> None:
    """The second round's integers, of scores by cells in the engine, beside a sum over rows in Python."""
    table, schema = rows(200), Schema.parse(COLUMNS)
    priced = price(dprelease.Plan.parse(plan(rounds=1)), schema, currency=Currency.ZCDP)
    measurement = priced.measurements[0]
    engine = Engine()
    held = engine.hold(table)
    options: dict[str, Any] = {"schema": priced.plan.schema, "where": (), "unit": PrivacyUnit()}
    found = engine.answer(held, measurement.statistic.queries(priced.plan.schema), **options)
    given = Inputs.of(
        measurement,
        priced.plan.schema,
        [each.values for each in found],
        lambda wanted: engine.answer(held, wanted, **options),
    )
    first, second = without_noise(given)
    (query,) = measurement.statistic.queries_after(priced.plan.schema, [np.array(first)], measurement.mechanisms)[:1]
    assert isinstance(query, TallyQuery)
    assert query.score is not None
    terms = [
        lambda row: 1.0,
        lambda row: (row["age"] - 50) / 30,
        lambda row: float(row["region"] == "south"),
        lambda row: float(row["region"] == "west"),
        lambda row: 1.0 if row["member"] else -1.0,
    ]
    codes = {"age": lambda row: row["age"] - 20, "region": lambda row: ["north", "south", "west"].index(row["region"])}
    sums = [0.0] * len(terms)
    for row in table.to_dict("records"):
        score = query.score.start
        for addend in query.score.addends:
            code = codes[addend.column](row) if addend.column in codes else int(row["member"])
            score += addend.of_code[code] if addend.of_code else addend.slope * code
        z = score / 2**40
        chance = round(512 / (1 + exp(-max(-8, min(8, round(z * 16) / 16))))) / 512
        residual = (row["ill"] == "yes") - chance
        sums = [old + residual * term(row) for old, term in zip(sums, terms, strict=True)]
    assert [number / 2**30 for number in second] == pytest.approx(sums, abs=0.02)


def test_chances_of_cells_are_whole_and_reach_both_ends() -> None:
    found = logit.chances()
    assert len(found) == 257
    assert (found[0], found[128], found[-1]) == (0, 256, 512)
    assert list(found) == sorted(found)
    assert all(one + other == 512 for one, other in zip(found, reversed(found), strict=True))


@pytest.mark.parametrize("relation", NeighboringRelation)
def test_more_rows_of_a_unit_cost_as_many_times(relation: NeighboringRelation) -> None:
    asked = Logistic(id="s", outcome="ill", on=("age", "member"), rounds=1)
    schema = Schema.parse(COLUMNS)
    one, three = (
        asked.measurements(schema, Terms(PrivacyUnit("person", most), relation, Currency.ZCDP)) for most in (1, 3)
    )
    for single, triple in zip(one, three, strict=True):
        ratio = triple.sensitivity.l2_squared / single.sensitivity.l2_squared
        assert ratio == pytest.approx(9, rel=1e-3)

"""Making plans in a terminal: a codebook's, the ε that an error needs, and what differs between two."""

from __future__ import annotations

from math import exp

import pytest

from dprelease.statistics import Plan
from tests.cli.conftest import PLAN, Terminal


def test_a_codebook_is_a_plan_that_can_be_priced(terminal: Terminal) -> None:
    workspace = terminal.workspace()
    columns = {"age": {"type": "integer", "lower": 0, "upper": 100}}
    path = terminal.table(5)
    workspace.add_dataset("people", path, population="visits", unit_column="age")
    workspace.datasets.describe("people", columns)
    workspace.datasets.describe("visits", columns)
    assert "--max-rows" in terminal.refused("plan", "codebook", "people")
    assert "max_rows: 2" in terminal.say("plan", "codebook", "people", "--max-rows", 2)
    out = terminal.folder / "codebook.yaml"
    said = terminal.say("plan", "codebook", "visits", "--epsilon", "0.5", "--out", out)
    assert said == f"{out}: 2 statistics\n"
    assert Plan.load(out).epsilon_nano == 500_000_000
    priced = terminal.ask("price", out)
    assert [item["id"] for item in priced["statistics"]] == ["count", "mean_age"]
    assert "weights" not in Plan.load(out).to_mapping()
    terminal.say("plan", "codebook", "visits", "--expected-rows", 5000, "--out", out)
    assert Plan.load(out).weights == "minimise"
    nowhere = terminal.folder / "nowhere" / "codebook.yaml"
    assert "can be written" in terminal.refused("plan", "codebook", "visits", "--out", nowhere)


def test_a_codebook_of_a_population_in_rho_has_a_delta(terminal: Terminal) -> None:
    counts = {"epsilon": 3, "delta": "1e-6", "currency": "zcdp"}
    columns = {"age": {"type": "integer", "lower": 0, "upper": 100}}
    terminal.workspace().add_dataset("rho", terminal.table(5), columns=columns, **counts)
    out = terminal.folder / "codebook.yaml"
    terminal.say("plan", "codebook", "rho", "--delta", "1e-7", "--out", out)
    assert terminal.ask("price", out)["currency"] == "zcdp"


def test_an_error_needs_an_epsilon(terminal: Terminal) -> None:
    plan = terminal.plan()
    some, more = (
        float(terminal.ask("plan", "needs", plan, "--error", f"people={error}")["epsilon"]) for error in (4, 1)
    )
    assert 0 < some < more
    privacy = {**PLAN["privacy"], "epsilon": some}
    assert terminal.ask("price", terminal.plan("enough", privacy=privacy))["statistics"][0]["error95"] <= 4
    assert f"ε = {more:g} for errors of people at most 1." in terminal.say("plan", "needs", plan, "--error", "people=1")
    assert "ages=20" in terminal.refused("plan", "needs", plan, "--error", "much")


def test_two_plans_are_compared(terminal: Terminal) -> None:
    one = terminal.plan()
    two = terminal.plan("two", privacy={**PLAN["privacy"], "epsilon": 0.25})
    found = terminal.ask("plan", "compare", one, two)
    assert [each["path"] for each in found["changes"]] == ["privacy.epsilon"]
    assert "privacy.epsilon: 0.5 -> 0.25" in terminal.say("plan", "compare", one, two)
    assert "They say the same." in terminal.say("plan", "compare", one, one)


def test_a_codebook_brings_its_labels_into_the_plan(terminal: Terminal) -> None:
    columns = {"age": {"type": "integer", "lower": 0, "upper": 100}}
    terminal.workspace().datasets.describe("visits", columns)
    book, out = terminal.folder / "book.csv", terminal.folder / "labelled.yaml"
    book.write_text("name,type,minimum,maximum,label\nage,integer,0,100,Edad\nother,integer,0,9,Otra\n")
    terminal.say("plan", "codebook", "visits", "--labels", book, "--language", "es", "--out", out)
    assert Plan.load(out).to_mapping()["texts"] == {"languages": ["es"], "columns": {"age": {"label": {"es": "Edad"}}}}
    assert "can be read" in terminal.refused("plan", "codebook", "visits", "--labels", terminal.folder / "nowhere.csv")


def test_a_plan_is_attacked(terminal: Terminal) -> None:
    plan = terminal.plan()
    other = terminal.plan("other", dataset="elsewhere")
    assert "population" not in terminal.ask("attack", other)  # which a plan of no registered dataset has none of
    alone = terminal.ask("attack", plan)
    advantages = [alone[name]["advantage"] for name in ("ordinary", "worst", "any", "bound")]
    assert advantages == sorted(advantages)
    assert alone["bound"]["right"] == pytest.approx(exp(0.5) / (1 + exp(0.5)), abs=1e-9)
    assert alone["population"]["releases"] == 1
    lines = terminal.say("attack", plan).splitlines()
    assert lines[1].split()[-4:] == ["62.25", "%", "1.65", "%"]
    assert lines[6].split() == ["people", "62.25", "%", "62.25", "%"]
    assert "from 1 to 1" in terminal.refused("attack", plan, "--rows", 2)
    assert "age=40" in terminal.refused("attack", plan, "--person", "40")

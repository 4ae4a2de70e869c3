"""Submitted plans in a terminal."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from tests.cli.conftest import PLAN, Terminal

SHAPE = {
    *("id", "dataset", "dataset_version", "plan_hash", "state", "author", "created", "approver", "approved"),
    "title",
}


@pytest.mark.full
def test_a_plan_goes_from_its_author_to_a_reviewer_and_back(stocked: Terminal) -> None:
    submitted = stocked.ask("plan", "submit", stocked.plan(), "--as", "ana")
    assert submitted.keys() == SHAPE
    assert (submitted["state"], submitted["author"], submitted["title"]) == ("submitted", "ana", "Ages")
    plan_id = submitted["id"]
    assert stocked.ask("plan", "list", "--as", "ben") == [submitted]
    assert f"{plan_id}  submitted " in stocked.say("plan", "list", "--as", "ben")

    returned = stocked.ask("plan", "return", plan_id, "--comment", "which year?", "--as", "ben")
    assert (returned["state"], returned["approver"]) == ("returned", None)
    assert "changed plan" in stocked.refused("plan", "approve", plan_id, "--as", "ben")
    for words in ("submit", "publish"):
        command = ("plan", "submit") if words == "submit" else ("publish",)
        refused = stocked.refused(*command, stocked.plan(), "--as", "ana", error="PlanError")
        assert "which was returned and is unchanged" in refused
        assert "which year?" in refused
    assert "returned by ben: which year?" in stocked.say("plan", "list", "--as", "ana")
    assert "returned by ben: which year?" in stocked.say("plan", "show", plan_id, "--as", "ana")

    changed = stocked.plan(title="Ages of 2025")
    plan_id = stocked.ask("plan", "submit", changed, "--as", "ana")["id"]
    assert f"dprelease plan approve {plan_id} --as NAME" in stocked.say("plan", "submit", changed, "--as", "ana")
    words = stocked.say("plan", "approve", plan_id, "--comment", "good", "--as", "ben")
    assert "approved at ε = 0.5, δ = 0" in words
    assert "Budget of visits: cap ε = 3, δ = 0; spent " in words
    assert "left ε = 3, δ = 0; after this release ε = 2.5, δ = 0." in words

    shown = stocked.ask("plan", "show", plan_id, "--as", "ana")
    assert shown.keys() == {*SHAPE, "lapse", "decisions", "budget", "checks", "looks", "price", "filtered", "plan"}
    assert (shown["state"], shown["lapse"], shown["price"]["epsilon"]) == ("approved", None, 0.5)
    assert shown["plan"]["title"] == "Ages of 2025"
    told = [(each["decision"], each["actor"], each["comment"]) for each in shown["decisions"]]
    assert told == [("approved", "ben", "good")]
    words = stocked.say("plan", "show", plan_id, "--as", "ana")
    for part in (
        "Its approval holds.",
        "approved by ben: good",
        "Budget of visits: ",
        "Discrete Laplace noise",
        "In all ε = 0.5, δ = 0",
    ):
        assert part in words


@pytest.mark.full
def test_what_the_checks_found_stands_in_the_terminal(stocked: Terminal) -> None:
    bound = {"age": {"type": "integer", "lower": 0, "upper": 8713}}
    odd = stocked.plan("odd", columns=bound, statistics=[{"id": "sum", "kind": "sum", "column": "age"}])
    plan_id = stocked.ask("plan", "submit", odd, "--as", "ana")["id"]
    shown = stocked.ask("plan", "show", plan_id, "--as", "ben")
    assert ("exact_bounds", "serious", False) in {
        (each["check"], each["severity"], each["blocking"]) for each in shown["checks"]
    }
    for words in (
        stocked.say("plan", "show", plan_id, "--as", "ben"),
        stocked.say("plan", "approve", plan_id, "--as", "ben"),
    ):
        assert "serious: A bound of age is 8713" in words

    dear = stocked.plan("dear", privacy={**PLAN["privacy"], "epsilon": 9})
    plan_id = stocked.ask("plan", "submit", dear, "--as", "ana")["id"]
    assert "this release costs more than that" in stocked.say("plan", "show", plan_id, "--as", "ben")
    stocked.refused("plan", "approve", plan_id, "--as", "ben", error="InsufficientBudgetError")
    assert stocked.ask("plan", "show", plan_id, "--as", "ben")["decisions"] == []


def test_the_whole_plan_stands_in_the_terminal_its_filter_and_what_it_may_do_first(stocked: Terminal) -> None:
    """Somebody who approves there has seen whose costs it tells: here those of one person at most."""
    asked = stocked.plan(
        "one",
        title="Costs of the very old",
        description="For the yearbook.",
        columns={"age": {"type": "integer", "lower": 0, "upper": 120}},
        where=[{"column": "age", "equals": 97}],
        expected={"rows": 2_000},
        statistics=[{"id": "ages", "kind": "sum", "column": "age"}],
        accept=[{"statistic": "ages", "error": 5_000_000}],
    )
    plan_id = stocked.ask("plan", "submit", asked, "--as", "ana")["id"]
    words = stocked.say("plan", "show", plan_id, "--as", "ben")
    assert "serious: The filter may single out a person: it leaves 1 in 121 of what is declared" in words
    places = [
        words.index(part) for part in ("serious:", "Rows: age is 97", "Asks:", "Columns, as declared:", "In all ε")
    ]
    assert places == sorted(places)
    for part in (
        "type: integer, lower: 0, upper: 120",
        "error: 5000000",
        "For the yearbook.",
        "after the filter: 2000",
    ):
        assert part in words
    assert "e+0" not in words


@pytest.mark.full
def test_remarks_stand_in_the_terminal(stocked: Terminal) -> None:
    plan_id = stocked.ask("plan", "submit", stocked.plan(), "--as", "ana")["id"]
    stocked.workspace().plans.return_plan(
        plan_id, comment="See there.", remarks={"people": "Of which day?"}, actor=stocked.workspace().people.get("ben")
    )
    for words in (stocked.say("plan", "show", plan_id, "--as", "ana"), stocked.say("plan", "list", "--as", "ana")):
        assert "    people: Of which day?\n" in words


def test_a_published_plan_is_not_said_to_wait(terminal: Terminal) -> None:
    terminal.ask("publish", terminal.plan())
    words = terminal.say("plan", "submit", terminal.plan())
    assert "is published, at ε = 0.5, δ = 0: nothing was submitted" in words
    assert "waits" not in words


def test_a_withheld_release_is_listed_as_one(terminal: Terminal) -> None:
    terminal.ask("publish", terminal.plan(accept=[{"statistic": "people", "relative_error": 0.000001}]))
    assert "withheld" in terminal.say("release", "list")
    assert [each["withheld"] for each in terminal.ask("release", "list")] == [True]


def test_an_approval_that_lapsed_is_shown(stocked: Terminal) -> None:
    plan_id = stocked.ask("plan", "submit", stocked.plan(), "--as", "ana")["id"]
    stocked.ask("plan", "approve", plan_id, "--as", "ben")
    stocked.ask("dataset", "replace", "visits", stocked.table(5), "--as", "ana")
    assert "No approval holds: since it was approved, changed: rows." in stocked.say(
        "plan", "show", plan_id, "--as", "ben"
    )


def test_one_person_submits_and_approves(terminal: Terminal) -> None:
    assert terminal.say("plan", "list") == "No plan was submitted.\n"
    words = terminal.say("plan", "submit", terminal.plan())
    (record,) = terminal.ask("plan", "list")
    assert f"dprelease plan approve {record['id']}\n" in words
    approved = terminal.ask("plan", "approve", record["id"])
    assert (approved["state"], approved["approver"]) == ("approved", "owner")


def test_a_plan_is_refused_in_words(terminal: Terminal) -> None:
    unknown = terminal.plan("unknown", dataset="visit")
    assert "Did you mean 'visits'?" in terminal.refused("plan", "submit", unknown)
    for command in (["show"], ["approve"], ["return", "--comment", "why"]):
        message = terminal.refused("plan", *command[:1], "plan-0", *command[1:])
        assert "allowed: the id of a submitted plan" in message
    plan_id = terminal.ask("plan", "submit", terminal.plan())["id"]
    assert "some words" in terminal.refused("plan", "return", plan_id, "--comment", " ")


def test_one_approval_stands_however_often_a_plan_is_published(terminal: Terminal) -> None:
    plan = terminal.plan()
    first = terminal.ask("publish", plan)
    assert terminal.ask("publish", plan)["release"] == first["release"]
    assert terminal.ask("publish", plan, "--again")["release"] != first["release"]
    assert terminal.kinds().count("plan_approved") == 1
    terminal.ask("population", "raise-cap", "visits", "--epsilon", 4, "--reason", "more")
    terminal.ask("publish", plan)
    assert terminal.kinds().count("plan_approved") == 1
    assert terminal.ask("plan", "list")[0]["state"] == "published"
    terminal.ask("publish", plan, "--again")
    assert terminal.kinds().count("plan_approved") == 2


@pytest.mark.parametrize(
    "arguments", [["plan"], ["plan", "submit"], ["plan", "show"], ["plan", "approve"], ["plan", "return", "plan-0"]]
)
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2


def test_a_second_look_and_what_is_said_in_the_terminal(stocked: Terminal) -> None:
    first = stocked.ask("plan", "submit", stocked.plan(), "--as", "ana")["id"]
    said = stocked.ask("plan", "remark", first, "Of which day?", "--on", "people", "--as", "ben")
    stocked.ask("plan", "return", first, "--comment", "See there.", "--as", "ben")
    again = stocked.ask("plan", "submit", stocked.plan(title="Of 2 November"), "--as", "ana")["id"]
    found = stocked.ask("plan", "diff", again, "--as", "ben")
    assert (found["base"]["plan"], [each["on"] for each in found["changes"]]) == (first, ["title"])
    assert "+ Of 2 November" in stocked.say("plan", "diff", again, "--since", first, "--as", "ben")
    stocked.ask("plan", "answer", again, said["id"], "It is in the title.", "--as", "ana")
    assert stocked.ask("plan", "settle", again, said["id"], "--as", "ben")["settled"]["by"] == "ben"
    told = stocked.say("plan", "remarks", again, "--as", "ana")
    assert "[settled] people: Of which day?" in told
    assert "ana: It is in the title." in told
    assert "[open] -: See there." in told


@pytest.mark.full
def test_public_figures_are_brought_in_from_files(stocked: Terminal) -> None:
    statistics = [{"id": "ages", "kind": "histogram", "column": "age"}]
    people = {"keys": ["age"], "value": "n", "source": "Register"}
    rates = {"derived": [{"id": "rate", "of": "ages", "per": "people"}], "public": {"people": people}}
    plan, file = stocked.plan(statistics=statistics, **rates), stocked.folder / "people.csv"
    file.write_text("age,n\n" + "".join(f"{age},{age}\n" for age in range(11)))
    assert "--public people=FILE" in stocked.refused("price", plan, "--as", "ana", error="PlanError")
    assert stocked.ask("price", plan, "--public", f"people={file}", "--as", "ana")["epsilon"] == 0.5, "nothing more"
    plan_id = stocked.ask("plan", "submit", plan, "--public", f"people={file}", "--as", "ana")["id"]
    stocked.ask("plan", "approve", plan_id, "--as", "ben")
    bundle = Path(stocked.ask("publish", plan, "--public", f"people={file}", "--as", "ana")["bundle"])
    assert (bundle / "public/people.csv").read_text() == file.read_text()
    assert (bundle / "derived/rate.csv").read_text().splitlines()[1] == "0,,,,O"
    for wrong in ("people", f"={file}", "people="):
        assert "a name that the plan has" in stocked.refused("price", plan, "--public", wrong, "--as", "ana")
    assert "age" in stocked.refused("price", plan, "--public", f"people={plan}", "--as", "ana", error="PlanError")


def test_tables_that_would_err_less_together_are_named_with_the_lines_to_write(stocked: Terminal) -> None:
    columns = {
        name: {"type": "category", "categories": [*codes], "count_missing_as": codes[0]}
        for name, codes in (("a", "12"), ("b", "12345"), ("c", "wxyz"), ("d", "abcdefghijkl"))
    }
    pairs = [{"kind": "crosstab", "columns": list(pair), "id": "".join(pair)} for pair in combinations("abcd", 2)]
    apart = stocked.plan(statistics=pairs, columns=columns)
    found = stocked.ask("price", apart, "--as", "ana")["together"]
    assert found["ids"] == [each["id"] for each in pairs]
    said = stocked.say("price", apart, "--as", "ana").splitlines()[-1]
    assert said.startswith("Planned together, as one statistic, ab, ac, ad, bc, bd, cd would be off by at most ")
    again = stocked.plan("again", statistics=[json.loads(said[said.index("{") :])], columns=columns)
    after = stocked.ask("price", again, "--as", "ana")
    assert after["statistics"][0]["error95"] == pytest.approx(found["after"])
    assert after["together"] is None

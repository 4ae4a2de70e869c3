"""Submitted plans in a terminal."""

from __future__ import annotations

import pytest

from tests.cli.conftest import PLAN, Terminal

SHAPE = {
    *("id", "dataset", "dataset_version", "plan_hash", "state", "author", "created", "approver", "approved"),
    "title",
}


def test_a_plan_goes_from_its_author_to_a_reviewer_and_back(stocked: Terminal) -> None:
    submitted = stocked.ask("plan", "submit", stocked.plan(), "--as", "ana")
    assert submitted.keys() == SHAPE
    assert (submitted["state"], submitted["author"], submitted["title"]) == ("submitted", "ana", "Ages")
    plan_id = submitted["id"]
    assert stocked.ask("plan", "list", "--as", "ben") == [submitted]
    assert f"{plan_id}  submitted " in stocked.say("plan", "list", "--as", "ben")

    returned = stocked.ask("plan", "return", plan_id, "--comment", "which year?", "--as", "ben")
    assert (returned["state"], returned["approver"]) == ("returned", None)
    assert "submitted again" in stocked.refused("plan", "approve", plan_id, "--as", "ben")
    words = stocked.say("plan", "submit", stocked.plan(), "--as", "ana")
    assert f"dprelease plan approve {plan_id} --as NAME" in words
    assert "approved at ε = 0.5, δ = 0" in stocked.say("plan", "approve", plan_id, "--comment", "good", "--as", "ben")

    shown = stocked.ask("plan", "show", plan_id, "--as", "ana")
    assert shown.keys() == {*SHAPE, "lapse", "decisions", "price", "plan"}
    assert (shown["state"], shown["lapse"], shown["price"]["epsilon"]) == ("approved", None, 0.5)
    assert shown["plan"]["title"] == PLAN["title"]
    told = [(each["decision"], each["actor"], each["comment"]) for each in shown["decisions"]]
    assert told == [("returned", "ben", "which year?"), ("approved", "ben", "good")]
    words = stocked.say("plan", "show", plan_id, "--as", "ana")
    for part in ("Its approval holds.", "returned by ben: which year?", "discrete_laplace", "In all ε = 0.5, δ = 0"):
        assert part in words


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

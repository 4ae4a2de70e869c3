"""A workspace of a team in a terminal: who acts, who asks, who decides."""

from __future__ import annotations

import pytest

from dprelease.model.actor import Role
from dprelease.workspace.workspace import Workspace
from tests.cli.conftest import Terminal

ADD = ("population", "add", "visits", "--unit", "visit", "--epsilon", 3)


def test_a_team_begins_with_the_owner(empty: Terminal) -> None:
    assert empty.ask("init")["mode"] == "solo"
    made = empty.ask("init", "--team")
    assert made == {"home": str(empty.home), "public_key": made["public_key"], "mode": "team"}
    assert "--as owner" in empty.say("init", "--team")
    assert "--as owner" in empty.say("init")
    assert empty.kinds("--as", "owner") == ["workspace_created", "mode_changed"]


def test_an_invitation_is_a_link_that_signs_in_once(team: Terminal) -> None:
    made = team.ask("invite", "dora", "--role", "reviewer", "--role", "curator", "--role", "reviewer", "--as", "owner")
    assert (made["name"], made["roles"]) == ("dora", ["curator", "reviewer"])
    path, _, token = made["link"].partition("?token=")
    workspace = team.workspace()
    session = workspace.people.session_actor(workspace.people.sign_in(token))
    assert (path, session) == ("/sign-in", workspace.people.get("dora"))
    assert session is not None
    assert session.roles == {Role.CURATOR, Role.REVIEWER}
    assert "invited before" in team.refused("invite", "dora", "--role", "reviewer", "--as", "owner")
    words = team.say("invite", "otto", "--role", "reviewer", "--as", "owner")
    assert "otto (reviewer)" in words
    assert "\n  /sign-in?token=" in words
    assert "administrator" in team.refused("invite", "x", "--role", "curator", "--as", "ana", error="AccessError")
    assert "allowed: a to z" in team.refused("invite", "Dora Doe", "--role", "curator", "--as", "owner")


def test_nobody_acts_unnamed_or_under_an_unknown_name(team: Terminal) -> None:
    assert team.refused("plan", "list", error="AccessError").endswith("Say who acts with --as NAME.")
    assert "Did you mean 'cleo'?" in team.refused("plan", "list", "--as", "cloe")
    assert team.ask("plan", "list", "--as", "cleo") == []
    assert team.ask("release", "list") == []


def test_the_owner_needs_no_name_in_a_solo_workspace(terminal: Terminal) -> None:
    assert terminal.ask("dataset", "list") == terminal.ask("dataset", "list", "--as", "owner")
    terminal.ask("invite", "ana", "--role", "curator")
    terminal.ask("population", "earlier-release", "visits", "a report", "--as", "ana")
    assert [event["actor"] for event in terminal.ask("ledger", "list", "--limit", 1)] == ["ana"]


def test_a_new_population_waits_for_a_second_person(team: Terminal) -> None:
    asked = team.ask(*ADD, "--as", "ana")
    assert (asked["request"], asked["name"]) == (1, "visits")
    assert team.ask("population", "list", "--as", "ana") == []
    add = ("dataset", "add", "visits", team.table(), "--population", "visits", "--as", "ana")
    assert "waits for the approval of a second person" in team.refused(*add)
    (waiting,) = team.ask("request", "list", "--as", "ben")
    assert (waiting["state"], waiting["kind"], waiting["author"], waiting["decided_by"]) == (
        "open",
        "population",
        "ana",
        None,
    )
    assert "population visits with the cap ε = 3, δ = 0" in team.say("request", "list", "--as", "ben")

    assert "is for a reviewer" in team.refused("request", "approve", 1, "--as", "ana", error="AccessError")
    approved = team.ask("request", "approve", 1, "--comment", "fine", "--as", "ben")
    assert (approved["state"], approved["decided_by"], approved["comment"]) == ("approved", "ben", "fine")
    assert [each["name"] for each in team.ask("population", "list", "--as", "ana")] == ["visits"]
    assert "approved by ben: fine" in team.say("request", "list", "--as", "ana")
    assert "an open request" in team.refused("request", "approve", 1, "--as", "ben")
    assert "the number of a request" in team.refused("request", "approve", 9, "--as", "ben")


def test_who_asks_does_not_decide(team: Terminal) -> None:
    words = team.say(*ADD, "--as", "cleo")
    assert "dprelease request approve 1 --as NAME" in words
    assert "cleo asked for this one" in team.refused("request", "approve", 1, "--as", "cleo", error="AccessError")
    returned = team.ask("request", "return", 1, "--comment", "too much", "--as", "ben")
    assert (returned["state"], returned["comment"]) == ("returned", "too much")
    assert "returned by ben: too much" in team.say("request", "list", "--as", "cleo")
    assert "an open request" in team.refused("request", "return", 1, "--comment", "again", "--as", "ben")


def test_a_cap_and_a_period_wait_for_a_second_person(stocked: Terminal) -> None:
    cap = ("population", "raise-cap", "visits", "--epsilon", 4, "--reason", "more years")
    assert stocked.ask(*cap, "--as", "ana")["request"] == 2
    words = stocked.say("request", "list", "--as", "ben")
    assert "the cap ε = 4, δ = 0 of population visits\n       because: more years" in words
    assert stocked.ask("population", "list", "--as", "ben")[0]["epsilon_nano"] == 3 * 10**9
    stocked.ask("request", "approve", 2, "--as", "ben")
    period = ("population", "open-period", "visits", "2027", "--epsilon", 5, "--reason", "a new year")
    assert stocked.ask(*period, "--as", "ana")["request"] == 3
    words = stocked.say("request", "list", "--as", "ben")
    assert "period 2027 of population visits with the cap ε = 5, δ = 0\n       because: a new year" in words
    stocked.ask("request", "approve", 3, "--as", "ben")
    (visits,) = stocked.ask("population", "list", "--as", "ben")
    assert (visits["epsilon_nano"], visits["period"]) == (5 * 10**9, "2027")


def test_publishing_takes_two_people(stocked: Terminal) -> None:
    plan = stocked.plan()
    publish = ("publish", plan, "--as", "ana")
    message = stocked.refused(*publish, error="AccessError")
    (submitted,) = stocked.ask("plan", "list", "--as", "ben")
    plan_id = submitted["id"]
    assert message.endswith(f"Somebody else can give it: dprelease plan approve {plan_id} --as NAME")
    assert "charge" not in stocked.kinds("--as", "ana")

    approve = ("plan", "approve", plan_id, "--as")
    assert "is for a reviewer" in stocked.refused(*approve, "ana", error="AccessError")
    assert stocked.ask(*approve, "ben")["approver"] == "ben"
    release = stocked.ask(*publish)
    assert release["certificate"]["approval"] == {"workspace": "team"}
    assert stocked.ask(*publish)["release"] == release["release"]
    assert "its approval was used for a release" in stocked.refused(*publish, "--again", error="AccessError")
    assert stocked.kinds("--as", "ana").count("charge") == 1
    assert "is for a curator" in stocked.refused("publish", plan, "--as", "ben", error="AccessError")


def test_the_sample_is_for_one_person(team: Terminal) -> None:
    assert team.ask("demo") == {"home": str(team.home), "added": False}
    assert "belongs to a team" in team.say("demo")
    assert Workspace.open(team.home).releases.find() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["invite", "ana"],
        ["invite", "ana", "--role", "king"],
        ["request"],
        ["request", "approve"],
        ["request", "approve", "one"],
        ["request", "approve", "0"],
        ["request", "approve", "9" * 16],
        ["request", "return", "1"],
        ["init", "--as"],
    ],
)
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2

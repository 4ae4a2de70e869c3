"""People, their sessions and the tokens of their programs, in a terminal."""

from __future__ import annotations

import pyotp
import pytest

from tests.cli.conftest import Terminal

PASSWORD = "correct horse battery"


def test_roles_change_and_end(team: Terminal) -> None:
    link = team.ask("invite", "dora", "--role", "reviewer", "--as", "owner")["link"]
    session = team.workspace().people.sign_in(link.partition("?token=")[2])
    assert "dora                 reviewer" in team.say("person", "list", "--as", "owner")
    changed = team.ask("person", "role", "dora", "--role", "curator", "--role", "curator", "--as", "owner")
    assert changed["roles"] == ["curator"]
    assert "administrator" in team.refused("person", "list", "--as", "dora", error="AccessError")

    (listed,) = team.ask("session", "list", "--of", "dora", "--as", "owner")
    assert listed["way"] == "link"
    assert listed["id"] in team.say("session", "list", "--as", "dora")
    revoke = ("session", "revoke", listed["id"], "--of", "dora", "--as")
    assert "administrator" in team.refused(*revoke, "ana", error="AccessError")
    assert "has ended" in team.say(*revoke, "owner")
    assert team.workspace().people.session_actor(session) is None
    assert team.say("session", "list", "--as", "dora") == "No session lasts.\n"

    assert team.ask("person", "disable", "dora", "--as", "owner")["disabled"]
    assert "who is disabled" in team.refused("session", "list", "--as", "dora")
    assert "the owner stays" in team.refused("person", "disable", "owner", "--as", "owner")

    assert "who is disabled" in team.refused("person", "reset", "dora", "--as", "owner")
    assert not team.ask("person", "enable", "dora", "--as", "owner")["disabled"]
    link = team.ask("person", "reset", "dora", "--as", "owner")["link"]
    assert (
        team.workspace().people.session_actor(team.workspace().people.sign_in(link.partition("?token=")[2])) is not None
    )
    assert "in once, within an hour" in team.say("person", "reset", "dora", "--as", "owner")
    assert "administrator" in team.refused("person", "reset", "dora", "--as", "ana", error="AccessError")
    assert team.say("person", "failures", "--as", "owner") == "No sign-in failed in 90 days.\n"


def test_the_owner_is_let_in_again_by_the_terminal(empty: Terminal) -> None:
    empty.say("init")
    workspace = empty.workspace()
    workspace.people.set_password(PASSWORD)
    secret = workspace.people.prepare_second_factor().secret
    workspace.people.turn_on_second_factor(PASSWORD, pyotp.TOTP(secret).now())
    assert "password and code" in empty.say("person", "list")
    assert "second factor have ended" in empty.say("person", "reset", "owner")
    assert "link" in empty.say("person", "list").splitlines()[0]


def test_a_program_acts_with_a_token(stocked: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stocked.ask("token", "create", "nightly", "--operation", "datasets", "--days", 7, "--as", "ana")
    assert stocked.ask("token", "list", "--as", "ana")[0]["operations"] == ["datasets"]
    assert made["secret"] not in stocked.say("token", "list", "--as", "ana")
    assert "allowed" in stocked.refused("token", "create", "x", "--operation", "everything", "--as", "ana")

    monkeypatch.setenv("DPRELEASE_TOKEN", made["secret"])
    assert [each["name"] for each in stocked.ask("dataset", "list")] == ["visits"]
    assert "this token is not for" in stocked.refused("population", "list", error="AccessError")
    assert "than --as names" in stocked.refused("dataset", "list", "--as", "owner", error="AccessError")
    monkeypatch.delenv("DPRELEASE_TOKEN")
    assert stocked.ask("token", "list", "--as", "ana")[0]["uses"] == 5  # `refused` asks twice
    stocked.ask("token", "revoke", made["id"], "--as", "ana")
    monkeypatch.setenv("DPRELEASE_TOKEN", made["secret"])
    assert made["secret"] not in stocked.refused("dataset", "list", error="AccessError")


@pytest.mark.parametrize(
    "arguments",
    [["person", "role", "ana"], ["person"], ["session", "revoke"], ["token", "create", "x"], ["token", "revoke"]],
)
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2

"""What previews may show, and who needs a second factor, in a terminal."""

from __future__ import annotations

from tests.cli.conftest import Terminal


def test_the_policy_of_previews_is_said_and_decided(terminal: Terminal) -> None:
    assert terminal.ask("policy", "previews") == {"previews": "true"}
    assert terminal.ask("policy", "previews", "blind") == {"previews": "blind"}
    assert "made up from the declared columns" in terminal.say("policy", "previews")
    words = terminal.say("preview", terminal.plan())
    assert "invented rows: nothing was read from the table" in words
    assert "true values" not in words
    terminal.ask("policy", "previews", "none")
    assert "the policy none" in terminal.refused("preview", terminal.plan())
    changed = terminal.ask("ledger", "list", "--kind", "policy_changed")
    assert [event["body"]["value"] for event in changed] == ["blind", "none"]


def test_the_roles_that_need_a_second_factor_are_said_and_decided(terminal: Terminal) -> None:
    assert terminal.ask("policy", "second-factor") == {"second_factor": []}
    found = terminal.ask("policy", "second-factor", "reviewer", "administrator")
    assert found == {"second_factor": ["administrator", "reviewer"]}
    assert "administrator, reviewer" in terminal.say("policy", "second-factor")
    assert "roles" in terminal.refused("policy", "second-factor", "reviewer", "everybody")
    assert "none" in terminal.say("policy", "second-factor", "none")
    changed = terminal.ask("ledger", "list", "--kind", "policy_changed")
    assert [event["body"]["value"] for event in changed] == ["administrator reviewer", ""]

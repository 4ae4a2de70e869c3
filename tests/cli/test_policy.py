"""What previews may show, in a terminal."""

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

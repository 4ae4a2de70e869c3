"""Embargo and calendar from a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dprelease.model import instant
from tests.cli.conftest import Terminal

DUE = "2090-01-15T09:00:00+01:00"


def test_a_plan_is_sealed_moved_and_opened_by_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    path = terminal.plan(charts=False)
    assert "past" in terminal.refused("publish", path, "--due", "2020-01-15T09:00+01:00")
    assert "offset" in terminal.refused("publish", path, "--due")
    reader = ("--reader", "lena,2090-01-15T08:00+01:00")
    release_id = terminal.ask("publish", path, "--due", "2090-01-15T09:00+01:00", *reader)["id"]
    assert terminal.ask("release", "list") == []
    assert terminal.ask("publish", "--due") == {"opened": [], "clock_behind": None}
    later = ("2090-02-01T09:00:00+01:00", "--reason", "Late.")
    assert terminal.ask("release", "embargo", "move", release_id, *later)["due"] == later[0]
    assert later[0] in terminal.say("release", "embargo", "list")
    monkeypatch.setattr(instant, "present", lambda: datetime(2090, 2, 1, 8, 0, 1, tzinfo=UTC))
    assert terminal.ask("publish", "--due")["opened"] == [release_id]
    assert "Nothing is due." in terminal.say("publish", "--due")
    assert [each["release"] for each in terminal.ask("release", "list")] == [release_id]
    assert "published" not in terminal.refused("release", "embargo", "cancel", release_id, "--reason", "No.")


@pytest.mark.full
def test_the_calendar_is_kept_by_the_terminal(terminal: Terminal) -> None:
    assert "past" in terminal.refused("calendar", "add", "2020-06", "en=Costs")
    terminal.refused("calendar", "add", "2090-06", "Costs")
    series = ("--series", "costs", "--every", "yearly")
    uid = terminal.ask("calendar", "add", "2090-06", "en=Costs", "es=Costes", *series)["uid"]
    moved = terminal.ask("calendar", "move", uid, "2090-06-15T09:00+02:00", "--confirmed")
    assert (moved["state"], moved["was"], moved["sequence"]) == ("confirmed", ["2090-06"], 1)
    assert "reason" in terminal.refused("calendar", "move", uid, "2090-07-15T09:00+02:00")
    later = ("2090-07-15T09:00+02:00", "--reason", "A table came late.")
    assert terminal.ask("calendar", "move", uid, *later)["state"] == "postponed"
    sealed = terminal.ask("publish", terminal.plan(charts=False, about={"series": "costs"}), "--due", DUE)["id"]
    (line,) = terminal.ask("calendar", "show")
    assert (line["uid"], line["when"], line["every"]) == (uid, DUE, "yearly"), "it takes the place that was foreseen"
    terminal.refused("calendar", "cancel", uid, "--reason", "No.")
    terminal.ask("release", "embargo", "now", sealed, "--reason", "It is ready.")
    states = [(each["state"], each.get("release", "")) for each in terminal.ask("calendar", "show")]
    assert ("out", sealed) in states
    assert ("provisional", "") in states, "the next one is foreseen"
    assert "Costs" in terminal.say("calendar", "show")

"""The ledger in a terminal: chosen events, checkpoints, exports."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from dprelease.cli import ledger as commands
from dprelease.model.actor import Actor
from dprelease.model.encoding import canonical, digest
from dprelease.store import ledger
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.workspace import event_lines
from tests.cli.conftest import Terminal, without


@pytest.fixture
def kept(terminal: Terminal) -> Path:
    """A checkpoint that was kept outside, of a ledger with a charge, which was then put back to before the charge."""
    before = terminal.folder / "before"
    terminal.ask("key", "show")
    terminal.ask("backup", before)
    terminal.ask("publish", terminal.plan())
    path = terminal.folder / "kept.json"
    terminal.ask("ledger", "checkpoint", "--out", path)
    shutil.rmtree(terminal.home)
    terminal.ask("restore", before, terminal.home)
    return path


def test_events_are_chosen_by_kind_and_number(terminal: Terminal) -> None:
    every = terminal.ask("ledger", "list")
    kinds = [event["kind"] for event in every]
    assert kinds == ["workspace_created", "population_created", "dataset_registered"]
    assert terminal.ask("ledger", "list", "--limit", 2) == every[1:]
    assert terminal.ask("ledger", "list", "--limit", 9) == every
    assert terminal.ask("ledger", "list", "--kind", "dataset_registered", "--kind", "workspace_created") == every[::2]
    chosen = ("--kind", "dataset_registered", "--kind", "workspace_created", "--population", "visits", "--limit", 1)
    assert terminal.ask("ledger", "list", *chosen) == every[2:]
    assert len(terminal.say("ledger", "list", "--limit", 1).splitlines()) == 1


def test_a_list_without_a_limit_is_of_the_last_events_and_says_so(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = terminal.ask("ledger", "list")
    monkeypatch.setattr(commands, "MAX_LISTED", 2)
    code, out, error = terminal.run("ledger", "list", "--json")
    assert (code, json.loads(out)) == (0, every[1:])
    assert error.startswith("dprelease: the last 2 of 3 events;")
    code, out, error = terminal.run("ledger", "list")
    assert (code, len(out.splitlines()), "ledger export" in error) == (0, 2, True)
    assert terminal.run("ledger", "list", "--population", "visits", "--json")[2] == ""
    assert len(terminal.say("ledger", "list", "--limit", 3).splitlines()) == 3


def test_a_checkpoint_is_printed_and_written(terminal: Terminal) -> None:
    printed = terminal.ask("ledger", "checkpoint")
    assert printed.keys() == {"checkpoint", "signer", "signature"}
    assert printed["checkpoint"]["size"] == 3
    path = terminal.folder / "kept.json"
    assert f"It is in {path}." in terminal.say("ledger", "checkpoint", "--out", path)
    assert json.loads(path.read_text()) == printed
    assert "--out FILE" in terminal.say("ledger", "checkpoint")

    verified = terminal.ask("ledger", "verify", "--checkpoint", path)
    assert verified == {"events": 3, "intact": True, "checkpoint": str(path), "missing": [], "overspent": []}
    terminal.ask("population", "add", "others", "--unit", "person", "--epsilon", 1)
    assert f"The ledger continues the checkpoint {path}." in terminal.say("ledger", "verify", "--checkpoint", path)
    assert terminal.ask("ledger", "checkpoint", "--out", path)["checkpoint"]["size"] == 4
    assert json.loads(path.read_text())["checkpoint"]["size"] == 4


def test_the_checkpoint_kept_outside_is_compared_by_default(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert terminal.ask("ledger", "verify")["checkpoint"] is None
    assert "checkpoint" not in terminal.say("ledger", "verify")
    path = terminal.folder / "kept.json"
    terminal.ask("ledger", "checkpoint", "--out", path)
    monkeypatch.setenv("DPRELEASE_CHECKPOINT", str(path))
    assert terminal.ask("ledger", "verify")["checkpoint"] == str(path)


def test_a_ledger_that_was_put_back_is_seen_and_accepted(
    terminal: Terminal, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert terminal.ask("ledger", "verify")["intact"]
    verify = ("ledger", "verify", "--checkpoint", kept)
    assert "this is an older or another copy" in terminal.refused(*verify, error="IntegrityError")
    before = kept.read_bytes()
    assert "older or another copy" in terminal.refused("ledger", "checkpoint", "--out", kept, error="IntegrityError")
    assert kept.read_bytes() == before

    accept = ("ledger", "accept", "--reason", "the disk died")
    assert "none is kept outside" in terminal.refused(*accept)
    monkeypatch.setenv("DPRELEASE_CHECKPOINT", str(kept))
    assert "older or another copy" in terminal.refused("publish", terminal.plan(), error="IntegrityError")
    assert "older or another copy" in terminal.ask(*accept)["difference"]
    assert terminal.ask("population", "list")[0]["spent"]["epsilon_nano"] == 5 * 10**8
    assert "that it does not" in terminal.refused(*accept)
    assert terminal.ask("publish", terminal.plan())["release"]
    assert terminal.ask("population", "list")[0]["spent"]["epsilon_nano"] == 10**9


@pytest.mark.full
def test_a_checkpoint_to_accept_can_be_named(terminal: Terminal, kept: Path) -> None:
    words = terminal.say("ledger", "accept", "--reason", "the disk died", "--checkpoint", kept)
    assert words.startswith("Accepted: this ledger has ")
    (event,) = terminal.ask("ledger", "list", "--kind", "ledger_accepted")
    assert event["body"]["reason"] == "the disk died"


def test_what_is_no_checkpoint_is_refused_and_not_written_over(terminal: Terminal) -> None:
    path = terminal.folder / "notes.txt"
    path.write_text("mine")
    verify = ("ledger", "verify", "--checkpoint", path)
    assert "not a signed checkpoint" in terminal.refused(*verify, error="IntegrityError")
    assert "not a signed checkpoint" in terminal.refused("ledger", "checkpoint", "--out", path, error="IntegrityError")
    assert path.read_text() == "mine"
    assert "can be read" in terminal.refused("ledger", "verify", "--checkpoint", terminal.folder / "none.json")
    nowhere = terminal.folder / "none" / "kept.json"
    assert "a file that can be written" in terminal.refused("ledger", "checkpoint", "--out", nowhere)


def test_an_export_of_lines_holds_every_event(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "PAGE", 2)
    path = terminal.folder / "events.jsonl"
    assert terminal.ask("ledger", "export", path) == {"events": 3, "path": str(path)}
    lines, every = [json.loads(line) for line in path.read_text().splitlines()], terminal.ask("ledger", "list")
    assert [line["hash"] for line in lines] == [digest(line["public"]) for line in lines] == [e["hash"] for e in every]
    for line, event in zip(lines, every, strict=True):
        assert digest(line["rest"]) == line["public"]["rest"]
        assert (line["rest"]["actor"], line["rest"]["at"]) == (event["actor"], event["at"])
        assert line["public"]["facts"] | line["rest"]["body"] == event["body"]
    assert terminal.say("ledger", "export", path) == f"3 events written to {path}\n"
    nowhere = terminal.folder / "none" / "events.jsonl"
    assert "a file that can be written" in terminal.refused("ledger", "export", nowhere)


def test_an_export_as_csv_holds_the_sums_and_no_formula(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "PAGE", 2)
    terminal.ask("publish", terminal.plan())
    for name in ("=cmd()", "+1", "-1", "@x", "\tx", "\rx", "'=x", 'a "b", c'):
        ledger.append(Database.open(terminal.home / "ledger.db"), EventKind.SIGN_IN, actor=Actor(name))
    path = terminal.folder / "events.CSV"
    events = terminal.ask("ledger", "list")
    assert terminal.ask("ledger", "export", path)["events"] == len(events)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["actor"] for row in rows[-8:]] == ["'=cmd()", "'+1", "'-1", "'@x", "'\tx", "'\rx", "''=x", 'a "b", c']
    for row, event in zip(rows, events, strict=True):
        assert tuple(row) == event_lines.COLUMNS
        assert row["body"] == canonical(event["body"]).decode()
        for name, value in without(event, "body", "actor").items():
            assert row[name] == ("" if value is None else str(value))
    first, charge = rows[0], next(row for row in rows if row["kind"] == "charge")
    assert [charge[name] for name in ("epsilon_nano", "rho_nano", "delta_atto", "charges")] == [
        "500000000",
        "0",
        "0",
        "1",
    ]
    assert [charge[f"spent_{name}"] for name in ("epsilon_nano", "rho_nano", "delta_atto")] == ["500000000", "0", "0"]
    assert [first[name] for name in ("population", "spent_epsilon_nano", "charges")] == ["", "", ""]


@pytest.mark.parametrize(
    "arguments",
    [
        ["ledger", "list", "--kind", "nonsense"],
        ["ledger", "list", "--limit", "0"],
        ["ledger", "list", "--limit", "-1"],
        ["ledger", "list", "--limit", "many"],
        ["ledger", "accept"],
        ["ledger", "export"],
        ["ledger", "checkpoint", "--out"],
        ["ledger", "verify", "--checkpoint"],
    ],
)
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2


def test_a_bundle_that_is_not_in_the_public_folder_is_named(terminal: Terminal) -> None:
    bundle = Path(terminal.ask("publish", terminal.plan())["bundle"])
    assert terminal.ask("ledger", "verify")["missing"] == []
    shutil.rmtree(bundle)
    code, out, _ = terminal.run("ledger", "verify", "--json")
    assert (code, json.loads(out)["missing"]) == (6, [bundle.name])
    assert bundle.name in terminal.run("ledger", "verify")[1]
    terminal.ask("release", "resume")
    assert terminal.say("ledger", "verify")

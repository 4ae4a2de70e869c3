"""`dprelease serve` before it serves: releases are finished, the ledger is compared; whatever is found, it serves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.http import free_port
from dprelease.web.run import proxies
from dprelease.web.server import environment
from dprelease.workspace import sample
from tests.cli.conftest import Terminal
from tests.heard import heard

ROOT = Path(__file__).resolve().parents[2]


def served(terminal: Terminal, *more: str, checkpoint: str = "", until: str = r"/sign-in\?token=\S+\n") -> str:
    """What is printed until the sign-in link stands there."""
    port = str(free_port())
    command = [sys.executable, "-m", "dprelease", "serve", "--home", "home", "--port", port, "--no-browser", *more]
    surroundings = {**os.environ, "DPRELEASE_CHECKPOINT": checkpoint, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command,
        cwd=terminal.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=surroundings,
        start_new_session=True,
    )
    try:
        return heard(process, until)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def test_an_interrupted_release_is_finished_first(terminal: Terminal) -> None:
    terminal.ask("ledger", "checkpoint", "--out", terminal.folder / "kept.json")
    terminal.ask("invite", "ana", "--role", "curator")
    name = terminal.interrupt()
    words = served(terminal, "--as", "ana", checkpoint="kept.json")
    assert f"Release {name} was interrupted, and is published now.\n" in words
    assert "Sign in as ana" in words
    assert "does not continue" not in words
    assert [each["release"] for each in terminal.ask("release", "list")] == [name]
    sealed, published = (terminal.ask("ledger", "list", "--kind", kind)[0] for kind in ("sealed", "published"))
    assert (sealed["actor"], published["actor"]) == ("ana", "workspace")  # the latter becomes public
    assert terminal.ask("ledger", "verify", "--checkpoint", terminal.folder / "kept.json")["intact"]


@pytest.mark.full
def test_an_empty_volume_becomes_the_workspace_that_is_asked_for(empty: Terminal) -> None:
    """As in a container, which starts again with the same command."""
    for _ in range(2):
        assert "Sign in as the owner" in served(empty, "--make", "team")
        assert [each["kind"] for each in empty.ask("ledger", "list", "--as", "owner")][-1] == "mode_changed"


def test_a_workspace_that_is_not_what_is_asked_for_is_left_as_it_is(empty: Terminal) -> None:
    home, quiet = empty.folder / "home", ("--make", "team", "--no-browser")
    empty.ask("init", "--team")
    (home / "ledger.db").unlink()
    for other in home.glob("ledger.db-*"):
        other.unlink()
    assert "not empty" in empty.refused("serve", *quiet), "rows are there, and their ledger is lost"
    assert not (home / "ledger.db").exists()
    alone = Terminal(empty.folder / "alone", empty.capsys)
    alone.ask("init")
    assert "init --team" in alone.refused("serve", *quiet)


@pytest.mark.full
def test_the_sample_is_served_with_three_links(empty: Terminal) -> None:
    told = served(empty, "--make", "demo", until=r"/public/\n")
    assert told.count("/sign-in?token=") == 2
    assert told.index("Sign in as the owner") < told.index(f"Sign in as {sample.REVIEWER}") < told.index("/public/")


@pytest.mark.full
def test_a_difference_is_printed_and_the_dashboard_is_served(terminal: Terminal) -> None:
    other = Terminal(terminal.folder / "other", terminal.capsys)
    other.ask("init")
    kept = terminal.folder / "kept.json"
    other.ask("ledger", "checkpoint", "--out", kept)
    name = terminal.interrupt()
    words = served(terminal, checkpoint=str(kept))
    assert "dprelease: the ledger does not continue the checkpoint: " in words
    assert "Nothing is spent until" in words
    assert "Sign in as the owner" in words
    assert [each["release"] for each in terminal.ask("release", "unfinished")] == [name]


def test_the_server_finds_from_its_own_folder_what_is_named_from_this_one(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(terminal.folder)
    workspace = terminal.workspace()
    for kept, found in {
        "kept.json": str(terminal.folder / "kept.json"),
        "https://example.org/kept.json": "https://example.org/kept.json",
    }.items():
        monkeypatch.setenv("DPRELEASE_CHECKPOINT", kept)
        assert environment(workspace)["DPRELEASE_CHECKPOINT"] == found
    monkeypatch.delenv("DPRELEASE_CHECKPOINT")
    assert "DPRELEASE_CHECKPOINT" not in environment(workspace)
    monkeypatch.setenv("DPRELEASE_OIDC", "provider.json")
    monkeypatch.setenv("DPRELEASE_IMPORT", os.pathsep.join(["tables", "/srv/tables"]))
    found = environment(workspace)
    assert found["DPRELEASE_OIDC"] == str(terminal.folder / "provider.json")
    assert found["DPRELEASE_IMPORT"] == os.pathsep.join([str(terminal.folder / "tables"), "/srv/tables"])
    assert environment(workspace)["DPRELEASE_HOME"] == str(terminal.home)


def test_nobody_unknown_serves(terminal: Terminal) -> None:
    assert "somebody who was invited" in terminal.refused("serve", "--no-browser", "--as", "nobody")


@pytest.mark.parametrize(
    ("name", "given", "allowed"),
    [
        ("DPRELEASE_API_PER_MINUTE", "x", "a whole number from 1"),
        ("DPRELEASE_PROXY", "127.0.0.1,nonsense", "IP addresses or networks"),
        ("DPRELEASE_PROXY", "*", "IP addresses or networks"),
    ],
)
def test_a_setting_that_cannot_be_meant_stops_the_server_before_it_starts(
    name: str, given: str, allowed: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, given)
    said = terminal.refused("serve", "--no-browser")
    assert f"${name}: found '{given.rpartition(',')[2]}'" in said
    assert allowed in said


def test_addresses_and_networks_of_proxies_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DPRELEASE_PROXY", " 127.0.0.1, 10.0.0.0/8 ,::1,")
    assert proxies() == "127.0.0.1,10.0.0.0/8,::1"
    monkeypatch.delenv("DPRELEASE_PROXY")
    assert proxies() == "", "nobody is believed"


def test_wrong_usage_is_code_2(empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run("serve", "--port", "x")
    assert left.value.code == 2

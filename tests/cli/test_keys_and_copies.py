"""Signing keys, backups and restored workspaces in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from dprelease.bundle.signing import PublicKey
from tests.cli.conftest import Terminal


def test_a_key_hands_over_to_the_next(terminal: Terminal) -> None:
    first = terminal.ask("key", "show")
    assert first == {"public_key": terminal.ask("init")["public_key"], "earlier": []}
    before = terminal.ask("publish", terminal.plan())
    rotated = terminal.ask("key", "rotate")
    assert rotated["public_key"] != first["public_key"]
    assert rotated == terminal.ask("key", "show") == rotated | {"earlier": [first["public_key"]]}
    after = terminal.ask("publish", terminal.plan(), "--again")
    assert (before["public_key"], after["public_key"]) == (first["public_key"], rotated["public_key"])
    for bundle in (before["bundle"], after["bundle"]):
        terminal.ask("verify", bundle, "--key", first["public_key"])
    words = terminal.say("key", "rotate")
    assert f"{rotated['public_key']} hands over to " in words
    assert terminal.say("key", "show").splitlines()[1:] == [
        f"  before: {rotated['public_key']}",
        f"  before: {first['public_key']}",
    ]


def test_the_public_key_is_written_to_a_new_file_only(terminal: Terminal) -> None:
    path = terminal.folder / "signer.pem"
    exported = terminal.ask("key", "export", path)
    assert exported == {"public_key": terminal.ask("key", "show")["public_key"], "path": str(path)}
    assert PublicKey(path.read_bytes()).fingerprint == exported["public_key"]
    secret = terminal.home / "private" / "keys" / "signing.pem"
    before = secret.read_bytes()
    assert "allowed: a new file" in terminal.refused("key", "export", secret)
    assert secret.read_bytes() == before
    assert "can be written" in terminal.refused("key", "export", terminal.folder / "none" / "signer.pem")
    assert str(terminal.folder / "two.pem") in terminal.say("key", "export", terminal.folder / "two.pem")


def test_a_key_belongs_to_a_workspace(empty: Terminal) -> None:
    assert "dprelease init" in empty.refused("key", "show")


def test_only_an_administrator_rotates_and_copies(team: Terminal) -> None:
    for command in (["key", "rotate"], ["backup", team.folder / "copy"]):
        assert "administrator" in team.refused(*command, "--as", "cleo", error="AccessError")
    team.ask("key", "rotate", "--as", "owner")
    team.ask("backup", team.folder / "copy", "--as", "owner")


def test_a_restored_ledger_names_the_charges_that_are_not_drawn_for_any_more(terminal: Terminal) -> None:
    terminal.interrupt()
    (charge,) = terminal.ask("ledger", "list", "--kind", "charge")
    terminal.ask("backup", terminal.folder / "copy")
    words = terminal.say("restore", terminal.folder / "copy", terminal.folder / "again")
    assert f"never drawn here: events {charge['seq']}." in words
    other = Terminal(terminal.folder / "moved", terminal.capsys)
    other.folder.mkdir()
    (terminal.folder / "again").rename(other.home)
    assert other.ask("release", "unfinished") == other.ask("release", "resume") == other.ask("release", "list") == []
    (event,) = other.ask("ledger", "list", "--kind", "ledger_restored")
    assert event["body"]["lost"] == [charge["seq"]]


def test_a_backup_is_a_workspace_again(terminal: Terminal) -> None:
    release = terminal.ask("publish", terminal.plan())
    copy, again = terminal.folder / "copy", terminal.folder / "again"
    assert terminal.ask("backup", copy) == {"home": str(terminal.home), "backup": str(copy)}
    assert "new or empty folder" in terminal.refused("backup", copy)
    assert "keep it as private" in terminal.say("backup", terminal.folder / "other")

    restored = terminal.ask("restore", copy, again)
    assert restored == {"home": str(again), "public_key": release["public_key"], "lost": []}
    assert "new or empty folder" in terminal.refused("restore", copy, again)
    assert "dprelease backup" in terminal.refused("restore", terminal.folder / "none", terminal.folder / "new")
    assert f"--home {terminal.folder / 'third'}" in terminal.say("restore", copy, terminal.folder / "third")
    other = Terminal(terminal.folder / "moved", terminal.capsys)
    other.folder.mkdir()
    again.rename(other.home)
    *copied, restored_event = other.ask("ledger", "list")
    assert (copied, restored_event["kind"]) == (terminal.ask("ledger", "list"), "ledger_restored")
    assert other.ask("publish", terminal.plan())["release"] == release["release"]
    assert other.ask("publish", terminal.plan(), "--again")["release"] != release["release"]


def test_a_killed_copy_that_cannot_be_removed_is_named_with_the_command_that_does(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.ask("init")
    left = terminal.folder / "the copies" / ".2026-11-20.999999999-1f.whole.unfinished"
    left.mkdir(parents=True)

    def refuse(self: Path, _: Path) -> Path:
        raise PermissionError(f"not yours: {self}")

    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(Path, "rename", refuse)
        code, _, said = terminal.run("backup", left.parent / "2026-11-21")
    assert (code, left.is_dir()) == (0, True)
    assert f"  rm -rf '{left}'\n" in said
    assert terminal.say("backup", left.parent / "2026-11-22")
    assert not left.exists()


@pytest.mark.parametrize(
    "arguments", [["key"], ["key", "export"], ["key", "rotate", "now"], ["backup"], ["restore", "copy"]]
)
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2

"""An older or another ledger beside its own newer public folder is noticed before anything is spent or replaced."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import AccessError, InputError, IntegrityError
from dprelease.model.actor import Actor, Role
from dprelease.store.event import EventKind
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan


@pytest.fixture
def home(tmp_path: Path) -> Path:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=2, unit="person")
    workspace.publish(approved(workspace, plan(0.1, "First")))
    return tmp_path / "home"


@pytest.fixture
def put_back(home: Path) -> dprelease.Workspace:
    """Last night's ledger.db beside today's public folder: it knows nothing of the release \"Second\"."""
    workspace = dprelease.Workspace.open(home)
    workspace.ledger.backup(home.parent / "night")
    workspace.publish(approved(workspace, plan(0.5, "Second")))
    put(home.parent / "night", home)
    return dprelease.Workspace.open(home)


def put(backup: Path, home: Path) -> None:
    for each in home.glob("ledger.db*"):
        each.unlink()
    shutil.copyfile(backup / "ledger.db", home / "ledger.db")


def public(home: Path) -> dict[str, bytes]:
    folder = home / "public"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def second(home: Path) -> Path:
    (path,) = (home / "public").glob("second-*")
    return path


@pytest.mark.parametrize("left", ["checkpoint.json", "the bundle", "both"])
def test_a_ledger_put_back_beside_its_public_folder_spends_and_replaces_nothing(
    home: Path, put_back: dprelease.Workspace, left: str
) -> None:
    if left == "checkpoint.json":
        shutil.rmtree(second(home))
    if left == "the bundle":
        (home / "public" / "checkpoint.json").unlink()
    plan_id, release = approved(put_back, plan(0.3, "Third")), put_back.releases.ids()[0]
    before, spent = public(home), put_back.populations.budget("people").spent
    refused: list[Callable[[], object]] = [
        lambda: put_back.publish(plan_id),
        put_back.releases.resume,
        put_back.ledger.checkpoint,
        put_back.ledger.verify,
        lambda: put_back.releases.add_erratum(release, "Wrong."),
        lambda: put_back.releases.write_site(home.parent / "site"),
    ]
    for operation in refused:
        with pytest.raises(IntegrityError, match="older or another copy"):
            operation()
    assert public(home) == before
    assert put_back.populations.budget("people").spent == spent
    put_back.ledger.accept("The ledger was put back from last night.")
    assert put_back.populations.budget("people").spent.epsilon_nano >= 6 * 10**8
    third = put_back.publish(plan_id)
    assert put_back.ledger.verify() == put_back.ledger.count()
    assert dprelease.verify(put_back.releases.bundle(third.id), key=put_back.public_key)
    with pytest.raises(InputError, match="none is kept"):
        put_back.ledger.accept("Again.")


def test_what_is_accepted_counts_once_and_names_each_of_the_files(home: Path, put_back: dprelease.Workspace) -> None:
    put_back.ledger.accept("The ledger was put back from last night.")
    (event,) = put_back.ledger.events(kinds=[EventKind.LEDGER_ACCEPTED])
    newest = json.loads((home / "public" / "checkpoint.json").read_text())["checkpoint"]
    assert (event.body["size"], event.body["root"]) == (newest["size"], newest["root"])
    charges = put_back.ledger.events(kinds=[EventKind.CHARGE])
    assert [each.loss.epsilon_nano for each in charges if each.loss] == [10**8, 6 * 10**8]


def test_ledgers_that_went_on_separately_are_told_apart(home: Path, put_back: dprelease.Workspace) -> None:
    """As many events as the other one and more, so that the length alone shows nothing."""
    for number in range(12):
        put_back.add_population(f"p{number}", unit="person", neighbors="add_remove", epsilon=1)
    with pytest.raises(IntegrityError, match="are not those"):
        put_back.publish(approved(put_back, plan(0.3, "Third")))
    with pytest.raises(IntegrityError, match="are not those"):
        put_back.ledger.verify()


def test_a_signing_key_that_is_newer_than_the_ledger_is_known_by_its_hand_over(home: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    workspace.ledger.backup(home.parent / "night")
    new = workspace.ledger.rotate_key()
    workspace.publish(approved(workspace, plan(0.5, "Second")))
    put(home.parent / "night", home)
    older = dprelease.Workspace.open(home)
    with pytest.raises(IntegrityError, match="older or another copy"):
        older.publish(approved(older, plan(0.3, "Third")))
    older.ledger.accept("Put back.", key=new)
    assert older.publish(approved(older, plan(0.3, "Third"))).id


def test_files_that_no_key_of_the_workspace_signed_stop_nothing(home: Path, tmp_path: Path) -> None:
    other = dprelease.Workspace.create(tmp_path / "other")
    other.add_dataset("people", ROWS, columns=COLUMNS, epsilon=2, unit="person")
    foreign = other.publish(approved(other, plan(0.1, "Foreign")))
    shutil.copytree(other.releases.bundle(foreign.id), home / "public" / foreign.id)
    (home / "public" / "notes.txt").write_text("mine")
    (home / "public" / "empty").mkdir()
    forged = json.loads((home / "public" / "checkpoint.json").read_text())
    forged["checkpoint"]["size"] += 100
    (home / "public" / "checkpoint.json").write_text(json.dumps(forged))
    workspace = dprelease.Workspace.open(home)
    assert workspace.publish(approved(workspace, plan(0.3, "Third"))).id
    assert workspace.ledger.verify() == workspace.ledger.count()


def test_a_workspace_without_its_public_folder_goes_on(home: Path) -> None:
    shutil.rmtree(home / "public")
    workspace = dprelease.Workspace.open(home)
    assert workspace.publish(approved(workspace, plan(0.3, "Third"))).id


def test_verify_compares_each_bundle_with_what_is_kept_of_it(home: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    path = workspace.releases.bundle(workspace.releases.ids()[0]) / "ledger.json"
    told = json.loads(path.read_text())
    told["charge"]["event"]["seq"] += 1
    path.write_text(json.dumps(told))
    with pytest.raises(IntegrityError, match=r"first-.*ledger\.json"):
        workspace.ledger.verify()


def test_in_a_team_two_people_accept(put_back: dprelease.Workspace) -> None:
    put_back.people.require_two_people()
    maria, jonas, cleo = (
        Actor(name, frozenset(map(Role, roles)))
        for name, roles in (("maria", ["curator", "reviewer"]), ("jonas", ["reviewer"]), ("cleo", ["curator"]))
    )
    for _ in range(2):
        assert not put_back.ledger.accept("Put back.", actor=maria).accepted, "the same person again is one person"
    with pytest.raises(AccessError, match="cleo"):
        put_back.ledger.accept("Me too.", actor=cleo)
    with pytest.raises(IntegrityError, match="older or another copy"):
        put_back.releases.resume(actor=cleo)
    assert put_back.populations.budget("people", actor=maria).spent.epsilon_nano == 10**8
    assert put_back.ledger.accept("So it was.", actor=jonas).accepted
    assert put_back.releases.resume(actor=cleo).failed == {}
    (event,) = put_back.ledger.events(kinds=[EventKind.LEDGER_ACCEPTED], actor=maria)
    asked = put_back.ledger.events(kinds=[EventKind.ACCEPTANCE_ASKED], actor=maria)
    assert (event.actor, event.body["asked"]) == ("jonas", asked[-1].seq)
    assert put_back.ledger.verify(actor=maria) == event.seq + 1


def test_a_curator_alone_accepts_nothing(put_back: dprelease.Workspace) -> None:
    with pytest.raises(AccessError, match="reviewer"):
        put_back.ledger.accept("Put back.", actor=Actor("cleo", frozenset({Role.CURATOR})))

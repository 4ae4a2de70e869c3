"""A checkpoint kept outside, keys that hand over, and copies of a workspace."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import dprelease
from dprelease.bundle.signing import PublicKey
from dprelease.errors import InputError, InsufficientBudgetError, IntegrityError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.store.event import EventKind
from dprelease.store.verify import verify
from dprelease.workspace import publish as publishing
from tests.trust import attacker
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan


@pytest.fixture
def home(tmp_path: Path) -> Path:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    workspace.publish(approved(workspace, plan(0.1, "First")))
    return tmp_path / "home"


@pytest.fixture
def kept(home: Path) -> Path:
    path = home.parent / "elsewhere.json"
    signed = dprelease.Workspace.open(home).ledger.checkpoint()
    path.write_text(json.dumps(signed.to_mapping()))
    return path


def test_a_checkpoint_is_signed_and_says_what_was_spent(home: Path, kept: Path) -> None:
    signed = SignedCheckpoint.from_mapping(json.loads(kept.read_text()))
    workspace = dprelease.Workspace.open(home)
    PublicKey.of(workspace.public_key).check(bytes.fromhex(signed.signature), signed.checkpoint.message)
    (standing,) = signed.checkpoint.populations
    assert (standing.population.name, standing.spent.epsilon_nano, standing.charges) == ("people", 10**8, 1)
    assert signed.checkpoint.size == len(workspace.ledger.events())
    assert workspace.ledger.checkpoint() == signed


def test_the_checkpoint_outside_is_renewed_after_each_release(home: Path, kept: Path) -> None:
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.publish(approved(workspace, plan(0.2, "Second")))
    signed = SignedCheckpoint.from_mapping(json.loads(kept.read_text()))
    assert signed.checkpoint.size == len(workspace.ledger.events())
    assert workspace.ledger.verify() == signed.checkpoint.size


def test_an_older_copy_refuses_to_spend_until_a_reviewer_accepts(home: Path, kept: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.ledger.backup(tmp_path / "backup")
    workspace.publish(approved(workspace, plan(0.5, "Lost")))
    dprelease.Workspace.restore(tmp_path / "backup", tmp_path / "again")
    restored = dprelease.Workspace.open(tmp_path / "again", checkpoint=str(kept))
    plan_id = approved(restored, plan(0.3, "Next"))
    with pytest.raises(IntegrityError, match="older or another copy"):
        restored.publish(plan_id)
    with pytest.raises(IntegrityError, match="older or another copy"):
        restored.ledger.verify()
    assert restored.populations.budget("people").charges == 1
    with pytest.raises(InputError, match="reason"):
        restored.ledger.accept(" ")
    restored.ledger.accept("The disk died on Monday.")
    assert restored.populations.budget("people").spent.epsilon_nano == 6 * 10**8
    assert restored.publish(plan_id).id
    with pytest.raises(InsufficientBudgetError):
        restored.publish(approved(restored, plan(0.2, "Too much")))
    (accepted,) = restored.ledger.events(kinds=[EventKind.LEDGER_ACCEPTED])
    assert accepted.body["reason"] == "The disk died on Monday."
    assert restored.ledger.verify() == len(restored.ledger.events())
    with pytest.raises(InputError, match="continues"):
        restored.ledger.accept("Again.")


def test_a_copy_from_before_a_new_key_can_be_accepted(home: Path, kept: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.ledger.backup(tmp_path / "backup")
    workspace.ledger.rotate_key()
    workspace.publish(approved(workspace, plan(0.5, "Lost")))
    dprelease.Workspace.restore(tmp_path / "backup", tmp_path / "again")
    restored = dprelease.Workspace.open(tmp_path / "again", checkpoint=str(kept))
    with pytest.raises(IntegrityError, match="Nothing is spent"):
        restored.publish(approved(restored, plan(0.3, "Next")))
    with pytest.raises(InputError, match="give it too"):
        restored.ledger.accept("The disk died.")
    restored.ledger.accept("The disk died.", key=workspace.public_key)
    assert restored.publish(approved(restored, plan(0.3, "Next"))).id
    assert restored.ledger.verify() == len(restored.ledger.events())


def test_only_a_signed_checkpoint_is_accepted(home: Path, kept: Path) -> None:
    forged = json.loads(kept.read_text())
    forged["checkpoint"]["populations"][0]["spent"]["epsilon_nano"] = 10**12
    kept.write_text(json.dumps(forged))
    with pytest.raises(IntegrityError, match="signature"):
        dprelease.Workspace.open(home, checkpoint=str(kept)).ledger.accept("Whatever.")


def test_a_release_stays_when_its_table_is_deleted(home: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    (record,) = workspace.plans.find()
    workspace.datasets.delete_table("people")
    assert workspace.publish(record.id).id == workspace.releases.find()[0].id


def test_nothing_overwrites_a_checkpoint_that_speaks_against_the_ledger(home: Path, kept: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.ledger.backup(tmp_path / "backup")
    workspace.publish(approved(workspace, plan(0.5, "Lost")))
    before = kept.read_bytes()
    dprelease.Workspace.restore(tmp_path / "backup", tmp_path / "again")
    restored = dprelease.Workspace.open(tmp_path / "again", checkpoint=str(kept))
    with pytest.raises(IntegrityError, match="Nothing is spent"):
        restored.releases.resume()
    assert kept.read_bytes() == before
    unwatched = dprelease.Workspace.open(tmp_path / "again")
    unwatched.publish(approved(unwatched, plan(0.1, "Meanwhile")))
    assert kept.read_bytes() == before
    with pytest.raises(IntegrityError, match="Nothing is spent"):
        restored.publish(approved(restored, plan(0.1, "Next")))


def test_what_both_copies_spent_after_they_parted_adds_up(home: Path, kept: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.ledger.backup(tmp_path / "backup")
    workspace.publish(approved(workspace, plan(0.3, "There")))
    unwatched = dprelease.Workspace.restore(tmp_path / "backup", tmp_path / "again")
    unwatched.publish(approved(unwatched, plan(0.4, "Here")))
    restored = dprelease.Workspace.open(tmp_path / "again", checkpoint=str(kept))
    restored.ledger.accept("Both were used.")
    assert restored.populations.budget("people").spent.epsilon_nano == (1 + 3 + 4) * 10**8
    assert restored.ledger.verify() == len(restored.ledger.events())


def test_a_copy_put_back_by_hand_counts_all_that_the_checkpoint_says(home: Path, kept: Path, tmp_path: Path) -> None:
    """Nothing shows what both have in common, so it counts twice."""
    shutil.copytree(home, tmp_path / "again")
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.publish(approved(workspace, plan(0.3, "There")))
    restored = dprelease.Workspace.open(tmp_path / "again", checkpoint=str(kept))
    restored.ledger.accept("Copied back by hand.")
    assert restored.populations.budget("people").spent.epsilon_nano == (1 + 4) * 10**8


def test_a_ledger_json_kept_outside_is_read_and_never_overwritten(home: Path) -> None:
    first = dprelease.Workspace.open(home)
    path = first.releases.bundle(first.releases.find()[0].id) / "ledger.json"
    before = path.read_bytes()
    workspace = dprelease.Workspace.open(home, checkpoint=str(path))
    workspace.publish(approved(workspace, plan(0.2, "Second")))
    assert path.read_bytes() == before
    assert "more than a checkpoint" in str(workspace.ledger.outside_problem or "")


def test_a_population_that_is_missing_comes_back_with_its_period(home: Path, kept: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.ledger.backup(tmp_path / "backup")
    workspace.add_population("others", unit="person", neighbors="add_remove", epsilon=2)
    workspace.populations.open_period("others", "2027", epsilon=1, reason="A new year.")
    workspace.publish(approved(workspace, plan(0.1, "Second")))
    dprelease.Workspace.restore(tmp_path / "backup", tmp_path / "again")
    restored = dprelease.Workspace.open(tmp_path / "again", checkpoint=str(kept))
    restored.ledger.accept("The disk died.")
    assert (restored.populations.budget("others").period, restored.populations.budget("others").cap.epsilon_nano) == (
        "2027",
        10**9,
    )
    assert restored.ledger.verify() == len(restored.ledger.events())


def test_a_certificate_states_the_cap_of_its_charge(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = dprelease.Workspace.open(home)
    plan_id = approved(workspace, plan(0.2, "Second"))
    with monkeypatch.context() as broken:
        broken.setattr(publishing, "draw", lambda *_: pytest.fail("the power went"))
        with pytest.raises(pytest.fail.Exception):
            workspace.publish(plan_id)
    workspace.populations.open_period("people", "2027", epsilon=5, reason="A new year.")
    workspace.people.require_two_people()
    with pytest.raises(InputError, match="not yet published"):
        workspace.plans.return_plan(plan_id, comment="Too late.", actor=Actor("eva", frozenset({Role.REVIEWER})))
    with pytest.raises(InputError, match="charged for"):
        workspace.datasets.replace_rows("people", ROWS, same=True, actor=OWNER)
    (release,) = workspace.releases.resume(actor=OWNER).finished
    assert release.certificate.population.period is None
    assert release.certificate.population.epsilon_cap == 1
    assert release.certificate.approval.workspace == "solo"
    assert dprelease.verify(workspace.releases.bundle(release.id), key=workspace.public_key)


def test_what_was_lost_counts_as_spent_even_beyond_the_cap(home: Path, kept: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home, checkpoint=str(kept))
    workspace.ledger.backup(tmp_path / "backup")
    workspace.populations.raise_cap("people", epsilon=3, reason="more")
    workspace.add_population("others", unit="person", neighbors="add_remove", epsilon=2)
    workspace.publish(approved(workspace, plan(2.5, "Large")))
    restored = dprelease.Workspace.restore(tmp_path / "backup", tmp_path / "again")
    restored = dprelease.Workspace.open(tmp_path / "again", checkpoint=str(kept))
    restored.ledger.accept("Put back.")
    assert restored.populations.budget("people").spent.epsilon_nano == 26 * 10**8
    assert [each.name for each in restored.populations.find()] == ["others", "people"]
    with pytest.raises(InsufficientBudgetError):
        restored.publish(approved(restored, plan(0.001, "Nothing left")))
    assert restored.ledger.verify() == len(restored.ledger.events())


def test_a_rewritten_ledger_is_found_beside_a_checkpoint_and_only_there(home: Path, kept: Path) -> None:
    """Somebody with the file makes the first charge smaller and every hash after it anew."""

    def smaller(events: list[attacker.Event]) -> list[attacker.Event]:
        next(event for event in events if event["kind"] == "charge")["epsilon_nano"] = 1
        return events

    attacker.rewrite(home / "ledger.db", smaller, consistently=True)
    unwatched = dprelease.Workspace.open(home)
    assert verify(unwatched._state.database) == unwatched.ledger.count(), "the events alone show nothing"
    watched = dprelease.Workspace.open(home, checkpoint=str(kept))
    with pytest.raises(IntegrityError, match="are not those"):
        watched.ledger.verify()
    with pytest.raises(IntegrityError, match="Nothing is spent"):
        watched.publish(approved(watched, plan(0.2, "Next")))


def test_a_missing_or_forged_checkpoint_stops_spending(home: Path, kept: Path, tmp_path: Path) -> None:
    missing = dprelease.Workspace.open(home, checkpoint=str(tmp_path / "nowhere.json"))
    with pytest.raises(InputError, match="can be read"):
        missing.publish(approved(missing, plan(0.2, "Next")))
    forged = json.loads(kept.read_text())
    forged["checkpoint"]["size"] += 1
    kept.write_text(json.dumps(forged))
    watched = dprelease.Workspace.open(home, checkpoint=str(kept))
    with pytest.raises(IntegrityError, match="signature"):
        watched.publish(approved(watched, plan(0.2, "Next")))
    other = dprelease.Workspace.create(tmp_path / "other")
    kept.write_text(json.dumps(other.ledger.checkpoint().to_mapping()))
    with pytest.raises(IntegrityError, match="another workspace"):
        watched.publish(approved(watched, plan(0.2, "Next")))


def test_a_new_key_takes_over_and_old_releases_keep_theirs(home: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    first, old = workspace.releases.find()[0], workspace.public_key
    before = {path.name: path.read_bytes() for path in workspace.releases.bundle(first.id).iterdir() if path.is_file()}
    new = workspace.ledger.rotate_key()
    assert (workspace.public_key, workspace.ledger.keys()) == (new, [old, new])
    second = workspace.publish(approved(workspace, plan(0.1, "Second")))
    assert dprelease.verify(workspace.releases.bundle(second.id), key=new).signer_known
    reopened = dprelease.Workspace.open(home)
    assert reopened.public_key == new
    assert reopened.releases.get(first.id).write(home / "public") == workspace.releases.bundle(first.id)
    after = {path.name: path.read_bytes() for path in workspace.releases.bundle(first.id).iterdir() if path.is_file()}
    assert after == before


def test_a_backup_is_a_whole_workspace(home: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    assert workspace.ledger.backup(tmp_path / "copy") == tmp_path / "copy"
    for folder in ("private", "private/keys", "private/tables"):
        assert (tmp_path / "copy" / folder).stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="not empty"):
        workspace.ledger.backup(tmp_path / "copy")
    restored = dprelease.Workspace.restore(tmp_path / "copy", tmp_path / "again")
    assert restored.public_key == workspace.public_key
    assert restored.ledger.verify() == workspace.ledger.verify() + 1  # that it was restored
    (release,) = restored.releases.find()
    assert dprelease.verify(restored.releases.bundle(release.id), key=workspace.public_key)
    assert restored.publish(approved(restored, plan(0.1, "Next"))).id
    with pytest.raises(InputError, match="backup"):
        dprelease.Workspace.restore(tmp_path, tmp_path / "third")
    with pytest.raises(InputError, match="not empty"):
        dprelease.Workspace.restore(tmp_path / "copy", home)


def test_interrupted_releases_are_finished(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = dprelease.Workspace.open(home)
    plan_id = approved(workspace, plan(0.2, "Second"))
    with monkeypatch.context() as broken:
        broken.setattr(publishing, "draw", lambda *_: pytest.fail("the power went"))
        with pytest.raises(pytest.fail.Exception):
            workspace.publish(plan_id)
    (waiting,) = workspace.releases.unfinished()
    assert (waiting.plan_id, waiting.state) == (plan_id, "charged")
    assert workspace.populations.budget("people").charges == 2
    (finished,) = dprelease.Workspace.open(home).releases.resume().finished
    assert finished.id == waiting.id
    assert workspace.releases.unfinished() == []
    assert workspace.populations.budget("people").charges == 2
    shutil.rmtree(home / "public" / finished.id)
    dprelease.Workspace.open(home).releases.resume()
    assert dprelease.verify(home / "public" / finished.id, key=workspace.public_key)

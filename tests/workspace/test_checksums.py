"""A table whose file is not what was registered is not published, not copied and not restored."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import IntegrityError
from tests.trust import world


@pytest.fixture
def home(tmp_path: Path) -> Path:
    world.solo(tmp_path / "home", epsilon=20)
    return tmp_path / "home"


def only_table(home: Path) -> Path:
    (path,) = (home / "private" / "tables").iterdir()
    return path


def flip(path: Path, place: int) -> None:
    """Changes one bit."""
    data = bytearray(path.read_bytes())
    data[place // 8] ^= 1 << place % 8
    path.write_bytes(data)


def test_one_flipped_bit_is_refused_wherever_it_is(home: Path) -> None:
    """Twenty of twenty, and nothing is charged for them; put right, the same plan is published."""
    whole, chance = only_table(home).read_bytes(), random.Random(14)
    workspace = dprelease.Workspace.open(home)
    for number in range(20):
        plan_id = world.approved(workspace, world.plan(0.25, f"Ages {number}"))
        flip(only_table(home), chance.randrange(8 * len(whole)))
        with pytest.raises(IntegrityError, match="'people' is not what was registered"):
            workspace.publish(plan_id)
        only_table(home).write_bytes(whole)
    assert workspace.populations.budget("people").charges == 0
    assert workspace.publish(plan_id).id


def test_a_backup_of_a_damaged_table_is_refused_and_leaves_nothing(home: Path, tmp_path: Path) -> None:
    flip(only_table(home), 1000)
    with pytest.raises(IntegrityError, match="so nothing was copied"):
        dprelease.Workspace.open(home).ledger.backup(tmp_path / "copies" / "today")
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_damaged_backup_is_not_restored(home: Path, tmp_path: Path) -> None:
    copy = dprelease.Workspace.open(home).ledger.backup(tmp_path / "copy")
    flip(only_table(copy), 1000)
    with pytest.raises(IntegrityError, match="'people' is not what was registered"):
        dprelease.Workspace.restore(copy, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_other_rows_come_with_their_own_checksum(home: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    workspace.datasets.replace_rows("people", world.people(90))
    assert world.publish(workspace, 0.25).id
    flip(only_table(home), 1000)
    with pytest.raises(IntegrityError):
        world.publish(dprelease.Workspace.open(home), 0.5)


def test_a_deleted_table_leaves_no_checksum_and_a_backup_is_made(home: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    workspace.datasets.delete_table("people")
    assert workspace.ledger.backup(tmp_path / "copy").exists()


def test_the_checksum_stands_in_no_event_and_no_public_file(home: Path) -> None:
    import hashlib

    workspace = dprelease.Workspace.open(home)
    world.publish(workspace, 0.25)
    workspace.ledger.checkpoint()
    checksum = hashlib.sha256(only_table(home).read_bytes()).hexdigest()
    told = json.dumps([event.to_mapping() for event in workspace.ledger.events()])
    public = [path.read_bytes() for path in (home / "public").rglob("*") if path.is_file()]
    assert checksum not in told
    assert not any(checksum.encode() in content for content in public)
    shutil.rmtree(home / "private" / "spill")

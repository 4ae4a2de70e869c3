"""Kill -9: what was acknowledged is there, and nothing is charged twice or given back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dprelease.store import account, ledger, releases
from dprelease.store.database import Database
from dprelease.store.releases import ReleaseState
from dprelease.store.verify import verify
from tests.store import world
from tests.store.world import CENT, CURATOR

ROOT = Path(__file__).resolve().parents[2]
BEGIN = """
import sys
from dprelease.store import releases
from dprelease.store.database import Database
from tests.store.world import CENT, CURATOR
database = Database.open(sys.argv[1])
publication = releases.begin(database, sys.argv[2], CENT, actor=CURATOR, slug="visits")
"""
SEAL = """
releases.seal(database, publication.id, b"first", on="2026-11-20", actor=CURATOR)
"""
HALF_SEAL = """
with database.writing() as connection:
    connection.execute("UPDATE releases SET state = 'sealed', sealed = x'00', sealed_on = '2026-11-20'")
    print(publication.id, flush=True)
    sys.stdin.read()
"""
WAIT = """
print(publication.id, flush=True)
sys.stdin.read()
"""
CHARGE = """
import sys
from dprelease.store import ledger
from dprelease.store.database import Database
from tests.store.world import CURATOR
from dprelease.model.privacy import PrivacyLoss
database = Database.open(sys.argv[1])
while True:
    print(ledger.charge(database, "patients", PrivacyLoss(epsilon_nano=1), actor=CURATOR).seq, flush=True)
"""


def run_and_kill(script: str, *arguments: object, lines: int = 1) -> list[str]:
    """What the script printed before it was killed, at least so many lines of it."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        printed += process.stdout.readlines()
    return [line.strip() for line in printed if line.endswith("\n")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("script", "state"),
    [
        (BEGIN + WAIT, ReleaseState.CHARGED),
        (BEGIN + HALF_SEAL, ReleaseState.CHARGED),
        (BEGIN + SEAL + WAIT, ReleaseState.SEALED),
    ],
    ids=["after the charge", "inside the seal", "after the seal"],
)
def test_a_killed_publication_is_resumed(
    registered_on_disk: Database, path: Path, script: str, state: ReleaseState
) -> None:
    plan_id = world.approve(registered_on_disk).id
    (release_id,) = run_and_kill(script, path, plan_id)
    publication = releases.begin(registered_on_disk, plan_id, CENT, actor=CURATOR, slug="visits")
    assert (publication.id, publication.state) == (release_id, state)
    assert account.spent(registered_on_disk, "patients") == CENT
    releases.seal(registered_on_disk, release_id, b"later", on="2026-11-20", actor=CURATOR)
    expected = b"first" if state is ReleaseState.SEALED else b"later"
    assert releases.payload(registered_on_disk, release_id) == expected
    assert verify(registered_on_disk) == 7


def test_no_acknowledged_charge_is_lost(registered_on_disk: Database, path: Path) -> None:
    acknowledged: list[int] = []
    for lines in (1, 7, 40, 111):
        acknowledged += map(int, run_and_kill(CHARGE, path, lines=lines))
    charged = [event.seq for event in ledger.events(registered_on_disk) if event.kind == "charge"]
    assert set(acknowledged) <= set(charged)
    assert len(charged) <= len(acknowledged) + 4
    assert account.account(registered_on_disk, "patients").charges == len(charged)
    assert verify(registered_on_disk) == 3 + len(charged)

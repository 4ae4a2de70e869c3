"""`ledger verify` beside every table that decides: an honest history holds, and each change past the program shows."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.store.database import Database
from dprelease.store.verify import verify
from tests.store.by_hand import drop_triggers
from tests.trust import tour, world

FLIPS = 150
TAMPERING = {
    "everybody is an administrator": ("UPDATE people SET roles = '[\"administrator\"]'", "people"),
    "somebody is there whom nobody invited": (
        "INSERT INTO people (name, roles, created) VALUES ('mallory', '[\"reviewer\"]', '')",
        "people",
    ),
    "somebody is gone": ("DELETE FROM people WHERE name = 'lena'", "people"),
    "somebody disabled is back": ("UPDATE people SET disabled = NULL WHERE name = 'karl'", "people"),
    "a revoked token works again": ("UPDATE tokens SET revoked = NULL", "tokens"),
    "a token may do more": ("UPDATE tokens SET operations = '[\"publish\"]'", "tokens"),
    "somebody's second factor is gone": ("DELETE FROM second_factors WHERE person = 'lena'", "second_factors"),
    "somebody else has a second factor": (
        "UPDATE second_factors SET person = 'maria' WHERE person = 'lena'",
        "second_factors|references",
    ),
    "a second factor asks for nothing": ("UPDATE second_factors SET confirmed = NULL", "second_factors"),
    "recovery codes were added": (
        "INSERT INTO recovery_codes (code_hash, person) VALUES ('x', 'lena')",
        "second_factors",
    ),
    "nobody needs a second factor": ("UPDATE facts SET value = '' WHERE name = 'second_factor'", "facts"),
    "the mode is solo again": ("UPDATE facts SET value = 'solo' WHERE name = 'mode'", "facts"),
    "previews show true values": ("UPDATE facts SET value = 'true' WHERE name = 'previews'", "facts"),
    "no policy was decided": ("DELETE FROM facts WHERE name = 'previews'", "facts"),
    "a plan is approved": (
        "UPDATE plans SET state = 'approved', approver = 'jonas', approved = '2026-01-01' WHERE state = 'returned'",
        "plans",
    ),
    "a plan is another one": ("UPDATE plans SET plan = json_set(plan, '$.title', 'x') WHERE rowid = 1", "plans"),
    "a plan has another author": ("UPDATE plans SET author = 'mallory' WHERE rowid = 1", "plans"),
    "a plan was never submitted": ("DELETE FROM plans WHERE state = 'returned'", "plans"),
    "a decision is another one": ("UPDATE decisions SET comment = 'yes'", "decisions"),
    "a decision is gone": ("DELETE FROM decisions WHERE decision = 'returned'", "decisions"),
    "releases are gone": ("DELETE FROM releases", "releases|references|notices"),
    "a release is not published": (
        "UPDATE releases SET state = 'sealed', entry = NULL, published_on = NULL WHERE state = 'published'",
        "releases",
    ),
    "a release has another name": ("UPDATE releases SET id = 'x' || id WHERE state = 'published'", "release"),
    "a table moves to another budget": ("UPDATE datasets SET population = 'staff' WHERE name = 'people'", "datasets"),
    "a table has other columns": ("UPDATE datasets SET schema = '{}' WHERE name = 'people'", "datasets"),
    "a table counts somebody as nobody": ("UPDATE datasets SET unit_codes = '[\"x\"]'", "datasets"),
    "a table has rows of another version": ("UPDATE datasets SET version = 'x' WHERE name = 'people'", "datasets"),
    "a deleted table is back": ("UPDATE datasets SET location = 'x.parquet' WHERE name = 'staff'", "datasets"),
    "a cap is higher": ("UPDATE caps SET cap_epsilon_nano = cap_epsilon_nano + 1", "population"),
    "a period never began": ("DELETE FROM caps WHERE period IS NOT NULL", "population"),
    "a population counts less": ("UPDATE populations SET size = 9 WHERE name = 'people'", "population"),
    "populations do not overlap": ("UPDATE overlaps SET overlap = 'none'", "overlaps"),
    "nothing was released before": ("DELETE FROM earlier_releases", "earlier_releases"),
    "a request was agreed to": (
        "UPDATE requests SET state = 'approved' WHERE state = 'returned'",
        "requests",
    ),
    "a notice is gone": ("DELETE FROM notices WHERE kind = 'erratum'", "notices"),
    "a notice says something else": ("UPDATE notices SET text = 'All is well.' WHERE kind = 'erratum'", "notices"),
    "nobody looked": ("DELETE FROM previewed", "previewed"),
    "all checkpoints are gone": ("DELETE FROM checkpoints", "checkpoints"),
    "a checkpoint has another root": (
        "UPDATE checkpoints SET root = substr(root, 2) || '0'",
        "checkpoint of the first",
    ),
    "a checkpoint tells of less spent": (
        "UPDATE checkpoints SET signed = replace(signed, '\"epsilon_nano\": 250000000', '\"epsilon_nano\": 240000000')",
        "checkpoint of the first",
    ),
}
KEPT = {
    "another certificate": "UPDATE releases SET certificate = '{}' WHERE state = 'published'",
    "a certificate with a smaller loss": "UPDATE releases SET certificate = json_set(certificate, '$.title', 'x')"
    " WHERE state = 'published'",
    "another draw": "UPDATE releases SET sealed = CAST(CASE instr(CAST(sealed AS TEXT), ']]') WHEN 0 THEN"
    " replace(CAST(sealed AS TEXT), ']', '7]') ELSE replace(CAST(sealed AS TEXT), ']]', '7]]') END AS BLOB)"
    " WHERE state = 'published'",
    "another entry": "UPDATE releases SET entry = json_set(entry, '$.charge.event.day', 'x') WHERE entry IS NOT NULL",
    "no entry": "UPDATE releases SET entry = '{}' WHERE entry IS NOT NULL",
}


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace in which everything has happened once, and which nobody has open."""
    workspace = tour.make(tmp_path_factory.mktemp("tour"))
    workspace._state.database.close()
    assert workspace.home is not None
    return workspace.home


@pytest.fixture
def home(toured: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(toured, tmp_path / "home"))


def checked(home: Path) -> int:
    """How many events there are, all in order."""
    workspace = dprelease.Workspace.open(home)
    return workspace.ledger.verify(actor=workspace.people.get("jonas"))


def change(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "ledger.db", isolation_level=None)) as raw:
        drop_triggers(raw)
        assert raw.execute(statement).rowcount > 0, "the statement changes something"


def test_an_honest_history_holds(home: Path) -> None:
    assert checked(home) > 60


@pytest.mark.one_in(3)
@pytest.mark.parametrize("what", TAMPERING)
def test_a_change_of_a_table_is_found(home: Path, what: str) -> None:
    statement, match = TAMPERING[what]
    change(home, statement)
    with closing(Database.open(home / "ledger.db")) as database, pytest.raises(IntegrityError, match=match):
        verify(database)


@pytest.mark.parametrize("what", KEPT)
def test_what_is_kept_of_a_release_is_what_was_published(home: Path, what: str) -> None:
    change(home, KEPT[what])
    with pytest.raises(IntegrityError, match=r"^release \S+: "):
        checked(home)


def test_a_cut_end_is_told_by_the_checkpoints(tmp_path: Path) -> None:
    workspace = world.solo(tmp_path / "home")
    workspace.plans.set_preview_policy("blind")
    workspace.ledger.checkpoint()
    workspace._state.database.close()
    change(tmp_path / "home", "DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)")
    with pytest.raises(IntegrityError, match=r"has \d+ events, and a checkpoint was given out for \d+"):
        dprelease.Workspace.open(tmp_path / "home").ledger.verify()


def test_a_damaged_index_is_found(home: Path) -> None:
    with closing(sqlite3.connect(home / "ledger.db", isolation_level=None)) as raw:
        (page,) = raw.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'requests_by_state'").fetchone()
        (size,) = raw.execute("PRAGMA page_size").fetchone()
    with (home / "ledger.db").open("r+b") as file:
        file.seek((page - 1) * size + 8)
        found = file.read(size - 8)
        file.seek((page - 1) * size + 8)
        file.write(bytes(8) + found[8:])
    with pytest.raises(IntegrityError):
        checked(home)


DECIDING = ("ledger", "populations", "caps", "overlaps", "decisions", "previewed")
"""Tables of which every value is checked."""


def content(path: Path) -> list[list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as raw:
        return [raw.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in DECIDING]


def test_random_flips_are_found_or_change_nothing_and_every_error_is_ours(home: Path, tmp_path: Path) -> None:
    """Many bits of a file are of no use: what verifies in spite of a flipped one holds what it held before."""
    whole, chance = (home / "ledger.db").read_bytes(), random.Random(14)
    before, found = content(home / "ledger.db"), 0
    for number in range(FLIPS):
        path = tmp_path / f"{number}.db"
        data, place = bytearray(whole), chance.randrange(8 * len(whole))
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        try:
            with closing(Database.open(path)) as database:
                verify(database)
        except DPReleaseError:
            found += 1
        else:
            assert content(path) == before, f"bit {place}"
    assert found > FLIPS // 20

"""What version 1 of the layout wrote, opened by this version."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dprelease.errors import InsufficientBudgetError, IntegrityError, InternalError
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import account, ledger, migrations, populations, releases
from dprelease.store.database import Database
from dprelease.store.releases import ReleaseState
from dprelease.store.verify import verify
from tests.store import version_1, world
from tests.store.spender import spend
from tests.store.world import CURATOR, RHO

EVENTS = 9
NEW = {
    "populations": {"cap_rho_nano"},
    "ledger": {"rho_nano", "spent_rho_nano"},
    "releases": {"entry"},
    "publications": {"rho_nano", "spent_rho_nano", "entry"},
}
"""The columns that versions 2 and 3 add."""
ADDED = {"caps", "checkpoints", "decisions", "earlier_releases", "notices", "overlaps", "requests", "tree_blocks"}
"""The tables that version 3 adds."""
DESK = {"drafts", "previewed", "terms"}
"""The tables that version 4 adds."""
PEOPLE = {"people", "tokens", "provider_visits"}
"""The tables that version 5 adds."""
LATER = [f"layout_{number:03}.sql" for number in range(2, len(migrations.STEPS) + 1)]
STEPS = {name: list(migrations.statements(name)) for name in LATER}


@pytest.fixture
def older(path: Path) -> Path:
    version_1.write(path)
    return path


def rows(path: Path, *, without: dict[str, set[str]] | None = None) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table but the migrations' own, some columns left out."""
    with closing(sqlite3.connect(path)) as raw:
        raw.row_factory = sqlite3.Row
        tables = [
            name
            for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall()
            if not name.startswith(("sqlite_", "_sqlite_"))
        ]
        return {
            table: [
                {name: row[name] for name in row.keys() if name not in (without or {}).get(table, ())}  # noqa: SIM118
                for row in raw.execute(f"SELECT * FROM {table} ORDER BY 1")
            ]
            for table in tables
        }


def schema(path: Path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as raw:
        return set(raw.execute("SELECT type, name, sql FROM sqlite_schema").fetchall())


def test_every_row_stays_as_it_was_and_the_ledger_verifies(older: Path) -> None:
    before = rows(older)
    assert {table: len(found) for table, found in before.items() if table != "facts"} == {
        "populations": 2,
        "ledger": EVENTS,
        "datasets": 3,
        "plans": 3,
        "releases": 3,
        "publications": 3,
        "sign_in_links": 0,
        "sessions": 0,
    }
    with closing(Database.open(older)) as database:
        assert verify(database) == EVENTS
    after = rows(older, without=NEW)
    assert after.keys() - before.keys() == {*ADDED, *DESK, *PEOPLE, "budgets", "spending"}
    caps = [(row["population"], row["cap_epsilon_nano"], row["cap_delta_atto"]) for row in after["caps"]]
    assert caps == [("patients", 10**9, 10**12), ("students", 2 * 10**9, 10**12)]
    assert after.pop("facts")[-1] == {"name": "version", "value": "5"}
    before.pop("facts")
    assert {table: after[table] for table in before} == before


def test_an_upgraded_file_is_laid_out_like_a_new_one(older: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    for path in (older, new):
        Database.open(path).close()
    assert schema(older) == schema(new)
    with closing(sqlite3.connect(older)) as raw:
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        parents = {row[2] for row in raw.execute("PRAGMA foreign_key_list(releases)")}
    assert parents == {"ledger", "plans"}


def test_an_upgraded_population_spends_the_rest_of_its_budget(older: Path) -> None:
    with closing(Database.open(older)) as database:
        assert account.spent(database, "patients") == PrivacyLoss(epsilon_nano=3 * 10**7, delta_atto=6)
        assert spend(database, 100) == (97, 3)
        assert verify(database) == EVENTS + 100


def test_an_upgraded_release_goes_on_where_it_stopped(older: Path) -> None:
    with closing(Database.open(older)) as database:
        found = {publication.id: publication.state.value for publication in releases.all(database)}
        assert found == version_1.RELEASES
        assert releases.payload(database, "visits-2") == b"\x00\xff\x02"
        releases.seal(database, "visits-3", b"drawn", "{}", actor=CURATOR)
        published = releases.publish(database, "visits-3", on="2026-02-01")
        assert published.state is ReleaseState.PUBLISHED
        assert published.charge.loss == PrivacyLoss(epsilon_nano=10**7, delta_atto=3)
        assert verify(database) == EVENTS + 2


def test_an_upgraded_workspace_takes_a_population_that_counts_in_rho(older: Path) -> None:
    with closing(Database.open(older)) as database:
        populations.add(database, world.counted_in_rho("visitors"), actor=CURATOR)
        ledger.charge(database, "visitors", RHO, actor=CURATOR)
        assert verify(database) == EVENTS + 2


@pytest.mark.parametrize("population", ["patients", None])
def test_the_older_program_can_write_no_more(older: Path, population: str | None) -> None:
    Database.open(older).close()
    with closing(sqlite3.connect(older, isolation_level=None)) as raw:
        with pytest.raises(sqlite3.IntegrityError):
            version_1.event(raw, "preview_taken", population, {})
        assert raw.execute("SELECT max(seq) FROM ledger").fetchone() == (EVENTS,)


def test_a_population_that_was_named_zcdp_before_there_was_rho_has_nothing_left(older: Path) -> None:
    with closing(Database.open(older)) as database:
        with pytest.raises(InsufficientBudgetError, match="ρ = 0"):
            ledger.charge(database, "students", PrivacyLoss(rho_nano=1), actor=CURATOR)
        with pytest.raises(InternalError):
            ledger.charge(database, "students", PrivacyLoss(epsilon_nano=1), actor=CURATOR)
        assert account.account(database, "students").charges == 1
        assert verify(database) == EVENTS + 1


def test_a_failed_upgrade_leaves_the_older_file(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, laid_out = rows(older), schema(older)

    def m006_breaks(connection: migrations.sqlite_utils.Database) -> None:
        connection.execute("INSERT INTO nowhere VALUES (1)")

    with monkeypatch.context() as broken:
        broken.setattr(migrations, "STEPS", (*migrations.STEPS, m006_breaks))
        with pytest.raises(InternalError, match="nowhere"):
            Database.open(older)
    assert (rows(older), schema(older)) == (before, laid_out)
    with closing(Database.open(older)) as database:
        assert verify(database) == EVENTS


@pytest.mark.parametrize(("step", "place"), [(step, place) for step in STEPS for place in range(1, len(STEPS[step]))])
def test_an_upgrade_that_stops_halfway_leaves_the_older_file(
    older: Path, step: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, laid_out = rows(older), schema(older)

    def halfway(name: str) -> list[str]:
        return [*STEPS[name][:place], "SELECT * FROM nowhere"] if name == step else STEPS[name]

    monkeypatch.setattr(migrations, "statements", halfway)
    with pytest.raises(InternalError, match="nowhere"):
        Database.open(older)
    assert (rows(older), schema(older)) == (before, laid_out)


def test_an_edited_older_ledger_is_found_after_the_upgrade(older: Path) -> None:
    with closing(sqlite3.connect(older)) as raw:
        raw.execute("DROP TRIGGER ledger_is_not_rewritten")
        raw.execute("UPDATE ledger SET epsilon_nano = 1 WHERE seq = 4")
        raw.commit()
    with closing(Database.open(older)) as database, pytest.raises(IntegrityError, match="event 4"):
        verify(database)


def test_threads_upgrade_a_file_at_the_same_moment(older: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        opened = [pool.submit(Database.open, older) for _ in range(8)]
        for each in opened:
            with closing(each.result()) as database:
                assert verify(database) == EVENTS

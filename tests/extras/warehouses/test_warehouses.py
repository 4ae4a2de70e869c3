"""Datasets whose rows stay on a server: registered by an address, published from it, with failures before a charge."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dprelease.cli import main
from dprelease.errors import DPReleaseError, InputError
from dprelease.statistics import Plan
from dprelease.workspace import Workspace
from tests.table.servers import PASSWORD, READER, PostgresServer, postgres_binary, postgres_server

pytestmark = pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
COLUMNS: dict[str, Any] = {"age": {"type": "integer", "lower": 0, "upper": 100}}
PLAN = {
    "dprelease": 1,
    "dataset": "visits",
    "privacy": {"unit": {"column": "person", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 100},
    "columns": COLUMNS,
    "statistics": [{"id": "n", "kind": "count"}, {"id": "age", "kind": "mean", "column": "age"}],
}


@pytest.fixture(scope="module")
def running() -> Iterator[PostgresServer]:
    with postgres_server() as started:
        yield started


@pytest.fixture
def server(running: PostgresServer) -> PostgresServer:
    rows = [(number, number % 90, "SECRET_4711") for number in range(1000)]
    running.load("health.visits", {"person": "bigint", "age": "integer", "name": "text"}, rows)
    return running


@pytest.fixture
def workspace(server: PostgresServer, tmp_path: Path) -> Workspace:
    opened = Workspace.create(tmp_path / "home")
    opened.add_dataset(
        "visits", server.address("health.visits"), unit_column="person", columns=COLUMNS, epsilon=10_000, unit="person"
    )
    return opened


def submit(workspace: Workspace, **changes: Any) -> str:
    plan_id = workspace.plans.submit(Plan.parse(PLAN | changes))
    workspace.plans.approve(plan_id)
    return plan_id


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def test_a_table_on_a_server_is_released_and_its_password_is_in_one_private_file(workspace: Workspace) -> None:
    release = workspace.publish(submit(workspace))
    assert abs(release.estimates["n"]["value"][0] - 1000) < 5
    home = workspace.home
    assert home is not None
    holding = [path for path in files(home) if PASSWORD.encode() in path.read_bytes()]
    assert holding == [home / "private" / "connections.json"]
    assert stat.S_IMODE(holding[0].stat().st_mode) == 0o600
    for path in files(home / "public"):
        content = path.read_bytes()
        assert b"SECRET" not in content
        assert b"postgresql://" not in content
        assert b"127.0.0.1" not in content
    assert not any(b"SECRET_4711" in path.read_bytes() for path in files(home)), "rows stay on their server"
    for shown in (workspace, workspace.datasets.get("visits"), workspace.datasets.find()):
        assert PASSWORD not in repr(shown)
        assert "postgresql" not in repr(shown)


def test_the_same_plan_gives_the_same_release_until_the_table_is_registered_again(
    workspace: Workspace, server: PostgresServer
) -> None:
    """Rows on a server may change at any time; what is published stays. `replace_rows` says that they are others."""
    plan_id = submit(workspace)
    first = workspace.publish(plan_id)
    server.run("INSERT INTO health.visits SELECT 5000 + i, 1, '' FROM generate_series(1, 500) AS t(i)")
    assert workspace.publish(plan_id).id == first.id
    assert workspace.populations.budget("visits").charges == 1
    again = workspace.publish(plan_id, again=True)
    assert abs(again.estimates["n"]["value"][0] - 1500) < 5
    before = workspace.datasets.get("visits").version
    workspace.datasets.replace_rows("visits", server.address("health.visits", password=False))
    assert workspace.datasets.get("visits").version != before
    with pytest.raises(DPReleaseError):
        workspace.publish(plan_id, again=True)
    assert workspace.publish(submit(workspace)).id not in (first.id, again.id)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("REVOKE ALL ON health.visits FROM reader", "no permission"),
        ("ALTER TABLE health.visits DROP COLUMN age", "columns.age: found nothing"),
        ("ALTER TABLE health.visits ALTER COLUMN age TYPE text", "the type integer, as when"),
        ("ALTER TABLE health.visits ALTER COLUMN age TYPE date USING '2025-01-01'", "columns.age"),
        ("DROP TABLE health.visits", "no table of this name"),
        ("stop", "cannot be reached"),
    ],
)
def test_what_is_wrong_with_the_server_is_said_before_a_charge(
    workspace: Workspace, server: PostgresServer, change: str, said: str
) -> None:
    plan_id = submit(workspace)
    if change == "stop":
        server.stop()
    else:
        server.run(change)
    try:
        for attempt in (lambda: workspace.publish(plan_id), lambda: submit(workspace, title="another")):
            with pytest.raises(InputError, match=said) as caught:
                attempt()
            assert not any(word in str(caught.value) for word in (PASSWORD, "127.0.0.1", "SECRET"))
    finally:
        if change == "stop":
            server.start()
    assert workspace.populations.budget("visits").charges == 0
    assert workspace.releases.unfinished() == []


def test_a_connection_lost_after_the_charge_stays_charged_and_is_resumed(
    workspace: Workspace, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_id = submit(workspace)
    real = workspace._state.tallies

    def cut(*given: Any, **options: Any) -> Any:
        server.stop()
        return real(*given, **options)

    monkeypatch.setattr(workspace._state, "tallies", cut)
    try:
        with pytest.raises(InputError, match="cannot be reached"):
            workspace.publish(plan_id)
    finally:
        monkeypatch.undo()
        server.start()
    assert workspace.populations.budget("visits").charges == 1
    assert len(workspace.releases.unfinished()) == 1
    (finished,) = workspace.releases.resume().finished
    assert abs(finished.estimates["n"]["value"][0] - 1000) < 5
    assert workspace.populations.budget("visits").charges == 1


def test_without_a_password_in_the_address_the_environment_is_asked(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passfile = tmp_path / "passfile"
    passfile.write_text("*:*:*:reader:" + PASSWORD.replace(":", "\\:") + "\n")
    passfile.chmod(0o600)
    workspace = Workspace.create(tmp_path / "home")
    address = server.address("health.visits", password=False)
    with pytest.raises(InputError, match="connection"):
        workspace.add_dataset("visits", address, epsilon=1)
    monkeypatch.setenv("PGPASSFILE", str(passfile))
    workspace.add_dataset("visits", address, epsilon=1)
    assert workspace.datasets.columns("visits") == ("person", "age", "name")
    assert not any(PASSWORD.encode() in path.read_bytes() for path in files(tmp_path / "home"))


def test_a_forgotten_table_takes_its_password_along(workspace: Workspace, server: PostgresServer) -> None:
    home = workspace.home
    assert home is not None
    workspace.add_dataset("second", server.address("health.visits"), population="visits")
    workspace.datasets.delete_table("second")
    assert READER in (home / "private" / "connections.json").read_text()
    workspace.datasets.delete_table("visits")
    assert json.loads((home / "private" / "connections.json").read_text()) == {}
    assert server.run("SELECT count(*) FROM health.visits") == [(1000,)]


def test_a_backup_has_the_address_and_not_the_password(
    workspace: Workspace, server: PostgresServer, tmp_path: Path
) -> None:
    workspace.ledger.backup(tmp_path / "backup")
    assert not any(PASSWORD.encode() in path.read_bytes() for path in files(tmp_path / "backup"))
    restored = Workspace.restore(tmp_path / "backup", tmp_path / "restored")
    with pytest.raises(InputError, match="connection"):
        restored.datasets.columns("visits")
    restored.datasets.replace_rows("visits", server.address("health.visits"))
    assert restored.datasets.columns("visits") == ("person", "age", "name")


def test_in_memory_too(server: PostgresServer) -> None:
    workspace = Workspace.in_memory()
    workspace.add_dataset("visits", server.address("health.visits"), unit_column="person", columns=COLUMNS, epsilon=200)
    assert abs(workspace.publish(submit(workspace)).estimates["n"]["value"][0] - 1000) < 5
    assert PASSWORD not in repr(workspace._state)


def test_the_terminal_takes_an_address_and_repeats_no_password(
    server: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = ["--home", str(tmp_path / "home")]
    assert main(["init", *home]) == 0
    assert main(["dataset", "add", "visits", server.address("health.visits"), "--epsilon", "1", *home]) == 0
    assert main(["dataset", "add", "more", server.address("health.none"), "--epsilon", "1", *home]) == 3
    assert main(["dataset", "add", "more", "mysql://u:s3cret@h/d/t", "--epsilon", "1", *home]) == 3
    said = capsys.readouterr()
    assert "s3cret" not in said.out + said.err
    assert "Dataset visits" in said.out


def test_a_preview_asks_the_server(workspace: Workspace) -> None:
    preview = workspace.preview(Plan.parse(PLAN), draws=3, sources=True)
    assert preview["n"].true.value == [1000]
    assert preview.sources is not None
    assert preview.sources.rows == 1000

"""`dprelease engine check`: an operator's own server is compared with the written grammar."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from dprelease import cli
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.kit import check
from dprelease.table.kit.stored import stored_types
from tests.table.servers import postgres_binary, postgres_server


@pytest.mark.full
def test_the_check_of_the_embedded_engine_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one stored type: tests/table/test_conformance.py has the engine conform in all."""
    monkeypatch.setattr(check, "stored_types", lambda scheme: islice(stored_types(scheme), 1))
    assert cli.main(["engine", "check"]) == 0
    assert capsys.readouterr().out.startswith("duckdb: ")
    assert cli.main(["engine", "check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["differences"] == []


@pytest.mark.full
def test_the_embedded_engine_conforms(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["engine", "check"]) == 0
    assert capsys.readouterr().out.startswith("duckdb: ")
    assert cli.main(["engine", "check", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["differences"] == []
    assert told["codes"] > 50_000


@pytest.mark.full
def test_differences_are_a_table_and_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that takes its own word for what a date is."""
    monkeypatch.setattr(DuckDB, "as_date", lambda self, x, storage: f"TRY_CAST({x} AS DATE)")
    assert cli.main(["engine", "check"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "differ. Do not publish from it." in lines[0]
    assert lines[1].split() == ["stored", "as", "declared", "as", "value", "should", "be", "is"]
    assert any("'infinity'" in line and "missing" in line and line.endswith("365") for line in lines)
    assert cli.main(["engine", "check", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)["differences"]
    asked = {"stored": "VARCHAR", "value": "infinity", "expected": None, "found": 365}
    assert {"declared": "date 2024-02-01..2025-01-31", **asked} in told


@pytest.mark.full
@pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
def test_a_server_is_checked_by_an_account_without_any_right(capsys: pytest.CaptureFixture[str]) -> None:
    with postgres_server() as server:
        address = server.address("").rstrip("/")
        assert cli.main(["engine", "check", address]) == 0
        assert capsys.readouterr().out.startswith("postgresql: ")
        assert cli.main(["engine", "check", address.replace("s3cret", "wrong")]) == 3
    assert "wrong" not in capsys.readouterr().err


def test_an_address_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["engine", "check", "mysql://db.example.org/x"]) == 3
    assert "mysql://" in capsys.readouterr().err

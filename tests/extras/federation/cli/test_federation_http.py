"""Sites that meet at a server, one of them with its rows in PostgreSQL: the sum is that of the pooled table."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
import yaml
from starlette.applications import Starlette

import dprelease
from dprelease import cli
from dprelease.extras.federation import federations
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.roster import Federation, Site
from dprelease.extras.federation.round_files import ROUNDS
from dprelease.model.plan import Plan
from dprelease.web import site
from dprelease.workspace import process
from dprelease.workspace.plans import ready
from tests.extras.federation.sites import without_noise
from tests.extras.federation.test_federations import COLUMNS, STATISTICS, plan, table
from tests.table.servers import PostgresServer, postgres_binary, postgres_server
from tests.web.listening import listening

LINE = {"id": "line", "kind": "linear", "outcome": "age", "on": ["sex"]}
TALLIES = 4
"""Cells of the first two statistics."""
NAMES = ("North", "South", "West", "East", "Centre")
TERMS: dict[str, Any] = {"epsilon": 1, "delta": 1e-5, "currency": "zcdp", "unit": "person"}


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    if postgres_binary("initdb") is None:
        pytest.skip("PostgreSQL's server is not installed")
    with postgres_server() as started:
        yield started


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Of a round on the server of a statistics office, whose workspace is no site."""
    dprelease.Workspace.create(tmp_path / "office")
    monkeypatch.setenv(process.VARIABLE, str(tmp_path / "office"))
    process.current.cache_clear()
    with listening(Starlette(routes=site.routes(), middleware=site.middleware())) as found:
        yield f"{found}/federation/hospitals"
    process.current.cache_clear()


def run(*words: str | Path) -> int:
    return cli.main([*map(str, words), "--json"])


def workspaces(tmp_path: Path, server: PostgresServer, count: int) -> list[dprelease.Workspace]:
    """Each with rows of its own, the first with its rows in PostgreSQL; the roster is at the office."""
    server.load("health.people", {"age": "integer", "sex": "text"}, table(0).to_numpy().tolist())
    found = []
    for number, name in enumerate(NAMES[:count]):
        made = dprelease.Workspace.create(tmp_path / name)
        source = table(number) if number else server.address("health.people")
        made.add_dataset("people", source, columns=COLUMNS, **TERMS)
        found.append(made)
    sites = tuple(Site(name, made.public_key) for name, made in zip(NAMES, found, strict=False))
    roster = Federation(name="Hospitals", sites=sites)
    RoundFolder(tmp_path / "office" / "private" / ROUNDS / "hospitals").propose(roster)
    return found


def asked() -> Plan:
    return plan([*STATISTICS, LINE])


def pooled(tmp_path: Path, count: int) -> Any:
    """What one site with all rows would add noise to."""
    made = dprelease.Workspace.create(tmp_path / "pooled")
    made.add_dataset("people", pandas.concat([table(number) for number in range(count)]), columns=COLUMNS, **TERMS)
    other = dprelease.Workspace.create(tmp_path / "other")
    roster = Federation(name="Two", sites=(Site("All", made.public_key), Site("None", other.public_key)))
    own = federations._Site.of(made._state, roster, ready(made._state, asked(), anew=True, actor=None), 1)
    return own._integers(paced=False)


def check_sum(found: bytes, tmp_path: Path, count: int) -> None:
    """Counts and sums are those of all rows in every bit; products that each site rounded down, less by K − 1 steps."""
    total, expected = np.frombuffer(found, dtype="<i8"), pooled(tmp_path, count)
    assert total[:TALLIES].tolist() == expected[:TALLIES].tolist()
    below = expected[TALLIES:] - total[TALLIES:]
    assert len(below) > 0
    assert ((below >= 0) & (below < count)).all()


@pytest.mark.full
def test_a_round_over_a_server_adds_up_to_the_pooled_table(
    tmp_path: Path,
    server: PostgresServer,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    without_noise(monkeypatch)
    sites, wanted = workspaces(tmp_path, server, 3), tmp_path / "plan.yaml"
    wanted.write_text(yaml.safe_dump(asked().to_mapping()))
    own = {name: ["--home", tmp_path / name] for name in NAMES[:3]}
    for name, home in own.items():
        folder = tmp_path / f"round {name}"
        assert run("federation", "fetch", folder, address, *home) == 0
        assert run("federation", "join", folder, *home) == 0
        assert run("federation", "send", folder, address, *home) == 0
    for _ in range(5):
        for name, home in own.items():
            asks = ["federation", "contribute", tmp_path / f"round {name}", wanted, "--to", address, *home]
            assert run(*asks) == 0, capsys.readouterr().out
    capsys.readouterr()
    found = [(tmp_path / f"round {name}" / "sum.i64").read_bytes() for name in own]
    assert found[0] == found[1] == found[2]
    check_sum(found[0], tmp_path, 3)
    last = tmp_path / "round West"
    assert run("federation", "combine", last, wanted, *own["West"]) == 0
    assert json.loads(capsys.readouterr().out)["recomputed"]
    assert [len(each.ledger.events(kinds=("charge",))) for each in sites] == [1, 1, 1]
    office = tmp_path / "office" / "private" / ROUNDS / "hospitals"
    assert (office / "sum.i64").read_bytes() == found[0]


LOOP = """
import contextlib, io, json, sys
from dprelease import cli
from dprelease.mechanisms import DiscreteGaussian
from dprelease.mechanisms.mechanism import clamped
DiscreteGaussian.release = lambda self, integers: clamped(integers)
folder, plan, address, home = sys.argv[1:]
def run(*words):
    with contextlib.redirect_stdout(io.StringIO()) as told:
        code = cli.main(["federation", *words, "--home", home, "--json"])
    return code, told.getvalue()
for words in (("fetch", folder, address), ("join", folder), ("send", folder, address)):
    code, told = run(*words)
    assert not code, told
while True:
    code, told = run("contribute", folder, plan, "--to", address)
    if code == 0 and json.loads(told) == {"step": "sum", "waiting": []}:
        break
    assert code == 0 or "roster" in told, told
"""


@pytest.mark.full
def test_five_processes_meet_at_a_server(tmp_path: Path, server: PostgresServer, address: str) -> None:
    workspaces(tmp_path, server, 5)
    wanted = tmp_path / "plan.yaml"
    wanted.write_text(yaml.safe_dump(asked().to_mapping()))
    words = [[tmp_path / f"round {name}", wanted, address, tmp_path / name] for name in NAMES]
    processes = [
        subprocess.Popen([sys.executable, "-c", LOOP, *map(str, each)], stderr=subprocess.PIPE, text=True)
        for each in words
    ]
    assert [(each.communicate()[1], each.returncode) for each in processes] == [("", 0)] * 5
    sums = {(each[0] / "sum.i64").read_bytes() for each in words}
    assert len(sums) == 1
    check_sum(sums.pop(), tmp_path, 5)

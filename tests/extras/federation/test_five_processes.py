"""Five workspaces in five processes, one on PostgreSQL and one on Spark: their sum is that of one table, bit by bit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.extras.federation.check import check
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.roster import Federation, Site
from dprelease.statistics.planning.price import price_of
from dprelease.store import datasets, plans
from dprelease.store.event import EventKind
from dprelease.workspace.scans import scanned
from tests.extras.federation.one_site import PLAN, TERMS
from tests.table.servers import postgres_binary, postgres_server

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed"),
    pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed: make spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
]
NAMES = ("North", "South", "West", "Postgres", "Spark")
TYPES = {"person": "bigint", "age": "integer", "sex": "text", "ward": "text"}


def table(number: int) -> pandas.DataFrame:
    """People of one site alone: one row to three each, of which two count; some without an age or a ward."""
    people = [1000 * number + person for person in range(60 + 13 * number) for _ in range(1 + person % 3)]
    draws = np.random.default_rng(number)
    ages = draws.integers(0, 130, len(people))  # beyond 100 they are clamped
    return pandas.DataFrame(
        {
            "person": people,
            "age": pandas.array([None if age % 11 == 0 else int(age) for age in ages], dtype="Int64"),
            "sex": draws.choice(["F", "M"], len(people)),
            "ward": [None if each == "d" else each for each in draws.choice(list("abcd"), len(people))],
        }
    )


def pooled(home: Path) -> np.ndarray[Any, Any]:
    """What noise would be added to, of one table with all rows."""
    made = dprelease.Workspace.create(home)
    made.add_dataset("people", pandas.concat(map(table, range(len(NAMES))), ignore_index=True), **TERMS)
    record = plans.get(made._state.database, made.plans.submit(dprelease.Plan.parse(PLAN)))
    _, location = datasets.get(made._state.database, "people")
    price = price_of(record.plan, made.populations.of("people").currency, 0)
    with scanned(made._state, location, price) as inputs:
        return np.concatenate([np.ravel(part) for each in price.measurements for part in inputs[each.id].first])


@contextmanager
def running(home: Path, source: str, shared: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.extras.federation.one_site", str(home), source, str(shared)]
    with (home.parent / f"{home.name}.log").open("w") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_sum_of_five_processes_is_that_of_one_table(tmp_path: Path) -> None:
    shared, sources = tmp_path / "shared", []
    with ExitStack() as stack:
        server = stack.enter_context(postgres_server())
        for number, name in enumerate(NAMES):
            rows = table(number)
            (tmp_path / "tables" / name).mkdir(parents=True)
            rows.to_parquet(tmp_path / "tables" / name / "rows.parquet", index=False)
            sources.append(str(tmp_path / "tables" / name / "rows.parquet"))
        last = table(3).astype(object)
        server.load("health.people", TYPES, last.where(last.notna(), None).values.tolist())
        sources[3:] = [server.address("health.people"), f"spark://local{tmp_path / 'tables' / 'Spark'}"]
        sites = [
            stack.enter_context(running(tmp_path / name, source, shared))
            for name, source in zip(NAMES, sources, strict=True)
        ]
        keys = [answer(each) for each in sites]
        named = tuple(Site(name, key) for name, key in zip(NAMES, keys, strict=True))
        RoundFolder(shared).propose(Federation(name="Hospitals", sites=named))
        for said in ("joined", "signed"):
            for each in sites:
                tell(each)
            assert [answer(each) for each in sites] == [said] * len(NAMES), (tmp_path / "Spark.log").read_text()
        assert [each.wait(timeout=60) for each in sites] == [0] * len(NAMES)
    found = check(RoundFolder(shared))
    own = pooled(tmp_path / "pooled")
    assert found.recomputed
    assert found.total.tobytes() == own.astype(np.int64).tobytes()
    assert len(own) > 100
    assert np.count_nonzero(own) > 50
    for name in NAMES:
        site = dprelease.Workspace.open(tmp_path / name)
        (charge,) = site.ledger.events(kinds=(EventKind.CHARGE,))
        assert charge.hash == found.charges[name]
        assert charge.loss.rho_nano == found.round.plan.rho_nano
        assert site.ledger.verify()


def tell(site: subprocess.Popen[str]) -> None:
    assert site.stdin is not None
    site.stdin.write("\n")
    site.stdin.flush()


def answer(site: subprocess.Popen[str]) -> str:
    """The next line that a site prints; nothing where it ended."""
    assert site.stdout is not None
    return site.stdout.readline().strip()

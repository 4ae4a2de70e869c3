"""How fast a long ledger is: appending to it beside a bare insert, checking it, and the ledger page's questions.

    .venv/bin/python -m benchmarks.ledger [--events 1000000] [--appends 2000] [--folder DIR]

Makes a ledger of that many events on disk (a minute and a half for a million), then prints one line a figure. Machines
differ and are shared, so quote the ratios, which come from one run.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dprelease
from dprelease.model.actor import OWNER
from dprelease.model.encoding import canonical
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import ledger
from dprelease.store.connection import connect, create_private
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within, charge_within

POPULATIONS = ("patients", "staff", "visitors", "students")
A_HASH = "a7" * 32
NANO = PrivacyLoss(epsilon_nano=1)
AT_ONCE = 20_000
"""Events of one transaction while the ledger is filled."""
PLAN = dprelease.Plan.parse(
    {
        "dprelease": 1,
        "dataset": "visits",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "columns": {"sex": {"type": "category", "categories": ["F", "M"]}},
        "statistics": [{"id": "n", "kind": "count"}],
    }
)
PREVIEW = {"dataset": "visits", "plan_hash": PLAN.hash}
PREVIEWED = canonical(PLAN.to_mapping()).decode()
CHARGE = {
    "plan_hash": A_HASH,
    "dataset": "visits",
    "dataset_version": A_HASH[:32],
    "approval": 5,
    "approver": "jonas",
    "mechanisms": {"n": [{"mechanism": "discrete_laplace", "epsilon_nano": 1, "delta_atto": 0}]},
    "version": dprelease.__version__,
}
PAGE = 100
"""Events of a page, and charges of the chart above them."""
LAST_CHARGES = 500


def fill(database: Database, events: int) -> None:
    """Previews, charges, refusals and signing in, as a busy workspace would have them."""
    for start in range(ledger.count(database), events, AT_ONCE):
        with database.writing() as connection:
            for number in range(start, min(events, start + AT_ONCE)):
                population = POPULATIONS[number % len(POPULATIONS)]
                match number % 20:
                    case 0 | 1 | 2 | 3:
                        charge_within(connection, population, NANO, actor="maria", body=CHARGE)
                    case 4:
                        body = {**CHARGE, "requested": NANO.to_mapping(), "remaining": NANO.to_mapping()}
                        append_within(
                            connection, EventKind.SPEND_REFUSED, actor="maria", population=population, body=body
                        )
                    case 5:
                        append_within(connection, EventKind.SIGN_IN, actor="jonas", body={})
                    case _:
                        taken = append_within(
                            connection, EventKind.PREVIEW_TAKEN, actor="maria", population=population, body=PREVIEW
                        )
                        connection.execute("INSERT INTO previewed (seq, plan) VALUES (?, ?)", [taken.seq, PREVIEWED])


def bare_copy(source: Path, path: Path) -> Any:
    """The same rows in a table with nothing but its key, opened with the same settings."""
    create_private(path)
    connection = connect(path)
    connection.execute("ATTACH ? AS source", [str(source)])
    _, *others = (name for _, name, *_ in connection.execute("PRAGMA source.table_info(ledger)"))
    connection.execute(f"CREATE TABLE bare (seq INTEGER PRIMARY KEY, {', '.join(others)})")
    connection.execute("INSERT INTO bare SELECT * FROM source.ledger")
    connection.execute("DETACH source")
    settle(path)
    return connection


def settle(path: Path) -> None:
    """Moves the log into the database. Its file stays, to be written anew, as in a workspace that is in use."""
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(RESTART)")


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def insert(connection: Any, row: Sequence[Any]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"INSERT INTO bare VALUES ({', '.join('?' * len(row))})", row)
    connection.execute("COMMIT")


def appends(database: Database, bare: Any, times: int) -> dict[str, list[float]]:
    """Seconds of each append, charge and bare insert; taken in turns, so that all meet the same disk."""
    (row,) = bare.execute("SELECT * FROM bare WHERE kind = 'charge' ORDER BY seq DESC LIMIT 1").fetchall()
    (seq,) = bare.execute("SELECT max(seq) FROM bare").fetchone()
    found: dict[str, list[float]] = {"bare insert": [], "append": [], "charge": []}
    for number in range(1, times + 1):
        found["bare insert"].append(timed(lambda number=number: insert(bare, (seq + number, *row[1:]))))  # type: ignore[misc]
        found["append"].append(
            timed(
                lambda: ledger.append(
                    database, EventKind.PREVIEW_SWEPT, actor=OWNER, population="patients", body=PREVIEW
                )
            )
        )
        found["charge"].append(timed(lambda: ledger.charge(database, "patients", NANO, actor=OWNER, body=CHARGE)))
    return found


def questions(workspace: dprelease.Workspace) -> dict[str, Callable[[], object]]:
    """What the ledger page asks for its first view, and what a reviewer asks next."""
    charges = (EventKind.CHARGE,)
    return {
        "the newest 100 events": lambda: workspace.ledger.events(limit=PAGE, newest_first=True),
        "how many events there are": workspace.ledger.count,
        "the budgets of all populations": lambda: [workspace.populations.budget(name) for name in POPULATIONS],
        "the last 500 charges of one population": lambda: workspace.ledger.events(
            "patients", kinds=charges, limit=LAST_CHARGES, newest_first=True
        ),
        "how many previews of one population": lambda: workspace.ledger.count(
            "patients", kinds=(EventKind.PREVIEW_TAKEN,)
        ),
        "how many refusals of one population": lambda: workspace.ledger.count(
            "patients", kinds=(EventKind.SPEND_REFUSED,)
        ),
        "unfinished releases": workspace.releases.unfinished,
        "the newest 100 events of one population": lambda: workspace.ledger.events(
            "patients", limit=PAGE, newest_first=True
        ),
        "100 refusals in the middle of the ledger": lambda: workspace.ledger.events(
            kinds=(EventKind.SPEND_REFUSED,), limit=PAGE, offset=workspace.ledger.count() // 40, newest_first=True
        ),
    }


FIRST_VIEW = 7
"""How many of the questions the page asks when it is opened."""


def percentile(seconds: Sequence[float], part: int) -> float:
    return statistics.quantiles(seconds, n=100, method="inclusive")[part - 1]


def measure(folder: Path, events: int, times: int) -> dict[str, float]:
    """Every figure by its name, printed on the way."""
    figures: dict[str, float] = {}

    def say(name: str, value: float, text: str) -> None:
        figures[name] = value
        print(f"{name}: {text}", flush=True)

    home = folder / "home"
    workspace = dprelease.Workspace.create(home)
    for population in POPULATIONS:
        workspace.add_population(population, unit="person", neighbors="add_remove", epsilon=1000)
    path = home / "ledger.db"
    with closing(Database.open(path)) as database:
        seconds = timed(lambda: fill(database, events))
        say("filling", seconds, f"{events} events in {seconds:.0f} s, in transactions of {AT_ONCE}")
        settle(path)
        say("size", path.stat().st_size, f"{path.stat().st_size / 2**20:.0f} MB")

        with closing(bare_copy(path, folder / "bare.db")) as bare:
            taken = appends(database, bare, times)
        for name, each in taken.items():
            p50, p99 = percentile(each, 50), percentile(each, 99)
            say(f"{name}, p50", p50, f"{p50 * 1000:.2f} ms")
            ratio = p99 / percentile(taken["bare insert"], 99)
            say(f"{name}, p99", p99, f"{p99 * 1000:.2f} ms, {ratio:.2f} × the bare insert")
            figures[f"{name}, p99 ratio"] = ratio

        total = 0.0
        for place, (name, ask) in enumerate(questions(workspace).items()):
            ask()
            middle = statistics.median(timed(ask) for _ in range(5))
            say(name, middle, f"{middle * 1000:.1f} ms")
            total += middle if place < FIRST_VIEW else 0
        say("first view of the ledger page, its questions", total, f"{total * 1000:.1f} ms")

        count = workspace.ledger.count()
        first = timed(workspace.ledger.checkpoint)
        say("first checkpoint", first, f"{first:.2f} s over {count} events")
        for _ in range(PAGE):
            ledger.append(database, EventKind.SIGN_IN, actor=OWNER)
        next_one = timed(workspace.ledger.checkpoint)
        say("checkpoint after 100 more events", next_one, f"{next_one * 1000:.1f} ms")

        count = workspace.ledger.count()
        seconds = timed(workspace.ledger.verify)
        say("verification", count / seconds, f"{count / seconds:.0f} events a second, {seconds:.1f} s")
        kept = folder / "kept.json"
        kept.write_text(json.dumps(workspace.ledger.checkpoint().to_mapping()))
        whole = timed(lambda: workspace.ledger.verify(str(kept)))
        rate = count / whole
        say("verification beside a checkpoint kept outside", rate, f"{rate:.0f} events a second, {whole:.1f} s")
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=1_000_000)
    options.add_argument("--appends", type=int, default=2000, help="how often an append is timed")
    options.add_argument("--folder", type=Path, help="the disk to measure; by default that of temporary files")
    chosen = options.parse_args()
    with TemporaryDirectory(dir=chosen.folder) as folder:
        measure(Path(folder), chosen.events, chosen.appends)


if __name__ == "__main__":
    main()

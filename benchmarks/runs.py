"""One measured piece of work in a process of its own; prints one line of JSON. `benchmarks.speed` runs many.

    .venv/bin/python -m benchmarks.runs release --unit person --path w1000000.parquet --home /tmp/home

`seconds` and `processor` (seconds of processor time) leave imports out, unless the work is a cold start; `peak_mb` is
the largest resident memory of the process.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.workload import GROUPED, NON_PRIVATE, UNITS, cells, histograms, plan

Work = Callable[[argparse.Namespace], Mapping[str, Any]]
PLAN, PLAN_ID = "plan.json", "plan.id"
"""What a prepared workspace's folder holds beside it."""


class Clock:
    """From its making on: seconds, and seconds of processor time of the process."""

    def __init__(self) -> None:
        self.wall, self.processor = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        return {
            "seconds": time.perf_counter() - self.wall,
            "processor": time.process_time() - self.processor,
        }


def peak_mb() -> float:
    """The most memory that the process has held."""
    try:
        line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1000
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1000 if sys.platform != "darwin" else 1e6)


def scan(given: argparse.Namespace) -> Mapping[str, Any]:
    """DuckDB alone, without privacy."""
    import duckdb

    clock = Clock()
    duckdb.sql(NON_PRIVATE[given.unit].format(path=given.path)).fetchall()
    return clock.read()


def release(given: argparse.Namespace) -> Mapping[str, Any]:
    """A release of a registered table, from the call of `publish` to the seal. Its bundle is not written."""
    from dprelease.model.actor import OWNER
    from dprelease.workspace import Workspace
    from dprelease.workspace.jobs import Stage
    from dprelease.workspace.publish import publish
    from dprelease.workspace.state import State

    workspace = Workspace.open(given.home)
    plan_id = (given.home / PLAN_ID).read_text()
    stages: dict[Stage, dict[str, float]] = {}
    clock = Clock()
    with patch.object(State, "show"):
        publish(
            workspace._state,
            plan_id,
            again=True,
            supersedes=None,
            actor=OWNER,
            reached=lambda stage: stages.update({stage: {**clock.read(), "peak_mb": peak_mb()}}),
        )
    sealed = stages[Stage.WRITING]
    return {**sealed, "drawn": stages[Stage.SEALING]["seconds"] - stages[Stage.DRAWING]["seconds"]}


def tallies(given: argparse.Namespace) -> Mapping[str, Any]:
    """The engine alone: every tally of the plan, without noise."""
    from dprelease.statistics import Plan
    from dprelease.statistics.answer import queries
    from dprelease.statistics.planning.price import price
    from dprelease.table import Engine

    priced = price(Plan.parse(_plan(given)))
    engine = Engine()
    table = engine.parquet(given.path)
    chosen = priced.plan
    clock = Clock()
    engine.answer(table, queries(priced), schema=chosen.schema, where=chosen.where, unit=chosen.unit)
    return clock.read()


def register(given: argparse.Namespace) -> Mapping[str, Any]:
    """A table's registration in a new workspace: checked, and copied privately. Then a plan of it is approved."""
    from dprelease.statistics import Plan
    from dprelease.workspace import Workspace

    workspace = Workspace.create(given.home)
    column = None if given.unit == "row" else UNITS[given.unit]["column"]
    clock = Clock()
    workspace.add_dataset("w", given.path, epsilon=1_000_000, unit_column=column)
    found = clock.read()
    mapping = _plan(given)
    plan_id = workspace.plans.submit(Plan.parse(mapping))
    workspace.plans.approve(plan_id)
    (given.home / PLAN).write_text(json.dumps(mapping))
    (given.home / PLAN_ID).write_text(plan_id)
    return found


def cold_scan(given: argparse.Namespace) -> Mapping[str, Any]:
    """A script of DuckDB alone, from the start of its process."""
    import duckdb

    duckdb.sql(GROUPED.format(rows=f"read_parquet('{given.path}')")).fetchall()
    return {"seconds": time.time() - given.begun, "processor": time.process_time()}


def cold_publish(given: argparse.Namespace) -> Mapping[str, Any]:
    """`dprelease publish PLAN --again` from the start of its process to the seal; what follows is `after`."""
    from dprelease.cli import main
    from dprelease.workspace import publish as module

    sealed: dict[str, Any] = {}
    announce = module.announce

    def reached(*arguments: Any, **options: Any) -> Any:
        sealed.update(seconds=time.time() - given.begun, processor=time.process_time(), peak_mb=peak_mb())
        return announce(*arguments, **options)

    module.announce = reached
    if main(["publish", str(given.home / PLAN), "--home", str(given.home), "--again", "--json"]):
        raise SystemExit(1)
    return {**sealed, "after": time.time() - given.begun - sealed["seconds"]}


def import_alone(given: argparse.Namespace) -> Mapping[str, Any]:
    """`import dprelease`."""
    clock = Clock()
    import dprelease

    assert dprelease.__version__
    return clock.read()


def price_many(given: argparse.Namespace) -> Mapping[str, Any]:
    """Parsing and pricing 300 statistics, each of its own kind of noise at first sight."""
    from dprelease.statistics import Plan
    from dprelease.statistics.planning.price import price

    price(Plan.parse(plan("row")))  # what is loaded once in a process
    mapping = histograms(300)
    clock = Clock()
    price(Plan.parse(mapping))
    return clock.read()


def _plan(given: argparse.Namespace) -> dict[str, Any]:
    if given.histograms:
        return histograms(given.histograms)
    if given.cells:
        return cells(given.cells)
    return plan(UNITS[given.unit])


WORKS: dict[str, Work] = {
    "scan": scan,
    "release": release,
    "tallies": tallies,
    "register": register,
    "cold-scan": cold_scan,
    "cold-publish": cold_publish,
    "import": import_alone,
    "price": price_many,
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("work", choices=WORKS)
    options.add_argument("--unit", choices=UNITS, default="row")
    options.add_argument("--path", type=Path)
    options.add_argument("--home", type=Path)
    options.add_argument("--histograms", type=int, default=0)
    options.add_argument("--cells", type=int, default=0, help="of each of two columns")
    options.add_argument("--begun", type=float, default=time.time(), help="when the process was started")
    given = options.parse_args()
    with redirect_stdout(sys.stderr):
        found = {**WORKS[given.work](given)}
    print(json.dumps({"peak_mb": peak_mb()} | found))


if __name__ == "__main__":
    main()

"""How much longer everything takes beside many releases and datasets than beside ten: ratios within one run.

    .venv/bin/python -m benchmarks.crowd [--releases 10000] [--datasets 200] [--repetitions 20] [--files 0]

Makes two workspaces by public operations, one with ten releases of four datasets, one with so many, each release with
a plan of its own, over four populations. Both are in memory, where no bundle and no chart is written. Then asks both in
turn for the same work, and prints medians of processor time, which other programs disturb least, and their ratio.
`--files`: how many bundles lie in the public folder of a third workspace, on disk, whose portal and API are measured
beside one with ten; a bundle takes a third of a second.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from starlette.testclient import TestClient

import dprelease
from benchmarks.workload import COLUMNS, plan
from dprelease.store.plans import PlanState

FEW, FEW_DATASETS = 10, 4
POPULATIONS = 4
ROWS = pa.table({"age": range(100)})
MOST = 1.3
"""Times as long as with ten releases."""
LISTED = 10
"""Releases of a page, so that both list as many."""
ADDRESSES = {
    "the portal's first page": "/public/",
    "a feed": "/public/feed.json",
    "a page of the API": f"/api/releases?limit={LISTED}",
}
Work = Callable[[], object]


class Crowd:
    """A workspace with so many releases, each of a plan of its own, and so many datasets."""

    def __init__(self, workspace: dprelease.Workspace, releases: int, datasets: int) -> None:
        self.workspace = workspace
        self.datasets = datasets
        self.plans = 0
        for number in range(POPULATIONS):
            workspace.add_population(f"people{number}", unit="row", neighbors="add_remove", epsilon=1_000_000)
        for number in range(datasets):
            workspace.add_dataset(
                f"t{number}", ROWS, population=f"people{number % POPULATIONS}", columns={"age": COLUMNS["age"]}
            )
        begun = time.process_time()
        for _ in range(releases):
            self.publish(self.approve(self.submit()))
        self.rate = releases / (time.process_time() - begun)
        """Releases a second of processor, submission and approval included."""

    def submit(self) -> str:
        """Another plan than any before; its id."""
        self.plans += 1
        asked = plan("row", columns={"age": COLUMNS["age"]}, statistics=[{"id": "n", "kind": "count"}])
        asked["charts"] = False
        title, dataset = f"Release {self.plans}", f"t{self.plans % self.datasets}"
        return self.workspace.plans.submit(dprelease.Plan.parse({**asked, "title": title, "dataset": dataset}))

    def approve(self, plan_id: str) -> str:
        """The same id."""
        return self.workspace.plans.approve(plan_id).id

    def publish(self, plan_id: str) -> str:
        """The id of the release."""
        return self.workspace.publish(plan_id).id

    def questions(self) -> dict[str, Work]:
        """What the dashboard's pages ask."""
        ws = self.workspace
        waiting = self.submit()
        return {
            "review": lambda: ws.plans.review(waiting),
            "a page of releases": lambda: ws.releases.find(limit=LISTED),
            "how many releases": ws.releases.count,
            "what waits": lambda: ws.plans.find(states=[PlanState.SUBMITTED, PlanState.APPROVED]),
            "bounds that were published": lambda: ws.releases.find(dataset="t0", kind="bounds"),
            "what is unfinished": ws.releases.unfinished,
            "a budget": lambda: ws.populations.budget("people0"),
            "the newest events": lambda: ws.ledger.events(limit=100, newest_first=True),
            "all datasets": ws.datasets.find,
        }


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def compared(name: str, few: Work, many: Work, repetitions: int) -> float:
    """Both in turn, so that all meet the same machine; prints medians and their ratio, and returns that."""
    few(), many()  # type: ignore[func-returns-value]
    taken = [(timed(few), timed(many)) for _ in range(repetitions)]
    return told(name, taken)


def told(name: str, taken: list[tuple[float, float]]) -> float:
    """The ratio of two medians, printed."""
    few, many = (statistics.median(each) for each in zip(*taken, strict=True))
    ratio = many / few
    print(
        f"{name}: {few * 1000:.2f} ms, {many * 1000:.2f} ms, {ratio:.2f} x{'' if ratio <= MOST else ' (missed)'}",
        flush=True,
    )
    return ratio


def steps(few: Crowd, many: Crowd, repetitions: int) -> dict[str, float]:
    """Ratios of what spends: submit, approve, publish."""
    found: dict[str, list[tuple[float, float]]] = {"submit": [], "approve": [], "publish": []}
    for _ in range(repetitions):
        ids = ["", ""]
        for name, seconds in found.items():
            begun = []
            for place, crowd in enumerate((few, many)):
                start = time.process_time()
                given = () if name == "submit" else (ids[place],)
                made = getattr(crowd, name)(*given)
                begun.append(time.process_time() - start)
                ids[place] = made
            seconds.append((begun[0], begun[1]))
    return {name: told(name, taken) for name, taken in found.items()}


def over_files(folder: Path, files: int, datasets: int, repetitions: int) -> Iterator[tuple[str, float]]:
    """Ratios of what a server answers over real files."""
    from dprelease.web.alone import application

    clients = []
    for name, count in (("few", FEW), ("many", files)):
        crowd = Crowd(dprelease.Workspace.create(folder / name), count, min(datasets, count))
        crowd.workspace.ledger.checkpoint()
        clients.append(TestClient(application(crowd.workspace.releases.folder), base_url="http://127.0.0.1:8501"))
        print(f"{count} bundles: the first list in {timed(lambda: clients[-1].get('/api/releases')):.2f} s", flush=True)
    time.sleep(1.5)  # until the list is kept
    few, many = clients
    for name, address in ADDRESSES.items():
        yield name, compared(name, lambda: few.get(address), lambda: many.get(address), repetitions)  # noqa: B023


def measure(releases: int, datasets: int, repetitions: int, files: int = 0) -> dict[str, float]:
    """Every ratio by its name, printed on the way."""
    few = Crowd(dprelease.Workspace.in_memory(), FEW, FEW_DATASETS)
    many = Crowd(dprelease.Workspace.in_memory(), releases, datasets)
    print(f"{releases} releases in memory, each with a plan of its own: {many.rate:.0f} a second", flush=True)
    found = steps(few, many, repetitions)
    asked = few.questions(), many.questions()
    for name, work in asked[0].items():
        found[name] = compared(name, work, asked[1][name], repetitions)
    if files:
        with TemporaryDirectory() as folder:
            found |= over_files(Path(folder), files, datasets, repetitions)
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--releases", type=int, default=10_000)
    options.add_argument("--datasets", type=int, default=200)
    options.add_argument("--repetitions", type=int, default=20)
    options.add_argument("--files", type=int, default=0, help="bundles on disk; none by default")
    chosen = options.parse_args()
    missed = [
        name
        for name, ratio in measure(chosen.releases, chosen.datasets, chosen.repetitions, chosen.files).items()
        if ratio > MOST
    ]
    print(f"missed: {', '.join(missed) or 'nothing'} (asked: at most {MOST} x)")


if __name__ == "__main__":
    main()

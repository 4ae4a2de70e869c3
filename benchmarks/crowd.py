"""How much longer everything takes beside many releases and datasets than beside ten: ratios within one run.

    .venv/bin/python -m benchmarks.crowd [--releases 10000] [--datasets 200] [--repetitions 15] [--workspace DIR]

Makes two workspaces on disk by public operations, one with ten releases of four datasets, one with so many, each
release with a plan of its own and without charts, over four populations. Then asks both for the same work, and prints
medians of processor time, which other programs disturb least, and their ratio. `--workspace`: the folder where the
large one is kept, and found again by the next run: to make 10,000 releases takes minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from starlette.testclient import TestClient

import dprelease
from benchmarks.workload import COLUMNS, plan
from dprelease import cli
from dprelease.store.event import EventKind
from dprelease.store.plans import PlanState
from dprelease.workspace.home import Home

FEW, FEW_DATASETS = 10, 4
POPULATIONS = 4
ROWS = pa.table({"age": range(100)})
MOST = 1.3
"""Times as long as with ten releases."""
LISTED = 10
"""Releases of a page, so that both list as many."""
ADDRESSES = {
    "the portal's first page": "/public/",
    "the portal, searched": "/public/?q=release+7",
    "a feed": "/public/feed.json",
    "a page of the API": f"/api/releases?limit={LISTED}",
}
COMMANDS = {
    "release list": ("release", "list", "--limit", str(LISTED)),
    "plan list": ("plan", "list", "--limit", str(LISTED)),
    "ledger list": ("ledger", "list", "--limit", str(LISTED)),
    "dataset list": ("dataset", "list"),
    "population list": ("population", "list"),
    "release unfinished": ("release", "unfinished"),
}
ROOT = Path(__file__).resolve().parents[1]
Work = Callable[[], object]


class Crowd:
    """A workspace with so many releases, each of a plan of its own, and so many datasets."""

    def __init__(self, home: Path, releases: int, datasets: int) -> None:
        is_there = Home.is_at(home)
        self.workspace = dprelease.Workspace.open(home) if is_there else dprelease.Workspace.create(home)
        self.datasets = self.used = datasets
        self.plans = self.workspace.ledger.count(kinds=[EventKind.PLAN_SUBMITTED])
        if not is_there:
            self._register()
        begun, made = time.process_time(), releases - self.workspace.releases.count()
        for _ in range(made):
            self.publish(self.approve(self.submit()))
        if made > 0:
            rate = made / (time.process_time() - begun)
            print(f"{made} releases on disk, each with a plan of its own: {rate:.0f} a second", flush=True)
        self.used = FEW_DATASETS  # whose tables were met before: the first plan of a table opens its file
        waiting = self.workspace.plans.find(states=[PlanState.SUBMITTED], latest=1)
        self.waiting = waiting[0].id if waiting else self.submit()

    def _register(self) -> None:
        for number in range(POPULATIONS):
            self.workspace.add_population(f"people{number}", unit="row", neighbors="add_remove", epsilon=1_000_000)
        for number in range(self.datasets):
            self.workspace.add_dataset(
                f"t{number}", ROWS, population=f"people{number % POPULATIONS}", columns={"age": COLUMNS["age"]}
            )

    def plan(self) -> dprelease.Plan:
        """Another one than any before."""
        self.plans += 1
        asked = plan("row", columns={"age": COLUMNS["age"]}, statistics=[{"id": "n", "kind": "count"}])
        title, dataset = f"Release {self.plans}", f"t{self.plans % self.used}"
        return dprelease.Plan.parse({**asked, "title": title, "dataset": dataset, "charts": False})

    def submit(self) -> str:
        """The id of another plan."""
        return self.workspace.plans.submit(self.plan())

    def approve(self, plan_id: str) -> str:
        """The same id."""
        return self.workspace.plans.approve(plan_id).id

    def publish(self, plan_id: str) -> str:
        """The id of the release."""
        return self.workspace.publish(plan_id).id

    def questions(self) -> dict[str, Work]:
        """What the dashboard's pages ask."""
        ws = self.workspace
        return {
            "review": lambda: ws.plans.review(self.waiting),
            "a page of releases": lambda: ws.releases.find(limit=LISTED),
            "how many releases": ws.releases.count,
            "what waits": lambda: ws.plans.find(states=[PlanState.SUBMITTED, PlanState.APPROVED]),
            "bounds that were published": lambda: ws.releases.find(dataset="t0", kind="bounds"),
            "what is unfinished": ws.releases.unfinished,
            "what is overspent": ws.ledger.overspent,
            "a budget": lambda: ws.populations.budget("people0"),
            "the newest events": lambda: ws.ledger.events(limit=LISTED, newest_first=True),
            "all datasets": ws.datasets.find,
        }

    def commands(self) -> dict[str, Work]:
        """Lists of the terminal, each from opening the workspace."""
        home = str(self.workspace.home)
        return {name: lambda words=words: _said([*words, "--home", home]) for name, words in COMMANDS.items()}


def _said(words: list[str]) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert cli.main(words) == 0


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


def over_files(few: Crowd, many: Crowd, repetitions: int) -> Iterator[tuple[str, float]]:
    """Ratios of what a server answers over the bundles."""
    from dprelease.web.alone import application

    clients = []
    for crowd in (few, many):
        clients.append(TestClient(application(crowd.workspace.releases.folder), base_url="http://127.0.0.1:8501"))
        first = timed(lambda: clients[-1].get("/public/"))
        print(f"{crowd.workspace.releases.count()} bundles: the first answer after {first:.2f} s", flush=True)
    for name, address in ADDRESSES.items():
        yield name, compared(name, *(lambda each=each, to=address: each.get(to) for each in clients), repetitions)


def pages(few: Crowd, many: Crowd, repetitions: int) -> Iterator[tuple[str, float]]:
    """Ratios of every page of the dashboard, run again; with a dataset and a plan in hand."""
    from streamlit.components.v2 import manifest_scanner

    from dprelease.ui.kit import session
    from dprelease.ui.warm import warm_up
    from dprelease.workspace import process

    logging.disable(logging.WARNING)
    # Each tab would read what every installed package says of itself, in search of components of pages.
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
    warm_up()
    homes = {}
    for crowd in (few, many):
        token = crowd.workspace.people.sign_in(crowd.workspace.people.sign_in_link())
        homes[crowd] = (crowd.workspace, token)

    def tab(crowd: Crowd, key: str) -> Work:
        """Runs a page again, in the workspace that it is of."""
        from streamlit.testing.v1 import AppTest

        from dprelease.ui.workbench.draft import Draft

        def here() -> None:
            workspace, token = homes[crowd]
            process.current = session.current = cache(lambda: workspace)  # type: ignore[attr-defined]
            session.cookies = lambda: {process.COOKIE: token}

        here()
        page = AppTest.from_file(str(ROOT / "dprelease" / "ui" / "shell.py"), default_timeout=120)
        page.session_state[session.DATASET] = "t0"
        page.session_state[session.DRAFT] = Draft.from_plan(crowd.plan())
        page.run()
        if key == "release":
            page.query_params["id"] = crowd.workspace.releases.find(limit=1)[0].id
        if key != "home":
            page.switch_page(str(ROOT / "pages" / f"{key}.py")).run()

        def again() -> None:
            here()
            page.run()
            assert not page.exception

        return again

    for key in sorted(each.stem for each in (ROOT / "pages").glob("*.py")):
        yield f"page {key}", compared(f"page {key}", tab(few, key), tab(many, key), repetitions)


def measure(folder: Path, releases: int, datasets: int, repetitions: int) -> dict[str, float]:
    """Every ratio by its name, printed on the way."""
    shutil.rmtree(folder / "few", ignore_errors=True)
    few, many = Crowd(folder / "few", FEW, FEW_DATASETS), Crowd(folder / "many", releases, datasets)
    time.sleep(1.5)  # until folders that changed are known to stay
    found: dict[str, float] = {}
    for asked in ("questions", "commands"):
        works = getattr(few, asked)(), getattr(many, asked)()
        found |= {name: compared(name, work, works[1][name], repetitions) for name, work in works[0].items()}
    found |= dict(over_files(few, many, repetitions))
    found |= dict(pages(few, many, repetitions))
    return found | steps(few, many, repetitions)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--releases", type=int, default=10_000)
    options.add_argument("--datasets", type=int, default=200)
    options.add_argument("--repetitions", type=int, default=15)
    options.add_argument("--workspace", type=Path, metavar="DIR", help="where the large workspace is kept")
    chosen = options.parse_args()
    with TemporaryDirectory() as temporary:
        folder = chosen.workspace or Path(temporary)
        ratios = measure(folder, chosen.releases, chosen.datasets, chosen.repetitions)
    missed = [name for name, ratio in ratios.items() if ratio > MOST]
    print(f"missed: {', '.join(missed) or 'nothing'} (asked: at most {MOST} x)")
    os._exit(0)  # the servers of tabs would wait


if __name__ == "__main__":
    main()

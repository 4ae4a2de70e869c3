"""How long the workbench takes to run again, with few statistics and many: whole, and after a change of a field.

    .venv/bin/python -m benchmarks.pages [--repetitions 20]

Starts the whole server on loopback, with nobody else. A curator who speaks the dashboard's own protocol opens the
sample's plan, and one of 300 histograms, and has the page run again and again, and then the part of it that is run
after a change. Prints how long half and 95 % of the runs took.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.http import HOST, ROOT, Load, free_port, wait_for
from benchmarks.workload import histograms

WIDE = 300
OWN = ("id", "kind", "weight")
"""What a saved draft keeps beside a statistic's options."""


def _draft(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan as the page saves it."""
    asked = [
        {**{key: item[key] for key in OWN if key in item}, "options": {k: v for k, v in item.items() if k not in OWN}}
        for item in plan["statistics"]
    ]
    return {"dataset": plan["dataset"], "title": plan["title"], "statistics": asked}


def _workspaces(folder: Path) -> Iterator[tuple[str, Path]]:
    from dprelease.workspace import Workspace, sample

    few = Workspace.create(folder / "few")
    sample.install(few)
    few.plans.drafts.save(_draft(sample.PLAN))
    yield f"{len(sample.PLAN['statistics'])} statistics", folder / "few"
    many = Workspace.create(folder / "many")
    plan = histograms(WIDE)
    table = folder / "wide.csv"
    table.write_text(",".join(plan["columns"]) + "\n" + ",".join("1" * WIDE) + "\n")
    many.add_dataset(plan["dataset"], table, epsilon=10, columns=plan["columns"])
    many.plans.drafts.save(_draft(plan))
    yield f"{WIDE} statistics", folder / "many"


def runs(home: Path, repetitions: int) -> dict[str, Load]:
    """The workbench of a workspace with one draft, and its largest part, each run again."""
    from dprelease.workspace import Workspace
    from tests.trust.socket import Tab, opened

    def taken(tab: Tab, part: str) -> Load:
        tab.ask("workbench", fragment=part)  # what is loaded once
        found = []
        for _ in range(repetitions):
            begun = time.perf_counter()
            tab.ask("workbench", fragment=part)
            found.append((time.perf_counter() - begun) * 1000)
        return Load(found, sum(found) / 1000)

    workspace, port = Workspace.open(home), free_port()
    session = workspace.people.sign_in(workspace.people.sign_in_link())
    command = [sys.executable, "-m", "benchmarks.load", "--serve", str(port), "--source", str(home / "none.csv")]
    server = wait_for(subprocess.Popen(command, cwd=ROOT, env={**os.environ, "DPRELEASE_HOME": str(home)}), port)
    try:
        with opened(f"http://{HOST}:{port}", session) as tab:
            if workspace.plans.drafts.find()[0].body["title"] not in tab.run("workbench"):
                raise SystemExit("the page does not show the draft")
            whole = taken(tab, "")
            drawn = Counter(each.delta.fragment_id for each in tab.answers if each.delta.fragment_id)
            ((largest, _),) = drawn.most_common(1)
            return {"the whole page": whole, "after a change": taken(tab, largest)}
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repetitions", type=int, default=20)
    chosen = options.parse_args()
    with TemporaryDirectory() as place:
        for name, home in _workspaces(Path(place)):
            for what, load in runs(home, chosen.repetitions).items():
                parts = " ".join(f"{share:.0%} {load.within(share):.0f} ms" for share in (0.5, 0.95))
                print(f"{name}, {what}: {parts}", flush=True)


if __name__ == "__main__":
    main()

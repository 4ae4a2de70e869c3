"""How long the workbench's server side takes: a look at 10^7 rows, what is sent, another ε, the engine's draw.

    .venv/bin/python -m benchmarks.bench [--rows 10000000] [--repetitions 20] [--folder /scratch]

A workspace on disk with W(N) and seven statistics; then a table of 300 columns with a histogram of each. Prices at all
ε; the look, which is told to the ledger and scans the table once; each table made ready to send, with the size of its
JSON; a ladder of draws where noise cannot be scaled; and what follows when the slider is let go: the bench at the other
ε, the engine's own draw, its JSON and the event of the ledger. Half and 95 % of the repetitions took at most so long.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import workload
from benchmarks.http import Load

MANY = 300
MANY_ROWS = 100_000


def taken(work: Callable[[], object], repetitions: int) -> str:
    """Half and 95 % of the runs took at most so many milliseconds."""
    found = []
    for _ in range(repetitions):
        begun = time.perf_counter()
        work()
        found.append((time.perf_counter() - begun) * 1000)
    load = Load(found, sum(found) / 1000)
    return " / ".join(f"{load.within(share):.0f}" for share in (0.5, 0.95)) + " ms"


def lines(home: Path, table: Path, asked: dict[str, Any], opened: list[str], repetitions: int) -> Iterator[str]:
    """What each step takes, of one table and plan."""
    from dprelease import Plan, Workspace

    made = Workspace.create(home)
    made.add_dataset(asked["dataset"], table, epsilon=4, columns=asked["columns"])
    mapping = {**{key: part for key, part in asked.items() if key != "columns"}, "expected": {"rows": 1_000_000}}
    plan = Plan.parse(mapping)
    few = max(1, repetitions // 5)
    yield f"prices at all ε: {taken(lambda: made.plans.bench(plan).errors, few)}"
    yield f"the look, told and scanned: {taken(lambda: made.plans.look(plan), few)}"
    look = made.plans.look(plan)
    for name in opened:
        begun = time.perf_counter()
        list(look.prepare(name))
        prepared = time.perf_counter() - begun
        text = json.dumps(look.open(name).to_json())
        ladder = look.open(name).ladder
        draws = "" if ladder is None else f", {len(ladder.draws[0])} draws an ε in {prepared * 1000:.0f} ms"
        opening = taken(lambda name=name: json.dumps(look.open(name).to_json()), few)  # type: ignore[misc]
        yield f"open {name}: {opening}, {len(text) / 1000:.1f} kB{draws}"
    moves = iter(range(10**6))

    def let_go(name: str) -> None:
        epsilon = f"{0.5 + 0.01 * (next(moves) % 200):.2f}"
        moved = Plan.parse(mapping | {"privacy": {**mapping["privacy"], "epsilon": epsilon}})
        now = look.at(moved)
        now.draw(name)
        json.dumps(now.open(name).to_json())
        assert now.bench.errors
        made.plans.swept(moved, statistic=name.partition(".")[0], least=epsilon, most=epsilon, looks=1)

    for name in opened:
        yield f"let go on {name}, to ledger and draw: {taken(lambda name=name: let_go(name), repetitions)}"  # type: ignore[misc]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--repetitions", type=int, default=20)
    options.add_argument("--folder", type=Path, help="where generated tables are kept")
    chosen = options.parse_args()
    with TemporaryDirectory() as place:
        folder = chosen.folder or Path(place)
        seven = workload.plan("row")
        names = [statistic["id"] for statistic in seven["statistics"]]
        work = (
            (f"{chosen.rows} rows", workload.table(folder, chosen.rows), seven, names),
            (f"{MANY} statistics", workload.wide_table(folder, MANY_ROWS, MANY), workload.histograms(MANY), ["h0"]),
        )
        for number, (title, table, asked, opened) in enumerate(work):
            for line in lines(Path(place) / f"home{number}", table, asked, opened, chosen.repetitions):
                print(f"{title}, {line}", flush=True)


if __name__ == "__main__":
    main()

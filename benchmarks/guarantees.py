"""Whether two other libraries' linear regressions hold the ε that they state: fits of two neighbouring tables, counted.

    .venv/bin/python -m benchmarks.guarantees [--draws 10000] [--write]

If fits are ε-private, no event is more than e^ε times as frequent with one table as with its neighbour (with a row
removed; e^ε or e^2ε where a row is replaced). Told are frequencies of one event, the logarithm of their ratio, and what
it is at least, by limits that hold together with 99 %. `--write` puts the report into docs/accuracy-models.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.accuracy import REPORT
from benchmarks.asking import Peer, answered, prepared
from benchmarks.environments import ENVIRONMENTS, machine, pinned, pinned_version, put

PEER = Peer(name="diffprivlib, OpenDP", worker="guarantees", package="diffprivlib", environment="models")
EPSILONS = (0.5, 1.0, 2.0)
SQUARES = 200
SHORTER = 40
"""How many times fewer draws there are of the call that takes a tenth of a second."""
WITHOUT = "diffprivlib `LinearRegression(fit_intercept=False)`, rows (0.1, 0), (0, 0): the second becomes (1, 0)"
DEFAULT = "diffprivlib `LinearRegression()`, 200 rows (0, 0): one becomes (1, 0)"
OPENDP = "OpenDP `dp.sklearn.linear_model.LinearRegression`, rows (0, 0), (1, 0), (.4, 1.2), (.6, 1.2): the third goes"


def jobs(draws: int) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """By line: what is fitted to what, the event, and what the worker is asked."""
    steep = "the slope is beyond ±20"
    yield WITHOUT, steep, {"task": "diffprivlib", "epsilon": 1.0, "intercept": False, "draws": draws}
    yield DEFAULT, steep, {"task": "diffprivlib", "epsilon": 1.0, "intercept": True, "draws": max(1, draws // SHORTER)}
    for epsilon in EPSILONS:
        yield OPENDP, "the line is y = 0", {"task": "opendp", "epsilon": epsilon, "draws": draws}


def report(draws: int, environments: Path) -> Iterator[str]:
    pythons, notes = prepared([PEER], environments)
    requirements = pinned(PEER.environment)
    versions = ", ".join(f"{name} {pinned_version(requirements, name)}" for name in ("diffprivlib", "opendp"))
    yield f"Made by `.venv/bin/python -m benchmarks.guarantees` on {machine()}; {versions}."
    yield from notes
    if PEER not in pythons:
        return
    asked = list(jobs(draws))
    first = {"task": "squares", "epsilon": 1.0, "draws": SQUARES}
    found, notes = answered(PEER, pythons[PEER], [first, *(each for _, _, each in asked)])
    yield from notes
    squares: Any = found[0]
    yield ""
    yield "| fitted to two tables | event | fits | stated ε | how often | and | ln of the ratio | at least (99 %) |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for (name, event, each), line in zip(asked, found[1:], strict=False):
        own: Any = line
        shares = f"{own['first']:.4f} | {own['second']:.4f} | {own['observed']:.3f} | {own['least']:.3f}"
        yield f"| {name} | {event} | {each['draws']:,} | {each['epsilon']:g} | {shares} |"
    yield ""
    yield (
        f"diffprivlib without an intercept, bounds 0 and 1, ε = 1, {SQUARES} fits of 100 rows: each keeps Σx² = "
        f"{squares['truth']:.9g}, which is the true one; the largest difference is {squares['off']:.1g}."
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy-models.md")
    options.add_argument("--draws", type=int, default=10_000, help="fits of each table")
    options.add_argument("--environments", type=Path, default=ENVIRONMENTS)
    chosen = options.parse_args()
    lines = []
    for line in report(chosen.draws, chosen.environments):
        print(line, flush=True)
        lines.append(line)
    if chosen.write:
        put(REPORT.with_name("accuracy-models.md"), "benchmarks.guarantees", "\n".join(lines))


if __name__ == "__main__":
    main()

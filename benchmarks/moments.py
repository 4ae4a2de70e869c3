"""How long a linear model of eight predictors takes beside DuckDB adding up the same products without privacy, and how
long ten rounds of `logistic` take.

    .venv/bin/python -m benchmarks.moments [--rows 10000000] [--repetitions 5] [--folder DIR] [--write]

Every piece of work is a process of its own, in turn, several times; the ratio is of two medians of one run. A release
is from the call of `publish` to the seal: charge, scan, noise, model. `--write` puts the report into
docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import dprelease
from benchmarks.environments import machine, put
from benchmarks.measure import ROOT, Figure, Run, measure, shown
from benchmarks.runs import PLAN, PLAN_ID, Clock, peak_mb, release
from benchmarks.workload import written

REPORT = ROOT / "docs" / "performance.md"
WHOLE = [f"whole{place}" for place in range(4)]
PARTS = [f"part{place}" for place in range(4)]
PREDICTORS = [*WHOLE, *PARTS]
OUTCOME, SICK = "outcome", "sick"
ROUNDS = 10
COLUMNS: dict[str, Any] = {
    **{name: {"type": "integer", "lower": 0, "upper": 100} for name in WHOLE},
    **{name: {"type": "number", "lower": 0, "upper": 50, "resolution": 0.1} for name in PARTS},
    OUTCOME: {"type": "number", "lower": 0, "upper": 1000, "resolution": 1},
    SICK: {"type": "category", "categories": ["no", "yes"]},
}
STATISTICS: dict[str, dict[str, Any]] = {
    "linear": {"id": "m", "kind": "linear", "outcome": OUTCOME, "on": PREDICTORS},
    "logistic": {"id": "m", "kind": "logistic", "outcome": SICK, "on": PREDICTORS, "rounds": ROUNDS},
}
ROWS = 10_000_000
MAX_RATIO, MAX_MB, MAX_SECONDS = 2.5, 500, 10
"""What is asked: of a linear model as a multiple of the scan, and its memory; of ten rounds seconds, for ROWS rows."""
LINEAR, LOGISTIC = "linear model, released", f"logistic model, {ROUNDS} rounds, released"
SCAN, SCAN_REALS = "DuckDB alone, no privacy", "DuckDB alone, no privacy, columns as DOUBLE first"


def table(folder: Path, rows: int) -> Path:
    """Rows that are nobody's: eight predictors, an outcome of half of them, and whether it is high."""
    listed = [f"(hash(i, {place}) % 101)::INTEGER AS {name}" for place, name in enumerate(WHOLE)]
    listed += [f"(hash(i, {place + 4}) % 501)::DOUBLE / 10 AS {name}" for place, name in enumerate(PARTS)]
    effect = f"2 * {WHOLE[0]} + 3 * {WHOLE[1]} + 4 * {PARTS[0]} + hash(i, 9) % 301"
    return written(
        folder / f"moments{rows}.parquet",
        f"""
            SELECT *, CASE WHEN {OUTCOME} + hash(i, 10) % 201 > 600 THEN 'yes' ELSE 'no' END AS {SICK}
            FROM (SELECT i, {", ".join(listed)}, round({effect})::DOUBLE AS {OUTCOME} FROM range({rows}) AS t(i))
        """,
    )


def scan(given: argparse.Namespace) -> Mapping[str, Any]:
    """The number of rows, and the sums of each column and of each product of two, by one SELECT of DuckDB."""
    import duckdb

    columns = [*PREDICTORS, OUTCOME]
    rows = f"read_parquet('{given.path}')"
    if given.reals:
        rows = f"(SELECT {', '.join(f'{name}::DOUBLE AS {name}' for name in columns)} FROM {rows})"
    sums = [f"sum({name})" for name in columns]
    sums += [f"sum({one} * {other})" for one, other in combinations_with_replacement(columns, 2)]
    clock = Clock()
    duckdb.sql(f"SELECT count(*), {', '.join(sums)} FROM {rows}").fetchall()
    return clock.read()


def register(given: argparse.Namespace) -> Mapping[str, Any]:
    """A new workspace with the table and an approved plan of one model."""
    from dprelease.statistics import Plan
    from dprelease.workspace import Workspace

    workspace = Workspace.create(given.home)
    rounds = given.model == "logistic"
    spent = {"delta": "1e-3", "currency": "zcdp"} if rounds else {}
    clock = Clock()
    workspace.add_dataset("w", given.path, epsilon=1_000_000, **spent)
    found = clock.read()
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1} | ({"delta": "1e-6"} if rounds else {})
    statistic = STATISTICS[given.model]
    used = [*statistic["on"], statistic["outcome"]]
    columns = {name: column for name, column in COLUMNS.items() if name in used}
    mapping = {"dprelease": 1, "dataset": "w", "privacy": privacy, "columns": columns, "statistics": [statistic]}
    plan_id = workspace.plans.submit(Plan.parse(mapping))
    workspace.plans.approve(plan_id)
    (given.home / PLAN).write_text(json.dumps(mapping))
    (given.home / PLAN_ID).write_text(plan_id)
    return found


WORKS = {"scan": scan, "register": register, "release": release}


def run(name: str, *arguments: object) -> Run:
    return Run(name, (sys.executable, "-m", "benchmarks.moments", *map(str, arguments)))


def home(folder: Path, path: Path, model: str) -> Path:
    place = Path(tempfile.mkdtemp(prefix="home", dir=folder))
    figure = measure([run("registration", "--work", "register", "--path", path, "--home", place, "--model", model)], 1)
    problem = figure["registration"].problem
    if problem:
        raise SystemExit(f"the table could not be registered: {problem}")
    return place


def report(rows: int, repetitions: int, folder: Path) -> Iterator[str]:
    path = table(folder, rows)
    homes = {model: home(folder, path, model) for model in STATISTICS}
    figures = measure(
        [
            run(SCAN, "--work", "scan", "--path", path),
            run(SCAN_REALS, "--work", "scan", "--path", path, "--reals"),
            run(LINEAR, "--work", "release", "--home", homes["linear"]),
            run(LOGISTIC, "--work", "release", "--home", homes["logistic"]),
        ],
        repetitions,
    )
    for place in homes.values():
        shutil.rmtree(place)
    least = min((figures[name] for name in (SCAN, SCAN_REALS) if figures[name].found), key=Figure.median)
    yield f"{rows:,} rows of eight predictors, four of 101 and four of 501 values, and an outcome of 1,001 or of two."
    yield ""
    yield "| | seconds: median (least–most) | of processor | peak memory | × the faster scan | of processor |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, figure in figures.items():
        if figure.problem is not None:
            yield f"| {name} | failed: {figure.problem} | | | | |"
            continue
        ratios = [f"{figure.median(each) / least.median(each):.2f}" for each in ("seconds", "processor")]
        told = f"{figure.spread()} | {shown(figure.median('processor'))} | {figure.peak_mb:.0f} MB"
        yield f"| {name} | {told} | {' | '.join(ratios)} |"
    yield ""
    yield from targets(figures, least, rows)
    yield f"Measured on {machine()}; dprelease {dprelease.__version__}."


def targets(figures: Mapping[str, Figure], least: Figure, rows: int) -> Iterator[str]:
    """What was asked, and whether it is met. On a busy machine seconds of processor tell more than the clock does."""
    linear, logistic = figures[LINEAR], figures[LOGISTIC]
    ratio, busy = (linear.median(each) / least.median(each) for each in ("seconds", "processor"))
    told = f"{ratio:.2f}, and {busy:.2f} × its seconds of processor"
    yield f"- a linear model in at most {MAX_RATIO} × the faster scan: {told}: {_met(ratio, MAX_RATIO)}"
    yield f"- in at most {MAX_MB} MB: {linear.peak_mb:.0f}: {_met(linear.peak_mb, MAX_MB)}"
    if rows >= ROWS:
        bound = MAX_SECONDS * rows / ROWS
        told = f"{shown(logistic.median())} s, and {shown(logistic.median('processor'))} s of processor"
        yield f"- {ROUNDS} rounds in at most {bound:g} s: {told}: {logistic.within(bound)}"
    yield ""


def _met(found: float, bound: float) -> str:
    return "met" if found <= bound else "missed"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=ROWS)
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--folder", type=Path, default=None, help="where tables are kept; by default they are deleted")
    options.add_argument("--write", action="store_true", help="put the report into docs/performance.md")
    options.add_argument("--work", choices=WORKS, help="one piece of work, in this process")
    options.add_argument("--model", choices=STATISTICS, default="linear")
    options.add_argument("--reals", action="store_true")
    options.add_argument("--path", type=Path)
    options.add_argument("--home", type=Path)
    given = options.parse_args()
    if given.work:
        with redirect_stdout(sys.stderr):
            found = {**WORKS[given.work](given)}
        print(json.dumps({"peak_mb": peak_mb()} | found))
        return
    with tempfile.TemporaryDirectory() as scratch:
        lines = list(report(given.rows, given.repetitions, given.folder or Path(scratch)))
    print("\n".join(lines))
    if given.write:
        put(REPORT, "benchmarks.moments", "\n".join(lines))


if __name__ == "__main__":
    main()

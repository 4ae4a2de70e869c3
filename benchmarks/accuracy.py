"""How far released numbers err, beside other libraries at the same ε, the same bounds and the same rows.

    .venv/bin/python -m benchmarks.accuracy [--quick] [--write] [--peers opendp diffprivlib ...] [--lines mean ...]

Each line is a statistic of generated rows, released many times afresh by every library; the report gives our root mean
square error and each peer's as a multiple of it. Peers live in virtual environments of their own, which this makes
from benchmarks/peers/requirements*.txt, and answer through benchmarks/peers/*.py. `--write` puts the report into
docs/accuracy.md. All of it takes minutes on two free cores; Tumult Analytics, which runs on Spark and needs Java, takes
several times as long and is asked only if named (`--peers tumult`, or `all`).
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import dprelease
from benchmarks.asking import PEERS, Peer, answered, prepared
from benchmarks.compared import BY_HAND, Comparison, Figure
from benchmarks.environments import ENVIRONMENTS, machine, put
from dprelease.model.statistic import KINDS
from dprelease.statistics.answer import draw, exact, queries, table
from dprelease.statistics.planning.price import price
from dprelease.table import Engine

Array = NDArray[Any]
HERE = Path(__file__).parent
REPORT = HERE.parent / "docs" / "accuracy.md"

FEWEST = 300
SLOW = 400
TABLES = 10
ENGINE = Engine()

# ---------------------------------------------------------------------------------------------------------------- data

RESOLUTION = 0.001
REGIONS = [f"region{code}" for code in range(4)]
SEXES = ["F", "M"]
CATEGORIES = [f"item{code:03d}" for code in range(100)]
DISTRICTS = [f"district{code:02d}" for code in range(20)]
BINS = 20
NUMBER = {"type": "number", "lower": 0, "upper": 100, "resolution": RESOLUTION}
COLUMNS: dict[str, dict[str, Any]] = {
    "x": NUMBER,
    "y": NUMBER,
    "skewed": NUMBER,
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "region": {"type": "category", "categories": REGIONS},
    "sex": {"type": "category", "categories": SEXES},
    "item": {"type": "category", "categories": CATEGORIES},
    "district": {"type": "category", "categories": DISTRICTS},
}


def generated(rows: int, number_of: int = 0) -> dict[str, Array]:
    """A table, the same for the same size and number: categories as codes."""
    random = np.random.default_rng([rows, 2025, number_of])

    def number(values: Array) -> Array:
        return np.round(np.clip(values, 0, 100), 3)

    def coded(chances: Array) -> Array:
        return random.choice(len(chances), size=rows, p=chances / chances.sum())

    x = number(random.normal(45, 15, rows))
    zipf = random.permutation(1 / np.arange(1, len(CATEGORIES) + 1))
    close = random.permutation(1 - 0.03 * np.arange(len(DISTRICTS)))
    return {
        "x": x,
        "y": number(50 + 0.6 * (x - 45) + random.normal(0, 12, rows)),
        "skewed": number(random.exponential(12, rows)),
        "age": np.clip(np.round(random.normal(42, 20, rows)), 0, 100).astype(np.int64),
        "region": coded(np.array([0.4, 0.3, 0.2, 0.1])),
        "sex": coded(np.array([0.45, 0.55])),
        "item": coded(zipf),
        "district": coded(close),
        "person": random.integers(0, rows // 3, rows),
        "bin": np.minimum(x * BINS // 100, BINS - 1).astype(np.int64),
    }


# --------------------------------------------------------------------------------------------------------------- lines

Truth = Callable[[Mapping[str, Array]], Any]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One statistic of one table: what is asked of us, what of peers, and what is true."""

    name: str
    statistic: str
    """As the peers know it."""
    columns: tuple[str, ...]
    """As the peers are given them."""
    plan: Mapping[str, Any]
    """What stands under `statistics` in our plan."""
    truth: Truth
    cells: Mapping[str, int] = field(default_factory=dict)
    range: tuple[float, float] = (-inf, inf)
    """Possible values. Everyone's answers are clipped to them, which costs no privacy."""
    unit: Any = "row"
    measure: Literal["rmse", "missed"] = "rmse"
    """missed: the answer is a list of codes, and the share of the true ones that it leaves out counts."""
    epsilons: tuple[float, ...] = (0.1, 1.0)
    pick: int | None = None
    """The one row of our table that is meant; all of them where None."""
    tables: int = 1
    """Over how many tables it is measured, the repetitions split among them: where an answer is exact or a whole step
    off, one table says little."""
    at_most: int | None = None
    """Releases of ours, where each takes long: it scores tens of thousands of cells."""

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What a peer is asked: lines that differ in what is made of the answer share it."""
        return self.statistic, self.columns

    @property
    def step(self) -> float:
        return 1.0 if self.columns[0] == "age" else RESOLUTION

    def errors(self, draws: Array, data: Mapping[str, Array]) -> Array:
        """One figure a repetition: the mean square error of its cells, or the share missed."""
        if self.measure == "missed":
            wanted = np.asarray(self.truth(data))
            return 1 - np.isin(draws, wanted).sum(axis=1) / len(wanted)
        clipped = np.clip(draws, *self.range)
        return ((clipped - np.atleast_1d(self.truth(data))) ** 2).mean(axis=1)


def quartiles(column: str) -> Truth:
    return lambda data: np.quantile(data[column], [0.25, 0.5, 0.75], method="inverted_cdf")


def cells_of(*columns: str) -> Truth:
    shape = tuple(CELLS[name] for name in columns)
    return lambda data: np.bincount(
        np.ravel_multi_index([data[name] for name in columns], shape), minlength=int(np.prod(shape))
    )


def largest(column: str, k: int) -> Truth:
    return lambda data: np.argsort(-np.bincount(data[column], minlength=CELLS[column]), kind="stable")[:k]


CELLS = {"region": 4, "sex": 2, "item": 100, "district": 20, "bin": BINS}
HUNDRED, SHARE = (0.0, 100.0), (0.0, 1.0)
LINES = (
    Line(name="count", statistic="count", columns=("x",), plan={"kind": "count"}, truth=lambda data: len(data["x"])),
    Line(
        name="sum",
        statistic="sum",
        columns=("x",),
        plan={"kind": "sum", "column": "x"},
        truth=lambda data: data["x"].sum(),
    ),
    Line(
        name="mean",
        statistic="mean",
        columns=("x",),
        plan={"kind": "mean", "column": "x"},
        truth=lambda data: data["x"].mean(),
        range=HUNDRED,
    ),
    Line(
        name="mean, skewed column",
        statistic="mean",
        columns=("skewed",),
        plan={"kind": "mean", "column": "skewed"},
        truth=lambda data: data["skewed"].mean(),
        range=HUNDRED,
    ),
    Line(
        name="mean by region, 4 groups",
        statistic="mean_by",
        columns=("x", "region"),
        cells={"region": 4},
        plan={"kind": "mean", "column": "x", "by": ["region"]},
        truth=lambda data: [data["x"][data["region"] == code].mean() for code in range(4)],
        range=HUNDRED,
    ),
    Line(
        name="variance",
        statistic="variance",
        columns=("x",),
        plan={"kind": "variance", "column": "x"},
        truth=lambda data: data["x"].var(),
        range=(0.0, 2500.0),
    ),
    Line(
        name="standard deviation",
        statistic="std",
        columns=("x",),
        plan={"kind": "std", "column": "x"},
        truth=lambda data: data["x"].std(),
        range=(0.0, 50.0),
    ),
    Line(
        name="median, steps of 0.001",
        statistic="median",
        columns=("x",),
        plan={"kind": "median", "column": "x"},
        truth=lambda data: np.quantile(data["x"], 0.5, method="inverted_cdf"),
        at_most=SLOW,
    ),
    Line(
        name="median, whole ages",
        statistic="median",
        columns=("age",),
        plan={"kind": "median", "column": "age"},
        tables=TABLES,
        truth=lambda data: np.quantile(data["age"], 0.5, method="inverted_cdf"),
    ),
    Line(
        name="quartiles, steps of 0.001",
        statistic="quartiles",
        columns=("x",),
        plan={"kind": "quantiles", "column": "x", "probs": [0.25, 0.5, 0.75]},
        truth=quartiles("x"),
        at_most=SLOW,
    ),
    Line(
        name="quartiles, whole ages",
        statistic="quartiles",
        columns=("age",),
        plan={"kind": "quantiles", "column": "age", "probs": [0.25, 0.5, 0.75]},
        tables=TABLES,
        truth=quartiles("age"),
    ),
    Line(
        name="histogram, 20 bins",
        statistic="histogram",
        columns=("bin",),
        cells={"bin": BINS},
        plan={"kind": "histogram", "column": "x", "bins": BINS},
        truth=cells_of("bin"),
    ),
    Line(
        name="histogram, negative cells set to 0",
        statistic="histogram",
        columns=("bin",),
        cells={"bin": BINS},
        plan={"kind": "histogram", "column": "x", "bins": BINS},
        truth=cells_of("bin"),
        range=(0.0, inf),
    ),
    Line(
        name="cross table, region × sex",
        statistic="crosstab",
        columns=("region", "sex"),
        cells={"region": 4, "sex": 2},
        plan={"kind": "crosstab", "columns": ["region", "sex"]},
        truth=cells_of("region", "sex"),
    ),
    Line(
        name="proportion",
        statistic="proportion",
        columns=("sex",),
        cells={"sex": 2},
        plan={"kind": "proportion", "where": [{"column": "sex", "equals": "M"}]},
        truth=lambda data: data["sex"].mean(),
        range=SHARE,
    ),
    Line(
        name="top 5 of 100 Zipf categories, share missed",
        statistic="top",
        columns=("item",),
        cells={"item": 100},
        plan={"kind": "top", "column": "item", "k": 5},
        truth=largest("item", 5),
        measure="missed",
        epsilons=(0.1, 0.5, 1.0),
    ),
    Line(
        name="mode of 20 categories, share missed",
        statistic="mode",
        columns=("district",),
        cells={"district": 20},
        plan={"kind": "mode", "column": "district"},
        truth=largest("district", 1),
        measure="missed",
    ),
    Line(
        name="covariance",
        statistic="covariance",
        columns=("x", "y"),
        plan={"kind": "covariance", "columns": ["x", "y"]},
        pick=1,
        truth=lambda data: np.cov(data["x"], data["y"], ddof=0)[0, 1],
        range=(-2500.0, 2500.0),
    ),
    Line(
        name="correlation",
        statistic="correlation",
        columns=("x", "y"),
        plan={"kind": "correlation", "columns": ["x", "y"]},
        pick=1,
        truth=lambda data: np.corrcoef(data["x"], data["y"])[0, 1],
        range=(-1.0, 1.0),
    ),
    Line(
        name="different units",
        statistic="units",
        columns=("person",),
        plan={"kind": "units"},
        unit={"column": "person", "max_rows": 5},
        truth=lambda data: len(np.unique(data["person"])),
    ),
    Line(
        name="ratio of two sums",
        statistic="ratio",
        columns=("x", "y"),
        plan={"kind": "ratio", "numerator": "x", "denominator": "y"},
        truth=lambda data: data["x"].sum() / data["y"].sum(),
    ),
)

# --------------------------------------------------------------------------------------------------------------- peers

Key = tuple[tuple[str, tuple[str, ...]], int, float]
"""What is asked, of how many rows, at which ε."""
Question = tuple["Line", int, float]


@dataclass(frozen=True)
class Answered:
    """What one library released: by question, the draws of each of its ways for each table, or why there are none."""

    draws: Mapping[Key, Mapping[str, list[Array]]]
    notes: tuple[str, ...] = ()


def ask(peer: Peer, python: Path, questions: list[Question], folder: Path, times: int) -> Answered:
    """Puts every question to the peer's worker."""
    asked = {
        (line.key, rows, epsilon): line
        for line, rows, epsilon in questions
        if not peer.slow or (rows, epsilon) == (1000, 1.0)
    }
    jobs = [
        (key, job(line, *key[1:], folder, table, times // line.tables))
        for key, line in asked.items()
        for table in range(line.tables)
    ]
    found, why = answered(peer, python, [item for _, item in jobs])
    notes = dict.fromkeys(why)
    draws: dict[Key, dict[str, list[Array]]] = {}
    for (key, _), answers in zip(jobs, found, strict=False):
        ways = draws.setdefault(key, {})
        for way, values in answers.items():
            if isinstance(values, list):
                ways.setdefault(way, []).append(np.array(values))
            else:
                _, rows, epsilon = key
                place = f"{asked[key].name} (n = {rows:,}, ε = {epsilon:g})"
                notes[f"{peer.name} failed at {place}, {way or 'its call'}: {values}"] = None
    return Answered(draws, tuple(notes))


def job(line: Line, rows: int, epsilon: float, folder: Path, table: int, times: int) -> dict[str, Any]:
    """A question as the workers read it."""
    return {
        "statistic": line.statistic,
        "epsilon": epsilon,
        "repetitions": times,
        "columns": {name: str(saved(folder, rows, table, name)) for name in line.columns},
        "bounds": {name: [0, 100] for name in line.columns if "lower" in COLUMNS.get(name, {})},
        "cells": dict(line.cells),
        "step": line.step,
    }


def saved(folder: Path, rows: int, table: int, column: str) -> Path:
    """Where a column is put for the workers."""
    return folder / f"{rows}-{table}-{column}.npy"


# ---------------------------------------------------------------------------------------------------------------- ours


def stored(data: Mapping[str, Array]) -> pa.Table:
    """The rows as a user would hand them in."""
    names = {name: np.array(column["categories"]) for name, column in COLUMNS.items() if "categories" in column}
    return pa.table({name: names[name][values] if name in names else values for name, values in data.items()})


def ours(line: Line, data: Mapping[str, Array], epsilon: float, times: int) -> Array:
    """As many releases: the rows are read once, noise is drawn and turned into the published table each time."""
    mapping = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": line.unit, "neighbors": "add_remove", "epsilon": epsilon},
        "columns": COLUMNS,
        "statistics": [{"id": "s", **line.plan}],
    }
    bill = price(dprelease.Plan.parse(mapping))
    plan = bill.plan
    tallies = ENGINE.answer(ENGINE.hold(stored(data)), queries(bill), schema=plan.schema, where=(), unit=plan.unit)
    inputs = exact(bill, tallies)
    categories = [name for column in line.columns for name in COLUMNS.get(column, {}).get("categories", ())]
    codes = {name: code for code, name in enumerate(categories)}
    wanted = slice(None) if line.pick is None else slice(line.pick, line.pick + 1)
    released = (table(bill["s"], plan.schema, draw(bill, inputs)).value[wanted] for _ in range(times))
    return np.array([[codes.get(value, value) for value in values] for values in released], dtype=float)


# -------------------------------------------------------------------------------------------------------------- report


def figure(line: Line, draws: Iterable[Array], data: Iterable[Mapping[str, Array]], way: str = "") -> Figure:
    """The error of the draws of each table."""
    each = np.concatenate([line.errors(*pair) for pair in zip(draws, data, strict=False)])
    return Figure.mean(each, way) if line.measure == "missed" else Figure.root(each, way)


@dataclass(frozen=True, kw_only=True)
class Row(Comparison):
    """A line of the report."""

    line: Line
    rows: int
    epsilon: float

    def cell(self, name: str) -> str:
        peer = self.peers.get(name)
        if peer is None:
            return ""
        if self.line.measure == "missed":
            return f"{peer.value:.1%}{'*' if peer.way.startswith(BY_HAND) else ''}"
        return peer.multiple(self.ours)

    def markdown(self, peers: Iterable[str]) -> str:
        own = f"{self.ours.value:.1%}" if self.line.measure == "missed" else f"{self.ours.value:.3g}"
        cells = [self.line.name, f"{self.rows:,}", f"{self.epsilon:g}", own, *map(self.cell, peers), self.verdict()]
        return "| " + " | ".join(cells) + " |"


@dataclass(frozen=True)
class Target:
    """A figure of ours that must not be exceeded."""

    text: str
    line: str
    rows: int
    epsilon: float
    most: float


TARGETS = (
    Target("RMSE of the mean of a column on [0, 100]", "mean", 1000, 1.0, 0.11),
    Target("RMSE of the median of whole ages", "median, whole ages", 10_000, 1.0, 0.0),
    Target("RMSE of the median in steps of 0.001", "median, steps of 0.001", 10_000, 1.0, 0.015),
    Target("top 5 of 100 Zipf categories missed", "top 5 of 100 Zipf categories, share missed", 10_000, 0.5, 0.01),
)


def target_lines(found: Mapping[tuple[str, int, float], Figure]) -> Iterator[str]:
    yield "| target | n | ε | at most | found | |"
    yield "|---|---:|---:|---:|---:|---|"
    for target in TARGETS:
        figure = found.get((target.line, target.rows, target.epsilon))
        text = "not measured" if figure is None else f"{figure.value:.4g} ± {figure.error:.2g}"
        met = "" if figure is None else "met" if figure.value <= target.most else "missed"
        yield f"| {target.text} | {target.rows:,} | {target.epsilon:g} | {target.most:g} | {text} | {met} |"


def report(
    rows: list[Row], peers: list[Peer], notes: list[str], command: str, first: Mapping[tuple[str, int, float], Figure]
) -> str:
    """In markdown. `first`: our figures of the first table alone, which the targets are about."""
    names = [peer.name for peer in peers]
    versions = ", ".join(f"{peer.name} {peer.version}" for peer in peers)
    beaten = [row for row in rows if row.beaten_by()]
    ways = sorted(
        {
            f"{name}, {row.line.name}: {peer.way}"
            for row in rows
            for name, peer in row.peers.items()
            if peer.way and peer.way != BY_HAND
        }
    )
    measured = (
        f"Measured by `{command}` on {machine()}; dprelease {dprelease.__version__} on OpenDP {version('opendp')}. "
        f"Peers: {versions}."
    )
    counted = (
        f"{len(rows) - len(beaten)} of {len(rows)} lines: ours is the lowest, or at most 5 % above the lowest as far "
        "as chance allows to tell."
    )
    parts = [
        measured,
        "",
        counted,
        "",
        "| statistic | n | ε | ours | " + " | ".join(names) + " | ours is |",
        "|---|---:|---:|---:|" + "---:|" * len(names) + "---|",
        *(row.markdown(names) for row in rows),
        "",
        *(f"- {note}" for note in notes),
        "",
        "Where a peer has several ways, its best one counts. Other ways than the plain call:",
        "",
        *(f"- {way}" for way in ways),
        "",
        "Targets of our own:",
        "",
        *target_lines(first),
    ]
    return "\n".join(parts)


# ---------------------------------------------------------------------------------------------------------------- main


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="1,000 rows, ε = 1, 300 repetitions: about a minute")
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy.md")
    options.add_argument("--repetitions", type=int, default=1000, help="of each line; slow ways make do with fewer")
    options.add_argument("--peers", nargs="*", default=None, help="their workers' names, or all, or none")
    options.add_argument("--lines", nargs="*", default=[], help="only statistics whose name begins with one of these")
    options.add_argument("--environments", type=Path, default=ENVIRONMENTS, help="where peers live")
    chosen = options.parse_args()

    wanted = [peer for peer in PEERS if chosen.peers is None and not peer.slow]
    if chosen.peers is not None:
        wanted = [peer for peer in PEERS if peer.worker in chosen.peers or "all" in chosen.peers]
    lines = [line for line in LINES if line.name.startswith(tuple(chosen.lines) or "")]
    times = FEWEST if chosen.quick else max(FEWEST, chosen.repetitions)
    sizes = (1000,) if chosen.quick else (1000, 10_000)
    questions = [
        (line, rows, epsilon)
        for line in lines
        for rows in sizes
        for epsilon in line.epsilons
        if epsilon == 1.0 or not chosen.quick
    ]

    started = time.perf_counter()
    interpreters, notes = prepared(wanted, chosen.environments)
    print(f"  environments: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    data = {rows: [generated(rows, table) for table in range(TABLES)] for rows in sizes}
    own: dict[tuple[str, int, float], Figure] = {}
    first: dict[tuple[str, int, float], Figure] = {}
    with tempfile.TemporaryDirectory() as path, ThreadPoolExecutor(max_workers=2) as pool:
        folder = Path(path)
        for rows, tables_ in data.items():
            for table, columns in enumerate(tables_):
                for name, values in columns.items():
                    np.save(saved(folder, rows, table, name), values)
        waiting = {
            peer: pool.submit(ask, peer, python, questions, folder, times) for peer, python in interpreters.items()
        }
        for line, rows, epsilon in questions:
            if line.plan["kind"] in KINDS:
                count = min(times, line.at_most or times) // line.tables
                draws = [ours(line, columns, epsilon, count) for columns in data[rows][: line.tables]]
                own[line.name, rows, epsilon] = figure(line, draws, data[rows])
                first[line.name, rows, epsilon] = figure(line, draws[:1], data[rows])
        print(f"  ours: {time.perf_counter() - started:.0f} s", file=sys.stderr)
        asked = {peer: future.result() for peer, future in waiting.items()}

    unknown = sorted({line.name for line in lines if line.plan["kind"] not in KINDS})
    notes += [f"Not measured, since dprelease has no such statistic yet: {', '.join(unknown)}."] if unknown else []
    found = []
    for line, rows, epsilon in questions:
        peers = {}
        for peer, answer in asked.items():
            ways = answer.draws.get((line.key, rows, epsilon), {})
            figures = [figure(line, draws, data[rows], way) for way, draws in ways.items()]
            if figures:
                peers[peer.name] = min(figures, key=lambda each: each.value)
        if (line.name, rows, epsilon) in own:
            found.append(Row(line=line, rows=rows, epsilon=epsilon, ours=own[line.name, rows, epsilon], peers=peers))
    notes += [note for answer in asked.values() for note in answer.notes]
    command = ".venv/bin/python -m benchmarks.accuracy " + " ".join(sys.argv[1:])
    text = report(found, list(interpreters), notes, command.strip(), first)
    print(text)
    spent = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"  in all: {time.perf_counter() - started:.0f} s, {spent:.0f} s of processor time", file=sys.stderr)
    if chosen.write:
        put(REPORT, "benchmarks.accuracy", text)


if __name__ == "__main__":
    main()

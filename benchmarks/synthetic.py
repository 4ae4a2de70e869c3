"""How far tables of synthetic rows are from true ones, what their report says of it, and what they cost.

    .venv/bin/python -m benchmarks.synthetic [--write] [--draws 5] [--only TEXT] [--epsilons 0.3 1 3]
        [--methods residual_tree] [--large 10000000]

Real tables out of packages (`benchmarks.real`): Adult with 8 and with 14 columns, Pima, and one that no design names.
Each is published by a workspace, so many times at each ε. TVD2 and TVD3 are the mean total variation between rows and
true rows over all tables of two and of three columns. `report` is the median of what the report says of a covered table
over what is true, at the noisy number of rows; `covered` how often its interval holds that. `--write` puts the report
into docs/accuracy-synthetic.md. `--large`: how long it takes to publish a million rows of Adult repeated to so many,
instead.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

import dprelease
from benchmarks import real
from benchmarks.accuracy import REPORT
from benchmarks.environments import machine, put
from dprelease.model.release import Release, SyntheticRows
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.grouping import equal_bins
from dprelease.statistics.kinds.synthetic import Synthetic
from dprelease.verdict.recompute import stated_price

DELTA = "1e-6"
EPSILONS = (0.3, 1.0, 3.0)
TREE, MWEM, PMW, DUAL = METHODS = ("residual_tree", "mwem", "pmw", "dual_query")
WAYS = (
    ("zcdp", 3, TREE),
    ("zcdp", 2, TREE),
    ("pure", 2, TREE),
    ("zcdp", 3, MWEM),
    ("zcdp", 2, MWEM),
    ("pure", 2, MWEM),
    ("zcdp", 2, PMW),
    ("pure", 2, PMW),
    ("zcdp", 2, DUAL),
    ("pure", 2, DUAL),
)
MAX_COMBINATIONS = 2_000_000
"""Of cells of all columns: methods that choose refuse more."""
MAX_DRAWN = 5_000
"""Of cells of all tables: dual_query refuses more."""
MAX_TABLES = 60
"""Of which each has noise of its own where ε is counted: more are refused."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A real table with the bins of its numeric columns."""

    name: str
    frame: pd.DataFrame
    columns: Mapping[str, Any]
    bins: Mapping[str, int]

    @cached_property
    def schema(self) -> Schema:
        return Schema.parse({name: dict(declared) for name, declared in self.columns.items()})

    def cells(self, frame: pd.DataFrame) -> dict[str, NDArray[np.int64]]:
        """In which bin or category each row is, of each column: in that which a release counts it in.

        A bin begins with a declared value, not wherever an equal part of the way between the bounds ends.
        """
        found = {}
        for name, declared in self.columns.items():
            if name in self.bins:
                key, lattice = equal_bins(self.schema[name], self.bins[name]), self.schema[name].lattice
                codes = np.floor(frame[name].astype(float) / float(lattice.resolution) + 0.5) - lattice.start
                found[name] = np.searchsorted([key.first_code(cell) for cell in range(1, key.cells)], codes, "right")
            else:
                found[name] = np.array(
                    pd.Categorical(frame[name].astype(str), categories=declared["categories"]).codes, dtype=np.int64
                )
        return found

    def sizes(self) -> dict[str, int]:
        return {name: self.bins.get(name) or len(declared["categories"]) for name, declared in self.columns.items()}


def cases() -> tuple[Case, ...]:
    adult = real.CLASSIFICATIONS[0].rows()
    listed = ["workclass", "education", "marital", "occupation", "relationship", "race", "sex", "country", "income"]
    columns: dict[str, Any] = {
        "age": {"type": "integer", "lower": 17, "upper": 90},
        **{name: {"type": "category", "categories": sorted(adult[name].unique())} for name in listed},
        "fnlwgt": {"type": "integer", "lower": 0, "upper": 1_500_000},
        "education_num": {"type": "integer", "lower": 1, "upper": 16},
        "gain": {"type": "integer", "lower": 0, "upper": 100_000},
        "hours": {"type": "integer", "lower": 1, "upper": 100},
    }
    eight = ("age", "workclass", "education", "marital", "relationship", "race", "sex", "income")
    few = {"age": 10, "fnlwgt": 10, "education_num": 16, "gain": 10, "hours": 10}
    pima, default = real.CLASSIFICATIONS[1], real.CLASSIFICATIONS[3]
    own = {
        "pregnancies": 7, "glucose": 8, "pressure": 7, "skin": 5, "insulin": 6, "bmi": 7, "pedigree": 5, "age": 7,
    }  # fmt: skip
    return (
        Case(name="Adult, 8 columns", frame=adult, columns={n: columns[n] for n in eight}, bins={"age": 10}),
        Case(name="Adult, 14 columns", frame=adult, columns=columns, bins=few),
        Case(name="Pima", frame=pima.frame(), columns=pima.columns, bins=own),
        Case(
            name="Default (in no design)",
            frame=default.frame(),
            columns=default.columns,
            bins={"balance": 12, "income": 10},
        ),
    )


@dataclass(frozen=True)
class Drawn:
    """One release."""

    distances: Mapping[int, float]
    ratios: list[float]
    held: list[bool]
    seconds: float


def released(case: Case, currency: str, order: int, method: str, epsilon: float) -> Drawn:
    workspace = dprelease.Workspace.in_memory()
    delta: Any = DELTA if currency == "zcdp" else 0
    workspace.add_population("all", unit="person", neighbors="add_remove", epsilon=100, delta=delta, currency=currency)
    workspace.add_dataset("t", case.frame[list(case.columns)], population="all", columns=case.columns)
    plan = _plan(case, order, method, epsilon, delta)
    plan_id = workspace.plans.submit(plan)
    workspace.plans.approve(plan_id)
    start = perf_counter()
    output = workspace.publish(plan_id).outputs["rows"]
    assert isinstance(output, SyntheticRows)
    rows = pd.DataFrame({name: list(column) for name, column in output.columns.items()})
    seconds = perf_counter() - start
    return _judged(case, output, rows, seconds)


def _plan(case: Case, order: int, method: str, epsilon: float, delta: Any, **more: Any) -> dprelease.Plan:
    asked = {"id": "rows", "kind": "synthetic", "columns": list(case.columns), "order": order, **more}
    if method != TREE:
        asked["method"] = method
    if case.bins:
        asked["bins"] = dict(case.bins)
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": delta}
    return dprelease.Plan.parse(
        {"dprelease": 1, "dataset": "t", "privacy": privacy, "statistics": [asked], "charts": False}
    )


def _judged(case: Case, output: SyntheticRows, rows: pd.DataFrame, seconds: float) -> Drawn:
    true, made, sizes = case.cells(case.frame), case.cells(rows), case.sizes()
    report = output.parts[next(name for name in output.parts if name.startswith("report"))]
    told = {
        str(name): each
        for (name, _), *each in zip(report.axes[0].cells, report.value, report.lower95, report.upper95, strict=True)
    }
    distances: dict[int, list[float]] = {1: [], 2: [], 3: []}
    total = max(1.0, sum(next(iter(output.parts.values())).value))
    ratios, held = [], []
    for size in distances:
        for names in combinations(case.columns, size):
            one, other = (_counts(cells, names, sizes) for cells in (true, made))
            other = other / max(1.0, other.sum())
            distances[size].append(float(np.abs(one / one.sum() - other).sum() / 2))
            value, low, high = told["_".join(names)]
            if value is not None:
                error = float(np.sqrt(((one - total * other) ** 2).mean()))
                ratios.append(value / error if error else 1.0)
                held.append(low <= error <= high)
    return Drawn({size: mean(each) for size, each in distances.items()}, ratios, held, seconds)


def _counts(
    cells: Mapping[str, NDArray[np.int64]], names: tuple[str, ...], sizes: Mapping[str, int]
) -> NDArray[np.float64]:
    place = np.zeros(len(cells[names[0]]), dtype=np.int64)
    for name in names:
        place = place * sizes[name] + cells[name]
    return np.bincount(place, minlength=int(np.prod([sizes[name] for name in names]))).astype(np.float64)


LARGEST = 1_000_000
"""Rows that are made of a large table."""


def large(height: int) -> Iterator[str]:
    """The seconds that a release takes of Adult with 8 columns, repeated, at ε = 1; and its rows again, by themselves.

    A release has scan, noise, tables, rows and report. What is repeated is as far from the noise as many people are.
    """
    case = cases()[0]
    table = pa.Table.from_pandas(case.frame[list(case.columns)], preserve_index=False)
    for order in (2, 3):
        with TemporaryDirectory() as folder:
            with parquet.ParquetWriter(f"{folder}/t.parquet", table.schema) as writer:
                for first in range(0, height, len(table)):
                    writer.write_table(table.slice(0, min(len(table), height - first)))
            made = min(height, LARGEST)
            workspace = dprelease.Workspace.create(f"{folder}/w")
            workspace.add_population(
                "all", unit="person", neighbors="add_remove", epsilon=1, delta=DELTA, currency="zcdp"
            )
            workspace.add_dataset("t", f"{folder}/t.parquet", population="all", columns=case.columns)
            plan_id = workspace.plans.submit(_plan(case, order, TREE, 1.0, DELTA, rows=made))
            workspace.plans.approve(plan_id)
            start = perf_counter()
            release = workspace.publish(plan_id)
            whole = perf_counter() - start
            own = f"{whole:.1f} s; rows alone {_alone(release):.1f} s"
            yield f"{height:,} rows scanned, {made:,} made, order {order}: {own}"


def _alone(release: Release) -> float:
    """The seconds that rows take once there are noisy integers."""
    (item,) = stated_price(release.certificate).statistics
    output, own = release.outputs["rows"], item.statistic
    assert isinstance(output, SyntheticRows)
    assert isinstance(own, Synthetic)
    mechanisms = item.derivation.measurement.mechanisms
    schema = stated_price(release.certificate).plan.schema
    drawn = own.drawn_of(own, schema, output.integers, mechanisms)
    assert drawn is not None
    start = perf_counter()
    made = own.answered_by(own, schema, drawn, mechanisms)
    assert isinstance(made, SyntheticRows)
    assert [list(column) for column in made.columns.values()] == [list(each) for each in output.columns.values()]
    return perf_counter() - start


def _refused(case: Case, currency: str, order: int, method: str) -> bool:
    sizes = case.sizes().values()
    if method == DUAL:
        drawn = sum(prod(each) for size in range(1, order + 1) for each in combinations(sizes, size))
        return drawn > MAX_DRAWN or prod(sizes) > MAX_COMBINATIONS
    if method != TREE:
        return prod(sizes) > MAX_COMBINATIONS
    return currency == "pure" and comb(len(case.columns), order) > MAX_TABLES


def report(
    draws: int, only: str = "", epsilons: Sequence[float] = EPSILONS, methods: Sequence[str] = METHODS
) -> Iterator[str]:
    yield f"Made by `.venv/bin/python -m benchmarks.synthetic`: {machine()}; δ = {DELTA} in zcdp; {draws} draws."
    yield ""
    yield "| table | rows | ε | by | TVD1 | TVD2 | TVD3 | report | covered | seconds |"
    yield "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|"
    for case in cases():
        for currency, order, method in (way for way in WAYS if way[2] in methods):
            way = f"{currency}, order {order}" + (f", {method}" if method != TREE else "")
            if _refused(case, currency, order, method) or only not in f"{case.name}, {way}":
                continue
            for epsilon in epsilons:
                found = [released(case, currency, order, method, epsilon) for _ in range(draws)]
                apart = " | ".join(f"{mean(each.distances[size] for each in found):.4f}" for size in (1, 2, 3))
                ratio = median(ratio for each in found for ratio in each.ratios)
                held = mean(hit for each in found for hit in each.held)
                seconds = median(each.seconds for each in found)
                yield (
                    f"| {case.name} | {len(case.frame):,} | {epsilon:g} | {way} | {apart} | {ratio:.2f} | {held:.2f} "
                    f"| {seconds:.1f} |"
                )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    yield ""
    yield f"The process took {peak} MB at most; seconds are those of scan, noise, tables, rows and report."


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy-synthetic.md")
    options.add_argument("--draws", type=int, default=5)
    options.add_argument("--only", default="", help="lines that have this text")
    options.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    options.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    options.add_argument("--large", type=int, help="rows of a large table, which is timed instead")
    chosen = options.parse_args()
    if chosen.large:
        print(machine())
        print(*large(chosen.large), sep="\n")
        return
    lines = []
    for line in report(chosen.draws, chosen.only, chosen.epsilons, chosen.methods):
        print(line, flush=True)
        lines.append(line)
    if chosen.write:
        put(REPORT.with_name("accuracy-synthetic.md"), "benchmarks.synthetic", "\n".join(lines))


if __name__ == "__main__":
    main()

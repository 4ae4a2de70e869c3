"""What the price of a plan takes, from its mapping on: processor time, cold and again.

    .venv/bin/python -m benchmarks.prices [--turns 5]

Each turn is a process of its own that has loaded the code and priced nothing alike. Prices read no rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from multiprocessing import get_context
from time import process_time
from typing import Any

import dprelease
from benchmarks.environments import machine
from benchmarks.plans import BOOK
from benchmarks.workload import histograms
from dprelease.model.privacy import Currency
from dprelease.statistics.planning.price import price

ASKED = {"many": 100, "zcdp": 50, "pure": 300}
"""Milliseconds: for 300 statistics, and for a workload in each currency."""
KINDS: Sequence[Mapping[str, Any]] = (
    {"kind": "histogram", "bins": 15},
    {"kind": "mean", "by": ["sex"]},
    {"kind": "quantiles", "probs": [0.25, 0.5, 0.75]},
    {"kind": "sum", "by": ["region"]},
    {"kind": "std"},
    {"kind": "cdf", "bins": 20},
)
MIXED = [
    {"id": f"s{place}", "column": f"x{place % 50}", **kind} for place, kind in enumerate(islice(cycle(KINDS), 300))
]
NUMBERS = {f"x{place}": {"type": "integer", "lower": 0, "upper": 50 + place} for place in range(50)}
GROUPS = {
    "sex": {"type": "category", "categories": ["F", "M"]},
    "region": {"type": "category", "categories": [f"r{code}" for code in range(8)]},
}


@dataclass(frozen=True)
class Case:
    """A plan, and how long its price may take."""

    name: str
    columns: Mapping[str, Any]
    statistics: Sequence[Mapping[str, Any]]
    asked: str = "many"
    currency: Currency = Currency.PURE


def workload(columns: int, order: int, currency: Currency) -> Case:
    """All tables over up to so many columns, each of another number of values."""
    declared = {
        f"c{place}": {"type": "category", "categories": [f"v{code}" for code in range(2 + place)]}
        for place in range(columns)
    }
    asked = {"id": "w", "kind": "workload", "columns": list(declared), "order": order}
    name = f"all tables of up to {order} of {columns} columns, {currency.value}"
    return Case(name, declared, [asked], currency.value, currency)


def cases() -> Iterator[Case]:
    many = histograms(300)
    without_nulls = {name: {**column, "count_missing_as": 0} for name, column in many["columns"].items()}
    yield Case("300 histograms", many["columns"], many["statistics"])
    yield Case("300 histograms of columns without nulls", without_nulls, many["statistics"])
    yield Case("a codebook of 300 columns", BOOK.columns, BOOK.statistics)
    yield Case("300 statistics of six kinds, 50 columns", {**NUMBERS, **GROUPS}, MIXED)
    yield workload(14, 3, Currency.ZCDP)
    yield workload(8, 3, Currency.PURE)


def taken(case: Case) -> tuple[float, float]:
    """Milliseconds of the processor to parse and price a plan for the first time, and then again."""
    mapping = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": "1e-6"},
        "columns": case.columns,
        "expected": {"rows": 10_000},
        "statistics": case.statistics,
    }
    found = []
    for _ in range(2):
        begun = process_time()
        price(dprelease.Plan.parse(mapping), currency=case.currency, discovers=case.currency is Currency.PURE)
        found.append(1000 * (process_time() - begun))
    return found[0], found[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    for currency in Currency:
        taken(workload(2, 2, currency))  # loads the code
    taken(Case("", NUMBERS | GROUPS, MIXED[:6]))
    print("| milliseconds of the processor, least of the turns | cold | again | asked | |\n|---|---:|---:|---:|---|")
    for case in cases():
        turns = [_apart(case) for _ in range(options.turns)]
        cold, again = (min(each[place] for each in turns) for place in (0, 1))
        asked = ASKED[case.asked]
        print(f"| {case.name} | {cold:.0f} | {again:.0f} | {asked} | {'met' if cold <= asked else 'missed'} |")
    print(f"\n{machine()}")


def _apart(case: Case) -> tuple[float, float]:
    """In a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        return pool.submit(taken, case).result()


if __name__ == "__main__":
    main()

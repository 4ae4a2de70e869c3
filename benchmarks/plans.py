"""How far the statistics of whole plans err at ε = 1: as before 0.5.0, and as plans are now with each objective.

    .venv/bin/python -m benchmarks.plans [--write] [--releases 200]

Five typical plans are priced, from declared facts alone, in both currencies, cumulative shares of ever more bins, and
cross tables each by itself and as one family.
Two tables of statsmodels that no part of dprelease was made with, `fair` and `anes96`, are released many times: their
errors are those observed. Errors are told relative to a typical value of each statistic (in a mean, the width of its
bounds). `--write` puts the report into docs/accuracy-plans.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

import dprelease
from benchmarks.accuracy import REPORT, Array
from benchmarks.environments import machine, put
from dprelease.model.plan import WEIGHTS, Expected
from dprelease.model.privacy import Currency
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.tree import Tree
from dprelease.statistics.answer import answers, draw, exact, queries
from dprelease.statistics.kinds import cdf
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.codebook import codebook
from dprelease.statistics.planning.price import Price, price
from dprelease.table import Engine

Statistics = Sequence[Mapping[str, Any]]
AGE = {"type": "integer", "lower": 0, "upper": 100}
REGION = {"type": "category", "categories": [f"r{code}" for code in range(8)]}
SEX = {"type": "category", "categories": ["F", "M"]}
INCOME = {"type": "integer", "lower": 0, "upper": 200_000}
BEFORE, EQUAL = "before", "equal shares"
WAYS = (BEFORE, EQUAL, *reversed(WEIGHTS))
"""Each statistic measured apart with an equal share; then measured once, with equal shares or by an objective."""
NO_NOISE = 1_000_000
"""An ε at which what is published is true but for the last digits."""
EXPECTED = 10_000
"""Rows of which cumulative shares are told."""
NINE = ("std", "variance", "mean", "sum", "histogram", "cdf", "count", "median", "quantiles")


@dataclass(frozen=True)
class Case:
    """A plan, and how many rows are expected of its table."""

    name: str
    rows: int
    columns: Mapping[str, Any]
    statistics: Statistics


def _of_one_column() -> list[dict[str, Any]]:
    further: dict[str, dict[str, Any]] = {
        "histogram": {"bins": 20},
        "cdf": {"bins": 20},
        "quantiles": {"probs": [0.25, 0.5, 0.75]},
    }
    return [
        {"id": kind, "kind": kind, **({} if kind == "count" else {"column": "income"}), **further.get(kind, {})}
        for kind in NINE
    ]


HEALTH = Case(
    "health survey",
    10_000,
    {
        "age": AGE,
        "region": REGION,
        "sex": SEX,
        "smokes": {"type": "boolean"},
        "pressure": {"type": "integer", "lower": 60, "upper": 240},
        "weight": {"type": "number", "lower": 30, "upper": 200, "resolution": 0.1},
    },
    [
        {"id": "n", "kind": "count"},
        {"id": "ages", "kind": "histogram", "column": "age", "bins": 10},
        {"id": "smokers", "kind": "proportion", "where": [{"column": "smokes", "equals": True}], "by": ["region"]},
        {"id": "pressure", "kind": "mean", "column": "pressure"},
        {"id": "pressure_spread", "kind": "std", "column": "pressure"},
        {"id": "pressure_by", "kind": "mean", "column": "pressure", "by": ["sex", "region"]},
        {"id": "weights", "kind": "quantiles", "column": "weight", "probs": [0.1, 0.5, 0.9]},
        {"id": "smoking", "kind": "crosstab", "columns": ["smokes", "sex", "age"], "bins": {"age": 10}},
    ],
)
CENSUS = Case(
    "census table",
    1_000_000,
    {"age": AGE, "region": REGION, "sex": SEX},
    [
        {"id": "n", "kind": "count"},
        {"id": "sexes", "kind": "histogram", "column": "sex"},
        {"id": "regions", "kind": "histogram", "column": "region"},
        {"id": "region_sex", "kind": "crosstab", "columns": ["region", "sex"]},
        {"id": "ages", "kind": "histogram", "column": "age"},
        {"id": "pyramid", "kind": "crosstab", "columns": ["age", "sex"]},
        {"id": "all", "kind": "crosstab", "columns": ["region", "age", "sex"], "bins": {"age": 20}},
    ],
)
STUDY = Case("income study, nine statistics of one column", 50_000, {"income": INCOME}, _of_one_column())
SERIES = Case(
    "time series",
    20_000,
    {"day": {"type": "date", "lower": "2024-01-01", "upper": "2025-12-31"}, "region": REGION, "cost": INCOME},
    [
        {"id": "months", "kind": "histogram", "column": "day", "levels": {"day": "month"}},
        {"id": "weeks", "kind": "histogram", "column": "day", "levels": {"day": "week"}},
        {"id": "until", "kind": "cdf", "column": "day", "bins": 24},
        {"id": "by_region", "kind": "crosstab", "columns": ["day", "region"], "levels": {"day": "quarter"}},
        {"id": "cost", "kind": "mean", "column": "cost", "by": ["day"], "levels": {"day": "quarter"}},
        {"id": "total", "kind": "sum", "column": "cost"},
    ],
)
WIDE: Mapping[str, Any] = {f"q{place}": (AGE, REGION, SEX)[place % 3] for place in range(300)}
BOOK = Case("codebook of 300 columns", 10_000, WIDE, codebook(Schema.parse(WIDE)))
CASES = (HEALTH, CENSUS, STUDY, SERIES, BOOK)


def whole(lower: int, upper: int) -> dict[str, Any]:
    return {"type": "integer", "lower": lower, "upper": upper}


def halves(lower: float, upper: float) -> dict[str, Any]:
    return {"type": "number", "lower": lower, "upper": upper, "resolution": 0.5}


TABLES: Mapping[str, Mapping[str, Any]] = {
    "fair": {
        "rate_marriage": whole(1, 5),
        "age": halves(17.5, 42),
        "yrs_married": halves(0.5, 23),
        "children": halves(0, 5.5),
        "religious": whole(1, 4),
        "educ": whole(9, 20),
        "occupation": whole(1, 6),
        "occupation_husb": whole(1, 6),
        "affairs": {"type": "number", "lower": 0, "upper": 60, "resolution": 0.1},
    },
    "anes96": {
        "popul": whole(0, 10_000),
        "TVnews": whole(0, 7),
        "selfLR": whole(1, 7),
        "ClinLR": whole(1, 7),
        "DoleLR": whole(1, 7),
        "PID": whole(0, 6),
        "age": whole(18, 95),
        "educ": whole(1, 7),
        "income": whole(1, 24),
        "vote": whole(0, 1),
    },
}


def priced(case: Case, currency: Currency, way: str, epsilon: int = 1) -> Price:
    """Before, each statistic is measured apart; now what is shared is once, and in zcdp nothing is ever discovered."""
    now = way != BEFORE
    mapping = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": "1e-6"},
        "columns": case.columns,
        "expected": {"rows": case.rows},
        "statistics": case.statistics,
        **({"weights": way} if way in WEIGHTS else {}),
    }
    sharing.ON = now
    try:
        return price(dprelease.Plan.parse(mapping), currency=currency, discovers=not now or currency is Currency.PURE)
    finally:
        sharing.ON = True


def typical(bill: Price, name: str) -> float:
    """What a statistic's error is told relative to, from declared facts alone: in a mean, the width of its bounds."""
    expected = bill.plan.expected
    assert isinstance(expected, Expected)
    return float(bill[name].statistic.magnitude(bill.plan.schema, expected))


def foreseen(bill: Price) -> dict[str, float]:
    """By statistic, what it is expected to err in that of a typical value."""
    return {item.id: (item.error95 or 0.0) / typical(bill, item.id) for item in bill.statistics}


def released(bill: Price, rows: pa.Table, times: int, names: Collection[str] | None = None) -> list[dict[str, Array]]:
    """The numbers of each statistic, or of some by name, of so many releases."""
    engine, plan = Engine(), bill.plan
    tallies = engine.answer(engine.hold(rows), queries(bill), schema=plan.schema, where=(), unit=plan.unit)
    inputs = exact(bill, tallies)
    made = (answers(bill, draw(bill, inputs)) for _ in range(times))
    return [{name: np.array(each[name].value, dtype=float) for name in names or each} for each in made]


def observed(bill: Price, rows: pa.Table, truth: Mapping[str, Array], times: int) -> dict[str, float]:
    """By statistic, the root mean square error of its numbers over many releases, in that of a typical value."""
    made = released(bill, rows, times)
    return {
        name: float(np.sqrt(np.mean([(each[name] - truth[name]) ** 2 for each in made]))) / typical(bill, name)
        for name in truth
    }


def line(name: str, currency: Currency, found: Mapping[str, Mapping[str, float]]) -> str:
    """The largest error of each way; then, for each way but the first, the median and the most of after/before."""
    before = found[BEFORE]
    most = " | ".join(f"{100 * max(each.values()):.3g}" for each in found.values())
    ratios = [[each[name] / before[name] for name in before if before[name] > 0] for each in found.values()][1:]
    return f"| {name} | {currency.value} | {most} | {' | '.join(f'{median(r):.2f}, {max(r):.2f}' for r in ratios)} |"


def report(releases: int) -> Iterator[str]:
    yield f"Made by `.venv/bin/python -m benchmarks.plans` on {machine()}; ε = 1, δ = 1e-6."
    yield ""
    heads = [f"largest error, %: {WAYS[0]}", *WAYS[1:], *(f"after/before, median and most: {way}" for way in WAYS[1:])]
    yield f"| plan | currency | {' | '.join(heads)} |"
    yield "|---|---|" + "---:|" * len(heads)
    for case in CASES:
        for currency in Currency:
            yield line(case.name, currency, {way: foreseen(priced(case, currency, way)) for way in WAYS})
    for name, columns in TABLES.items():
        rows = _loaded(name, columns)
        case = Case(name, rows.num_rows, columns, codebook(Schema.parse(dict(columns))))
        (truth,) = released(priced(case, Currency.PURE, BEFORE, NO_NOISE), rows, 1)
        for currency in Currency:
            found = {way: observed(priced(case, currency, way), rows, truth, releases) for way in WAYS}
            yield line(f"{name}, observed", currency, found)
    yield ""
    yield from _nine()
    yield ""
    yield from _shares()
    yield ""
    yield from _together()


def _nine() -> Iterator[str]:
    """Of the nine statistics of one column, each."""
    yield "| after/before, nine statistics of one column | | " + " | ".join(NINE) + " |"
    yield "|---|---|" + "---:|" * len(NINE)
    for currency in Currency:
        before = foreseen(priced(STUDY, currency, BEFORE))
        for way in WAYS[1:]:
            after = foreseen(priced(STUDY, currency, way))
            ratios = " | ".join(f"{after[name] / before[name]:.2f}" for name in NINE)
            yield f"| {currency.value} | {way} | {ratios} |"


def _shares() -> Iterator[str]:
    """Of cumulative shares the largest error, by the bins alone, as before 0.7.0, and as they are counted now."""
    heads = ("bins", "levels", "largest error, points: by the bins alone", "now", "after/before")
    yield f"| cdf of {EXPECTED:,} rows | {' | '.join(heads)} |"
    yield "|---|---:|---|---:|---:|---:|"
    for currency in Currency:
        for bins in (20, 30, 50, 101, 200, 1000, 10_000):
            asked = {"id": "s", "kind": "cdf", "column": "income", "bins": bins}
            case = Case("shares", EXPECTED, {"income": INCOME}, [asked])
            now, before = priced(case, currency, EQUAL), _by_bins_alone(case, currency)
            levels = " + ".join(str(each.sensitivity.shape[0]) for each in now["s"].mechanisms)  # type: ignore[index]
            errors = [100 * (bill["s"].error95 or 0.0) for bill in (before, now)]
            figures = " | ".join(f"{error:.3g}" for error in errors)
            yield f"| {currency.value} | {bins} | {levels} | {figures} | {errors[1] / errors[0]:.2f} |"


def _together() -> Iterator[str]:
    """Of tables of some columns the largest error, each by itself and all as one family."""
    yield "| cross tables | | tables | largest error, rows: each by itself | as one `workload` | together/apart |"
    yield "|---|---|---:|---:|---:|---:|"
    for count, order in ((3, 2), (4, 2), (6, 2), (8, 2), (4, 3), (6, 3)):
        sizes = (2, 5, 4, 12, 3, 8, 6, 10)[:count]
        columns = {f"c{place}": _complete(size) for place, size in enumerate(sizes)}
        tables = [list(names) for names in combinations(columns, order)]
        apart = [{"id": "_".join(names), "kind": "crosstab", "columns": names} for names in tables]
        family = [{"id": "family", "kind": "workload", "columns": list(columns), "tables": tables}]
        what = (
            f"all {'pairs' if order == 2 else 'triples'} of {count} columns of {min(sizes)} to {max(sizes)} categories"
        )
        for currency in Currency:
            bills = [priced(Case("tables", EXPECTED, columns, asked), currency, EQUAL) for asked in (apart, family)]
            before, after = (max(item.error95 or 0.0 for item in bill.statistics) for bill in bills)
            yield f"| {what} | {currency.value} | {len(tables)} | {before:.3g} | {after:.3g} | {after / before:.2f} |"


def _complete(size: int) -> dict[str, Any]:
    """A column in which every row counts."""
    codes = [f"v{place}" for place in range(size)]
    return {"type": "category", "categories": codes, "count_missing_as": codes[0]}


def _by_bins_alone(case: Case, currency: Currency) -> Price:
    with patch.object(cdf, "planned", lambda cells, *, squared: Tree((cells,))):
        return priced(case, currency, EQUAL)


def _loaded(name: str, columns: Mapping[str, Any]) -> pa.Table:
    from statsmodels import datasets

    load: Callable[[], Any] = getattr(datasets, name).load_pandas
    return pa.Table.from_pandas(load().data[list(columns)], preserve_index=False)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy-plans.md")
    options.add_argument("--releases", type=int, default=200, help="of each of the two tables")
    chosen = options.parse_args()
    text = "\n".join(report(chosen.releases))
    print(text)
    if chosen.write:
        put(REPORT.with_name("accuracy-plans.md"), "benchmarks.plans", text)


if __name__ == "__main__":
    main()

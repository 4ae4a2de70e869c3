"""Rows for the five typical plans, generated: the same for the same plan, on every machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.plans import BOOK, CENSUS, HEALTH, SERIES, STUDY, WIDE, Case
from dprelease.model.schema import Schema
from dprelease.model.tally import Key

Array = NDArray[Any]
Rows = Mapping[str, Array]
"""By column: categories and truth values as their places, dates as days since the lower bound, numbers as they are."""
REGIONS = np.array([0.24, 0.19, 0.16, 0.13, 0.1, 0.08, 0.06, 0.04])
SMOKERS = np.linspace(0.12, 0.3, len(REGIONS))
"""The chance of each region."""


def rows_of(case: Case) -> Rows:
    """The rows that a plan is for: as many as it expects."""
    return MAKERS[case.name](np.random.default_rng([case.rows, 2026]), case.rows)


def stored(case: Case, rows: Rows) -> pa.Table:
    """The same as a user would hand them in."""
    return pa.table({name: _stored(case.columns[name], values) for name, values in rows.items()})


def cell(case: Case, key: Key, rows: Rows) -> Array:
    """In which cell of a public cut each row is."""
    lattice = Schema.parse(dict(case.columns))[key.column].lattice
    values = rows[key.column]
    declared = "lower" in case.columns[key.column] and case.columns[key.column]["type"] != "date"
    codes = np.round(values / float(lattice.resolution)).astype(np.int64) - lattice.start if declared else values
    assert key.in_order
    if key.edges:
        return np.searchsorted(key.edges, codes, side="right") - 1
    return np.minimum(codes * key.cells // key.span, key.cells - 1)


def _stored(column: Mapping[str, Any], values: Array) -> Array:
    if column["type"] == "category":
        return np.array(column["categories"])[values]
    if column["type"] == "boolean":
        return values == 1
    if column["type"] == "date":
        days: Array = np.datetime64(column["lower"], "D") + values
        return days
    return values


def _whole(values: Array, lower: int, upper: int) -> Array:
    return np.clip(np.round(values), lower, upper).astype(np.int64)


def _ages(random: Generator, rows: int) -> Array:
    return _whole(100 * random.beta(1.5, 2.1, rows), 0, 100)


def _regions(random: Generator, rows: int) -> Array:
    return random.choice(len(REGIONS), size=rows, p=REGIONS)


def _sexes(random: Generator, rows: int) -> Array:
    return (random.random(rows) < 0.49).astype(np.int64)


def _incomes(random: Generator, rows: int) -> Array:
    return _whole(random.lognormal(np.log(32_000), 0.7, rows), 0, 200_000)


def _health(random: Generator, rows: int) -> Rows:
    ages, regions, sexes = _ages(random, rows), _regions(random, rows), _sexes(random, rows)
    weights = random.normal(70 + 12 * sexes, 13)
    return {
        "age": ages,
        "region": regions,
        "sex": sexes,
        "smokes": (random.random(rows) < SMOKERS[regions]).astype(np.int64),
        "pressure": _whole(random.normal(112 + 0.35 * ages, 15), 60, 240),
        "weight": np.round(np.clip(weights, 30, 200), 1),
    }


def _census(random: Generator, rows: int) -> Rows:
    return {"age": _ages(random, rows), "region": _regions(random, rows), "sex": _sexes(random, rows)}


def _study(random: Generator, rows: int) -> Rows:
    return {"income": _incomes(random, rows)}


def _series(random: Generator, rows: int) -> Rows:
    """More in winter, and a little more in the second year."""
    days = np.arange(731)
    chances = (1 + 0.25 * np.cos(2 * np.pi * days / 365.25)) * (1 + 0.1 * days / 731)
    return {
        "day": random.choice(days, size=rows, p=chances / chances.sum()),
        "region": _regions(random, rows),
        "cost": _incomes(random, rows),
    }


def _book(random: Generator, rows: int) -> Rows:
    """Columns of one sort are alike."""
    sorts = _ages(random, rows), _regions(random, rows), _sexes(random, rows)
    return {name: sorts[place % len(sorts)] for place, name in enumerate(WIDE)}


MAKERS: Mapping[str, Callable[[Generator, int], Rows]] = {
    HEALTH.name: _health,
    CENSUS.name: _census,
    STUDY.name: _study,
    SERIES.name: _series,
    BOOK.name: _book,
}

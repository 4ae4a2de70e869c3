"""Ten thousand random days of eleven years, and what each level of them comes to: told by pandas alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.algebra.levels import DROP, KEEP, level_key

FIRST, LAST, ROWS, PEOPLE = date(2015, 3, 4), date(2026, 2, 10), 10_000, 900
SCHEMA = Schema.parse(
    {
        "day": {"type": "date", "lower": str(FIRST), "upper": str(LAST), "outside": "missing"},
        "g": {"type": "category", "categories": ["a", "b", "c"]},
        "x": {"type": "integer", "lower": 0, "upper": 9},
    }
)
LEVELS = ("week", "month", "quarter", "half", "year", "weekday", "month_of_year")


def rows() -> pa.Table:
    """Some days are missing, and some lie outside of the bounds."""
    drawn = random.Random(17)
    days = [FIRST + timedelta(days=drawn.randrange(-40, (LAST - FIRST).days + 40)) for _ in range(ROWS)]
    return pa.table(
        {
            "id": pa.array([drawn.randrange(PEOPLE) for _ in days], pa.int64()),
            "day": pa.array([None if drawn.random() < 0.02 else day for day in days], pa.date32()),
            "g": pa.array([drawn.choice("abcd") for _ in days], pa.string()),
            "x": pa.array([drawn.randrange(10) for _ in days], pa.int64()),
        }
    )


def queries(level: str, partial: str = KEEP) -> list[TallyQuery]:
    """Counts, counts by another key, sums, and units."""
    key, other = level_key(SCHEMA["day"], level, partial), each_value(SCHEMA["g"])
    return [
        TallyQuery((key,)),
        TallyQuery((other, key)),
        TallyQuery((key,), Measure(("x",), ("day",))),
        TallyQuery((key,), units=True),
    ]


def frame(table: pa.Table) -> pd.DataFrame:
    """The rows that have a day within the bounds."""
    found = pd.DataFrame({name: table[name].to_pylist() for name in table.column_names})
    found = found[found.day.notna()]
    found = found[(found.day >= FIRST) & (found.day <= LAST)]
    return found.assign(day=pd.to_datetime(found.day))


def named(days: pd.Series, level: str) -> pd.Series:
    """The period of each day, as something that sorts."""
    by: dict[str, Callable[[], pd.Series]] = {
        "week": lambda: days.dt.isocalendar().year.astype(int) * 100 + days.dt.isocalendar().week.astype(int),
        "month": lambda: days.dt.year * 100 + days.dt.month,
        "quarter": lambda: days.dt.year * 10 + days.dt.quarter,
        "half": lambda: days.dt.year * 10 + (days.dt.month > 6),
        "year": lambda: days.dt.year,
        "weekday": lambda: days.dt.day_of_week,
        "month_of_year": lambda: days.dt.month,
    }
    return by[level]()


def expected(table: pa.Table, level: str, partial: str = KEEP) -> list[NDArray[np.int64]]:
    """What `queries` come to, where all rows of a unit count."""
    found = frame(table)
    found = found.assign(period=named(found.day, level))
    every = named(pd.Series(pd.date_range(FIRST, LAST)), level)
    outside = named(pd.Series(pd.to_datetime([FIRST - timedelta(days=1), LAST + timedelta(days=1)])), level)
    recurring = level in ("weekday", "month_of_year")
    periods = sorted(set(every) - (set(outside) if partial == DROP and not recurring else set()))
    by = found.groupby("period")
    return [
        by.size().reindex(periods, fill_value=0).to_numpy(),
        found.groupby(["g", "period"])
        .size()
        .unstack(fill_value=0)
        .reindex(columns=periods, fill_value=0)
        .reindex(list("abc"))
        .to_numpy(),
        by.x.sum().reindex(periods, fill_value=0).to_numpy(),
        by.id.nunique().reindex(periods, fill_value=0).to_numpy(),
    ]

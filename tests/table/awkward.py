"""Tables that every engine must answer alike: each kind of statistic, and each stored type of a column."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

import numpy as np
import pyarrow as pa

from dprelease.model.condition import Condition
from dprelease.model.schema import Schema
from dprelease.model.tally import Addend, DiscoveryQuery, Measure, Query, ScoreKey, TallyQuery, UnitPart
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.kit.rows import PALETTE, STORED
from dprelease.statistics.kit.rows import SCHEMA as EVERY_KIND
from dprelease.table import Discovery, Tally
from tests.statistics.kinds.variants import VARIANTS, statistic

SCORES = [
    ScoreKey(
        -(3 << 40), (Addend("k", 1 << 41), Addend("x", -(5 << 36)), Addend("g", of_code=(7 << 40, 0, -1))), 36, 128
    ),
    ScoreKey(2**60, (Addend("wide", -(2**49)), Addend("flag", of_code=(-(2**59), 2**59))), 54, 30),
    ScoreKey(1, (Addend("day", -3), Addend("coded", 1)), 0, 4),
    ScoreKey(
        -1, (Addend("wide", of_code=(-5, 0, 3), firsts=(0, 700, 1000)), Addend("k", of_code=(1,), firsts=(0,))), 0, 9
    ),
]
"""Of many bits, near the largest sums, and without a bit: what later rounds ask for."""
SCORED: list[Query] = [
    *(TallyQuery(score=score) for score in SCORES),
    TallyQuery((), Measure(("x", "wide"), ("h",)), score=SCORES[0]),
    TallyQuery((each_value(EVERY_KIND["flag"]),), Measure(("wide",)), score=SCORES[1]),
    TallyQuery((), Measure((), (), (Condition("g", (("equals", "b"),)),)), score=SCORES[0]),
    TallyQuery((each_value(EVERY_KIND["h"]),), units=True, score=SCORES[2]),
]
PARTED: list[Query] = [
    replace(query, part=UnitPart(limit, below))
    for query in (TallyQuery(), TallyQuery((each_value(EVERY_KIND["g"]),)), *SCORED[3:])
    for limit, below in ((2**60 // 5, True), (2**60 // 5, False), (0, True), (2**60 // 2, False))
    if isinstance(query, TallyQuery)
]
"""Of some of the units."""


def _whole(queries: Sequence[Query]) -> list[Query]:
    """Those of all units."""
    return [query for query in queries if not isinstance(query, TallyQuery) or query.part is None]


ASKED: list[Query] = list(
    dict.fromkeys([*(query for chosen in VARIANTS.values() for query in _whole(chosen.queries(EVERY_KIND))), *SCORED])
)
"""What every kind of statistic needs to know."""
MODEL: list[Query] = [
    *statistic(kind="linear", outcome="x", on=["k", "coded", "wide", "flag", "g"]).queries(EVERY_KIND)
]
"""What a plan of one model needs to know: many measures of rows that have all of its columns."""


def people(seed: int = 1, units: int = 120) -> pa.Table:
    """Rows of the palette (null, NaN, ±inf, ties, ...) of units with 1 to 6 rows, some alike, some without a unit."""
    draw = random.Random(seed)
    persons = [*range(units), *(2**62 + number for number in range(9)), *(-number for number in range(1, 9)), None]
    rows = [
        {**item, "person": person}
        for person in persons
        for item in draw.choices(PALETTE, k=draw.randint(1, 6))
        for _ in range(draw.choice((1, 1, 2)))
    ]
    draw.shuffle(rows)
    types = STORED | {"person": pa.int64()}
    return pa.table(
        {name: pa.array([row[name] for row in rows], type=type_, from_pandas=False) for name, type_ in types.items()}
    )


NUMBERS = ["1", " 2 ", "+1.5", "-.5", "3.", "1e0", "1E1", "1e999", "-1e999", "1e-999", "inf", "-Infinity", "nan", "NaN"]
NUMBERS += [
    "",
    ".",
    "1_0",
    "1,5",
    "1d",
    "0x1",
    "1e",
    "\t1\n",
    "true",
    "--1",
    "00012",
    "9" * 400,
    "0." + "0" * 400 + "1",
]
DAYS = ["2025-01-05", "2025-1-5", "2025/01/05", "2025 01 05", "2025-01-05 12:30:00", "2025-01-05T23:59:59.5", "2025"]
DAYS += ["2025-02-30", "2025-13-01", "2025-00-01", "20250105", " 2025-01-06 ", "2025-01", "2025-01-05 x", "today"]
DAYS += ["2024-02-29", "2025-02-29", "0000-00-00", "999-01-01", "2025-01-05 25:00", "Jan 5 2025", "2025-001-05"]
WORDS = [
    "a",
    "b",
    "A",
    "",
    " a",
    "1",
    "1.0",
    "true",
    "é",
    "日本",
    "it's",
    'say "x"',
    "back\\slash",
    "${x}",
    "%s",
    "a\nb",
]
FLOATS = [0.0, -0.0, 1.0, 1.5, 0.1, -2.25, 1e16, 1e300, -1e300, 5e-324, inf, -inf, nan, 123456789.25, 0.0001, 1e7 + 0.5]
DECIMALS = ["0", "1", "1.5", "-2.25", "10", "100.00", "12345678901234567.89", "0.01", "2.5", "-99999999.999"]
TYPES: dict[str, tuple[pa.DataType, list[Any], str]] = {
    "floats": (pa.float64(), FLOATS, "double precision"),
    "singles": (pa.float32(), [0.0, 1.0, 1.5, 0.25, 16777216.0, inf, -inf, nan], "real"),
    "small": (pa.int16(), [0, 1, 2, -32768, 32767], "smallint"),
    "integers": (pa.int32(), [0, 1, 2, 10, -(2**31), 2**31 - 1], "integer"),
    "bigs": (pa.int64(), [0, 1, 2, 2**53 + 1, -(2**63), 2**63 - 1], "bigint"),
    "decimals": (pa.decimal128(30, 4), [Decimal(text) for text in DECIMALS], "numeric(30,4)"),
    "numbers": (pa.string(), NUMBERS, "text"),
    "days": (pa.string(), DAYS, "varchar(50)"),
    "words": (pa.string(), WORDS, "text"),
    "flags": (pa.bool_(), [True, False], "boolean"),
    "dates": (pa.date32(), [date(2025, 1, 5), date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29)], "date"),
    "times": (
        pa.timestamp("us"),
        [datetime.fromisoformat(text) for text in ("2025-01-05", "2025-01-05T23:59:59.5", "1969-12-31T23:00")],
        "timestamp",
    ),
}
"""By column: its type in Parquet, the values it holds beside null, and its type in PostgreSQL."""
NUMERIC = {"lower": -2, "upper": 12, "resolution": 0.5}
DECLARED: dict[str, tuple[str, ...]] = {
    "number": ("floats", "singles", "small", "integers", "bigs", "decimals", "numbers", "flags"),
    "date": ("days", "dates", "times"),
    "category": tuple(TYPES),
    "boolean": ("floats", "integers", "decimals", "numbers", "words", "flags"),
}
CATEGORIES = [
    "1",
    "1.5",
    "0.1",
    "-2.25",
    "true",
    "inf",
    "100",
    "2025-01-05",
    "2025-01-05 00:00:00",
    "10000000000000000",
]
CATEGORIES += ["12345678901234567.89", "0.0001", "10000000.5", *WORDS[:4], *WORDS[8:]]


def stored_types(copies: int = 3) -> pa.Table:
    """Every value of every type, and null, each several times; `person` repeats."""
    rows = copies * (1 + max(len(values) for _, values, _ in TYPES.values()))
    columns = {"person": pa.array([number % 17 for number in range(rows)], pa.int64())}
    for name, (type_, values, _) in TYPES.items():
        cycle = [*values, None]
        columns[name] = pa.array([cycle[number % len(cycle)] for number in range(rows)], type_, from_pandas=False)
    return pa.table(columns)


CODED: dict[str, dict[str, Any]] = {
    "number": {"missing_codes": [1, -2.25, "true", {"from": 10_000_000}], "outside": {"above": "missing"}},
    "date": {"missing_codes": ["2025-01-05", "today", {"from": "9000-01-01"}], "outside": "missing"},
    "category": {"missing_codes": [2, 0, "NaN", {"to": -32768}, {"from": 5, "to": 99}]},
    "boolean": {"missing_codes": ["0", "A", {"from": 10}]},
    "discover": {"missing_codes": [1, "a", "true", {"from": 12}]},
}
"""By kind: codes for no answer, some of which each stored type holds."""


def declared_as(kind: str, *, coded: bool = False) -> tuple[Schema, list[Query]]:
    """Every stored column that can be of a kind, declared so, and its codes asked for one by one."""
    options: dict[str, Any] = {
        "number": NUMERIC,
        "date": {"lower": "2024-02-01", "upper": "2025-01-31"},
        "category": {"categories": CATEGORIES, "other": True},
        "boolean": {},
    }[kind]
    options = options | (CODED[kind] if coded else {})
    schema = Schema.parse({name: {"type": kind, **options} for name in DECLARED[kind]})
    queries: list[Query] = [TallyQuery((each_value(column),)) for column in schema]
    if kind == "number":
        queries += [TallyQuery((), Measure((column.name, column.name))) for column in schema]
    return schema, queries


def discovered(*, coded: bool = False) -> tuple[Schema, list[Query]]:
    """Every stored column's texts, as they are found."""
    names = [name for name in TYPES if name not in ("floats", "singles")]
    options = CODED["discover"] if coded else {}
    schema = Schema.parse({name: {"type": "category", "categories": "discover", **options} for name in names})
    return schema, [DiscoveryQuery((name,)) for name in names]


def same(first: Sequence[Tally | Discovery], second: Sequence[Tally | Discovery]) -> bool:
    """Whether two engines say the same, to the last digit."""
    return all(
        one.query == other.query
        and (np.array_equal(one.values, other.values) if isinstance(one, Tally) else one.values == other.values)
        for one, other in zip(first, second, strict=True)
    )

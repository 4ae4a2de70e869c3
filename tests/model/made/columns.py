"""Random columns made of others, and rows of codes that they are made of; from a seed, so always the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from dprelease.model.column import Column, ColumnType
from dprelease.model.report import Report
from dprelease.model.schema import Schema

STORED: dict[str, dict[str, Any]] = {
    "born": {"type": "date", "lower": "1890-02-27", "upper": "2024-03-01"},
    "seen": {"type": "date", "lower": "1999-12-30", "upper": "2024-02-29"},
    "ever": {"type": "date", "lower": "0001-01-01", "upper": "9999-12-31"},
    "short": {"type": "date", "lower": "2020-02-28", "upper": "2020-03-01"},
    "age": {"type": "integer", "lower": -3, "upper": 110, "count_missing_as": 7},
    "rooms": {"type": "integer", "lower": 0, "upper": 12},
    "fives": {"type": "integer", "lower": -50, "upper": 35, "resolution": 5},
    "income": {"type": "number", "lower": "-1000.5", "upper": 200000, "resolution": "0.5", "unit": "EUR"},
    "rent": {"type": "number", "lower": 10, "upper": 4000, "resolution": "0.25", "unit": "EUR"},
    "tiny": {"type": "number", "lower": "-0.003", "upper": "0.004", "resolution": "0.001"},
    "region": {"type": "category", "categories": ["N1", "N2", "S1", "S2", "E"], "other": True},
    "place": {"type": "category", "categories": ["0101", "0102", "0801", "0802", "0803", "01"]},
    "job": {"type": "category", "categories": ["a", "b", "c"]},
    "works": {"type": "boolean"},
    "asked": {"type": "boolean"},
}
INPUTS = Schema.parse(STORED)
FUNCTIONS = (
    *("days_between", "months_between", "years_between", "age", "sum", "difference", "product", "ratio", "least"),
    *("greatest", "cut", "recode", "coalesce", "part", "prefix", "holds", "known"),
)


def _of(schema: Schema, random: Random, *types: ColumnType) -> Column:
    return random.choice([column for column in schema if column.type in types])


def _some(schema: Schema, random: Random, *types: ColumnType, unit: bool = False) -> list[str]:
    first = _of(schema, random, *types)
    family = types if first.type in (ColumnType.INTEGER, ColumnType.NUMBER) else (first.type,)
    family = tuple(each for each in family if (each is ColumnType.DATE) == (first.type is ColumnType.DATE))
    alike = [each.name for each in schema if each.type in family and (not unit or each.unit == first.unit)]
    return random.choices(alike, k=random.randint(2, 4))


def declaration(kind: str, schema: Schema, random: Random) -> dict[str, Any]:
    """One declaration of a function, which may not fit."""
    day, numbers = ColumnType.DATE, (ColumnType.INTEGER, ColumnType.NUMBER)
    ordered = (*numbers, day)
    more: dict[str, Any] = {}
    said: Any
    match kind:
        case "days_between" | "months_between" | "years_between":
            said = [_of(schema, random, day).name for _ in range(2)]
        case "age":
            on = random.choice([_of(schema, random, day).name, "2023-02-28", "2024-02-29", "1900-03-01"])
            said = {"born": _of(schema, random, day).name, "on": on}
        case "sum":
            names = random.sample([each.name for each in schema if each.type in numbers], k=random.randint(1, 4))
            weights = {name: random.choice([1, -1, 2, "0.5", "-0.3", "0.01"]) for name in names}
            said = {"of": weights, "plus": random.choice([0, 3, "-0.7"]), "ignore_missing": random.random() < 0.5}
            more = random.choice([{}, {}, {"resolution": 5}, {"resolution": "0.7"}])
        case "difference" | "product":
            said = [_of(schema, random, *numbers).name for _ in range(2)]
            more = random.choice([{}, {}, {"resolution": 10}, {"resolution": 3}])
        case "ratio":
            said = {"of": _of(schema, random, *numbers).name, "to": _of(schema, random, *numbers).name}
            said |= {"times": random.choice([1, 100, "0.4"])}
            more = {"resolution": random.choice([1, "0.1", 10, "0.3"])}
        case "least" | "greatest":
            said = _some(schema, random, *ordered, unit=True)
        case "coalesce":
            said = _some(schema, random, *ordered, ColumnType.CATEGORY, ColumnType.BOOLEAN, unit=True)
        case "cut":
            column = _of(schema, random, *ordered)
            count = random.randint(1, min(4, column.lattice.steps))
            codes = sorted(random.sample(range(1, min(column.lattice.steps, 10**6) + 1), count))
            at = [column.value(code) for code in codes]
            said = {"of": column.name, "at": at, "labels": [f"band {place}" for place in range(count + 1)]}
        case "recode":
            column = _of(schema, random, ColumnType.CATEGORY, ColumnType.BOOLEAN)
            labels = random.sample(column.labels, k=random.randint(1, len(column.labels)))
            at = random.randint(1, len(labels))
            to = {"new": labels[:at]} | ({"newer": labels[at:]} if labels[at:] else {})
            said = {"of": column.name, "to": to, "else": random.choice(["keep", "missing", "rest", "new"])}
        case "part":
            parts = ("year", "quarter", "month", "day", "weekday", "iso_week", "iso_year")
            said = {"of": _of(schema, random, day).name, "is": random.choice(parts)}
        case "prefix":
            said = {"of": _of(schema, random, ColumnType.CATEGORY).name, "length": random.randint(1, 4)}
        case "holds":
            said = [_test(_of(schema, random, *ColumnType), random) for _ in range(random.randint(1, 3))]
        case _:
            said = _of(schema, random, *ColumnType).name
    if random.random() < 0.3 and kind in ("age", "years_between", "months_between", "days_between"):
        more = {"outside": random.choice(["clip", "missing", {"below": "missing"}]), "lower": 0, "upper": 30}
    return {"made": {kind: said}, **more}


def _test(column: Column, random: Random) -> dict[str, Any]:
    values = [column.value(random.randint(0, column.lattice.steps)) for _ in range(3)]
    if column.type in (ColumnType.CATEGORY, ColumnType.BOOLEAN):
        return {"column": column.name, "in": list(dict.fromkeys(values))}
    return {"column": column.name, **random.choice([{"at_least": values[0]}, {"at_most": values[0]}, {"in": values}])}


@cache
def made_columns(seed: int, count: int) -> Schema:
    """So many columns made of the stored ones and of one another; each function in turn."""
    random, schema = Random(seed), INPUTS
    for place in range(count):
        kind, name = FUNCTIONS[place % len(FUNCTIONS)], f"made{place}"
        for _ in range(50):
            declared, report = declaration(kind, schema, random), Report()
            found = Schema.read({**schema.to_mapping(), name: declared}, "columns", report)
            if not report.problems:
                schema = found
                break
        else:
            raise AssertionError(f"no declaration of {kind} fits: {declared} {report.problems}")
    return schema


def rows(schema: Schema, seed: int, count: int) -> list[dict[str, int | None]]:
    """Rows of codes of the stored columns: many at an end, some missing."""
    random = Random(seed)
    found = []
    for _ in range(count):
        row: dict[str, int | None] = {}
        for name in STORED:
            last, chance = schema[name].lattice.steps, random.random()
            row[name] = random.choice([0, last, 1, last - 1]) if chance < 0.3 else random.randint(0, last)
            if chance > 0.9 and not schema[name].complete:
                row[name] = None
        found.append(row)
    return found


Row = Mapping[str, int | None]

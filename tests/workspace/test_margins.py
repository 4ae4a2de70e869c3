"""Totals along the keys of a table are the sums of its cells, in every file, and never seen in a chart."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from pyarrow import parquet

import dprelease
from dprelease import verify
from dprelease.bundle.exports import table_json, table_parquet
from dprelease.bundle.notices import PublisherNotices
from dprelease.errors import InputError, PlanError
from dprelease.model.release import Estimates, Release
from dprelease.statistics.planning.price import price
from tests.workspace.test_levels import COLUMNS, ROWS, plan

CROSSED: dict[str, Any] = {
    "id": "crossed",
    "kind": "crosstab",
    "columns": ["p", "day", "age"],
    "levels": {"p": "r", "day": "year", "age": "broad"},
    "margins": True,
}
COUNTED: dict[str, Any] = {
    "id": "counted",
    "kind": "count",
    "by": ["p", "day", "age"],
    "levels": CROSSED["levels"],
    "margins": True,
}
SUMMED: dict[str, Any] = {**COUNTED, "id": "summed", "kind": "sum", "column": "age"}
TABLES = ("crossed", "counted", "summed")
KEYS = ("p", "day", "day_partial", "age_from", "age_to")
LEADING = (0, 1, 3)
"""The key columns that say `_T`."""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    workspace = dprelease.Workspace.create(tmp_path_factory.mktemp("margins") / "home")
    workspace.add_dataset("visits", ROWS, columns=COLUMNS, epsilon=10)
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan(CROSSED, COUNTED, SUMMED)))
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


@pytest.fixture(scope="module")
def bundle(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release.write(tmp_path_factory.mktemp("bundle"))


def agree(rows: Sequence[tuple[tuple[str, ...], int]]) -> int:
    """Tells how many totals there are, each of which is the sum of its parts exactly."""
    values = dict(rows)
    assert len(values) == len(rows)
    totals = 0
    for keys, value in values.items():
        for place in LEADING:
            if keys[place] == "_T":
                parts = [other for own, other in values.items() if _is_part(own, keys, place)]
                assert sum(parts) == value
                totals += 1
    return totals


def _is_part(own: tuple[str, ...], total: tuple[str, ...], place: int) -> bool:
    rest = [each for each in LEADING if each != place]
    return own[place] != "_T" and all(own[each] == total[each] for each in rest)


def told(table: Estimates) -> dict[tuple[str, ...], int]:
    """The values of a table by its keys, as text."""
    return {tuple(map(str, row[:5])): int(row[5]) for row in table.rows()}  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TABLES)
def test_totals_are_the_sums_of_the_published_cells(release: Release, name: str) -> None:
    table = release.tables[name]
    assert table.key_names == KEYS
    rows = list(told(table).items())
    assert len(rows) == 4 * 4 * 4
    assert agree(rows) == 3 * 16
    assert rows[-1][0] == ("_T", "_T", "no", "_T", "_T")


@pytest.mark.parametrize("name", TABLES)
def test_a_total_says_how_far_the_sum_of_its_noises_goes(release: Release, name: str) -> None:
    halves: dict[int, set[int]] = defaultdict(set)
    for row in release.tables[name].rows():
        terms = 3 ** sum(row[place] == "_T" for place in LEADING)
        halves[terms].add(int(row[7]) - int(row[5]))  # type: ignore[arg-type]
        assert int(row[7]) - int(row[5]) == int(row[5]) - int(row[6])  # type: ignore[arg-type]
    assert [len(each) for _, each in sorted(halves.items())] == [1, 1, 1, 1]
    one, *more = [each.pop() for _, each in sorted(halves.items())]
    assert all(
        one * terms**0.5 * 0.8 < half < one * terms**0.5 * 1.2 for terms, half in zip((3, 9, 27), more, strict=True)
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", TABLES)
def test_every_reader_finds_the_same_totals(release: Release, bundle: Path, name: str) -> None:
    """The signed CSV, SDMX, the wide CSV, the workbook, Parquet and JSON, each by a reader of that format alone."""
    expected = told(release.tables[name])
    for path in (f"tables/{name}.csv", f"sdmx/{name}.csv"):
        assert dict(_read((bundle / path).read_text())) == expected
    assert _of_wide((bundle / "wide" / f"{name}.csv").read_text()) == expected
    sheet = openpyxl.load_workbook(bundle / "workbook.xlsx")[name]
    heads, *rows = sheet.iter_rows(min_row=4, values_only=True)
    found = [dict(zip(heads, row, strict=True)) for row in rows]
    held = parquet.read_table(io.BytesIO(table_parquet(release, name))).to_pylist()
    for each in (found, held, json.loads(table_json(release, name, PublisherNotices()))["rows"]):
        assert {tuple(str(row[key]) for key in KEYS): row["value"] for row in each} == expected
    assert verify(bundle).release.tables[name] == release.tables[name]


def _read(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    for row in csv.DictReader(io.StringIO(text)):
        low: Mapping[str, str] = {name.lower(): cell for name, cell in row.items()}
        yield tuple(low[name] for name in KEYS), int(low.get("value") or low["obs_value"])


def _of_wide(text: str) -> dict[tuple[str, ...], int]:
    """The last key stands across: "16 – 64" for ages from 16 to 64."""
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        down = tuple(row[name] for name in KEYS[:3])
        for heading in [name for name in row if name.count(" ") == 2]:
            first, last = heading.split(" – ")
            found[*down, first, last] = int(row[heading])
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", TABLES)
def test_a_total_that_is_no_sum_does_not_verify(release: Release, name: str) -> None:
    priced = price(dprelease.Plan.parse(plan(CROSSED, COUNTED, SUMMED, columns=COLUMNS)))[name]
    table, schema = release.tables[name], dprelease.Schema.parse(COLUMNS)
    first = told(table)[tuple(map(str, next(table.rows())[:5]))]
    for place, value in ((-1, int(table.value[-1]) + 1), (0, first + 1)):  # type: ignore[arg-type]
        values = [*table.value]
        values[place] = value
        assert not priced.statistic.could_be(schema, replace(table, value=values), priced.mechanisms)
    assert priced.statistic.could_be(schema, table, priced.mechanisms)


def test_charts_show_the_parts_alone(bundle: Path) -> None:
    assert all("_T" not in (bundle / "charts" / f"{name}.svg").read_text() for name in TABLES)


@pytest.mark.parametrize(
    ("asked", "columns", "said"),
    [
        (
            {**CROSSED, "columns": ["p", "age"], "levels": {"age": "broad"}},
            {**COLUMNS, "p": {"type": "category", "categories": ["a", "_T"]}},
            "called '_T'",
        ),
        ({**CROSSED, "levels": {"p": "r"}, "columns": ["p", "age"]}, COLUMNS, "totals beside post-processing"),
        ({**COUNTED, "levels": {"p": "r"}, "by": ["p"]}, COLUMNS, "totals beside post-processing"),
        ({"id": "all", "kind": "sum", "column": "age", "margins": True}, COLUMNS, "totals of a single number"),
    ],
)
def test_totals_that_could_mislead_are_refused(asked: dict[str, Any], columns: dict[str, Any], said: str) -> None:
    more = {"postprocess": ["nonnegative"]} if "post" in said else {}
    with pytest.raises((PlanError, InputError), match=said):
        price(dprelease.Plan.parse(plan(asked, columns=columns, **more)))

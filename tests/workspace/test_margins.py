"""Totals along the keys of a cross table are the sums of its cells, in every file, and never seen in a chart."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import dprelease
from dprelease import verify
from dprelease.bundle.exports import table_json, table_parquet
from dprelease.bundle.notices import Said
from dprelease.errors import InputError, PlanError
from dprelease.model.release import Release
from dprelease.statistics.planning.price import price
from tests.workspace.test_levels import COLUMNS, ROWS, plan

CROSSED: dict[str, Any] = {
    "id": "crossed",
    "kind": "crosstab",
    "columns": ["p", "day", "age"],
    "levels": {"p": "r", "day": "year", "age": "broad"},
    "margins": True,
}
KEYS = ("p", "day", "day_partial", "age_from", "age_to")
LEADING = (0, 1, 3)
"""The key columns that say `_T`."""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    workspace = dprelease.Workspace.create(tmp_path_factory.mktemp("margins") / "home")
    workspace.add_dataset("visits", ROWS, columns=COLUMNS, epsilon=10)
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan(CROSSED)))
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


def test_totals_are_the_sums_of_the_published_cells(release: Release) -> None:
    table = release.tables["crossed"]
    assert table.key_names == KEYS
    rows = [(tuple(map(str, row[:5])), int(row[5])) for row in table.rows()]  # type: ignore[arg-type]
    assert len(rows) == 4 * 4 * 4
    assert agree(rows) == 3 * 16
    assert rows[-1][0] == ("_T", "_T", "no", "_T", "_T")


def test_a_total_says_how_far_the_sum_of_its_noises_goes(release: Release) -> None:
    halves: dict[int, set[int]] = defaultdict(set)
    for row in release.tables["crossed"].rows():
        terms = 3 ** sum(row[place] == "_T" for place in LEADING)
        halves[terms].add(int(row[7]) - int(row[5]))  # type: ignore[arg-type]
        assert int(row[7]) - int(row[5]) == int(row[5]) - int(row[6])  # type: ignore[arg-type]
    assert [len(each) for _, each in sorted(halves.items())] == [1, 1, 1, 1]
    one, *more = [each.pop() for _, each in sorted(halves.items())]
    assert all(
        one * terms**0.5 * 0.8 < half < one * terms**0.5 * 1.2 for terms, half in zip((3, 9, 27), more, strict=True)
    )


def test_every_file_says_the_same_totals(release: Release, bundle: Path) -> None:
    expected = {tuple(map(str, row[:5])): int(row[5]) for row in release.tables["crossed"].rows()}  # type: ignore[arg-type]
    for name in ("tables/crossed.csv", "sdmx/crossed.csv"):
        found = dict(_read((bundle / name).read_text()))
        assert found == expected
        assert agree(list(found.items())) == 48
    assert verify(bundle).release.tables["crossed"] == release.tables["crossed"]


def test_parquet_and_json_say_the_same_totals(release: Release) -> None:
    expected = {tuple(map(str, row[:5])): row[5] for row in release.tables["crossed"].rows()}
    held = parquet.read_table(io.BytesIO(table_parquet(release, "crossed"))).to_pylist()
    told = json.loads(table_json(release, "crossed", Said()))["rows"]
    for rows in (held, told):
        assert {tuple(row[name] for name in KEYS): row["value"] for row in rows} == expected


def _read(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    for row in csv.DictReader(io.StringIO(text)):
        low: Mapping[str, str] = {name.lower(): cell for name, cell in row.items()}
        yield tuple(low[name] for name in KEYS), int(low.get("value") or low["obs_value"])


def test_a_total_that_is_no_sum_does_not_verify(bundle: Path, release: Release) -> None:
    table = release.tables["crossed"]
    statistic = dprelease.Plan.parse(plan(CROSSED, columns=COLUMNS)).statistics[0]
    values = [*table.value[:-1], int(table.value[-1]) + 1]  # type: ignore[arg-type]
    assert not statistic.could_be(dprelease.Schema.parse(COLUMNS), replace(table, value=values), _mechanisms(release))  # type: ignore[attr-defined]
    assert statistic.could_be(dprelease.Schema.parse(COLUMNS), table, _mechanisms(release))  # type: ignore[attr-defined]


def _mechanisms(release: Release) -> Any:
    return price(dprelease.Plan.parse(plan(CROSSED, columns=COLUMNS)))["crossed"].mechanisms


def test_charts_show_the_parts_alone(bundle: Path) -> None:
    assert "_T" not in (bundle / "charts" / "crossed.svg").read_text()


@pytest.mark.parametrize(
    ("asked", "columns", "said"),
    [
        (
            {**CROSSED, "columns": ["p", "age"], "levels": {"age": "broad"}},
            {**COLUMNS, "p": {"type": "category", "categories": ["a", "_T"]}},
            "called '_T'",
        ),
        ({**CROSSED, "levels": {"p": "r"}, "columns": ["p", "age"]}, COLUMNS, "totals beside post-processing"),
    ],
)
def test_totals_that_could_mislead_are_refused(asked: dict[str, Any], columns: dict[str, Any], said: str) -> None:
    more = {"postprocess": ["nonnegative"]} if "post" in said else {}
    with pytest.raises((PlanError, InputError), match=said):
        price(dprelease.Plan.parse(plan(asked, columns=columns, **more)))

"""Synthetic rows of tables that are asked about in order: what is drawn, sealed, published and refused."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.encoding import pretty
from dprelease.model.release import SyntheticRows
from tests.bundle.releases import snapshot
from tests.bundle.test_formats import resigned
from tests.statistics.kinds.test_synthetic import COLUMNS, apart, made, people

PAIRS = [f"{one}_{other}" for one, other in combinations(COLUMNS, 2)]
FIRST, TABLES = len(COLUMNS), len(PAIRS)
ASKED: dict[str, Any] = {"method": "pmw", "rounds": 3, "charts": False}


def above(output: SyntheticRows) -> list[str]:
    """The table that was above in each round, or else the first that was left."""
    found: list[str] = []
    for numbers in output.integers[FIRST::2]:
        states = list(numbers[::2])
        found.append(PAIRS[states.index(1)] if 1 in states else next(name for name in PAIRS if name not in found))
    return found


@pytest.mark.full
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_tables_that_the_model_misses_are_measured_and_the_rows_are_near_them(tmp_path: Path, currency: str) -> None:
    """In order: age with pay (far by thousands of rows) comes before sex with region. Of four rounds two may find
    another table above, which in zcdp happens in one of six releases: the noise is from a seed."""
    true = people(20_000)
    _, release, output = made(tmp_path, true, currency=currency, epsilon=10, **ASKED | {"rounds": 4})
    found = above(output)
    assert {"age_pay", "sex_region"} <= {*found}
    assert found.index("age_pay") < found.index("sex_region")
    rows = pandas.DataFrame(dict(output.columns))
    assert abs(len(rows) - 20_000) < 500
    for names in [*((name,) for name in COLUMNS), ("age", "pay"), ("sex", "region")]:
        assert apart(true, rows, names) < 0.03, names
    for name in PAIRS:
        assert {end is not None for end in output.parts[name].lower95} == {name in found}
    report = output.parts["report"]
    told = {name for (name, _), value in zip(report.axes[0].cells, report.value, strict=True) if value is not None}
    assert told == {*COLUMNS, *found}
    assert dprelease.verify(release.write(tmp_path / "b"))


def test_a_column_of_one_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COLUMNS, "one", {"type": "category", "categories": ["a"]})
    asked = {**ASKED, "columns": ["one", "sex"], "bins": None, "rounds": 1}
    _, release, output = made(tmp_path, people(40).assign(one="a"), "pure", **asked)
    assert [len(numbers) for numbers in output.integers] == [1, 2, 2, 2]
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("place", "index", "to"),
    [
        (0, 0, None),
        (FIRST, 0, "above"),
        (FIRST, 0, -1),
        (FIRST, 1, None),
        (FIRST, -2, 7),
        (FIRST + 1, 0, None),
        (-1, -1, None),
    ],
)
def test_an_altered_transcript_is_refused(tmp_path: Path, place: int, index: int, to: Any) -> None:
    """Also one that is signed anew: a count of a column, which table was above, a number beside a state, a state that
    there is none of, a count of the table, and one of the zeros that fill it up."""
    workspace, release, _ = made(tmp_path, people(300), rows=20, **ASKED)
    contents = snapshot(release.write(tmp_path / "b"))
    name = "measured/rows.json"
    told = json.loads(contents[name])
    integers = told["integers"] if isinstance(told, dict) else told
    numbers = integers[place]
    if to == "above":
        first = numbers[0] == 1
        numbers[::2] = [0, 1, *[-1] * (TABLES - 2)] if first else [1, *[-1] * (TABLES - 1)]
    else:
        numbers[index] = numbers[index] + 1 if to is None else to
    (tmp_path / "forged").mkdir()
    with pytest.raises(IntegrityError):
        dprelease.verify(resigned({**contents, name: pretty(told)}, tmp_path / "forged", workspace._state.keys.current))


def test_all_rounds_add_up_to_what_is_charged_and_none_can_be_left_out(tmp_path: Path) -> None:
    workspace, release, _ = made(tmp_path, people(300), "pure", rows=20, **ASKED)
    contents = snapshot(release.write(tmp_path / "b"))
    told = json.loads(contents["release.json"])
    (measured,) = told["measurements"]
    assert sum(each["loss"]["epsilon_nano"] for each in measured["mechanisms"]) == told["loss"]["epsilon_nano"]
    assert [each["name"] for each in measured["mechanisms"]][FIRST:] == ["sparse_vector", "discrete_laplace"] * 3
    measured["mechanisms"][FIRST]["settings"]["answers"] = 2
    (tmp_path / "forged").mkdir()
    with pytest.raises(IntegrityError):
        dprelease.verify(
            resigned({**contents, "release.json": pretty(told)}, tmp_path / "forged", workspace._state.keys.current)
        )

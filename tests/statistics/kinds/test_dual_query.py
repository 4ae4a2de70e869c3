"""Synthetic rows that answer cells drawn by what they lack: what is drawn, sealed, published and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.encoding import pretty
from tests.bundle.releases import snapshot
from tests.bundle.test_formats import resigned
from tests.statistics.kinds.test_synthetic import COLUMNS, apart, made, people, shares

FIRST = len(COLUMNS)
CELLS = 5 + 2 + 3 + 4 + 10 + 15 + 20 + 6 + 8 + 12
"""Of all columns, and of all pairs of them."""
ASKED: dict[str, Any] = {"method": "dual_query", "rounds": 3, "charts": False}


@pytest.mark.full
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_rows_answer_cells_that_lack_rows(tmp_path: Path, currency: str) -> None:
    """At most a row for each round and one more differ by their cells. One row alone would be off by 0.8 and more. In
    30 runs age was off by 0.06 on average (deviation 0.03, most 0.19), age with pay by 0.22 (0.05, 0.30): bounds are 8
    deviations above, and more."""
    true = people(20_000)
    _, release, output = made(tmp_path, true, currency=currency, epsilon=10, **{**ASKED, "rounds": 30})
    assert [len(numbers) for numbers in output.integers[FIRST:]] == [50] * 30
    rows = pandas.DataFrame(dict(output.columns))
    assert abs(len(rows) - 20_000) < 500
    assert len(shares(rows, tuple(COLUMNS))) <= 31
    assert apart(true, rows, ("age",)) < 0.4
    assert apart(true, rows, ("age", "pay")) < 0.6
    report = output.parts["report"]
    told = {name: (covered, value) for (name, covered), value in zip(report.axes[0].cells, report.value, strict=True)}
    assert {name for name, (_, value) in told.items() if value is not None} == {*COLUMNS}
    assert all((covered == "yes") == (name in COLUMNS) for name, (covered, _) in told.items())
    for name in COLUMNS:
        assert None not in output.parts[name].lower95
    assert {*output.parts["age_pay"].lower95} == {None}
    assert dprelease.verify(release.write(tmp_path / "b"))


def test_a_column_of_one_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COLUMNS, "one", {"type": "category", "categories": ["a"]})
    asked = {**ASKED, "columns": ["one", "sex"], "bins": None, "rounds": 1}
    _, release, output = made(tmp_path, people(40).assign(one="a"), "pure", **asked)
    assert [len(numbers) for numbers in output.integers] == [1, 2, 50]
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("place", "index", "to"), [(0, 0, None), (FIRST, 0, "other"), (FIRST, 0, CELLS), (FIRST, 1, -1), (-1, -1, "other")]
)
def test_an_altered_transcript_is_refused(tmp_path: Path, place: int, index: int, to: Any) -> None:
    """Also one that is signed anew: a count of a column, a cell that was drawn, one that there is none of. All cells of
    a round are altered where one of them might not change which row is made."""
    workspace, release, _ = made(tmp_path, people(300), rows=20, **ASKED)
    contents = snapshot(release.write(tmp_path / "b"))
    name = "measured/rows.json"
    told = json.loads(contents[name])
    integers = told["integers"] if isinstance(told, dict) else told
    numbers = integers[place]
    if to == "other":
        # the cell of a table that holds other rows than those that were made
        numbers[:] = [CELLS - 1 if numbers[0] != CELLS - 1 else CELLS - 2] * len(numbers)
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
    assert [each["name"] for each in measured["mechanisms"]][FIRST:] == ["exponential"] * 3
    losses = [each["loss"]["epsilon_nano"] for each in measured["mechanisms"][FIRST:]]
    assert [round(loss / losses[0], 6) for loss in losses] == [1, 2, 3]
    scales = [float(each["scale"]) for each in measured["mechanisms"][FIRST:]]
    assert max(scales) - min(scales) < 1e-6 * max(scales)  # one step size in all rounds
    measured["mechanisms"][FIRST]["loss"]["epsilon_nano"] -= 1
    (tmp_path / "forged").mkdir()
    with pytest.raises(IntegrityError):
        dprelease.verify(
            resigned({**contents, "release.json": pretty(told)}, tmp_path / "forged", workspace._state.keys.current)
        )

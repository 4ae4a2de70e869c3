"""Synthetic rows of tables that are chosen one after the other: what is drawn, sealed, published and refused."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.encoding import pretty
from dprelease.model.release import SyntheticRows
from dprelease.statistics.algebra.universe import WHOLE, Universe, wanted
from tests.bundle.releases import snapshot
from tests.bundle.test_formats import resigned
from tests.statistics.kinds.test_synthetic import COLUMNS, apart, made, people, shares

PAIRS = [f"{one}_{other}" for one, other in combinations(COLUMNS, 2)]
ASKED: dict[str, Any] = {"method": "mwem", "rounds": 2, "charts": False}


def chosen(output: SyntheticRows) -> list[str]:
    """The tables in the order in which they were chosen."""
    return [PAIRS[numbers[0]] for numbers in output.integers[len(COLUMNS) :: 2]]


@pytest.mark.full
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_tables_that_the_model_misses_are_chosen_and_the_rows_are_near_them(tmp_path: Path, currency: str) -> None:
    """Age goes with pay and sex with region; all else follows less. Noise of scale 10 or less at gaps of thousands of
    rows chooses otherwise, or moves a table of 20 cells by 3 % of 8,000 rows, with a chance below 1e-9."""
    true = people(8000)
    _, release, output = made(tmp_path, true, currency=currency, **ASKED)
    assert chosen(output) == ["age_pay", "sex_region"]
    rows = pandas.DataFrame(dict(output.columns))
    assert abs(len(rows) - 8000) < 500
    for names in [*((name,) for name in COLUMNS), ("age", "pay"), ("sex", "region")]:
        assert apart(true, rows, names) < 0.03, names
    report = output.parts["report"]
    told = {name: (covered, value) for (name, covered), value in zip(report.axes[0].cells, report.value, strict=True)}
    assert {name for name, (_, value) in told.items() if value is not None} == {*COLUMNS, *chosen(output)}
    assert {covered for covered, _ in told.values()} == {"yes", "if_chosen", "no"}
    for name in PAIRS:
        has_interval = {end is not None for end in output.parts[name].lower95}
        assert has_interval == {name in chosen(output)}
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.full
def test_the_report_holds_what_the_measured_tables_are_off(tmp_path: Path) -> None:
    """Its interval holds at least at 95 %: of 4 releases with 4 or more tables each not more than 3 may be missed. That
    is seen with a chance below 1e-3 if each is missed at 5 %; the bound is wider than that, and never was."""
    true, missed = people(3000), 0
    for number in range(4):
        (tmp_path / str(number)).mkdir()
        _, _, output = made(tmp_path / str(number), true, epsilon=1, **ASKED)
        total = published_rows(output)
        for (name, _), value, low, high in zip(
            output.parts["report"].axes[0].cells,
            output.parts["report"].value,
            output.parts["report"].lower95,
            output.parts["report"].upper95,
            strict=True,
        ):
            if value is None:
                continue
            names = tuple(str(name).split("_"))
            table = output.parts[str(name)]
            rows = pandas.DataFrame(dict(output.columns))
            off = shares(rows, names).sub(shares(true, names) * 3000 / total, fill_value=0) * total
            error = float(np.sqrt((off**2).sum() / len(table)))
            missed += not low <= error <= high
            assert value == high
    assert missed <= 3


def published_rows(output: SyntheticRows) -> int:
    return len(next(iter(output.columns.values())))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("place", [0, 4, 5, -1])
def test_an_altered_transcript_is_refused(tmp_path: Path, place: int) -> None:
    """Also one that is signed anew: a count of a column, which table was chosen, a count of it, and one of the zeros
    that fill it up."""
    workspace, release, _ = made(tmp_path, people(300), rows=20, **ASKED)
    contents = snapshot(release.write(tmp_path / "b"))
    name = "measured/rows.json"
    told = json.loads(contents[name])
    integers = told["integers"] if isinstance(told, dict) else told
    integers[place][-1] = (integers[place][-1] + 1) % len(PAIRS) if place == 4 else integers[place][-1] + 1
    forged = {**contents, name: pretty(told)}
    (tmp_path / "forged").mkdir()
    with pytest.raises(IntegrityError):
        dprelease.verify(resigned(forged, tmp_path / "forged", workspace._state.keys.current))


def test_a_loss_that_leaves_out_a_choice_is_refused(tmp_path: Path) -> None:
    """The losses of all that is in the transcript add up to what is charged."""
    workspace, release, _ = made(tmp_path, people(300), rows=20, **ASKED)
    contents = snapshot(release.write(tmp_path / "b"))
    told = json.loads(contents["release.json"])
    (measured,) = told["measurements"]
    own = sum(each["loss"]["rho_nano"] for each in measured["mechanisms"])
    assert own == told["loss"]["rho_nano"]
    assert [each["name"] for each in measured["mechanisms"]][4:] == ["exponential", "discrete_gaussian"] * 2
    measured["mechanisms"][4]["loss"]["rho_nano"] -= 1
    (tmp_path / "forged").mkdir()
    with pytest.raises(IntegrityError):
        dprelease.verify(
            resigned({**contents, "release.json": pretty(told)}, tmp_path / "forged", workspace._state.keys.current)
        )


def test_weights_are_whole_numbers_that_add_up_exactly_in_any_order() -> None:
    counts = np.arange(12.0).reshape(3, 4)
    table = {(0, 2): wanted(counts, 2.0, float(counts.sum())), (1,): wanted(np.array([60.0, -9.0]), 3.0, 66.0)}
    found = Universe.even((3, 2, 4)).towards(table, 66.0, 50)
    assert (found.weights == np.rint(found.weights)).all()
    assert found.weights.min() >= 1
    assert found.weights.sum() < 2**53
    assert abs(found.weights.sum() / WHOLE - 1) < 1e-9
    assert found.table((1,))[0] / WHOLE > 0.9
    assert abs(found.table((0, 2)) * (66 / WHOLE) - counts).max() < 1

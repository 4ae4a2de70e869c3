"""Grades are worked out twice, by two programs that share nothing, and a false one is refused."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.grade import Grade, Scale, grade
from dprelease.model.stated import Grades
from dprelease.verdict.grades import check_grades
from tests.bundle.entries import key_of
from tests.tries import tries
from tests.verdict.forging import published, signed
from tests.verdict.test_stated import refusal

KEY = key_of(9)
FIRST = {"values": "noisy", "look": "marks"}
ADDS = {"traits": ["additive", "never_negative"], "measure": "records"}
COLUMN = {"traits": [], "measure": "column"}
RATIO = {"kind": "ratio", "numerator": "x", "denominator": "y"}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Scale]] = {
    "count": ({"kind": "count"}, ADDS, Scale(feasible=(0, inf), step=1)),
    "found": ({"kind": "count"}, ADDS, Scale(feasible=(0, inf), step=1, threshold=9)),
    "sum": ({"kind": "sum", "column": "x"}, COLUMN | {"traits": ["additive"]}, Scale(feasible=(-inf, inf), step=0.5)),
    "share": ({"kind": "proportion"}, COLUMN | {"measure": "share"}, Scale(feasible=(0, 1), is_share=True)),
    "mean": ({"kind": "mean", "column": "x"}, COLUMN, Scale(feasible=(-8, 12))),
    "mean above 0": ({"kind": "mean", "column": "y"}, COLUMN, Scale(feasible=(2, 12))),
    "std": ({"kind": "std", "column": "x"}, COLUMN | {"traits": ["spread"]}, Scale(feasible=(0, 10))),
    "points": (
        {"kind": "scorecard"},
        COLUMN | {"measure": "number", "traits": ["by_bin"]},
        Scale(feasible=(-inf, inf), is_log_odds=True),
    ),
    "ratio": (RATIO, COLUMN | {"measure": "number"}, Scale(feasible=(-4, 6))),
}
"""What the certificate states of a table, and what the first program makes of it."""
COLUMNS = {
    "x": {"type": "number", "lower": -8, "upper": 12, "resolution": 0.5},
    "y": {"type": "number", "lower": 2, "upper": 12, "resolution": 0.5},
}
NUMBERS = st.integers(-40, 400).map(lambda number: number / 8)


def stated(case: str, limits: Grades) -> dict[str, Any]:
    asked, shown, scale = CASES[case]
    settings = {} if scale.threshold is None else {"threshold": scale.threshold}
    return {
        "plan": {"columns": COLUMNS, "statistics": [{"id": "s", **asked}]},
        "statistics": [
            {"id": "s", "measurements": ["s"], "presentation": {"values": "noisy", "look": "marks", **shown}}
        ],
        "measurements": [{"id": "s", "mechanisms": [{"step": "0.5", "settings": settings}]}],
        "grades": {"caution": limits.caution, "unreliable": limits.unreliable},
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES)
@settings(max_examples=tries(60), deadline=None)
@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, st.integers(0, 9)), min_size=1, max_size=20),
    limits=st.sampled_from([Grades(), Grades(caution=0.1, unreliable=0.2), Grades(caution=1, unreliable=1)]),
)
def test_both_programs_give_the_same_letters(
    case: str, rows: list[tuple[float, float, float, int]], limits: Grades
) -> None:
    lines = ["value,lower95,upper95,grade"]
    name = "s.points" if case == "points" else "s"
    for value, below, above, kind in rows:
        ends = (value - abs(below) / 8, value + abs(above) / 8)
        cells = [(value, *ends), (value, None, ends[1]), (None, None, None)][max(0, kind - 7)]
        letter = grade(*cells, CASES[case][2], limits)
        lines.append(",".join([*("" if cell is None else repr(cell) for cell in cells), letter]))
    assert check_grades(stated(case, limits), {name: "\n".join(lines).encode()}) == len(rows)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return published(tmp_path_factory.mktemp("bundle"))


def test_a_bundle_with_a_false_grade_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """Everything else made anew to fit, by whoever has the key."""
    verdict = dprelease.verify(signed(bundle, tmp_path / "true", KEY))
    assert "check.grades" in {check.code for check in verdict.checks}
    table = bundle["tables/n.csv"].decode()
    head, first, *rest = table.splitlines()
    for letter in set(Grade) - {first[-1]}:
        forged = "\n".join([head, first[:-1] + letter, *rest, ""]).encode()
        with pytest.raises(IntegrityError, match=r"^grades: a number of n has another grade"):
            dprelease.verify(signed(bundle | {"tables/n.csv": forged}, tmp_path / letter, KEY))


def test_limits_that_are_not_stated_or_not_those_of_the_grades_are_refused(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    def strict(certificate: Any) -> None:
        certificate["grades"] = {"caution": 1e-6, "unreliable": 2e-6}

    assert "`grades`" in refusal(bundle, lambda c: c.pop("grades"), tmp_path / "none")
    assert refusal(bundle, strict, tmp_path / "strict").startswith("grades: a number of")

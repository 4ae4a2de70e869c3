"""What a plan asks of its release is judged soundly: a criterion that is found to hold seldom does not."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.release import Axis, Estimates
from dprelease.statistics.planning.criteria import Prospect, check, foreseen, joint_half_width, judge
from dprelease.statistics.planning.price import price

pytestmark = pytest.mark.quick

PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "d",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "columns": {
        "g": {"type": "category", "categories": ["a", "b", "c", "d"]},
        "x": {"type": "number", "lower": 0, "upper": 10, "resolution": 1},
    },
    "statistics": [{"id": "h", "kind": "histogram", "column": "g"}, {"id": "m", "kind": "mean", "column": "x"}],
}


def planned(*accept: dict[str, Any], **changes: Any) -> Any:
    return price(Plan.parse({**PLAN, **changes, "accept": list(accept)}))


def table(*values: Any) -> Estimates:
    axis = Axis(("g",), tuple((str(place),) for place in range(len(values))))
    return Estimates(axes=(axis,), value=values, lower95=values, upper95=values)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ({"statistic": "nothing", "ranking": 1}, "accept[0].statistic"),
        ({"statistic": "h"}, "accept[0]"),
        ({"statistic": "h", "ranking": 1, "error": 5}, "accept[0]"),
        ({"statistic": "h", "ranking": 0}, "accept[0].ranking"),
        ({"statistic": "h", "relative_error": 1}, "accept[0].relative_error"),
        ({"statistic": "h", "error": -1}, "accept[0].error"),
        ({"statistic": "h", "largest": 1}, "accept[0].largest"),
    ],
)
def test_what_cannot_be_asked_is_refused(line: dict[str, Any], path: str) -> None:
    with pytest.raises(PlanError) as refused:
        planned(line)
    assert path in [problem.path for problem in refused.value.problems]


@pytest.mark.parametrize(
    "line",
    [
        {"statistic": "h", "error": 0.5},
        {"statistic": "m", "error": 1},
        {"statistic": "m", "relative_error": 0.1},
        {"statistic": "m", "ranking": 1},
    ],
)
def test_what_is_known_to_fail_or_cannot_be_judged_fails_before_the_charge(line: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=r"accept\[0\]"):
        check(planned(line))


def test_what_can_be_judged_passes_before_the_charge() -> None:
    check(
        planned(
            {"statistic": "h", "error": 100},
            {"statistic": "m", "error": 5},
            {"statistic": "h", "ranking": 2},
            expected={"rows": 1000},
        )
    )


def test_relative_errors_and_rankings_are_judged_by_the_joint_noise() -> None:
    priced = planned({"statistic": "h", "relative_error": 0.1}, {"statistic": "h", "ranking": 2})
    half = joint_half_width(priced["h"], priced)
    assert half is not None
    assert half > priced["h"].error95, "four values together err further than one"
    least = int(11 * half) + 1  # half / (11 half − half) is 0.1

    def held(*values: Any) -> list[bool]:
        return [each.held for each in judge(priced, {"h": table(*values)})]

    apart = int(2 * half) + 1
    assert held(least, least + apart, least + 2 * apart, least) == [True, True]
    assert held(least, least + apart, least + 2 * apart, int(10 * half)) == [False, True], "one cell is too small"
    assert held(least, least + apart - 2, least + 2 * apart - 2, least) == [True, False], (
        "second and third are too near"
    )
    assert held(least, None, least, least) == [False, False]


def test_values_before_post_processing_are_judged() -> None:
    priced = planned({"statistic": "h", "relative_error": 0.5})
    shown = table(1000, 1000, 1000, 1000)
    raw = Estimates(
        axes=shown.axes,
        value=shown.value,
        lower95=shown.lower95,
        upper95=shown.upper95,
        extra={"raw": (1000, 1000, 0, 1)},
    )
    assert not judge(priced, {"h": raw})[0].held
    assert judge(priced, {"h": shown})[0].held


def test_what_can_be_expected_of_a_criterion_is_said_with_what_it_takes() -> None:
    lines = [{"statistic": "h", "relative_error": 0.1}, {"statistic": "h", "ranking": 1}]
    alone = planned(*lines)
    half = joint_half_width(alone["h"], alone)
    assert half is not None
    assert [(each.prospect, each.needed) for each in foreseen(alone)] == [
        (Prospect.OPEN, pytest.approx(11 * half)),
        (Prospect.OPEN, pytest.approx(2 * half)),
    ]
    for rows, prospect in ((4 * 13 * half, Prospect.LIKELY), (4 * 11 * half, Prospect.UNLIKELY)):
        assert foreseen(planned(lines[0], expected={"rows": int(rows)}))[0].prospect is prospect

"""A unit changes at most as many editions of a run as the run is charged for, and what no run can be is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations, product
from typing import Any

import pytest

from dprelease.errors import PlanError
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.recurring import Recurrence
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import price

History = tuple[int | None, ...]
"""By period of the rows' dates: before which edition the unit's rows of it arrive; None where it has none."""


def plan(unit: Any = "row", neighbors: str = "add_remove", **run: Any) -> dict[str, Any]:
    recurring = {"column": "day", "every": "month", "first": "2026-01", "last": "2026-06", "at_most": 1, **run}
    return {
        "dprelease": 1,
        "dataset": "births",
        "run": recurring,
        "privacy": {"unit": unit, "neighbors": neighbors, "epsilon": 1},
        "columns": {
            "day": {"type": "date", "lower": "2020-01-01", "upper": "2030-12-31"},
            "x": {"type": "boolean", "count_missing_as": True},
        },
        "statistics": [{"id": "births", "kind": "count", "by": ["x"]}],
    }


def counted(history: History, k: int, order: tuple[int, ...]) -> frozenset[int]:
    """Editions in which a unit counts, read in some order; rows stay once they arrived."""
    found = set()
    for step, edition in enumerate(order):
        periods = {
            at for at, arrival in enumerate(history) if arrival is not None and arrival <= step and at <= edition
        }
        if edition in periods and len(periods) <= k:
            found.add(edition)
    return frozenset(found)


@cache
def all_counted(count: int, k: int) -> frozenset[frozenset[int]]:
    """Sets of editions in which a unit can count over all its histories, editions missed ones among them."""
    histories = product([None, *range(count)], repeat=count)
    return frozenset(counted(history, k, tuple(range(count))) for history in histories)


def worst(count: int, k: int, neighbors: NeighboringRelation) -> int:
    """Most editions that one unit changes."""
    found = all_counted(count, k)
    if neighbors is NeighboringRelation.ADD_REMOVE:
        return max(map(len, found))
    return max(len(one | other) for one in found for other in found)


CASES = [(count, k) for count in (1, 2, 3, 4, 5) for k in range(1, count + 1)]


@pytest.mark.parametrize("neighbors", list(NeighboringRelation))
@pytest.mark.parametrize(("count", "k"), CASES)
def test_the_factor_is_the_most_editions_that_any_history_of_a_unit_changes(
    count: int, k: int, neighbors: NeighboringRelation
) -> None:
    last = f"2026-{count:02}"
    recurring = Recurrence(column="day", every="month", first="2026-01", last=last, at_most=k)
    assert recurring.factor(neighbors) == worst(count, k, neighbors)


@pytest.mark.full
@pytest.mark.parametrize("k", range(1, 7))
def test_the_factor_is_that_of_six_periods(k: int) -> None:
    recurring = Recurrence(column="day", every="month", first="2026-01", last="2026-06", at_most=k)
    for neighbors in NeighboringRelation:
        assert recurring.factor(neighbors) == worst(6, k, neighbors)


def test_a_late_edition_would_break_it() -> None:
    """So the order of the periods is part of the guarantee."""
    orders: Iterator[tuple[int, ...]] = permutations(range(3))
    histories = list(product([None, *range(3)], repeat=3))
    most = {order: max(len(counted(history, 1, order)) for history in histories) for order in orders}
    assert most.pop((0, 1, 2)) == 1
    assert max(most.values()) > 1


BAD: Mapping[str, dict[str, Any]] = {
    "run.at_most": {"at_most": 7},
    "run.last": {"last": "2025-12"},
    "run.first": {"first": "2026-13"},
    "run.every": {"every": "fortnight"},
    "run.column": {"column": ""},
}


@pytest.mark.parametrize("path", BAD)
def test_what_no_run_can_be_is_refused_where_it_stands(path: str) -> None:
    with pytest.raises(PlanError) as refused:
        Plan.parse(plan(**BAD[path]))
    assert [problem.path for problem in refused.value.problems] == [path]


@pytest.mark.parametrize("at_most", [0, -1, "none", True, 1.5])
def test_k_is_a_number_from_1_or_all(at_most: Any) -> None:
    with pytest.raises(PlanError, match="at_most"):
        Plan.parse(plan(at_most=at_most))


def test_601_periods_are_too_many() -> None:
    Plan.parse(plan(every="day", first="2026-01-01", last="2027-08-23"))
    with pytest.raises(PlanError, match="at most 600"):
        Plan.parse(plan(every="day", first="2026-01-01", last="2027-08-24"))


def test_a_row_as_unit_counts_in_one_edition_or_in_all() -> None:
    with pytest.raises(PlanError, match="where a row is a unit"):
        Plan.parse(plan(at_most=2))
    Plan.parse(plan(at_most="all"))
    Plan.parse(plan(unit={"column": "person", "max_rows": 2}, at_most=2))


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"about": {"edition": "2026-01"}}, "about.edition"),
        ({"about": {"reference_period": "2026-01-01/2026-01-31"}}, "about.reference_period"),
        ({"where": [{"column": "day", "at_least": "2026-02-01"}]}, "where[0].column"),
        ({"statistics": [{"id": "x", "kind": "survey", "column": "x"}]}, "statistics[0].kind"),
    ],
)
def test_what_the_run_says_or_cannot_have_is_refused(change: dict[str, Any], path: str) -> None:
    with pytest.raises(PlanError) as refused:
        Plan.parse({**plan(), **change})
    assert path in [problem.path for problem in refused.value.problems]


@pytest.mark.parametrize("column", ["x", "nowhere"])
def test_its_column_has_dates(column: str) -> None:
    with pytest.raises(PlanError, match="stored column of dates"):
        Plan.parse(plan(column=column)).with_schema(Schema({}))


def test_an_edition_has_the_days_of_its_period_and_leads_back_to_the_run() -> None:
    complete = Plan.parse(plan(last="2028-02")).with_schema(Schema({}))
    leap = complete.edition("2028-02")
    assert leap.to_mapping()["columns"]["day"] == {
        "type": "date",
        "lower": "2028-02-01",
        "upper": "2028-02-29",
        "outside": "missing",
    }
    assert leap.about.edition == "2028-02"
    assert leap.whole == complete
    assert Plan.parse(leap.to_mapping()).with_schema(Schema({})) == leap
    assert Plan.parse(complete.to_mapping()).with_schema(Schema({})) == complete
    with pytest.raises(PlanError, match="2026-01 to 2028-02"):
        complete.edition("2028-03")


def test_week_53_and_leap_days_are_periods() -> None:
    weeks = Recurrence.read({**plan()["run"], "every": "week", "first": "2026-W01", "last": "2027-W01"}, Report())
    assert weeks is not None
    assert len(weeks.periods) == 54
    assert weeks.periods[52] == "2026-W53"


def test_sixty_editions_cost_what_one_release_does() -> None:
    """Each of sixty single releases under one ε would get a sixtieth of it, and so 60 times the noise."""
    single = {**plan(), "run": None, "privacy": {**plan()["privacy"], "epsilon": "0.01666666"}}
    alone = price(Plan.parse(single)).measurements[0].mechanisms[0].scale
    run = price(Plan.parse(plan(last="2030-12")))
    assert run.loss.epsilon_nano == 10**9
    assert alone / run.measurements[0].mechanisms[0].scale == pytest.approx(60, rel=1e-6)


def test_what_is_charged_is_at_most_the_plans_and_the_factor_times_an_edition() -> None:
    for neighbors, factor in (("add_remove", 7), ("substitute", 14)):
        unit = {"column": "person", "max_rows": 3}
        priced = price(Plan.parse(plan(unit=unit, neighbors=neighbors, at_most=7, last="2027-12")))
        assert priced.loss.epsilon_nano == factor * priced.edition_loss.epsilon_nano
        assert 0 <= 10**9 - priced.loss.epsilon_nano < factor


def test_one_period_costs_what_a_release_does() -> None:
    for neighbors in ("add_remove", "substitute"):
        single = {**plan(neighbors=neighbors), "run": None}
        one = price(Plan.parse(plan(neighbors=neighbors, last="2026-01")))
        assert one.loss == price(Plan.parse(single)).loss
        assert one.measurements[0].mechanisms == price(Plan.parse(single)).measurements[0].mechanisms


def test_months_told_by_day_are_priced_each_by_its_length() -> None:
    asked = {**plan(last="2026-12"), "statistics": [{"id": "births", "kind": "count", "by": ["day"]}]}
    priced = price(Plan.parse(asked))
    assert [each.statistics[0].size for each in priced.shapes][:3] == [31, 28, 31]
    assert len(set(priced.edition_hashes)) == 3
    assert len(price(Plan.parse(plan(last="2026-12"))).edition_hashes) == 1

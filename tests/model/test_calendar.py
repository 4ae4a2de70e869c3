"""Periods of the calendar, beside what pandas says of every day of 201 years."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pandas as pd
import pytest

from dprelease.model.calendar import PERIODS, RECURRING, period, stretches

pytestmark = pytest.mark.quick

DAYS = pd.date_range("1900-01-01", "2100-12-31")
FREQUENCIES = {"month": "M", "quarter": "Q", "year": "Y"}


def expected(level: str) -> list[str]:
    """By pandas alone."""
    if level == "day":
        return list(DAYS.strftime("%Y-%m-%d"))
    if level == "week":
        weeks = DAYS.isocalendar()
        return [f"{year}-W{week:02}" for year, week in zip(weeks["year"], weeks["week"], strict=True)]
    if level == "weekday":
        return [str(day + 1) for day in DAYS.day_of_week]
    if level == "month_of_year":
        return [f"{month:02}" for month in DAYS.month]
    if level == "half":
        return [f"{day.year}-S{1 if day.month <= 6 else 2}" for day in DAYS]
    named = DAYS.to_period(FREQUENCIES[level]).astype(str)
    return [name.replace("Q", "-Q") for name in named]


@pytest.mark.full
@pytest.mark.parametrize("level", PERIODS)
def test_every_day_of_two_centuries_is_in_the_period_that_pandas_says(level: str) -> None:
    days = [day.date() for day in DAYS]
    names = expected(level)
    assert [period(day, level) for day in days] == names
    found = list(stretches(days[0], days[-1], level))
    ends = [(*pair, pair[1].first) for pair in pairwise(found)]
    by_stretch = [one.name for one, _, end in ends for _ in range(end - one.first)]
    by_stretch += [found[-1].name] * (days[-1].toordinal() + 1 - found[-1].first)
    assert by_stretch == names


@pytest.mark.parametrize("level", PERIODS)
@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ("0001-01-01", "0001-03-05"),
        ("1582-10-01", "1582-10-31"),
        ("9999-11-30", "9999-12-31"),
        ("2025-05-05", "2025-05-06"),
    ],
)
def test_stretches_cover_the_bounds_and_no_more_at_the_ends_of_time(level: str, lower: str, upper: str) -> None:
    first, last = date.fromisoformat(lower), date.fromisoformat(upper)
    found = list(stretches(first, last, level))
    starts = [stretch.first for stretch in found]
    assert starts[0] == first.toordinal()
    assert starts == sorted(set(starts))
    assert starts[-1] <= last.toordinal()
    days = (date.fromordinal(number) for number in range(first.toordinal(), last.toordinal() + 1))
    assert {stretch.name for stretch in found} == {period(day, level) for day in days}


def test_a_year_of_53_weeks_has_them_all_and_says_which_are_whole() -> None:
    found = list(stretches(date(2020, 1, 1), date(2020, 12, 31), "week"))
    assert (found[0].name, found[-1].name, len(found)) == ("2020-W01", "2020-W53", 53)
    assert [stretch.name for stretch in found if not stretch.whole] == ["2020-W01", "2020-W53"]


def test_periods_that_come_round_again_are_never_parts() -> None:
    for level in RECURRING:
        assert all(stretch.whole for stretch in stretches(date(2025, 3, 5), date(2025, 3, 6), level))

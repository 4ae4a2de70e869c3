"""No statistic is seen to spend more than its ε, and noise that is too small is seen.

False alarms: each case may claim too much with probability 4e-7 (two or four bounds at 1e-7 each); the power of each
check of a mutant is chosen so that it is missed with probability below 1e-6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dprelease.mechanisms import Mechanism
from dprelease.model.privacy import NeighboringRelation
from tests.privacy.audit import MAX_ROWS, Case, given, noise_times, observed_epsilon, priced

ADD, SUB = NeighboringRelation.ADD_REMOVE, NeighboringRelation.SUBSTITUTE
COLUMNS = {
    "x": {"type": "number", "lower": -2, "upper": 1.5, "resolution": 0.5},
    "g": {"type": "category", "categories": ["a", "b"]},
    "h": {"type": "category", "categories": ["u", "v"]},
}


def row(x: float, g: str = "a", h: str = "u") -> dict[str, Any]:
    return {"x": x, "g": g, "h": h}


OTHERS = (row(0.5), row(-2, "b", "v"), row(1, "b"), row(1.5, "a", "v"))
LOW, HIGH = (row(-2),) * MAX_ROWS, (row(1.5, "b", "v"),) * MAX_ROWS
STATISTICS: dict[str, dict[str, Any]] = {
    "count": {"kind": "count"},
    "sum": {"kind": "sum", "column": "x"},
    "sum by g": {"kind": "sum", "column": "x", "by": ["g"]},
    "mean": {"kind": "mean", "column": "x"},
    "histogram": {"kind": "histogram", "column": "g"},
    "crosstab": {"kind": "crosstab", "columns": ["g", "h"]},
}


def noisy(name: str, relation: NeighboringRelation) -> Case:
    """The worst pair: rows at a bound appear, or move to the other bound and group, or vanish where that is more."""
    moved = HIGH
    if name == "sum by g":
        moved = (row(-2, "b"),) * MAX_ROWS
    if name == "count" or relation is ADD:
        moved = ()
    return Case(name, STATISTICS[name], relation, 1.0, OTHERS, LOW, moved, COLUMNS)


NOISY = [noisy(name, relation) for name in STATISTICS for relation in (ADD, SUB)]


def chooser(
    alpha: float,
    relation: NeighboringRelation,
    epsilon: float,
    cells: int,
    counts: dict[int, int],
    moved: tuple[int | None, int | None],
    choice: int,
) -> Case:
    """Rows by cell; the person's rows go from one cell to another, or appear."""
    before, after = (() if cell is None else ({"k": cell},) * MAX_ROWS for cell in moved)
    statistic = (
        {"kind": "median", "column": "k"} if alpha == 0.5 else {"kind": "quantiles", "column": "k", "probs": [alpha]}
    )
    others = tuple({"k": cell} for cell, rows in counts.items() for _ in range(rows))
    columns = {"k": {"type": "integer", "lower": 0, "upper": cells - 1}}
    return Case(str(statistic["kind"]), statistic, relation, epsilon, others, before, after, columns, choice)


CHOOSERS = [
    chooser(0.5, ADD, 1.5, 33, {0: 24, 31: 26}, (None, 30), 30),
    chooser(0.5, SUB, 3, 28, {1: 2}, (0, 27), 0),
    chooser(0.25, ADD, 1.5, 11, {1: 3, 10: 3}, (None, 0), 0),
    chooser(0.25, SUB, 3, 27, {1: 2, 26: 4}, (0, 26), 0),
]
"""Pairs found by search, on which permute-and-flip spends most of its ε and can be seen to."""


@pytest.mark.parametrize("case", NOISY, ids=str)
def test_noise_spends_no_more_than_its_epsilon_and_seven_tenths_of_it_more(case: Case) -> None:
    """16,000 draws of each table. Real ε 1 / 0.7 = 1.43 is bounded above 1 with at least 5 deviations to spare."""
    honest = observed_epsilon(case, 16_000)
    assert 0.6 < honest <= case.epsilon
    assert observed_epsilon(case, 16_000, change=noise_times(0.7)) > case.epsilon


@pytest.mark.parametrize("case", CHOOSERS, ids=str)
def test_selection_spends_no_more_than_its_epsilon(case: Case) -> None:
    """4,000 draws of each table."""
    assert 0.2 * case.epsilon < observed_epsilon(case, 4000) <= case.epsilon


@pytest.mark.parametrize(("case", "count"), [*zip(CHOOSERS, (7000, 5000, 10_000, 5000), strict=True)], ids=str)
def test_selection_with_half_its_noise_spends_more(case: Case, count: int) -> None:
    """As many draws of each table as leave at least 5 deviations to spare."""
    assert observed_epsilon(case, count, change=noise_times(0.5)) > case.epsilon


def test_rows_that_are_not_cut_are_seen() -> None:
    """Six rows of a person, kept whole, under noise for two."""
    case = noisy("count", ADD)
    crowd = case.before * 3
    assert observed_epsilon(replace(case, before=crowd), 20_000) <= case.epsilon
    uncut = given(case, crowd, max_rows=6)
    assert observed_epsilon(case, 20_000, before=uncut) > case.epsilon


@pytest.mark.parametrize("name", ["histogram", "mean", "crosstab", "sum by g"])
def test_noise_for_the_other_relation_is_seen(name: str) -> None:
    case = noisy(name, SUB)
    (wrong,) = priced(noisy(name, ADD))["s"].mechanisms

    def for_the_other(mechanism: Mechanism) -> Mechanism:
        return replace(mechanism, scale=wrong.scale)

    assert observed_epsilon(case, 20_000, change=for_the_other) > case.epsilon


@pytest.mark.full
@pytest.mark.parametrize("case", NOISY, ids=str)
def test_noise_at_85_percent_is_seen(case: Case) -> None:
    """100,000 draws of each table: real ε 1.18, bounded above 1 with at least 5 deviations to spare."""
    assert observed_epsilon(case, 100_000) <= case.epsilon
    assert observed_epsilon(case, 100_000, change=noise_times(0.85)) > case.epsilon


SMALL = chooser(0.25, ADD, 1, 5, {1: 2, 4: 4}, (None, 0), 0)


@pytest.mark.full
@pytest.mark.parametrize(
    ("case", "count"), [(CHOOSERS[0], 60_000), (CHOOSERS[1], 40_000), (SMALL, 150_000), (CHOOSERS[3], 40_000)], ids=str
)
def test_selection_at_70_percent_is_seen(case: Case, count: int) -> None:
    """At least 5 deviations to spare."""
    assert observed_epsilon(case, count) <= case.epsilon
    assert observed_epsilon(case, count, change=noise_times(0.7)) > case.epsilon

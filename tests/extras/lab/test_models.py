"""The best attack on what is sealed of a model stays below what its ε or ρ allows, computed and on draws."""

from __future__ import annotations

from math import sqrt, tanh

import pytest

from benchmarks.attacks import advantage, bound, priced, tables, tried, worst
from dprelease.model.privacy import Currency

DRAWS = 2000
APART = 6 * sqrt(2 * 0.25 / DRAWS)
"""Six standard errors of a difference of two shares: exceeded by chance once in 5·10^8 times."""


@pytest.mark.one_in(9)
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("kind", ["linear", "scorecard"])
def test_no_row_is_told_better_than_epsilon_allows(kind: str, currency: Currency, neighbors: str) -> None:
    bill = priced(kind, 1.0, currency, neighbors)
    best, pair = worst(bill)
    assert 0.01 < best < bound(bill)
    if currency is Currency.PURE:
        assert bound(bill) == pytest.approx(tanh(0.5))
    assert abs(tried(pair, DRAWS) - best) < APART


@pytest.mark.full
@pytest.mark.parametrize("kind", ["linear", "scorecard"])
def test_with_more_epsilon_a_row_is_told_better(kind: str) -> None:
    told = []
    for epsilon in (0.1, 1.0, 10.0):
        bill = priced(kind, epsilon, Currency.PURE)
        told.append(advantage(*next(iter(tables(bill)))))
        assert told[-1] < bound(bill)
    assert told == sorted(told)

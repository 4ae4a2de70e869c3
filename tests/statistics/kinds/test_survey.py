"""Shares of answers that were changed at random, as published: how far off, how often held, and by which way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dprelease.errors import PlanError
from dprelease.mechanisms import RandomizedResponse, Response, SubsetResponse, UnaryResponse
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.model.release import Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.statistics.kinds.survey import Survey
from dprelease.statistics.kit.check import plan_of
from dprelease.statistics.planning.price import price
from dprelease.statistics.planning.priced import StatisticPrice

ALARM = 1e-7
"""How often each test fails by chance, at most."""
ROWS = 60


@cache
def priced(answers: int, epsilon: float, method: str, currency: Currency = Currency.PURE) -> StatisticPrice:
    declared = {"id": "s", "kind": "survey", "column": "answer", "method": method}
    codes = [str(number) for number in range(answers)]
    schema = Schema.parse({"answer": {"type": "category", "categories": codes, "count_missing_as": "0"}})
    statistic = read_statistic(declared, "s", Report())
    assert isinstance(statistic, Survey)
    delta = {"delta_atto": 10**12} if currency is Currency.ZCDP else {}
    substitute = NeighboringRelation.SUBSTITUTE
    plan = plan_of(statistic, epsilon=epsilon, schema=schema, neighbors=substitute, **delta)  # type: ignore[arg-type]
    return price(plan, currency=currency)["s"]


def schema(answers: int) -> Schema:
    return Schema.parse(
        {"answer": {"type": "category", "categories": [str(k) for k in range(answers)], "count_missing_as": "0"}}
    )


def published(item: StatisticPrice, counts: Sequence[int], draws: int, level: float = 0.95) -> list[Estimates]:
    (mechanism,) = item.mechanisms
    given = np.asarray(counts, dtype=np.int64)
    statistic, columns = item.statistic, schema(len(counts))
    assert isinstance(statistic, Survey)
    return [statistic.estimates(columns, [mechanism.release(given)], item.mechanisms, level) for _ in range(draws)]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("epsilon", "answers", "method", "figure", "draws"),
    [
        (1, 4, "response", 1.60, 400),
        (1, 4, "subset", 1.60, 400),
        (1, 4, "unary", 3.68, 400),
        (1, 10, "response", 3.63, 200),
        (1, 10, "subset", 2.84, 200),
        (1, 10, "unary", 3.68, 200),
        (1, 50, "response", 17.2, 100),
        pytest.param(1, 50, "subset", 3.50, 60, marks=pytest.mark.full),
        pytest.param(1, 50, "unary", 3.68, 100, marks=pytest.mark.full),
        (1, 1000, "response", 339, 20),
        pytest.param(1, 1000, "unary", 3.68, 10, marks=pytest.mark.full),
        (4, 50, "response", 0.0357, 200),
        (4, 50, "subset", 0.0357, 100),
        pytest.param(4, 50, "unary", 0.076, 100, marks=pytest.mark.full),
    ],
)
def test_shares_that_nobody_has_vary_as_the_literature_says(
    epsilon: float, answers: int, method: str, figure: float, draws: int
) -> None:
    """n times the mean square of the published shares of answers that no row has, beside the figure.

    By the spread of the draws' own mean squares, at 6 standard errors, and 1 % for what the figure leaves out.
    """
    counts = [ROWS] + [0] * (answers - 1)
    found = published(priced(answers, epsilon, method), counts, draws, level=0)  # estimates alone
    squares = np.array([ROWS * np.mean(np.square(table.value[1:], dtype=float)) for table in found])
    near = 6 * squares.std(ddof=1) / sqrt(draws)
    print(f"{method}, k = {answers}, ε = {epsilon}: {squares.mean():.4g} ± {near / 6:.2g}, figure {figure}")
    assert near < 0.6 * figure, "so few draws tell nothing"
    assert squares.mean() == pytest.approx(figure, abs=near + 0.01 * figure)
    own = np.array([table.value[0] for table in found], dtype=float)
    assert abs(own.mean() - 1) < 6 * own.std(ddof=1) / sqrt(draws) + 1e-9


@pytest.mark.full
@pytest.mark.parametrize("method", ["response", "subset", "unary"])
@pytest.mark.parametrize(("answers", "epsilon"), [(2, 1.0), (3, 0.3), (10, 1.0)])
def test_published_intervals_hold_the_true_share(method: str, answers: int, epsilon: float) -> None:
    """Of each answer: at least 95 %, of 200 surveys. By chance one of 27 · 10 is below the bound once in 10^7."""
    counts = [(7 * place) % 23 for place in range(1, answers + 1)]
    true = np.array(counts) / sum(counts)
    found = published(priced(answers, epsilon, method), counts, 200)
    held: Any = sum(
        (np.array(table.lower95, dtype=float) <= true + 1e-9) & (true - 1e-9 <= np.array(table.upper95, dtype=float))
        for table in found
    )
    assert np.min(held) >= stats.binom.ppf(ALARM / 100, 200, 0.95)


@pytest.mark.parametrize(
    ("answers", "epsilon", "way"),
    [
        (2, 1.0, RandomizedResponse),
        (4, 1.0, RandomizedResponse),
        (10, 1.0, SubsetResponse),
        (50, 1.0, SubsetResponse),
        (51, 1.0, UnaryResponse),
        (1000, 1.0, UnaryResponse),
        (50, 4.0, RandomizedResponse),
    ],
)
def test_the_way_is_chosen_by_price(answers: int, epsilon: float, way: type[Response]) -> None:
    (mechanism,) = priced(answers, epsilon, "auto").mechanisms
    assert type(mechanism) is way
    own = [priced(answers, epsilon, "response"), priced(answers, epsilon, "unary")]
    chosen = priced(answers, epsilon, "auto")
    statistic, columns = chosen.statistic, schema(answers)
    assert isinstance(statistic, Survey)
    least = min(statistic.uncertainty(columns, each.mechanisms, None) for each in own)
    assert statistic.uncertainty(columns, chosen.mechanisms, None) <= least


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("method", ["auto", "response", "subset", "unary"])
@pytest.mark.parametrize("counts", [(0, 0), (1, 0), (0, 0, 5)])
def test_surveys_of_few_rows_and_of_none(counts: tuple[int, ...], method: str, currency: Currency) -> None:
    (table,) = published(priced(len(counts), 1.0, method, currency), counts, 1)
    ends: Any = zip(table.lower95, table.value, table.upper95, strict=True)
    assert all(low <= value <= high for low, value, high in ends)
    if not sum(counts):
        assert table.value == [pytest.approx(1 / len(counts))] * len(counts)
        assert (min(table.lower95), max(table.upper95)) == (0, 1)


@pytest.mark.parametrize("method", ["auto", "response", "subset", "unary"])
def test_one_answer_tells_nothing_and_is_refused(method: str) -> None:
    with pytest.raises(PlanError, match="found 1 answer"):
        priced(1, 1.0, method)


def test_subsets_of_many_answers_are_refused_with_what_to_take_instead() -> None:
    with pytest.raises(PlanError, match=r"found 51 answers.*unary"):
        priced(51, 1.0, "subset")

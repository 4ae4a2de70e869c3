"""Intervals of quantiles hold as often as they say: exactly on small lattices, and for columns of six shapes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.release import Estimates
from dprelease.model.tally import Sensitivity
from dprelease.statistics.algebra.rank_interval import bins, counted, edges, interval
from dprelease.statistics.answer import answers, draw
from dprelease.statistics.answer import exact as given
from dprelease.statistics.planning.price import Price, price
from dprelease.table import Tally

COLUMN = {"type": "integer", "lower": 0, "upper": 999}
ALPHAS = (0.1, 0.5, 0.75)


def laplace(epsilon: str, shape: tuple[int, ...]) -> Mechanism:
    share = PrivacyLoss.of(Currency.PURE, int(Fraction(epsilon) * 10**9), 0)
    return DiscreteLaplace.calibrate(Sensitivity(l1=1, linf=1, l2_squared=1, shape=shape), share)


@pytest.mark.parametrize("cells", [1, 2, 3, 8, 100, 65_536])
def test_edges_lie_around_the_chosen_cell(cells: int) -> None:
    for chosen in {0, cells // 2, cells - 1}:
        (found,) = edges(np.array([chosen]), cells).tolist()
        assert found == sorted(found)
        assert (found[0], found[-1], len(found)) == (0, cells, bins(cells) + 1)
        assert {chosen, chosen + 1} <= set(found)


def test_rows_are_counted_once() -> None:
    rows = np.random.default_rng(1).integers(0, 9, (3, 50))
    found = counted(rows, edges(np.array([0, 20, 49]), 50))
    assert found.sum(axis=1).tolist() == rows.sum(axis=1).tolist()
    assert found.min() >= 0


ROWS = [(0, 0, 0), (1, 0, 0), (0, 4, 0), (1, 1, 1), (4, 0, 4), (0, 1, 4), (3, 1, 0), (40, 2, 40)]
DRAWS = 5_000


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("rows", "alpha", "epsilon"), list(product(ROWS, [0.25, 0.5, 0.9], ["0.5", "4"])))
def test_each_side_errs_in_at_most_one_of_forty(rows: tuple[int, ...], alpha: float, epsilon: str) -> None:
    """5,000 draws a case and side, 96 in all: five standard deviations above 1/40, so a false alarm below 3e-5."""
    between = edges(np.array([1]), 3)
    mechanism = laplace(epsilon, (1, bins(3)))
    noise = np.array(mechanism.release(np.zeros((DRAWS, bins(3)), dtype=np.int64)))
    noisy = counted(np.array([rows]), between) + noise
    low, high = interval(noisy.astype(np.float64), np.repeat(between, DRAWS, axis=0), alpha, mechanism)
    upto = np.concatenate([[0], np.cumsum(rows)])
    quantiles = [cell for cell in range(3) if upto[cell] <= alpha * upto[-1] <= upto[cell + 1]]
    most = 0.025 + 5 * (0.025 / DRAWS) ** 0.5
    assert (low > min(quantiles)).mean() <= most
    assert (high <= max(quantiles)).mean() <= most


def priced(kind: str, currency: Currency, neighbors: str = "add_remove", **options: Any) -> Price:
    privacy = {"unit": "row", "neighbors": neighbors, "epsilon": 1, "delta": 1e-6}
    own = {"id": "q", "kind": kind, "column": "x", "interval": True, **options}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": {"x": COLUMN}, "statistics": [own]}
    return price(Plan.parse(plan), currency=currency)


def shape(name: str) -> NDArray[np.int64]:
    """1,500 rows, the same each time."""
    rng = np.random.default_rng(11)
    found = {
        "normal": lambda: rng.normal(400, 90, 1500),
        "lognormal": lambda: rng.lognormal(4.5, 0.8, 1500),
        "uniform": lambda: rng.uniform(0, 1000, 1500),
        "two hills": lambda: np.concatenate([rng.normal(150, 20, 750), rng.normal(820, 20, 750)]),
        "one point": lambda: np.full(1500, 999),
        "five values": lambda: rng.choice([0, 10, 20, 500, 999], 1500),
        "nobody": lambda: np.zeros(0),
    }[name]()
    return np.clip(np.round(found), 0, 999).astype(np.int64)


SHAPES = ["normal", "lognormal", "uniform", "two hills", "one point", "five values", "nobody"]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("name", SHAPES)
def test_intervals_cover(name: str, currency: Currency) -> None:
    """60 releases of three quantiles: below 80 % of one with probability below 1e-4 in all, at 95 % each."""
    covered(name, currency, "add_remove", 60, 0.8)


@pytest.mark.full
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("name", SHAPES)
def test_intervals_cover_in_many_releases(name: str, currency: Currency, neighbors: str) -> None:
    """2,000 releases of three quantiles: four standard deviations below 95 %."""
    covered(name, currency, neighbors, 2000, 0.95 - 4 * (0.95 * 0.05 / 2000) ** 0.5)


def covered(name: str, currency: Currency, neighbors: str, releases: int, least: float) -> None:
    bill = priced("quantiles", currency, neighbors, probs=[str(alpha) for alpha in ALPHAS])
    values = np.sort(shape(name))
    (query,) = bill.statistics[0].statistic.queries(bill.plan.schema)
    inputs = given(bill, [Tally(query, np.bincount(values, minlength=1000))])
    hits, widths = np.zeros(len(ALPHAS)), np.zeros(len(ALPHAS))
    for _ in range(releases):
        table = answers(bill, draw(bill, inputs))["q"]
        assert isinstance(table, Estimates)
        for place, alpha in enumerate(ALPHAS):
            low, high = int(table.lower95[place]), int(table.upper95[place])  # type: ignore[arg-type]
            below, upto = (np.searchsorted(values, high + 1), np.searchsorted(values, low))
            hits[place] += upto <= alpha * len(values) <= below
            widths[place] += high - low
    print(name, currency, neighbors, hits / releases, widths / releases)
    assert hits.min() >= least * releases


def test_an_interval_takes_a_fifth_of_the_share() -> None:
    bill = priced("five_numbers", Currency.PURE)
    (measurement,) = bill.measurements
    losses = [float(each.share.epsilon) for each in measurement.mechanisms]
    assert sum(losses[5:]) == pytest.approx(0.2)
    assert sum(losses) == pytest.approx(1)
    assert measurement.turns == (0,) * 5 + (1,) * 5

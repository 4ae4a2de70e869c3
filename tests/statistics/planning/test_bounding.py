"""Intervals of quantiles by the shares of a cdf hold as often as they say: exactly on small lattices, and by draws."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET, structs
from numpy.typing import NDArray

from dprelease.errors import IntegrityError
from dprelease.mechanisms import NOISE
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.release import Estimates
from dprelease.model.tally import Sensitivity
from dprelease.statistics.algebra.rank_interval import cells_between
from dprelease.statistics.algebra.reach import cumulative_interval, fit
from dprelease.statistics.answer import answers, draw
from dprelease.statistics.answer import exact as given
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.planning.stated import as_stated
from dprelease.table import Tally

LEVELS = 200
ALPHAS = ("0.1", "0.5", "0.75")
COLUMNS = {
    "x": {"type": "integer", "lower": -20, "upper": LEVELS - 21},
    "y": {"type": "integer", "lower": 0, "upper": 9},
    "sex": {"type": "category", "categories": ["F", "M"]},
}
QUANTILES = {"id": "q", "kind": "quantiles", "column": "x", "probs": list(ALPHAS)}
CDF = {"id": "up_to", "kind": "cdf", "column": "x"}


def priced(*statistics: dict[str, Any], currency: Currency = Currency.PURE, neighbors: str = "add_remove") -> Price:
    privacy = {"unit": "row", "neighbors": neighbors, "epsilon": 1, "delta": 1e-6}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": COLUMNS, "statistics": list(statistics)}
    return price(Plan.parse(plan), currency=currency)


@pytest.mark.parametrize(
    ("lower", "upper", "cells"),
    [
        ([0, 0, 0, 0], [1, 1, 1, 1], (0, 3)),
        ([0, 0, 0.6, 1], [0.1, 0.4, 0.9, 1], (2, 2)),
        ([0, 0.5, 0.6, 1], [0.5, 0.9, 0.9, 1], (0, 2)),  # a share that may be α is no end
        ([0, 0, 0, 1], [0.1, 0.6, 0.2, 1], (1, 3)),  # what is told behind an end that may be α is not looked at
        ([0.7, 0.2, 0.8, 1], [1, 1, 1, 1], (0, 2)),
        ([0.6, 0.7, 0.8, 1], [0.7, 0.8, 0.9, 1], (0, 0)),
        ([0, 0, 0.1, 0.2], [0.1, 0.2, 0.3, 0.4], (3, 3)),  # the last cell ends at the upper bound, whatever is said
        ([0.3], [0.4], (0, 0)),
    ],
)
def test_the_cells_between_are_found_from_outside(
    lower: list[float], upper: list[float], cells: tuple[int, int]
) -> None:
    assert cells_between(lower, upper, Decimal("0.5")) == cells


def cells_of_quantiles(rows: tuple[int, ...], alpha: Decimal) -> tuple[int, int]:
    """The first and the last cell with a value v of which n(below v) <= αn <= n(up to v), wherever rows lie in them."""
    upto = [sum(rows[: cell + 1]) for cell in range(len(rows))]
    wanted = alpha * upto[-1]
    cells = [cell for cell in range(len(rows)) if upto[cell] - rows[cell] <= wanted <= upto[cell]]
    return cells[0], cells[-1]


TWO = [(0, 0), (3, 3), (0, 12), (12, 0), (5, 15), (20, 20), (30, 10), (1, 9), (40, 40)]
THREE = [(0, 0, 0), (3, 0, 3), (4, 8, 4), (0, 9, 0), (1, 8, 1), (2, 6, 12)]


@pytest.mark.one_in(10)
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize(("epsilon", "all_rows"), [("4", TWO), ("1", TWO), ("2.4", THREE)])
def test_enumerated_intervals_hold_in_95_of_100(
    epsilon: str, all_rows: list[tuple[int, ...]], currency: Currency
) -> None:
    """All noises of two and three cells with their chances: no draw, so no false alarm. Rows at an edge exactly, none
    at all, all in the first cell or the last."""
    cells, alphas = len(all_rows[0]), [Decimal(text) for text in ("0.1", "0.25", "0.5", "0.75")]
    nano = int(Decimal(epsilon) * 10**9) // (1 if currency is Currency.PURE else 2)
    share = PrivacyLoss.of(currency, nano, 0)
    sensitivity = Sensitivity(l1=1, linf=1, l2_squared=1, shape=(cells,))
    mechanism = NOISE[currency].calibrate(sensitivity, share)
    fitted = fit([mechanism], cells)
    noise, chance = law(mechanism.scale, gaussian=currency is Currency.ZCDP)

    @cache
    def told(counts: tuple[int, ...]) -> list[tuple[int, int]]:
        lower, upper = cumulative_interval(np.array(counts, dtype=float), fitted, mechanism)
        return [cells_between(lower.tolist(), upper.tolist(), alpha) for alpha in alphas]

    for rows in all_rows:
        missed = [0.0] * len(alphas)
        for places in product(range(len(noise)), repeat=cells):
            likely = prod(chance[place] for place in places)
            if likely > 1e-7:
                found = told(tuple(count + noise[place] for count, place in zip(rows, places, strict=True)))
                for each, alpha in enumerate(alphas):
                    first, last = cells_of_quantiles(rows, alpha)
                    if found[each][0] > first or found[each][1] < last:
                        missed[each] += likely
        assert max(missed) <= 0.05, (rows, missed)


def law(scale: float, *, gaussian: bool) -> tuple[list[int], list[float]]:
    """The values of discrete noise with their probabilities, but for ends of less than 1e-4 together."""
    far = int(scale * (4.5 if gaussian else 10)) + 1
    noise = np.arange(-far, far + 1)
    weights = np.exp(-(noise**2) / (2 * scale**2)) if gaussian else np.exp(-np.abs(noise) / scale)
    return noise.tolist(), (weights / weights.sum()).tolist()


def shape(name: str) -> NDArray[np.int64]:
    """1,500 codes, the same each time."""
    rng = np.random.default_rng(11)
    found = {
        "normal": lambda: rng.normal(80, 18, 1500),
        "lognormal": lambda: rng.lognormal(3, 0.8, 1500),
        "even": lambda: np.arange(1600) % LEVELS,
        "two hills": lambda: np.concatenate([rng.normal(30, 4, 750), rng.normal(164, 4, 750)]),
        "one point": lambda: np.full(1500, LEVELS - 1),
        "two points": lambda: np.repeat([9, 150], 40),
        "nobody": lambda: np.zeros(0),
    }[name]()
    return np.clip(np.round(found), 0, LEVELS - 1).astype(np.int64)


SHAPES = ["normal", "lognormal", "even", "two hills", "one point", "two points", "nobody"]


@pytest.mark.one_in(7)
@pytest.mark.parametrize(("currency", "bins"), [(Currency.PURE, 20), (Currency.ZCDP, 100)])
@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_for_columns_of_any_shape(name: str, currency: Currency, bins: int) -> None:
    """60 releases of three quantiles: below 80 % of one with probability below 1e-4 in all, at 95 % each."""
    covered(name, currency, "add_remove", bins, 60, 0.8)


@pytest.mark.full
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
@pytest.mark.parametrize(("currency", "bins"), list(product(Currency, [2, 20, 100, 200])))
@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_in_many_releases(name: str, currency: Currency, bins: int, neighbors: str) -> None:
    """1,000 releases of three quantiles: five standard deviations below 95 %, so a false alarm below 1e-4 in all."""
    covered(name, currency, neighbors, bins, 1000, 0.95 - 5 * (0.95 * 0.05 / 1000) ** 0.5)


def covered(name: str, currency: Currency, neighbors: str, bins: int, releases: int, least: float) -> None:
    """Every value that is a quantile lies between the ends, of no rows all that the column can have."""
    bill = priced(QUANTILES, CDF | {"bins": bins}, currency=currency, neighbors=neighbors)
    codes = np.sort(shape(name))
    counts = np.bincount(codes, minlength=LEVELS)
    queries = [query for item in bill.statistics for query in item.statistic.queries(bill.plan.schema)]
    firsts = [[query.keys[0].first_code(cell) for cell in range(query.keys[0].cells)] for query in queries]  # type: ignore[union-attr]
    pairs = zip(queries, firsts, strict=True)
    inputs = given(bill, [Tally(query, np.add.reduceat(counts, first)) for query, first in pairs])  # type: ignore[arg-type]
    hits, widths = np.zeros(len(ALPHAS)), np.zeros(len(ALPHAS))
    for _ in range(releases):
        table = answers(bill, draw(bill, inputs))["q"]
        assert isinstance(table, Estimates)
        for place, alpha in enumerate(map(Decimal, ALPHAS)):
            low, value, high = (int(part[place]) + 20 for part in (table.lower95, table.value, table.upper95))  # type: ignore[arg-type]
            least_code, most_code = quantiles(codes, alpha)
            hits[place] += low <= least_code and most_code <= high
            widths[place] += high - low
            assert 0 <= low <= value <= high < LEVELS
    print(name, currency, neighbors, bins, hits / releases, widths / releases)
    assert hits.min() >= least * releases


def quantiles(codes: NDArray[np.int64], alpha: Decimal) -> tuple[int, int]:
    """The least and the greatest code v of which n(below v) <= αn <= n(up to v)."""
    each = np.arange(LEVELS)
    below, upto = np.searchsorted(codes, each), np.searchsorted(codes, each, side="right")
    wanted = float(alpha * len(codes))
    found = each[(below <= wanted) & (wanted <= upto)]
    return int(found[0]), int(found[-1])


def test_the_finest_shares_of_the_same_rows_bound_what_pays_for_no_interval() -> None:
    bill = priced(
        QUANTILES,
        CDF,
        {"id": "fine", "kind": "cdf", "column": "x", "bins": 50},
        {"id": "other", "kind": "cdf", "column": "y"},
        {"id": "middle", "kind": "median", "column": "y"},
        {"id": "five", "kind": "five_numbers", "column": "x"},
        {"id": "paid", "kind": "median", "column": "x", "interval": True},
        {"id": "groups", "kind": "median", "column": "x", "by": ["sex"]},
        {"id": "rows", "kind": "count"},
    )
    found = {item.id: item.bounded_by for item in bill.statistics if item.bounded_by is not None}
    assert found == {"q": "fine", "five": "fine", "middle": "other"}
    alone = priced(QUANTILES, CDF | {"column": "y"})
    assert alone["q"].bounded_by is None
    assert bill.loss == alone.loss


def test_it_costs_nothing_and_moves_no_value() -> None:
    with_shares, counts = priced(QUANTILES, CDF), np.bincount(shape("normal"), minlength=LEVELS)
    bare = replace(with_shares, statistics=tuple(replace(each, bounded_by=None) for each in with_shares.statistics))
    queries = [query for item in bare.statistics for query in item.statistic.queries(bare.plan.schema)]
    drawn = draw(bare, given(bare, [Tally(queries[0], counts), Tally(queries[1], counts.reshape(20, 10).sum(axis=1))]))  # type: ignore[arg-type]
    one, other = answers(with_shares, drawn)["q"], answers(bare, drawn)["q"]
    assert isinstance(one, Estimates)
    assert isinstance(other, Estimates)
    assert (one.value, other.lower95) == (other.value, [None] * 3)
    assert None not in (*one.lower95, *one.upper95)
    assert with_shares["q"].could_answer(with_shares.plan.schema, one)
    assert not bare["q"].could_answer(bare.plan.schema, one)
    assert bare.measurements == with_shares.measurements


def test_what_is_stated_is_taken_where_such_shares_bound() -> None:
    """A certificate that states nothing gets no interval."""
    bill = priced(QUANTILES, CDF, CDF | {"id": "fine", "bins": 50}, CDF | {"id": "other", "column": "y"})
    stated = [each.stated(bill.plan.schema) for each in bill.statistics]
    made = [each.stated() for each in bill.measurements]

    def again(by: Any) -> str | None:
        first = structs.replace(stated[0], bounded_by=by)
        return as_stated(bill.plan, made, [first, *stated[1:]], currency=bill.currency)["q"].bounded_by

    assert stated[0].bounded_by == "fine"
    assert "bounded_by" not in priced(QUANTILES, CDF | {"column": "y"}).to_mapping()["statistics"][0]
    assert again("up_to") == "up_to"
    assert again(UNSET) is None
    for wrong in ("other", "q", "nothing"):
        with pytest.raises(IntegrityError, match="do not bound"):
            again(wrong)

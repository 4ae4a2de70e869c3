"""Cumulative shares of many bins, which are counted at several levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease import check_statistic
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.plan import Expected
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit, Terms
from dprelease.statistics import TallyStatistic
from dprelease.statistics.algebra.tree import Tree
from dprelease.statistics.answer import draw, table
from dprelease.statistics.kit.check import plan_of
from dprelease.statistics.kit.rows import SCHEMA
from dprelease.statistics.planning.measurement import with_mechanisms
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.planning.priced import measured
from dprelease.statistics.planning.stated import as_stated
from tests.statistics.kinds.variants import VARIANTS, statistic
from tests.statistics.ready import ready

PURE, ZCDP = Currency
ROWS = 20_000
MANY = [(ZCDP, 101, (101, 26, 7)), (PURE, 200, (200, 17))]


def cdf(bins: int, **options: Any) -> TallyStatistic:
    return statistic(kind="cdf", column="wide", bins=bins, **options)


def priced(asked: TallyStatistic, currency: Currency, epsilon: float = 1, **others: Any) -> Price:
    whole = {"expected": Expected(ROWS), "delta_atto": 10**12} | others
    return price(plan_of(asked, epsilon=epsilon, **whole), currency=currency)


def by_bins(bill: Price, terms: Terms) -> Price:
    """The same plan measured by the bins alone, as it was before 0.7.0."""
    item = bill.statistics[0]
    alone = item.statistic.ways(bill.plan.schema, terms)[-1]
    assert len(alone) == 1
    share = item.loss
    mechanism = alone[0].mechanism.calibrate(alone[0].sensitivity, share)
    return replace(
        bill, statistics=(measured(with_mechanisms(item.statistic, [mechanism], alone, bill.plan.schema), bill.plan),)
    )


def shapes(bill: Price) -> tuple[int, ...]:
    return tuple(each.sensitivity.shape[0] for each in bill.statistics[0].mechanisms)  # type: ignore[index]


def published(bill: Price, bins: NDArray[np.int64]) -> Any:
    """One draw of these counts."""
    given = Tree(shapes(bill)).counts(bins)
    return table(bill["s"], bill.plan.schema, draw(bill, ready(bill, given)))


@pytest.mark.parametrize(("currency", "bins", "levels"), MANY)
def test_many_bins_are_counted_at_several_levels_and_a_few_are_not(
    currency: Currency, bins: int, levels: tuple[int, ...]
) -> None:
    assert shapes(priced(cdf(bins), currency)) == levels
    assert shapes(priced(cdf(20), currency)) == (20,)
    assert priced(cdf(bins), currency).loss == priced(cdf(20), currency).loss


@pytest.mark.one_in(6)
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("bins", [2, 20, 101, 200, 1000])
def test_the_price_is_never_above_that_of_the_bins_alone(
    bins: int, currency: Currency, relation: NeighboringRelation
) -> None:
    """At any share, tiny and huge ones too: at these, whole numbers are nearly free of noise as they are."""
    for epsilon in (0.001, 1, 8, 40):
        unit = PrivacyUnit("person", 3)
        bill = priced(cdf(bins), currency, epsilon, neighbors=relation, unit=unit)
        before = by_bins(bill, Terms(unit, relation, currency))
        error, other = bill["s"].error95, before["s"].error95
        assert error is not None
        assert other is not None
        assert error <= other
        if epsilon == 1 and bins == 1000:
            assert error < (0.3 if currency is ZCDP else 0.6) * other


@pytest.mark.full
@pytest.mark.parametrize(("currency", "bins", "levels"), MANY)
@pytest.mark.parametrize("heap", [False, True])
def test_intervals_hold_and_the_price_is_what_draws_err(
    currency: Currency, bins: int, levels: tuple[int, ...], *, heap: bool
) -> None:
    """250 draws of rows spread evenly, and of rows in a heap below and one above.

    A share's interval holds in 95 % at least; seen less often than 86.5 % (6 deviations), once in 10^7 runs for all
    shares. The errors of the least precise share: within 20 % of the price (its quantile has a deviation of 5 %).
    """
    bill = priced(cdf(bins), currency)
    counts = np.full(bins, ROWS // bins)
    if heap:
        counts = np.bincount([*np.minimum(np.arange(ROWS) % 97 % 13, bins - 1), *([bins - 5] * ROWS)], minlength=bins)
    truth = np.cumsum(counts) / counts.sum()
    drawn = [published(bill, counts) for _ in range(250)]
    numbers = np.array([(each.lower95, each.upper95, each.extra["raw"]) for each in drawn], dtype=float)
    lower, upper, raw = numbers.swapaxes(0, 1)
    held = ((lower <= truth) & (truth <= upper)).mean(axis=0)
    assert held.min() >= 0.865
    assert 0.94 <= held[:-1].mean() <= 0.985
    if not heap:
        errors = np.quantile(np.abs(raw - truth), 0.95, axis=0)
        assert errors.max() == pytest.approx(bill["s"].error95, rel=0.2)
        assert (upper - lower)[:, :-1].mean(axis=0).max() / 2 == pytest.approx(bill["s"].error95, rel=0.05)
    assert all(bill["s"].could_answer(SCHEMA, each) for each in drawn[:20])


def test_what_was_measured_by_the_bins_alone_is_still_computed_of_them() -> None:
    """As of all releases before 0.7.0; a certificate may state it, and no other number of levels."""
    bill = priced(cdf(101), ZCDP)
    before = by_bins(bill, Terms(bill.plan.unit, bill.plan.neighbors, ZCDP))
    for each in (bill, before):
        measurements = [one.stated() for one in each.measurements]
        stated = [item.stated(SCHEMA) for item in each.statistics]
        again = as_stated(bill.plan, measurements, stated, currency=ZCDP)
        assert again["s"].error95 == each["s"].error95
        fewer = [replace_mechanisms(one) for one in measurements]
        with pytest.raises(IntegrityError):
            as_stated(bill.plan, fewer, stated, currency=ZCDP)
    noisy = draw(before, ready(before, [np.full(101, 50)]))
    shares = np.cumsum(noisy["s"][0]) / np.sum(noisy["s"][0])
    assert table(before["s"], SCHEMA, noisy).extra["raw"] == pytest.approx(shares)


def replace_mechanisms(stated: Any) -> Any:
    """Two levels, where three or one are measured."""
    first = stated.mechanisms[0]
    return type(stated)(id=stated.id, mechanisms=(first, first), loss=stated.loss)


@pytest.mark.parametrize(("bins", "derivation"), [(20, "same"), (101, "own")])
def test_a_histogram_of_the_same_bins_gives_shares_that_err_no_less_at_levels(bins: int, derivation: str) -> None:
    """Its own bins would be less precise by a tree."""
    histogram = statistic(kind="histogram", column="wide", bins=bins)
    plan = plan_of(replace(histogram, id="h"), cdf(bins), expected=Expected(ROWS), delta_atto=10**12)
    bill = price(plan, currency=ZCDP)
    assert bill["s"].derivation.name == derivation
    assert len(bill["h"].mechanisms) == 1


def test_noise_of_another_kind_is_added_to_the_bins_alone() -> None:
    assert shapes(priced(cdf(1000, noise="laplace"), ZCDP)) == (1000,)


def test_a_row_that_counts_twice_at_one_level_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Tree.counts
    for place in (0, 1):

        def counts(self: Tree, bins: NDArray[np.int64], place: int = place) -> Any:
            return tuple(each * (1 + (level == place)) for level, each in enumerate(real(self, bins)))

        monkeypatch.setattr(Tree, "counts", counts)
        with pytest.raises(InternalError, match="beats the stated"):
            check_statistic(VARIANTS["cdf of wide in 150 bins"])

"""Shares of ε are whole nano, sum to what the plan has, and are never more."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.accounting.shares import budget, in_currency, lost, split
from dprelease.accounting.shares import shares as shares_of
from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import PlanError
from dprelease.model.privacy import ATTO, NANO, Currency, NeighboringRelation, PrivacyLoss, PrivacyUnit, Terms
from dprelease.statistics import Plan
from tests.model.plans import small

pytestmark = pytest.mark.quick

weights = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)


def plan(epsilon: Any, *statistics: dict[str, Any]) -> Plan:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon}
    counts = [{"id": f"s{index}", "kind": "count", **share} for index, share in enumerate(statistics)]
    return Plan.parse(small(privacy=privacy, statistics=counts))


def shares(plan: Plan, currency: Currency = Currency.PURE) -> list[int]:
    """The shares of plain counts."""
    stated = [statistic.epsilon_nano for statistic in plan.statistics]
    parts = shares_of(
        budget(plan, Terms(plan.unit, plan.neighbors, currency)),
        own=[None if nano is None else in_currency(nano, currency) for nano in stated],
        weights=[Fraction(statistic.weight) for statistic in plan.statistics],
        with_delta=[False] * len(stated),
        places=range(len(stated)),
    )
    return [part.nano for part in parts]


@settings(deadline=None)
@given(st.integers(0, 10**18), st.lists(weights, min_size=1, max_size=40))
def test_parts_sum_to_the_whole_and_are_within_one_of_their_quota(whole: int, given_weights: list[Fraction]) -> None:
    parts = split(whole, given_weights)
    assert sum(parts) == whole
    for part, weight in zip(parts, given_weights, strict=True):
        assert abs(part - whole * weight / sum(given_weights)) < 1


@settings(deadline=None)
@given(st.integers(0, 10**12), st.lists(weights, min_size=2, max_size=20))
def test_a_larger_remainder_is_served_first(whole: int, given_weights: list[Fraction]) -> None:
    quotas = [whole * weight / sum(given_weights) for weight in given_weights]
    extra = {
        (quota - int(quota), part > int(quota)) for quota, part in zip(quotas, split(whole, given_weights), strict=True)
    }
    served = [remainder for remainder, more in extra if more]
    unserved = [remainder for remainder, more in extra if not more]
    assert not served or not unserved or min(served) >= max(unserved)


def test_ties_go_to_the_earlier() -> None:
    assert split(10, [Fraction(1)] * 4) == [3, 3, 2, 2]
    assert split(1, [Fraction(1)] * 3) == [1, 0, 0]


own_shares = st.fixed_dictionaries({"epsilon": st.integers(1, 10**9).map(lambda nano: Decimal(nano) / NANO)})
weighted = st.fixed_dictionaries({"weight": st.integers(1, 10**9).map(lambda micro: Decimal(micro) / 1000)})


@settings(deadline=None)
@given(st.integers(1, 10**10), st.lists(own_shares | weighted, min_size=1, max_size=20))
def test_a_plan_is_never_charged_above_its_epsilon(nano: int, statistics: list[dict[str, Any]]) -> None:
    parsed = plan(Decimal(nano) / NANO, *statistics)
    try:
        charged = shares(parsed)
    except PlanError:
        return
    assert min(charged) >= 1
    assert sum(charged) <= parsed.epsilon_nano
    assert sum(charged) == parsed.epsilon_nano or all("epsilon" in statistic for statistic in statistics)
    for share, statistic in zip(charged, statistics, strict=True):
        assert "weight" in statistic or share == statistic["epsilon"] * NANO


def test_a_hundred_hundredths_are_one_exactly() -> None:
    assert shares(plan(1, *[{"epsilon": 0.01}] * 100)) == [10**7] * 100
    assert sum(shares(plan(1, *[{"weight": 0.01}] * 100))) == NANO


def test_a_share_of_nothing_is_refused() -> None:
    with pytest.raises(PlanError, match="a share of 0 of the plan's ε"):
        shares(plan("1e-9", {}, {}))
    with pytest.raises(PlanError, match=r"statistics\[1\]: found a share of 0"):
        shares(plan("1e-6", {"weight": 1_000_000}, {"weight": "1e-6"}))
    with pytest.raises(PlanError, match="a share of 0 of the plan's ε"):
        shares(plan(1, {"epsilon": 1}, {}))
    assert shares(plan("2e-9", {}, {})) == [1, 1]


def test_own_shares_beyond_the_plan_are_refused() -> None:
    with pytest.raises(PlanError, match=r"need ε 1\.000000001.*too much"):
        shares(plan(1, {"epsilon": 1}, {"epsilon": "1e-9"}))
    assert shares(plan(1, {"epsilon": 0.7}, {"epsilon": 0.3})) == [7 * 10**8, 3 * 10**8]


def test_weights_share_what_own_epsilons_leave() -> None:
    assert shares(plan(1, {"weight": 2}, {"epsilon": 0.1}, {})) == [6 * 10**8, 10**8, 3 * 10**8]


def test_in_zcdp_a_plan_counts_in_rho_at_half_of_its_delta() -> None:
    """The other half of δ pays for mechanisms with a δ of their own, which share it evenly."""
    zcdp = replace(plan(1, {"weight": 3}, {}, {"epsilon": 0.1}), delta_atto=ATTO // 10**6)
    whole = budget(zcdp, Terms(zcdp.unit, zcdp.neighbors, Currency.ZCDP))
    assert whole.delta_atto == ATTO // 10**6 // 2
    assert epsilon_of(whole.rho_nano, whole.delta_atto) <= 1 < epsilon_of(whole.rho_nano + 1, whole.delta_atto)
    charged = shares(zcdp, Currency.ZCDP)
    assert charged[2] == 5 * NANO // 1000  # ε²/2
    assert sum(charged) == whole.rho_nano
    assert charged[0] == pytest.approx(3 * charged[1], rel=1e-6)
    parts = shares_of(whole, own=[None] * 3, weights=[Fraction(1)] * 3, with_delta=[True, False, True], places=range(3))
    assert [part.delta_atto for part in parts] == [whole.delta_atto // 2, 0, whole.delta_atto // 2]


def test_where_nothing_is_ever_discovered_a_plan_counts_at_its_whole_delta() -> None:
    zcdp = replace(plan(1, {}), delta_atto=ATTO // 10**6)
    whole = budget(zcdp, Terms(zcdp.unit, zcdp.neighbors, Currency.ZCDP, discovers=False))
    assert whole.delta_atto == 0
    assert epsilon_of(whole.rho_nano, zcdp.delta_atto) <= 1 < epsilon_of(whole.rho_nano + 1, zcdp.delta_atto)


def test_in_zcdp_a_plan_without_delta_is_refused() -> None:
    with pytest.raises(PlanError, match="found 0, in a population that counts in ρ"):
        budget(plan(1, {}), Terms(PrivacyUnit(), NeighboringRelation.ADD_REMOVE, Currency.ZCDP))


def test_statistics_that_want_too_much_of_their_own_are_named_with_what_they_want() -> None:
    whole = PrivacyLoss(epsilon_nano=NANO)
    own = [700_000_000, None, 600_000_000]
    with pytest.raises(PlanError) as refused:
        shares_of(whole, own=own, weights=[Fraction(1)] * 3, with_delta=[False] * 3, places=[0, 3, 4])
    assert "statistics[0] 0.7, statistics[4] 0.6" in str(refused.value)
    assert "0.3 too much" in str(refused.value)


def test_what_is_to_be_spent_is_rounded_down_and_what_was_lost_already_up() -> None:
    """ρ = ε²/2 of so small an ε is less than 10^-9."""
    assert (in_currency(3, Currency.ZCDP), lost(3, Currency.ZCDP)) == (0, 1)
    assert in_currency(3, Currency.PURE) == lost(3, Currency.PURE) == 3

"""Shares of noise: what each site adds, what the sum costs, and what is refused before anything is charged."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.accounting.shared_noise import summed_rho
from dprelease.bundle.signing import SigningKey
from dprelease.errors import InputError, PlanError
from dprelease.extras.federation.noise import (
    loss_by_colluders,
    most,
    rho_text,
    share_of_noise,
    shares_of_noise,
    spreads,
)
from dprelease.extras.federation.roster import Federation, Site
from dprelease.mechanisms import DiscreteGaussian
from dprelease.model.privacy import NANO
from tests.extras.federation.sites import PART, PLAN, Sites, planned
from tests.tries import tries

KEYS = [SigningKey.in_memory().fingerprint for _ in range(12)]


def federation(count: int, lost: int = 1, max_sites: int = 1) -> Federation:
    sites = tuple(Site(f"site {number}", KEYS[number]) for number in range(count))
    return Federation(name="all", sites=sites, lost_sites=lost, max_sites=max_sites)


@pytest.mark.parametrize(("count", "lost", "factor"), [(5, 1, 1.12), (3, 1, 1.22), (5, 0, 1.0), (5, 4, 2.24)])
def test_noise_is_little_more_than_that_of_one_table(count: int, lost: int, factor: float) -> None:
    central = 1 / sqrt(2 * PLAN.rho_nano / NANO)
    assert spreads(federation(count, lost), PLAN)[0] / central == pytest.approx(factor, rel=0.005)
    assert factor == pytest.approx(sqrt(count / (count - lost)), rel=0.005)


@settings(deadline=None, max_examples=tries(60))
@given(
    st.integers(2, 12).flatmap(lambda count: st.tuples(st.just(count), st.integers(0, count - 1))),
    st.integers(1, 10**6),
    st.integers(2, 10_000_000),
    st.integers(1, 2**26),
)
def test_the_sum_costs_at_most_the_plan_and_nearly_as_much(
    sizes: tuple[int, int], l2: int, rho_nano: int, cells: int
) -> None:
    roster, plan = federation(*sizes), planned(cells=cells, l2_squared=l2, rho_nano=rho_nano)
    try:
        (share,) = shares_of_noise(roster, plan)
    except PlanError:
        central = l2 / (2 * rho_nano / NANO)
        assert central / roster.honest < 2.25**2 * (1 + 1e-6) * rho_nano / (rho_nano - 1)
        return
    found = summed_rho(l2, share.scale, roster.honest, cells)
    assert rho_nano - 2 <= found <= rho_nano
    assert Fraction(l2) / (2 * roster.honest * Fraction(share.scale) ** 2) <= Fraction(rho_nano, NANO)
    assert share.scale >= 2.25


def test_one_missing_share_and_one_too_small_are_seen() -> None:
    """Mutants of the scale: shares of σ²/K where t are lost, and of half a variance."""
    roster = federation(5)
    share = share_of_noise(roster, PART)
    for factor in (sqrt(4 / 5), sqrt(1 / 2)):
        assert summed_rho(1, share.scale * factor, roster.honest, PLAN.cells) > PLAN.rho_nano


def test_losses_by_colluding_sites_are_those_of_the_formula() -> None:
    plan = planned(rho_nano=10_000_000)
    table = loss_by_colluders(federation(5), plan)
    assert [colluders for colluders, _ in table] == [1, 2, 3, 4]
    for colluders, rho in table:
        assert rho == pytest.approx(10_000_000 * 4 / (5 - colluders), abs=2)
    assert table[0][1] <= plan.rho_nano
    assert loss_by_colluders(federation(5, lost=0), plan)[-1][1] == pytest.approx(5 * plan.rho_nano, abs=5)


def test_a_unit_in_several_sites_is_counted_as_such() -> None:
    one, two = federation(5), federation(5, max_sites=2)
    assert share_of_noise(two, PART).scale == pytest.approx(2 * share_of_noise(one, PART).scale, rel=1e-6)


def test_narrow_shares_are_refused_with_what_to_do() -> None:
    part = replace(PART, rho_nano=200_000_000)
    with pytest.raises(PlanError, match=r"with σ = 0\.7906; allowed: σ of 2\.25 and more") as refused:
        share_of_noise(federation(5), part)
    assert "Lower ρ, assume more lost sites, or count on a finer lattice" in str(refused.value)
    for remedied in (replace(part, rho_nano=20_000_000), replace(part, l2_squared=9)):
        assert share_of_noise(federation(5), remedied).scale >= 2.25
    assert share_of_noise(federation(5, lost=4), replace(part, rho_nano=90_000_000)).scale >= 2.25


def test_noise_that_would_come_near_the_ends_of_64_bits_is_refused() -> None:
    part = replace(PART, l2_squared=(2**53 - 1) ** 2, rho_nano=2)
    with pytest.raises(PlanError, match="coarser lattice"):
        share_of_noise(federation(2), part)
    assert share_of_noise(federation(2), replace(part, rho_nano=10**12)).scale < 2**50
    with pytest.raises(PlanError, match="l2_squared"):
        share_of_noise(federation(3, max_sites=3), replace(PART, l2_squared=2**105))


@pytest.mark.parametrize(
    ("name", "value"),
    [("cells", 0), ("cells", 2**40), ("cells", 2.0), ("l2_squared", 0), ("rho_nano", 1), ("rho_nano", True)],
)
def test_a_plan_that_cannot_be_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=name):
        replace(PART, **{name: value})


def test_a_plan_of_no_parts_of_too_many_or_of_no_hash_is_refused() -> None:
    for name, value in (("parts", ()), ("parts", (PART,) * 10_001), ("plan", "no hash")):
        with pytest.raises(InputError, match=name):
            replace(PLAN, **{name: value})
    with pytest.raises(InputError, match="cells"):
        replace(PLAN, parts=(replace(PART, cells=2**26), PART))


def test_losses_of_parts_add_up() -> None:
    roster, plan = federation(5), replace(PLAN, parts=(PART, replace(PART, cells=9, l2_squared=40)))
    alone = [loss_by_colluders(roster, replace(plan, parts=(part,))) for part in plan.parts]
    for number, (colluders, rho) in enumerate(loss_by_colluders(roster, plan)):
        assert (colluders, rho) == (alone[0][number][0], alone[0][number][1] + alone[1][number][1])


def test_integers_of_all_sites_fit() -> None:
    for count in (2, 3, 5, 12):
        assert count * most(federation(count)) <= 2**62


def test_a_loss_is_shown_as_a_number() -> None:
    assert rho_text(12_500_000) == "0.0125"


DRAWS = 20_000
REACH = 6.0
"""Standard errors, so a test fails by chance once in 5·10^8 times: a variance of n draws has one of √(2/n)."""


def variance(tmp_path: Path, count: int, lost: int) -> float:
    plan = planned(cells=DRAWS, rho_nano=2_000_000)
    sites = Sites(tmp_path, count=count, lost=lost, plan=plan)
    total = sites.total([np.zeros(DRAWS, dtype=np.int64)] * count)
    return float((total.astype(float) ** 2).mean()) / spreads(sites.federation, plan)[0] ** 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("count", "lost"), [(2, 0), (3, 1), (5, 1)])
def test_the_noise_of_a_round_has_the_variance_that_is_stated(tmp_path: Path, count: int, lost: int) -> None:
    assert abs(variance(tmp_path, count, lost) - 1) < REACH * sqrt(2 / DRAWS)


def test_a_round_that_lacks_a_share_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: one of five sites adds no noise."""
    real, asked = DiscreteGaussian.release, []

    def lazy(self: DiscreteGaussian, integers: Any) -> Any:
        asked.append(1)
        return integers if len(asked) == 3 else real(self, integers)

    monkeypatch.setattr(DiscreteGaussian, "release", lazy)
    assert abs(variance(tmp_path, 5, 1) - 1) > REACH * sqrt(2 / DRAWS)


@pytest.mark.full
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_the_observed_loss_of_the_sum_is_at_most_the_stated_one(tmp_path: Path, lost: int) -> None:
    """An attack with t colluding sites: they take out their own shares and guess whether a unit is there.

    With exactly Gaussian noise the best guess has an advantage of 2Φ(√(2ρ)/2) − 1. Observed must be no more than that
    and 6 standard errors; and, since the noise is no more than needed, no less.
    """
    plan = planned(cells=DRAWS, rho_nano=2_000_000)
    sites = Sites(tmp_path, count=4, lost=lost, plan=plan)
    (share,) = shares_of_noise(sites.federation, plan)
    honest = sum(share.release(np.zeros(DRAWS, dtype=np.int64)) for _ in range(sites.federation.honest))
    odds = (honest < 0.5).mean() - (honest + 1 < 0.5).mean()  # the right guess of each of two tables, less the wrong
    stated = 2 * NormalDist().cdf(sqrt(2 * plan.rho_nano / NANO) / 2) - 1
    assert abs(odds - stated) < REACH * sqrt(2 * 0.25 / DRAWS)

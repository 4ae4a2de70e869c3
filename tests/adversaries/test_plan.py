"""The adversaries of a plan: figures of the sample plan, and the order that they always have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import sqrt, tanh
from typing import Any, ClassVar, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.adversaries.losses import FINE, NormalTerm
from dprelease.adversaries.plan import FALSE_ALARMS, Attacked, attack
from dprelease.adversaries.population import advantage_of, over_all
from dprelease.adversaries.terms import at_most, at_worst, of_person
from dprelease.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Mechanism,
    NoisyTopK,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    ThresholdedLaplace,
)
from dprelease.model.privacy import NANO, Currency, PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.tries import tries

SAMPLE = [
    ("visits", 1, 5, 1),
    ("ages", 2, 5, 1),
    ("mean_stay", 1, 1500, 300),
    ("total_cost", 1, 100_000, 2500),
    ("region_by_sex", 1, 5, 1),
    ("mean_cost_by_ward", 2, 100_000, 20_000),
]
"""Name, weight, and L1 distance of the worst unit, with five rows, and of one with a single visit that cost 2,500."""


def noise(epsilon: Fraction, distance: int) -> DiscreteLaplace:
    share = PrivacyLoss(epsilon_nano=int(epsilon * NANO))
    return DiscreteLaplace.calibrate(Sensitivity(l1=distance, linf=distance, shape=(2,)), share)


def selection(epsilon: Fraction, distance: int) -> PermuteAndFlip:
    share = PrivacyLoss(epsilon_nano=int(epsilon * NANO))
    return PermuteAndFlip.calibrate(Sensitivity(l1=0, linf=distance, shape=(1, 10)), share)


def sample(epsilon: str) -> list[Attacked]:
    """The mechanisms of the sample plan: a selection's ordinary change is a fifth of its largest."""
    ninth = Fraction(epsilon) / 9
    found = [Attacked(name, noise(ninth * weight, most), [own, 0]) for name, weight, most, own in SAMPLE]
    parts = [(Fraction(3, 8), 15), (Fraction(1, 4), 5), (Fraction(3, 8), 15)]
    changed = [[-most // 5, most // 5] for _, most in parts]
    chosen = [
        Attacked("cost_quartiles", selection(ninth * part, most), [[*change, *(0,) * 8]])
        for (part, most), change in zip(parts, changed, strict=True)
    ]
    return [*found, *chosen]


@pytest.mark.parametrize(
    ("epsilon", "advantages", "hits"),
    [
        ("0.1", (0.04996, 0.01588, 0.01584, 0.00306), (0.0111, 0.0110, 0.0110, 0.0102)),
        ("1", (0.46212, 0.15769, 0.15343, 0.03053), (0.0272, 0.0243, 0.0238, 0.0118)),
        ("3", (0.90515, 0.44699, 0.41875, 0.09088), (0.2009, 0.1088, 0.0973, 0.0165)),
        ("10", (0.99991, 0.93831, 0.89115, 0.29090), (1.0, 0.9185, 0.8035, 0.0486)),
    ],
)
def test_the_sample_plan(epsilon: str, advantages: tuple[float, ...], hits: tuple[float, ...]) -> None:
    found = attack(sample(epsilon), float(epsilon), 0)
    adversaries = found.adversaries.values()
    assert [each.advantage for each in adversaries] == pytest.approx(advantages, abs=6e-6)
    assert [each.hits_at(0.01) for each in adversaries] == pytest.approx(hits, abs=6e-5)
    assert found.bound.advantage == pytest.approx(tanh(float(epsilon) / 2), abs=1e-9)
    assert {part.statistic for part in found.parts[:2]} == {"ages", "mean_cost_by_ward"}
    assert found.any.right == (1 + found.any.advantage) / 2


def test_one_number_loses_what_epsilon_allows_to_the_last_digit() -> None:
    found = attack([Attacked("n", noise(Fraction(1), 1), [1, 0])], 1, 0)
    for adversary in found.adversaries.values():
        assert adversary.advantage == pytest.approx(0.462117157, abs=2e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unheard(Mechanism):
    """A mechanism that nobody told this room of."""

    name: ClassVar[str] = "unheard"

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, *_: Any, **settings: Any) -> Self:
        return cls(sensitivity=sensitivity, scale=1, share=share)

    @property
    def epsilon(self) -> Fraction | None:
        return None if self.share.rho_nano else self.share.epsilon_nano * Fraction(1, NANO)

    @property
    def rho(self) -> Fraction:
        return Fraction(self.share.rho_nano, NANO) if self.share.rho_nano else Mechanism.rho.fget(self)  # type: ignore[attr-defined]

    def release(self, values: Any) -> Any:
        raise NotImplementedError

    def noiseless(self, values: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("share", [PrivacyLoss(epsilon_nano=NANO), PrivacyLoss(rho_nano=NANO // 2)])
def test_a_mechanism_that_is_not_known_counts_as_all_that_its_loss_allows(share: PrivacyLoss) -> None:
    mechanism = Unheard.calibrate(Sensitivity(l1=1, linf=1), share)
    found = attack([Attacked("s", mechanism, [1])], 1 if share.epsilon_nano else 5, 0 if share.epsilon_nano else 1e-6)
    assert found.any.advantage == found.worst.advantage == found.ordinary.advantage
    expected = tanh(0.5) if share.epsilon_nano else 0.5  # √(ρ/2)
    assert found.any.advantage == pytest.approx(expected, abs=1e-8)


def test_a_change_of_nothing_tells_nothing() -> None:
    for mechanism in (noise(Fraction(1), 3), selection(Fraction(1), 3), gaussian(0.5, 4), gaussian(0.001, 4)):
        change = [[0] * 10] if isinstance(mechanism, PermuteAndFlip) else [0, 0]
        assert of_person(mechanism, change).advantage == 0


def gaussian(rho: float, squared: int) -> DiscreteGaussian:
    share = PrivacyLoss(rho_nano=int(rho * NANO))
    return DiscreteGaussian.calibrate(Sensitivity(l1=0, linf=0, l2_squared=squared, shape=(2,)), share)


def test_exchanged_units_move_between_two_cells_of_gaussian_noise() -> None:
    """(m, −m): its L2 distance √2·m is no whole number of steps. Where the shape is not known, all that ρ allows."""
    assert at_worst(gaussian(0.5, 2)) == of_person(gaussian(0.5, 2), [1, -1])
    assert at_worst(gaussian(0.5, 4)) == of_person(gaussian(0.5, 4), [2, 0])
    assert at_worst(gaussian(0.5, 3)) == at_most(gaussian(0.5, 3))
    fine = gaussian(0.005, 300)
    assert at_worst(fine).terms == Counter([NormalTerm(float(fine.rho))])


def test_scores_that_move_one_way_tell_half() -> None:
    chooses = selection(Fraction(1), 4)
    one_way, both = (of_person(chooses, [[2, move, *(0,) * 8]]) for move in (1, -2))
    assert both.advantage == pytest.approx(tanh(0.25), abs=1e-6)
    assert one_way.advantage == pytest.approx(tanh(0.125), abs=1e-6)


def test_a_person_who_is_in_very_many_cells_counts_as_in_one() -> None:
    change = list(range(1, 400))
    mechanism = noise(Fraction(1), sum(change))
    (term,) = of_person(mechanism, change).terms
    assert term.sensitivity == sum(change)  # type: ignore[union-attr]
    assert of_person(mechanism, change).advantage <= at_worst(mechanism).advantage + 1e-9


@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"), [(0, 0, 0), (1, 0, 0.462117157), (0, 0.1, 0.1), (800, 0, 1), (800, 0.5, 1)]
)
def test_what_epsilon_and_delta_allow(epsilon: float, delta: float, expected: float) -> None:
    assert advantage_of(epsilon, delta) == pytest.approx(expected, abs=1e-9)
    hits = attack([Attacked("n", noise(Fraction(1), 1))], epsilon, delta).bound.hits
    assert expected - 0.01 <= max(hit - f for hit, f in zip(hits, FALSE_ALARMS, strict=True)) <= expected + 1e-9


def test_over_all_releases_only_the_cap_is_a_guarantee() -> None:
    tenths = [PrivacyLoss(epsilon_nano=NANO // 10)] * 30
    found = over_all(PrivacyLoss(epsilon_nano=3 * NANO), tenths, Currency.PURE)
    assert (found.cap, found.charged, found.releases) == (
        pytest.approx(tanh(1.5)),
        pytest.approx(0.21402, abs=1e-5),
        30,
    )
    one = over_all(PrivacyLoss(rho_nano=NANO // 10), [PrivacyLoss(rho_nano=NANO // 20)], Currency.ZCDP)
    assert one.cap == pytest.approx(sqrt(0.05), abs=1e-9)
    assert one.charged == pytest.approx(sqrt(0.025), abs=1e-9)
    assert over_all(PrivacyLoss(rho_nano=4 * NANO), [], Currency.ZCDP).cap < 1  # where √(ρ/2) says nothing
    with_delta = over_all(PrivacyLoss(epsilon_nano=NANO, delta_atto=10**16), [], Currency.PURE)
    assert with_delta.cap == pytest.approx(tanh(0.5) + 0.01 * (1 - tanh(0.5)), abs=1e-9)
    assert with_delta.charged == 0


shapes = st.sampled_from([(2,), (1, 10)])
nano = st.floats(-3, 1).map(lambda digits: int(10**digits * NANO))


@st.composite
def mechanisms(draw: st.DrawFn, currency: Currency) -> Mechanism:
    """Any mechanism that the currency has, at any share."""
    distance = draw(st.sampled_from([1, 2, 5, 1000, 10**9]))
    own = PrivacyLoss.of(currency, draw(nano), 0)
    both = Sensitivity(
        l1=2 * distance,
        linf=distance,
        l2_squared=draw(st.sampled_from([distance**2, 2 * distance**2, distance**2 + 1])),
        l0=2,
        monotone=draw(st.booleans()),
        shape=(2,),
    )
    added = DiscreteLaplace if currency is Currency.PURE else DiscreteGaussian
    kind = draw(st.sampled_from([added, PermuteAndFlip, ExponentialMechanism, NoisyTopK, SparseVector, "rr", "names"]))
    if kind == "rr":
        return RandomizedResponse.calibrate(Sensitivity(l1=2, linf=1, shape=(3,)), own, answers=3)
    if kind == "names":
        return ThresholdedLaplace.calibrate(both, PrivacyLoss.of(currency, own.nano, 10**12))
    settings = {"k": 2, "threshold": 3, "answers": 2, "numeric": True}
    return kind.calibrate(both, own, **settings)  # type: ignore[union-attr]


def changed(mechanism: Mechanism, part: float, spread: bool) -> Any:
    """What some unit changes, within the sensitivity; None where a mechanism is given no numbers of declared cells."""
    if isinstance(mechanism, ThresholdedLaplace | RandomizedResponse | SparseVector):
        return None
    if isinstance(mechanism, DiscreteGaussian):
        most = min(mechanism.sensitivity.linf, int(sqrt(mechanism.sensitivity.l2_squared)))
        return [int(most * part / (sqrt(2) if spread else 1)), 0]
    if isinstance(mechanism, DiscreteLaplace):
        most = int(mechanism.sensitivity.l1 * part)
        return [most // 2, -(most // 2)] if spread else [most, 0]
    return np.array([[int(mechanism.sensitivity.linf * part), 0, 0]])


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[Attacked], float, float]:
    currency = draw(st.sampled_from(Currency))
    given = draw(st.lists(mechanisms(currency), min_size=1, max_size=6))
    part, spread = draw(st.floats(0, 1)), draw(st.booleans())
    loss = sum((each.loss(currency) for each in given), start=PrivacyLoss())
    if currency is Currency.PURE:
        epsilon, delta = float(loss.epsilon), float(loss.delta)
    else:
        delta = 1e-6
        epsilon = float(loss.rho) + 2 * sqrt(float(loss.rho) * np.log(1 / delta))
        delta += float(loss.delta)
    attacked = [Attacked(f"s{place % 4}", each, changed(each, part, spread)) for place, each in enumerate(given)]
    return attacked, epsilon, delta


def holds(plan: tuple[list[Attacked], float, float]) -> None:
    """Ordinary ≤ worst ≤ any ≤ bound, before any is cut to the one above, and at every rate of false alarms."""
    attacked, epsilon, delta = plan
    found = attack(*plan)
    several = list(found.adversaries.values())
    for stronger, weaker in pairwise(several):
        assert weaker.advantage <= stronger.advantage
        assert all(hit <= most for hit, most in zip(weaker.hits, stronger.hits, strict=True))
    assert all(hit >= f - 1e-8 for hit, f in zip(found.ordinary.hits, FALSE_ALARMS, strict=True))
    assert found.bound.advantage == pytest.approx(advantage_of(epsilon, delta), abs=1e-8)
    for each in attacked:
        limits = [
            known.losses(FINE).advantage
            for known in (of_person(each.mechanism, each.change), at_worst(each.mechanism), at_most(each.mechanism))
        ]
        assert limits[0] <= limits[1] + 1e-4
        assert limits[1] <= limits[2] + 1e-6


@pytest.mark.full
@settings(deadline=None, max_examples=tries(60))
@given(plans())
def test_an_ordinary_unit_is_hidden_better_than_the_worst_and_that_than_any(
    plan: tuple[list[Attacked], float, float],
) -> None:
    holds(plan)


@pytest.mark.full
@settings(deadline=None, max_examples=tries(1000))
@given(plans())
def test_of_a_thousand_plans_too(plan: tuple[list[Attacked], float, float]) -> None:
    holds(plan)

"""The two curves of a mechanism: by another library, by closed forms, and below what a pure ε allows."""

from __future__ import annotations

from itertools import pairwise, product
from math import e, exp, inf, log

import dp_accounting
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import rdp_privacy_accountant as rdp

from dprelease.extras.lab.pair import OutputPair
from dprelease.extras.lab.promises import ORDERS, Promises, divergence, most_delta
from dprelease.extras.lab.two_tables import MECHANISMS, NORMAL, pair_of

PROMISING = [each for each in MECHANISMS if each != "uniform"]
STATES = [*product(PROMISING, (0.1, 1.0, 10.0), (1, 3, 10))]


@pytest.mark.parametrize(("mechanism", "epsilon", "people"), STATES)
def test_no_curve_is_above_what_epsilon_allows_and_each_goes_one_way(
    mechanism: str, epsilon: float, people: int
) -> None:
    found = Promises(mechanism, epsilon, people)
    for points, sign in ((found.orders(), 1), (found.deltas(), -1)):
        assert all(sign * (later[1] - sooner[1]) >= -1e-9 for sooner, later in pairwise(points))
        for _, own, allowed in points:
            assert own >= 0
            assert (allowed is None) == (mechanism in NORMAL)
            assert allowed is None or own <= allowed + 1e-9


def test_integer_noise_of_one_person_uses_all_that_epsilon_allows() -> None:
    for mechanism in ("laplace", "response"):
        found = Promises(mechanism, 1.0, 1)
        assert all(own == pytest.approx(most, abs=1e-9) for _, own, most in (*found.orders(), *found.deltas()))
    assert Promises("response", 1.0, 1).divergence(2) == pytest.approx(log((e**2 + 1 / e) / (e + 1)), abs=1e-12)


@pytest.mark.full
@pytest.mark.parametrize(("epsilon", "people"), list(product((0.5, 2.0), (1, 3))))
def test_another_library_finds_the_same(epsilon: float, people: int) -> None:
    pure = epsilon * people
    given = {
        "laplace_real": pld.from_laplace_mechanism(1 / pure, value_discretization_interval=1e-4),
        "gaussian_real": pld.from_gaussian_mechanism(1 / pure, value_discretization_interval=1e-4),
        "laplace": pld.from_discrete_laplace_mechanism(epsilon, people, value_discretization_interval=1e-4),
        "gaussian": pld.from_discrete_gaussian_mechanism(1 / epsilon, people, value_discretization_interval=1e-4),
    }
    for mechanism, known in given.items():
        for at, own, _ in Promises(mechanism, epsilon, people).deltas():
            # Theirs is rounded upward, to a grid of 10^-4.
            assert own - 1e-9 <= known.get_delta_for_epsilon(at) <= own + 1e-4, (mechanism, at)
    orders = [each for each in ORDERS if each > 1]
    events = {
        "laplace_real": dp_accounting.LaplaceDpEvent(1 / pure),
        "gaussian_real": dp_accounting.GaussianDpEvent(1 / pure),
    }
    for mechanism, event in events.items():
        accountant = rdp.RdpAccountant(orders)
        accountant.compose(event)
        divergences = [Promises(mechanism, epsilon, people).divergence(each) for each in orders]
        assert divergences == pytest.approx(list(accountant._rdp), rel=1e-9)


def test_what_one_table_alone_may_say_has_no_divergence() -> None:
    for order in (1, 2, inf):
        assert divergence(pair_of("uniform", 1.0, 1), order) == inf
    assert isinstance(pair_of("laplace", 1.0, 2), OutputPair)
    assert divergence(pair_of("laplace", 1.0, 2), inf) == pytest.approx(2)
    assert most_delta(1, 1) == 0
    assert most_delta(1, 0) == pytest.approx((e - 1) / (e + 1))
    assert most_delta(2000, 0) == 1
    assert most_delta(1, 0.5) == pytest.approx((e - exp(0.5)) / (1 + e))

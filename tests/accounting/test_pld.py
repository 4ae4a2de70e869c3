"""What the statistics of one release cost together: at least what they really do, and at most the sum."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from math import erfc, exp, inf, log1p, nan, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dprelease.accounting import pld, renyi
from dprelease.accounting.composition import optimal_epsilon
from dprelease.accounting.pld import GaussianTerm, LaplaceTerm, PureTerm, Term, composed_epsilon
from dprelease.errors import PlanError
from tests.accounting.figures import COMPOSITION, LAPLACE
from tests.tries import tries

losses = st.floats(-5, 1).map(lambda digits: 10.0**digits)
deltas = st.floats(-12, -2).map(lambda digits: 10.0**digits)
pure = st.builds(PureTerm, losses) | st.builds(LaplaceTerm, losses, st.integers(1, 10**9))
gaussian = st.builds(GaussianTerm, st.floats(-6, 1).map(lambda digits: 10.0**digits))


@pytest.mark.parametrize(("scale", "times", "delta", "expected"), LAPLACE)
def test_figures_of_laplace_noise(scale: int, times: int, delta: float, expected: float) -> None:
    """The figures are those of continuous noise, which discrete noise of many steps comes near."""
    found = composed_epsilon([LaplaceTerm(1 / scale, 10**6)] * times, delta)
    assert found == pytest.approx(expected, rel=0.002)
    assert found <= times / scale * (1 + 1e-12)


@pytest.mark.parametrize(("epsilon", "times", "delta", "optimal"), [(*row[:3], row[4]) for row in COMPOSITION])
def test_figures_of_pure_mechanisms(epsilon: float, times: int, delta: float, optimal: float) -> None:
    found = composed_epsilon([PureTerm(epsilon)] * times, delta)
    assert optimal * (1 - 1e-9) <= found <= optimal * (1 + 1e-4)


@settings(deadline=None, max_examples=tries(40))
@given(losses, st.floats(0, 3.7).map(lambda digits: int(10**digits)), deltas)
@example(0.01, 5000, 1e-11)
@example(0.3, 7, 1e-12)
def test_copies_never_come_to_less_than_they_really_do(epsilon: float, times: int, delta: float) -> None:
    found = composed_epsilon([PureTerm(epsilon)] * times, delta)
    assert found >= optimal_epsilon(epsilon, times, delta) * (1 - 1e-9)


@settings(deadline=None, max_examples=20)
@given(st.lists(pure, min_size=1, max_size=8), deltas)
@example([PureTerm(720.0), PureTerm(1e-5)], 1e-6)
@example([LaplaceTerm(800.0, 3)] * 3, 1e-6)
@example([PureTerm(1e-9)] * 5, 1e-12)
def test_never_above_the_sum_of_the_pure_epsilons(terms: list[PureTerm | LaplaceTerm], delta: float) -> None:
    assert 0 <= composed_epsilon(terms, delta) <= sum(term.epsilon for term in terms) * (1 + 1e-12)


@pytest.mark.full
@settings(deadline=None, max_examples=20)
@given(st.lists(pure, max_size=4), st.lists(gaussian, min_size=1, max_size=3), deltas)
@example([PureTerm(0.3)], [GaussianTerm(0.05)], 1e-10)
def test_gaussian_noise_beside_is_never_above_both_apart_nor_above_their_curves(
    some: list[PureTerm | LaplaceTerm], noisy: list[GaussianTerm], delta: float
) -> None:
    rho = renyi.epsilon_of(renyi.Gaussian(sum(term.rho for term in noisy)), delta).epsilon
    found = composed_epsilon([*some, *noisy], delta)
    assert found <= (sum(term.epsilon for term in some) + rho) * (1 + 1e-12)
    curves = renyi.Composed(tuple((term.curve, 1) for term in [*some, *noisy]))
    assert found <= renyi.epsilon_of(curves, delta).epsilon * (1 + 1e-12)
    assert found >= (composed_epsilon(some, delta) if some else 0) * (1 - 1e-4) - 1e-9


def real_delta(at: float, epsilon: float, steps: int, times: int) -> float:
    """δ of some discrete Laplace noises on integers, by counting the losses of all their results, with fractions."""
    q = Fraction(exp(-epsilon / steps))
    noise = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(1, steps)}
    one = {steps: 1 / (1 + q), -steps: q**steps / (1 + q)}
    for k, mass in noise.items():
        one[steps - 2 * k] = one.get(steps - 2 * k, Fraction(0)) + mass
    together = {0: Fraction(1)}
    for _ in range(times):
        grown: dict[int, Fraction] = {}
        for loss, mass in together.items():
            for more, probability in one.items():
                grown[loss + more] = grown.get(loss + more, Fraction(0)) + mass * probability
        together = grown
    factor = Fraction(exp(at))
    return float(sum(max(Fraction(0), mass * (1 - factor * q**loss)) for loss, mass in together.items()))


@pytest.mark.parametrize(
    ("epsilon", "steps", "times"), [(1.0, 1, 3), (0.7, 2, 5), (0.25, 3, 6), (2.0, 5, 2), (3.0, 12, 1)]
)
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-9])
def test_discrete_laplace_noise_is_counted_step_by_step(epsilon: float, steps: int, times: int, delta: float) -> None:
    found = composed_epsilon([LaplaceTerm(epsilon, steps)] * times, delta)
    assert real_delta(found * (1 + 1e-12), epsilon, steps, times) <= delta
    assert real_delta(found * (1 - 1e-3), epsilon, steps, times) > delta


def test_a_count_with_laplace_noise_loses_as_much_as_anything_pure() -> None:
    """Continuous noise of the same ε would lose less: its figure would promise too much."""
    continuous = 1 + 2 * log1p(-1e-2)
    assert composed_epsilon([LaplaceTerm(1, 10**9)], 1e-2) == pytest.approx(continuous, rel=1e-4)
    assert composed_epsilon([LaplaceTerm(1, 1)], 1e-2) == pytest.approx(composed_epsilon([PureTerm(1)], 1e-2))
    assert composed_epsilon([PureTerm(1)], 1e-2) > 1.004 * continuous


def discrete_delta(epsilon: float, sigma: float, sensitivity: int) -> float:
    """The least δ at ε of discrete Gaussian noise on one integer: Σ of P(k − Δ) − e^ε P(k) where that is positive.

    Canonne, Kamath, Steinke 2020, theorem 7.
    """
    reach = round(40 * sigma) + 2 * sensitivity
    noise = np.arange(-reach, reach + 1, dtype=np.float64)
    weights = np.exp(-(noise**2) / (2 * sigma**2))
    losses = sensitivity * (2 * noise + sensitivity) / (2 * sigma**2)
    return float((weights * np.maximum(0, -np.expm1(np.minimum(0, epsilon - losses)))).sum() / weights.sum())


def continuous_delta(epsilon: float, sigma: float, sensitivity: int) -> float:
    """The same of continuous noise: Φ(a) − e^ε Φ(b), a = Δ/2σ − εσ/Δ, b = −Δ/2σ − εσ/Δ (Balle and Wang 2018)."""
    half, far = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
    return (erfc((far - half) / sqrt(2)) - exp(epsilon) * erfc((far + half) / sqrt(2))) / 2


@pytest.mark.parametrize("sigma", [0.3, 0.7, 2.0, 9.0])
@pytest.mark.parametrize("sensitivity", [1, 4])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-11])
def test_discrete_gaussian_noise_keeps_what_is_said_of_it(sigma: float, sensitivity: int, delta: float) -> None:
    found = composed_epsilon([GaussianTerm(sensitivity**2 / (2 * sigma**2))], delta)
    assert discrete_delta(found, sigma, sensitivity) <= delta
    assert continuous_delta(found, sigma, sensitivity) <= delta * (1 + 1e-6)


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.05, 0.5, 5.0, 200.0])
def test_what_stands_for_gaussian_noise_is_a_pair_of_distributions_with_its_delta(rho: float) -> None:
    """The formula alone has a kink at ε = 0, where ρ is small, which would take a probability below 0."""
    widest = renyi.epsilon_of(renyi.Gaussian(rho), pld.CUT).epsilon
    step = widest / 3000
    masses = pld.gaussian_losses(rho, widest, step)
    losses = step * np.arange(len(masses))
    assert masses.min() >= 0
    assert masses.sum() + (masses[1:] * np.exp(-losses[1:])).sum() == pytest.approx(1, abs=1e-13)
    for delta in (1e-2, 1e-6, 1e-12):
        epsilon = renyi.epsilon_of(renyi.Gaussian(rho), delta).epsilon
        # What is cut off counts as an infinite loss.
        of_pair = pld.CUT + (masses * np.maximum(0, -np.expm1(epsilon - losses))).sum()
        if epsilon > 0:
            assert delta * (1 - 1e-9) <= of_pair <= delta * 1.01


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-10])
def test_gaussian_and_laplace_noise_together_keep_what_is_said_of_them(delta: float) -> None:
    """Against the sum over the one's two losses of the other's exact δ."""
    sigma, epsilon = 3.0, 0.4
    found = composed_epsilon([GaussianTerm(1 / (2 * sigma**2)), PureTerm(epsilon)], delta)
    truth = 1 / (1 + exp(-epsilon))
    # At a negative ε, δ(−x) = 1 − e^−x (1 − δ(x)).
    above = found + epsilon
    below = found - epsilon
    assert below > 0
    real = truth * discrete_delta(below, sigma, 1) + (1 - truth) * discrete_delta(above, sigma, 1)
    assert real <= delta
    assert found < epsilon + renyi.epsilon_of(renyi.Gaussian(1 / (2 * sigma**2)), delta).epsilon


def test_many_small_statistics_cost_much_less_than_their_sum() -> None:
    each = [PureTerm(0.01 * (1 + share / 200)) for share in range(200)]
    whole = sum(term.epsilon for term in each)
    worst, best = max(term.epsilon for term in each), min(term.epsilon for term in each)
    found = composed_epsilon(each, 1e-6)
    assert optimal_epsilon(best, 200, 1e-6) < found < optimal_epsilon(worst, 200, 1e-6)
    assert found < whole / 3


def test_order_does_not_matter_and_more_statistics_or_a_smaller_delta_cost_more() -> None:
    terms: list[Term] = [PureTerm(0.3), LaplaceTerm(0.2, 5), GaussianTerm(0.01), PureTerm(0.3)]
    found = composed_epsilon(terms, 1e-6)
    assert composed_epsilon(reversed(terms), 1e-6) == pytest.approx(found, rel=1e-12)
    assert composed_epsilon([*terms, PureTerm(0.1)], 1e-6) > found
    assert composed_epsilon(terms, 1e-9) > found > composed_epsilon(terms, 1e-3)


@pytest.mark.parametrize("delta", [0, 1e-13, 9.9e-13, 1, 1.5, -1, nan])
def test_a_delta_that_drowns_in_rounding_is_refused(delta: float) -> None:
    with pytest.raises(PlanError, match=r"delta: found .* allowed: a number from 1e-12, below 1"):
        composed_epsilon([PureTerm(1)], delta)


@pytest.mark.parametrize("wrong", [0.0, -1.0, nan, inf])
def test_wrong_terms_are_refused(wrong: float) -> None:
    for term in (PureTerm, GaussianTerm, lambda loss: LaplaceTerm(loss, 1)):
        with pytest.raises(PlanError, match="a finite number above 0"):
            term(wrong)


def test_no_terms_and_no_steps_are_refused() -> None:
    with pytest.raises(PlanError, match="terms: found no terms"):
        composed_epsilon([], 1e-6)
    with pytest.raises(PlanError, match="sensitivity: found 0"):
        LaplaceTerm(1, 0)


def test_the_library_is_read_only_when_asked_for() -> None:
    """It takes a second, which starting the program must not."""
    source = "import sys, dprelease.accounting.pld; print([n for n in ('dp_accounting', 'scipy') if n in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"

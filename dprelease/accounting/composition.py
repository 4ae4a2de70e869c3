"""Composition of losses: copies of one ε, groups of units, exchanges, and what an observer may come to believe.

`group` and `exchange` are exact and round upwards; the others are floats, for people to look at.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal, localcontext
from math import e, exp, expm1, inf, isfinite, lgamma, log, log1p, sqrt, tanh

from dprelease.errors import PlanError
from dprelease.model.privacy import ATTO, NANO, PrivacyLoss
from dprelease.words import phrase, verbatim

MAX_COPIES = 1_000_000
EXACT = Context(prec=50)
SLACK = Decimal("1e-30")
"""Relative slack, above what rounding to 50 digits adds up to in a quotient of two exponentials."""
MAX_EXPONENT = 100
"""Maximum exponent: beyond e^100, a δ of 10^-18 is more than 1."""
SAFE_EXPONENT = 700.0
"""Maximum exponent up to which exp is a float."""


def advanced_epsilon(epsilon: float, copies: int, delta: float) -> float:
    """Return the ε at δ of k copies of an ε-DP mechanism: the least of kε and, with μ = kε (e^ε − 1) / (e^ε + 1),

    μ + ε √(2k ln(e + √k ε / δ)) and μ + ε √(2k ln(1/δ)). Kairouz, Oh, Viswanath 2015, theorem 3.4 (with no δ of
    the mechanism's own). Later copies may be chosen by the results of earlier ones. `optimal_epsilon` is never larger.

    Raises PlanError unless ε > 0, 0 < k <= 1,000,000 and 0 <= δ < 1.
    """
    _check_copies(epsilon, copies, delta)
    basic = copies * epsilon
    if delta == 0:
        return basic
    mean = basic * tanh(epsilon / 2)
    spread = min(log(e + sqrt(copies) * epsilon / delta), -log(delta))
    return min(basic, mean + epsilon * sqrt(2 * copies * spread))


def optimal_epsilon(epsilon: float, copies: int, delta: float) -> float:
    """Return the smallest ε at δ for all k-fold compositions of ε-DP mechanisms: k randomized responses attain it.

    The root in x of δ(x) = Σ over l with (k − 2l)ε > x of C(k, l) (e^((k−l)ε) − e^(x+lε)) / (1 + e^ε)^k, and 0 where
    δ(0) is at most δ. Kairouz, Oh, Viswanath 2015, theorem 3.3, between its steps too.

    Raises PlanError unless ε > 0, 0 < k <= 1,000,000 and 0 <= δ < 1.
    """
    _check_copies(epsilon, copies, delta)
    basic = copies * epsilon
    if delta == 0:
        return basic
    import numpy as np

    lies = np.arange((copies + 1) // 2)
    losses = (copies - 2 * lies) * epsilon
    ways = lgamma(copies + 1) - np.array([lgamma(lie + 1) + lgamma(copies - lie + 1) for lie in lies.tolist()])
    log_truth, log_lie = -log1p(exp(-epsilon)), -epsilon - log1p(exp(-epsilon))
    above = np.cumsum(np.exp(ways + (copies - lies) * log_truth + lies * log_lie))
    log_below = np.logaddexp.accumulate(ways + lies * log_truth + (copies - lies) * log_lie)
    # With the outcomes of 0 to l lies counted, δ(x) = above − e^x below; right where the next loss is at most x.
    roots = np.log(above - delta, where=above > delta, out=np.full_like(above, -inf)) - log_below
    following = np.append(losses[1:], -inf)
    return min(basic, max(0.0, float(roots[np.argmax(roots >= following)])))


def group(loss: PrivacyLoss, units: int) -> PrivacyLoss:
    """Return the loss of k units together, rounded up: kε with δ (e^(kε) − 1) / (e^ε − 1), or k²ρ.

    Dwork and Roth 2014, theorem 2.2, with the exact sum δ (1 + e^ε + … + e^((k−1)ε)); Bun and Steinke 2016,
    proposition 1.9. A δ is at most 1, where nothing is promised any more.

    Raises PlanError unless k >= 1, and for k > 1 where there are both ρ and δ: no ρ of groups is known for those, so
    convert them to (ε, δ) first.
    """
    if units < 1:
        raise PlanError("units", found=units, allowed=phrase("accounting.at_least_1"))
    if units == 1:
        return loss
    if loss.rho_nano:
        if loss.delta_atto:
            raise PlanError(
                "delta",
                found=phrase("accounting.with", rho=loss.rho, delta=loss.delta),
                allowed=phrase("accounting.no"),
                remedy=phrase("accounting.convert_first"),
            )
        return PrivacyLoss(rho_nano=units**2 * loss.rho_nano)
    return PrivacyLoss(epsilon_nano=units * loss.epsilon_nano, delta_atto=_group_delta(loss, units))


def _group_delta(loss: PrivacyLoss, units: int) -> int:
    if loss.delta_atto == 0 or loss.epsilon_nano == 0:
        return min(ATTO, units * loss.delta_atto)
    if (units - 1) * loss.epsilon_nano > MAX_EXPONENT * NANO:
        return ATTO
    with localcontext(EXACT):
        epsilon = Decimal(loss.epsilon_nano) / NANO
        delta = loss.delta_atto * ((units * epsilon).exp() - 1) / (epsilon.exp() - 1)
        return min(ATTO, int((delta * (1 + SLACK)).to_integral_value(ROUND_CEILING)))


def event_bounds(probability: float, epsilon: float, delta: float = 0.0) -> tuple[float, float]:
    """Return the least and greatest probability of an event on a neighbouring table, where it is p on this one.

    max(e^−ε (p − δ), 1 − δ − e^ε (1 − p), 0) and min(e^ε p + δ, 1 − e^−ε (1 − p − δ), 1): the definition of
    (ε, δ)-DP for the event and for its complement, both ways. An event is anything a published result decides, such
    as what is done because of it. Raises PlanError unless 0 <= p <= 1, ε >= 0 and 0 <= δ <= 1.
    """
    _check_belief(probability, epsilon)
    if not 0 <= delta <= 1:
        raise PlanError("delta", found=delta, allowed=phrase("accounting.number_from_0_1"))
    return (
        max(0.0, exp(-epsilon) * (probability - delta), _left(probability, epsilon) - delta),
        min(1.0, _grown(probability, epsilon) + delta, -expm1(-epsilon) + exp(-epsilon) * (probability + delta)),
    )


def right_guess(epsilon: float, delta: float = 0.0) -> float:
    """Return the greatest probability to tell two equally likely neighbouring tables apart: (e^ε + δ) / (e^ε + 1).

    By the trade-off of (ε, δ)-DP (Kairouz, Oh & Viswanath 2015, Theorem 2.1); with δ = 0 it is also the greatest belief
    in one of them. Raises PlanError unless ε >= 0 and 0 <= δ <= 1.
    """
    _check_belief(0.5, epsilon)
    if not 0 <= delta <= 1:
        raise PlanError("delta", found=delta, allowed=phrase("accounting.number_from_0_1"))
    return (1 + delta * exp(-epsilon)) / (1 + exp(-epsilon))


def posterior_bounds(probability: float, epsilon: float) -> tuple[float, float]:
    """Return the bounds of an observer's belief: from p to p e^(±ε) / (p e^(±ε) + 1 − p), by Bayes' rule.

    The belief is in one of two neighbouring tables against the other, such as in a unit's being there, for an observer
    who knows the rest; it moves by at most ε in log odds at whatever result. Only for pure ε: with a δ, a result of
    probability δ may tell all. Raises PlanError unless 0 <= p <= 1 and ε >= 0.
    """
    _check_belief(probability, epsilon)
    otherwise = 1 - probability
    # Both sides by e^−ε, which cannot overflow.
    less, more = exp(-epsilon) * probability, exp(-epsilon) * otherwise
    return (
        less / (less + otherwise) if less + otherwise else 1.0,
        probability / (probability + more) if probability + more else 0.0,
    )


def _grown(probability: float, epsilon: float) -> float:
    """Return min(1, e^ε p), without overflow."""
    if epsilon < SAFE_EXPONENT:
        return min(1.0, exp(epsilon) * probability)
    return exp(min(0.0, epsilon + log(probability))) if probability > 0 else 0.0


def _left(probability: float, epsilon: float) -> float:
    """Return max(0, 1 − e^ε (1 − p)), without overflow and without losing a small p."""
    return -expm1(min(0.0, epsilon + log1p(-probability))) if probability < 1 else 1.0


def _check_copies(epsilon: float, copies: int, delta: float) -> None:
    if not (isfinite(epsilon) and epsilon > 0):
        raise PlanError("epsilon", found=epsilon, allowed=phrase("accounting.finite_number_above_0"))
    if not 0 < copies <= MAX_COPIES:
        raise PlanError("copies", found=copies, allowed=verbatim(f"1 to {MAX_COPIES}"))
    if not 0 <= delta < 1:
        raise PlanError("delta", found=delta, allowed=phrase("accounting.number_from_0_below"))


def _check_belief(probability: float, epsilon: float) -> None:
    if not 0 <= probability <= 1:
        raise PlanError("probability", found=probability, allowed=phrase("accounting.number_from_0_1"))
    if not (isfinite(epsilon) and epsilon >= 0):
        raise PlanError("epsilon", found=epsilon, allowed=phrase("accounting.finite_number_at_least"))

"""Attacks on counts and sums: a difference of two, a tracker, a question asked again, a number that is named.

Each computes exactly how often such an attack is right in a small world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma, log, log1p

import numpy as np

from dprelease.extras.lab.chance import Floats
from dprelease.extras.lab.defences import (
    Defence,
    Minimum,
    Private,
    Published,
    RandomlyRounded,
    Swapped,
    Uniform,
    laplace_difference,
    published,
    told_apart,
)
from dprelease.extras.lab.outcome import Outcome, count_best, success_bound
from dprelease.extras.lab.worlds import HIGHEST, KINGS, STEP, King, adults


def difference(others: int, defence: Defence, sensitivity: int = 1) -> Outcome:
    """Guess if one more is in a count than the others, from the count with and without the target.

    Private: both answers cost ε each. With discrete Laplace noise of q = e^−ε the better guess from the difference is
    right with probability (1 + P(S = 0)) / 2, P(S = 0) = ((1 − q) / (1 + q))² (1 + q²) / (1 − q²).
    """
    if isinstance(defence, Swapped):  # the target's value is another's so often, which is the same half the time
        return Outcome(0.5, 1 - defence.share / 2, 1.0)
    without, there = (published(each * sensitivity, defence) for each in (others, others + 1))
    if without.hidden or there.hidden:
        return Outcome(0.5, told_apart(without, there), 1.0)
    won = told_apart(there.less(without), without.less(without))
    return Outcome(0.5, won, success_bound(2 * defence.epsilon) if isinstance(defence, Private) else 1.0)


def repeat(others: int, defence: Defence, copies: int) -> Outcome:
    """Guess if one more is in a count than the others, from so many answers; private: at ε each.

    Rounding and suppression answer alike each time. Random rounding and uniform noise are drawn anew.
    """
    match defence:
        case Private(epsilon):
            return Outcome(0.5, best_of_copies(epsilon, copies), success_bound(copies * epsilon))
        case Uniform(reach):
            return Outcome(0.5, _told_by_uniform(reach, copies), 1.0)
        case RandomlyRounded(base):
            over = others % base
            return Outcome(0.5, _of_copies(over / base, (over + 1) / base, copies), 1.0)
        case Swapped():
            return difference(others, defence)
    return Outcome(0.5, told_apart(published(others, defence), published(others + 1, defence)), 1.0)


def _of_copies(p: float, q: float, copies: int) -> float:
    """Return the success of the better guess between two chances of a yes, by so many answers: ½ Σ max of binomials."""
    return float(np.maximum(_binomial(p, copies), _binomial(q, copies)).sum()) / 2


def best_of_copies(epsilon: float, copies: int) -> float:
    """Return the best success that anybody has with answers that cost ε each, discrete Laplace noise on a count.

    Of two counts that are one apart each answer has one of two losses, ε and −ε: as a randomised response.
    """
    yes = 1 / (1 + exp(-epsilon))
    return _of_copies(yes, 1 - yes, copies)


def _told_by_uniform(reach: int, copies: int) -> float:
    """Return the success between two counts one apart, whose answers differ with a chance of 1/w each."""
    return (2 - (1 - 1 / (2 * reach + 1)) ** copies) / 2


def _binomial(p: float, trials: int) -> Floats:
    if p in (0.0, 1.0):
        found = np.zeros(trials + 1)
        found[trials if p else 0] = 1.0
        return found
    whole = lgamma(trials + 1)
    return np.exp(
        [
            whole - lgamma(i + 1) - lgamma(trials - i + 1) + i * log(p) + (trials - i) * log1p(-p)
            for i in range(trials + 1)
        ]
    )


def named(candidates: Sequence[int], defence: Defence) -> Outcome:
    """Guess one of some consecutive counts, each as likely, from one answer: Σ max over the answers."""
    won = _named([published(each, defence) for each in candidates])
    private = count_best(defence.epsilon, len(candidates)) if isinstance(defence, Private) else 1.0
    return Outcome(1 / len(candidates), won, private)


def _named(answers: Sequence[Published]) -> float:
    """Return how often the most likely count is the true one. A hidden answer says no more than that it is hidden."""
    shown = [each for each in answers if not each.hidden]
    hidden = len(shown) < len(answers)
    if not shown:
        return 1 / len(answers)
    first = min(each.first for each in shown)
    highest = np.zeros(max(each.first + len(each.chances) for each in shown) - first)
    for each in shown:
        part = highest[each.first - first : each.first - first + len(each.chances)]
        np.maximum(part, each.chances, out=part)
    return (float(highest.sum()) + hidden) / len(answers)


def salary(defence: Defence) -> Outcome:
    """Guess one of eleven salaries, from two sums with and without the target, each with noise of its own.

    A sum of values between 0 and a bound moves by no more when a value is another than when it is not there: eleven
    neighbours. Private: both sums cost ε each; they are counted in steps of a salary.
    """
    steps = HIGHEST // STEP
    if not isinstance(defence, Private):
        return Outcome(1 / (steps + 1), 1.0, 1.0)
    each = replace(defence, sensitivity=steps)
    noise = laplace_difference(each.scale)
    won = _named([replace(noise, first=noise.first + place) for place in range(steps + 1)])
    return Outcome(1 / (steps + 1), won, success_bound(2 * defence.epsilon, answers=steps + 1))


@dataclass(frozen=True, slots=True)
class SumQuery:
    """A sum that somebody asks for, over so many people."""

    about: str
    """`all`, `but` (everybody but the target), `from` (whoever is so old), `with` and `less` (adults, and minors, each
    with the target), `adults`, `minors`."""
    asked: int
    allowed: bool
    age: int = 0


@dataclass(frozen=True, slots=True)
class Tracked:
    """Questions asked to find one salary, and if it was found."""

    questions: tuple[SumQuery, ...]

    @property
    def found(self) -> bool:
        return all(question.allowed for question in self.questions)


WAYS = ("names", "ages", "padding")
"""Ways to ask: for everybody but one by name, for whoever is at least so old, or with others as a padding."""


def tracker(target: King, way: str, rule: Defence, kings: Sequence[King] = KINGS) -> Tracked:
    """Ask two sums that differ by the target alone, or, with adults as a padding, four of them (Denning 1979)."""
    everybody = len(kings)

    def question(about: str, asked: int, age: int = 0) -> SumQuery:
        return SumQuery(about, asked, not isinstance(rule, Minimum) or rule.allows(asked, everybody), age)

    older, grown = sum(king.age > target.age for king in kings), adults(kings)
    ways = {
        "names": (question("all", everybody), question("but", everybody - 1)),
        "ages": (question("from", older + 1, target.age), question("from", older, target.age + 1)),
        "padding": (
            question("with", grown + (not target.adult)),
            question("less", everybody - grown + target.adult),
            question("adults", grown),
            question("minors", everybody - grown),
        ),
    }
    return Tracked(ways[way])

"""Loss of a mechanism with a stated scale on neighbours at a given distance: by formulas, in fractions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import comb, prod
from typing import Any

from dprelease.worstcase.reach import CountFamily
from dprelease.worstcase.setting import MechanismInput

EXACT = Context(prec=60)
FAR, FARTHER = 10_000, Fraction(1, 10**4000)
"""So many scales away a chance is less than this."""
Sets = Mapping[tuple[int, ...], int]
"""Number by set of columns, in multiples of 1 / FINE."""
FINE = 2**200


@dataclass(frozen=True, slots=True)
class Loss:
    """Loss that is spent. None is infinite: no such ε, or no such ρ."""

    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction = Fraction(0)

    @classmethod
    def pure(cls, epsilon: Fraction | None, delta: Fraction = Fraction(0)) -> Loss:
        """Every ε-DP mechanism has ρ = ε²/2 (Bun and Steinke 2016)."""
        return cls(epsilon, None if epsilon is None else epsilon**2 / 2, delta)

    def __add__(self, other: Loss) -> Loss:
        epsilon = None if self.epsilon is None or other.epsilon is None else self.epsilon + other.epsilon
        rho = None if self.rho is None or other.rho is None else self.rho + other.rho
        return Loss(epsilon, rho, self.delta + other.delta)


NOTHING, WITHOUT_END = Loss.pure(Fraction(0)), Loss.pure(None)


def loss(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """Return the loss of a mechanism that a certificate states (`name`, scale, settings); infinite where it misfits.

    Raises KeyError, TypeError or ValueError where the mechanism is not one.
    """
    what, formula = FORMULAS[mechanism["name"]]
    return formula(mechanism, given) if what == given.what else WITHOUT_END


def _scale(mechanism: Mapping[str, Any], key: str = "scale") -> Fraction:
    scale = Fraction(float(mechanism[key] if key == "scale" else mechanism["settings"][key]))
    if scale <= 0:
        raise ValueError(f"{key}: {mechanism[key]}")
    return scale


def _laplace(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """A shift by d changes the probabilities of noise ∝ e^(−|k|/b) by e^(d/b) at most; the noises are independent."""
    return Loss.pure(given.reach.l1 / _scale(mechanism))


def _gaussian(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """The Rényi divergence of order α of two discrete Gaussians d apart is at most α·d²/(2σ²). There is no ε."""
    return Loss(None, given.reach.l2_squared / (2 * _scale(mechanism) ** 2))


def _permute_and_flip(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """The largest of score + Exponential(b): who wins still wins with noise that is larger by what others gained."""
    return Loss.pure(given.reach.spread / _scale(mechanism))


def _exponential(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """Probabilities ∝ e^(score/b) have a log-ratio of bounded range, which gives ε²/8 (Cesar and Rogers 2021)."""
    epsilon = given.reach.spread / _scale(mechanism)
    return Loss(epsilon, epsilon**2 / 8)


def _top_k(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """k choices, one after the other; there is none to make when one candidate is left."""
    choices = min(int(mechanism["settings"]["k"]), given.shape[-1] - 1)
    each = {"exponential": _permute_and_flip, "gumbel": _exponential}[mechanism["settings"]["noise"]](mechanism, given)
    assert each.epsilon is not None and each.rho is not None
    if mechanism["settings"]["noise"] == "exponential":
        return Loss.pure(choices * each.epsilon)
    return Loss(choices * each.epsilon, choices * each.rho)


def _sparse_vector(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """Between tables where some counts rise by up to u and others fall by up to d, c answers being above.

    Where the threshold's noise is larger by u, every count that was below is below. Each of the c that were above
    still is where its own noise is larger by u + d. Published counts get fresh noise and differ by the larger of u
    and d.
    """
    threshold, question = _scale(mechanism, "threshold_scale"), _scale(mechanism)
    answers = min(int(mechanism["settings"]["answers"]), given.shape[0])
    epsilon = max(up / threshold + answers * (up + down) / question for up, down in given.reach.swings)
    if mechanism["settings"]["numeric"]:
        largest = max(max(swing) for swing in given.reach.swings)
        epsilon += answers * largest / _scale(mechanism, "answer_scale")
    return Loss.pure(epsilon)


def _randomized_response(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """The true answer with probability p, each of the k − 1 others with (1 − p)/(k − 1): the ratio of the two."""
    if given.reach.answers is None or int(mechanism["settings"]["answers"]) != given.shape[0]:
        return WITHOUT_END
    truth, others = Fraction(float(mechanism["settings"]["truth"])), int(mechanism["settings"]["answers"]) - 1
    if not 0 < truth < 1:
        return WITHOUT_END
    return Loss.pure(given.reach.answers * abs(_logarithm(truth * others / (1 - truth))))


def _arrived_response(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """Return the column's declared ε, at least that of the probability used in estimates: nothing is drawn."""
    stated = _randomized_response(mechanism, given).epsilon
    if stated is None or given.reach.declared is None or given.reach.answers is None:
        return WITHOUT_END
    return Loss.pure(max(stated, given.reach.answers * given.reach.declared))


def _subset_response(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """A set of w of k answers: with the true one p/C(k−1, w−1), without it (1 − p)/C(k−1, w): the ratio of the two."""
    settings = mechanism["settings"]
    truth, size, answers = Fraction(float(settings["truth"])), int(settings["size"]), int(settings["answers"])
    if given.reach.answers is None or answers != given.shape[0] or not (0 < truth < 1 and 0 < size < answers):
        return WITHOUT_END
    ratio = (truth / comb(answers - 1, size - 1)) / ((1 - truth) / comb(answers - 1, size))
    return Loss.pure(given.reach.answers * abs(_logarithm(ratio)))


def _unary_response(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """Bits of the true answer and of another: (1, 0) has p (1 − q) before and q (1 − p) after; p is 1/2."""
    settings = mechanism["settings"]
    lie, truth = Fraction(float(settings["lie"])), Fraction(1, 2)
    if given.reach.answers is None or int(settings["answers"]) != given.shape[0] or not 0 < lie < 1:
        return WITHOUT_END
    return Loss.pure(given.reach.answers * abs(_logarithm(truth * (1 - lie) / (lie * (1 - truth)))))


def _logarithm(ratio: Fraction) -> Fraction:
    return Fraction(EXACT.ln(EXACT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))))


def _thresholded(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """ε as of Laplace noise on names that both tables have; δ: the chance that a name of one table alone appears."""
    scale, threshold = _scale(mechanism), int(mechanism["settings"]["threshold"])
    chances = [[names * _appears(scale, threshold - rows) for rows, names in pair] for pair in given.reach.alone]
    return Loss.pure(given.reach.l1 / scale, min(Fraction(1), max(sum(each, Fraction(0)) for each in chances)))


def _appears(scale: Fraction, least: int) -> Fraction:
    """P(noise >= least) for noise ∝ e^(−|k|/b): q^least/(1 + q) above 0, with q = e^(−1/b)."""
    if least <= 0:
        return 1 - _appears(scale, 1 - least)
    if least > FAR * scale:
        return FARTHER
    step = EXACT.divide(Decimal(-scale.denominator), Decimal(scale.numerator))
    above = EXACT.exp(EXACT.multiply(step, Decimal(least)))
    return Fraction(EXACT.divide(above, EXACT.add(Decimal(1), EXACT.exp(step))))


def _residual_gaussian(mechanism: Mapping[str, Any], given: MechanismInput) -> Loss:
    """The sum over sets of columns of |change|²/(2 s²), for the cells that two rows can be in."""
    if given.reach.family is None:
        return WITHOUT_END
    return Loss(None, _of_residuals(mechanism, given.reach.family))


def _of_residuals(mechanism: Mapping[str, Any], family: CountFamily) -> Fraction | None:
    """Return the loss of the scales that a certificate states; None where its residuals are not those of the family.

    The residuals of a set are a product over its columns of d·[same value] − 1 for each of the d values. So the inner
    product of what two rows add to them is a product over the columns, of the two vectors that are written out below.
    Raises ValueError where a set or a scale is none.
    """
    settings = mechanism["settings"]
    sets = [tuple(map(int, part.split())) for part in settings["sets"].split("|")]
    scales = [Fraction(float(text)) for text in settings["scales"].split()]
    if len(sets) != len(scales) or len(set(sets)) != len(sets) or not all(scale > 0 for scale in scales):
        raise ValueError("sets of residuals, and other scales")
    if any(len(set(places)) != len(places) or min(places, default=0) < 0 for places in sets):
        raise ValueError("a set with a column twice")
    if any(family.cells[place] < 2 for places in sets for place in places):
        return None
    parts = {places: int(FINE / (2 * scale**2)) for places, scale in zip(sets, scales, strict=True)}
    products = [_products(cells) for cells in family.cells]
    norms = {places: part * prod(products[place][0] for place in places) for places, part in parts.items()}
    most = sum(norms.values())
    if family.moves:
        columns = sorted({place for places in parts for place in places})
        # |x − y|² = |x|² + |y|² − 2x·y, and both rows add as much in squares.
        most = max(most, 2 * (most - _least(parts, columns, products)))
    return Fraction(family.rows**2 * most, FINE)


def _least(parts: Sets, columns: Sequence[int], products: Sequence[tuple[int, int]]) -> int:
    """Return the least inner product of two rows, over all ways in which they agree in some of the columns only."""
    if not columns:
        return sum(parts.values())
    first, *others = columns
    found = []
    for factor in products[first]:
        rest: dict[tuple[int, ...], int] = {}
        for places, part in parts.items():
            left = tuple(place for place in places if place != first)
            rest[left] = rest.get(left, 0) + part * (factor if first in places else 1)
        found.append(_least(rest, others, products))
    return min(found)


def _products(cells: int) -> tuple[int, int]:
    """Return the inner products of d·[same value] − 1 for one value and the same, and for one value and another."""
    one = [cells * (value == 0) - 1 for value in range(cells)]
    two = [cells * (value == 1) - 1 for value in range(cells)]
    return sum(a * b for a, b in zip(one, one, strict=True)), sum(a * b for a, b in zip(one, two, strict=True))


FORMULAS: Mapping[str, tuple[str, Callable[[Mapping[str, Any], MechanismInput], Loss]]] = {
    "discrete_laplace": ("sums", _laplace),
    "discrete_gaussian": ("sums", _gaussian),
    "residual_gaussian": ("residuals", _residual_gaussian),
    "permute_and_flip": ("scores", _permute_and_flip),
    "exponential": ("scores", _exponential),
    "noisy_top_k": ("scores", _top_k),
    "sparse_vector": ("questions", _sparse_vector),
    "randomized_response": ("answers", _randomized_response),
    "arrived_response": ("arrived", _arrived_response),
    "subset_response": ("answers", _subset_response),
    "unary_response": ("answers", _unary_response),
    "thresholded_laplace": ("names", _thresholded),
}
"""Allowed kind of input and formula of the loss, by mechanism."""

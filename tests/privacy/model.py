"""What mechanisms ought to do, written a second time with numpy: for events and power, never for the evidence itself.

An event is any set of draws fixed beforehand: which one is chosen here by the likelihood ratio of honest mechanisms can
make the audit weaker, not wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb, exp, log, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Mechanism,
    NoisyTopK,
    PermuteAndFlip,
    RandomizedResponse,
    ResidualGaussian,
    SparseVector,
    SubsetResponse,
    ThresholdedLaplace,
    UnaryResponse,
)
from tests.mechanisms import exact
from tests.privacy.evidence import Reals

Draws = NDArray[np.int64]
"""One row a draw, of one measurement."""
ABSENT = -(2**40)
"""Stands for a name that was not published."""


def names(*inputs: Any) -> list[str]:
    """All names that occur in inputs of a discovery."""
    return sorted({name for given in inputs if isinstance(given, Mapping) for name in given})


def row_of(part: Any, known: Sequence[str]) -> list[int]:
    """A sealed part as a row of integers."""
    if isinstance(part, Mapping):
        return [part.get(name, ABSENT) for name in known]
    return np.asarray(part).ravel().tolist()  # type: ignore[no-any-return]


def weaker(mechanism: Mechanism, factor: float) -> Mechanism:
    """The same with its noise times a factor, at an unchanged share; a thresholded one keeps its threshold."""
    if isinstance(mechanism, RandomizedResponse):
        odds = (mechanism.truth * (mechanism.answers - 1) / (1 - mechanism.truth)) ** (1 / factor)
        return replace(mechanism, truth=odds / (odds + mechanism.answers - 1))
    if isinstance(mechanism, SubsetResponse):
        size, others = mechanism.size, mechanism.answers - mechanism.size
        odds = (mechanism.truth * others / ((1 - mechanism.truth) * size)) ** (1 / factor) * size / others
        return replace(mechanism, truth=odds / (odds + 1))
    if isinstance(mechanism, UnaryResponse):
        return replace(mechanism, lie=1 / (((1 - mechanism.lie) / mechanism.lie) ** (1 / factor) + 1))
    if isinstance(mechanism, SparseVector):
        told = None if mechanism.answer_scale is None else mechanism.answer_scale * factor
        return replace(
            mechanism,
            threshold_scale=mechanism.threshold_scale * factor,
            scale=mechanism.scale * factor,
            answer_scale=told,
        )
    if isinstance(mechanism, ResidualGaussian):
        own = [scale * factor for scale in mechanism.by_set.values()]
        return replace(mechanism, scale=min(own), scales=" ".join(map(repr, own)))
    return replace(mechanism, scale=mechanism.scale * factor)


def scales(mechanism: ResidualGaussian) -> list[float]:
    """Of each residual."""
    cells = [int(text) for text in mechanism.cells.split()]
    return [scale for places, scale in mechanism.by_set.items() for _ in range(prod(cells[place] for place in places))]


def laplace(scale: float, shape: Any, rng: np.random.Generator) -> Draws:
    """The difference of two geometric numbers."""
    chance = -np.expm1(-1 / scale)
    return rng.geometric(chance, shape) - rng.geometric(chance, shape)


def gaussian(scale: float, shape: Any, rng: np.random.Generator) -> Draws:
    half = exact.gaussian_pmf(scale, int(12 * scale) + 12)
    whole = np.cumsum(np.concatenate([half[:0:-1], half]))
    return np.searchsorted(whole, rng.random(shape) * whole[-1]) - (len(half) - 1)


def simulate(mechanism: Mechanism, given: Any, draws: int, rng: np.random.Generator, known: Sequence[str]) -> Draws:
    """Independent draws of an honest mechanism."""
    match mechanism:
        case DiscreteLaplace() | DiscreteGaussian():
            values = np.asarray(given, dtype=np.int64).ravel()
            noise = laplace if isinstance(mechanism, DiscreteLaplace) else gaussian
            return values + noise(mechanism.scale, (draws, values.size), rng)
        case ResidualGaussian():
            values = np.asarray(given, dtype=np.int64)
            return values + np.stack([gaussian(scale, draws, rng) for scale in scales(mechanism)], axis=1)
        case PermuteAndFlip() | ExponentialMechanism():
            gumbel = isinstance(mechanism, ExponentialMechanism)
            scores = np.asarray(given, dtype=float)
            noisy = scores + mechanism.scale * _race(gumbel, (draws, *scores.shape), rng)
            return noisy.argmax(axis=-1).reshape(draws, -1)
        case NoisyTopK():
            scores = np.asarray(given, dtype=float).reshape(1, -1).repeat(draws, axis=0)
            chosen = []
            for _ in range(mechanism.k):
                noisy = scores + mechanism.scale * _race(mechanism.derived["noise"] == "gumbel", scores.shape, rng)
                chosen.append(noisy.argmax(axis=1))
                scores[np.arange(draws), chosen[-1]] = -np.inf
            return np.stack(chosen, axis=1)
        case RandomizedResponse():
            told = np.zeros((draws, mechanism.answers), dtype=np.int64)
            lie = (1 - mechanism.truth) / (mechanism.answers - 1)
            for answer, rows in enumerate(np.asarray(given).ravel().tolist()):
                chances = np.full(mechanism.answers, lie)
                chances[answer] = mechanism.truth
                told += rng.multinomial(rows, chances / chances.sum(), draws)
            return told
        case SubsetResponse():
            return sum(
                (_subsets(mechanism, answer, rows, draws, rng) for answer, rows in enumerate(np.ravel(given).tolist())),
                np.zeros((draws, mechanism.answers), dtype=np.int64),
            )
        case UnaryResponse():
            true = np.ravel(given)
            bits = rng.binomial(true, 0.5, (draws, len(true)))
            bits += rng.binomial(true.sum() - true, mechanism.lie, (draws, len(true)))
            return np.column_stack([bits, np.full(draws, true.sum())])
        case SparseVector():
            return _sparse_vector(mechanism, np.asarray(given, dtype=np.int64), draws, rng)
        case ThresholdedLaplace():
            counts = np.array([given.get(name, 0) for name in known], dtype=np.int64)
            noisy = counts + laplace(mechanism.scale, (draws, len(known)), rng)
            return np.where((noisy >= mechanism.threshold) & (counts > 0), noisy, ABSENT)
    raise AssertionError(mechanism)


def _subsets(mechanism: SubsetResponse, answer: int, rows: int, draws: int, rng: np.random.Generator) -> Draws:
    """Sets of rows that all have one answer, by sorting random keys."""
    keys = rng.random((draws, rows, mechanism.answers))
    keys[:, :, answer] = np.where(rng.random((draws, rows)) < mechanism.truth, -1, 2)
    places = np.argsort(np.argsort(keys, axis=2), axis=2)
    return (places < mechanism.size).sum(axis=1)


def _race(gumbel: bool, shape: Any, rng: np.random.Generator) -> Reals:
    return rng.gumbel(size=shape) if gumbel else rng.exponential(size=shape)


def _sparse_vector(mechanism: SparseVector, given: Draws, draws: int, rng: np.random.Generator) -> Draws:
    threshold = mechanism.threshold + laplace(mechanism.threshold_scale, (draws, 1), rng)
    above = given + laplace(mechanism.scale, (draws, len(given)), rng) >= threshold
    earlier = np.cumsum(above, axis=1) - above
    told = np.where(earlier >= mechanism.answers, -1, above.astype(np.int64))
    numbers = np.zeros_like(told)
    if mechanism.answer_scale is not None:
        numbers = np.where(told == 1, given + laplace(mechanism.answer_scale, told.shape, rng), 0)
    return np.stack([told, numbers], axis=-1).reshape(draws, -1)


def likelihood(mechanism: Mechanism, given: Any, drawn: Draws, known: Sequence[str]) -> Reals:
    """The logarithm of each draw's chance, but for what does not depend on `given`."""
    match mechanism:
        case DiscreteLaplace():
            return -np.abs(drawn - np.asarray(given, dtype=np.int64).ravel()).sum(axis=1) / mechanism.scale
        case DiscreteGaussian():
            away = drawn - np.asarray(given, dtype=np.int64).ravel()
            return -(away**2).sum(axis=1) / (2 * mechanism.scale**2)
        case ResidualGaussian():
            away = drawn - np.asarray(given, dtype=np.int64)
            return -((away / np.array(scales(mechanism))) ** 2).sum(axis=1) / 2
        case PermuteAndFlip() | ExponentialMechanism():
            one = exact.exponential if isinstance(mechanism, ExponentialMechanism) else permute_and_flip
            rows = np.asarray(given).reshape(drawn.shape[1], -1).tolist()
            chances = [np.log(one(scores, mechanism.scale)) for scores in rows]
            return sum(chance[column] for chance, column in zip(chances, drawn.T, strict=True))
        case NoisyTopK():
            one = exact.exponential if mechanism.derived["noise"] == "gumbel" else exact.permute_and_flip
            return _looked_up(exact.peeled(np.ravel(given).tolist(), mechanism.k, mechanism.scale, one), drawn)
        case RandomizedResponse():
            (answer,) = np.flatnonzero(np.ravel(given)) if np.sum(given) == 1 else (None,)
            assert answer is not None, "the model of randomized response is for one row"
            lie = (1 - mechanism.truth) / (mechanism.answers - 1)
            return np.where(drawn[:, answer] == 1, log(mechanism.truth), log(lie))
        case SubsetResponse():
            (answer,) = np.flatnonzero(np.ravel(given))
            size, others = mechanism.size, mechanism.answers - 1
            held = log(mechanism.truth / comb(others, size - 1))
            return np.where(drawn[:, answer] == 1, held, log((1 - mechanism.truth) / comb(others, size)))
        case UnaryResponse():
            chances = np.where(np.ravel(given) == 1, 0.5, mechanism.lie)
            return np.where(drawn[:, :-1] == 1, np.log(chances), np.log1p(-chances)).sum(axis=1)
        case SparseVector():
            return _sparse_likelihood(mechanism, np.ravel(given).tolist(), drawn)
        case ThresholdedLaplace():
            counts = np.array([given.get(name, 0) for name in known], dtype=np.int64)
            least = np.maximum(mechanism.threshold - counts, 1)
            unseen = np.where(counts > 0, np.log1p(-exact.laplace_tail(mechanism.scale, least)), 0.0)
            seen = np.where(counts > 0, -np.abs(drawn - counts) / mechanism.scale, -1e3)
            pmf = log(np.tanh(1 / (2 * mechanism.scale)))
            return np.where(drawn == ABSENT, unseen, seen + pmf).sum(axis=1)
    raise AssertionError(mechanism)


def permute_and_flip(scores: Sequence[int], scale: float) -> Reals:
    """w_r ∫₀¹ Π_{s≠r} (1 − x·w_s) dx for up to 64 candidates: Gauss and Legendre's rule is exact for polynomials."""
    assert len(scores) <= 64
    points, weights = np.polynomial.legendre.leggauss(32)
    heads = np.exp((np.array(scores) - max(scores)) / scale)
    tails = 1 - np.outer((points + 1) / 2, heads)
    whole = [np.delete(tails, candidate, axis=1).prod(axis=1) @ weights / 2 for candidate in range(len(scores))]
    return heads * np.array(whole)


def _looked_up(chances: Mapping[tuple[int, ...], float], drawn: Draws) -> Reals:
    found, place = np.unique(drawn, axis=0, return_inverse=True)
    logs = [log(max(chances.get(tuple(row), 0.0), exp(-50))) for row in found.tolist()]
    return np.array(logs)[place.ravel()]


def _sparse_likelihood(mechanism: SparseVector, values: list[int], drawn: Draws) -> Reals:
    told, numbers = drawn[:, ::2], drawn[:, 1::2]
    chances = exact.sparse_vector(
        values, mechanism.threshold, mechanism.answers, mechanism.threshold_scale, mechanism.scale
    )
    result = _looked_up(chances, told)
    if mechanism.answer_scale is not None:
        result = result - (np.abs(numbers - np.array(values)) * (told == 1)).sum(axis=1) / mechanism.answer_scale
    return result

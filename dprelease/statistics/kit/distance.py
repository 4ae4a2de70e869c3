"""Distance of neighbouring tables for a statistic's mechanisms, beside the sensitivity it states."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.mechanisms import (
    ExponentialMechanism,
    Mechanism,
    NoisyTopK,
    PermuteAndFlip,
    ResidualGaussian,
    Response,
    SparseVector,
    ThresholdedLaplace,
)
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.privacy import NANO, PrivacyLoss, Terms
from dprelease.statistics.answer import Inputs, without_noise
from dprelease.statistics.kit.pool import Pool
from dprelease.statistics.kit.rows import SCHEMA
from dprelease.statistics.planning.measurement import calibrated
from dprelease.statistics.tabulated import Measurement, TallyStatistic

WILD = 4
"""Number of transcripts with draws that are far from any table's."""
TRANSCRIPTS = 3
"""Number of transcripts of the rounds before, after which a later one is looked at."""
SELECTIONS = (PermuteAndFlip, ExponentialMechanism, NoisyTopK, SparseVector)


def check_sensitivity(statistic: TallyStatistic, terms: Terms, pool: Pool) -> None:
    """Raise InternalError where a pair beats a stated sensitivity, and where no pair attains it."""
    least = [each.attained for each in statistic.measurements(SCHEMA, terms)]
    for norm, stated, largest, place in largest_distances(statistic, terms, pool):
        wanted = least[place] ** 2 if norm == "l2_squared" else least[place]
        if largest < wanted * stated:
            raise InternalError(
                f"{statistic.kind}: no pair attains the stated {norm} {stated} under {terms.neighbors}, only {largest}"
            )


def largest_distances(statistic: TallyStatistic, terms: Terms, pool: Pool) -> list[tuple[str, int, int, int]]:
    """Return for each norm of each measurement what is stated, what the furthest pair has, and which one it is.

    Raises InternalError where that is more than is stated, or goes up and down where it is said to go one way. What is
    measured in a later round is compared after the same draws of the rounds before: those of several tables, and, where
    noise may give any number, some that no table would give.
    """
    result, before = [], 0
    measurements = statistic.measurements(SCHEMA, terms)
    for number in range(1 + max(each.round for each in measurements)):
        own = [each for each in measurements if each.round == number]
        given = [pool.inputs] if number == 0 else list(_later(statistic, terms, pool, number))
        for place, measurement in enumerate(own):
            found = [_furthest(statistic, measurement, inputs[place], terms, pool) for inputs in given]
            stated = ((norm, getattr(measurement.sensitivity, norm)) for norm in found[0])
            result += [(norm, most, max(each[norm] for each in found), before + place) for norm, most in stated]
        before += len(own)
    return result


def _furthest(
    statistic: TallyStatistic, measurement: Measurement, inputs: Any, terms: Terms, pool: Pool
) -> dict[str, int]:
    """Return by norm the distance of the furthest pair for a measurement."""
    first, second = pool.pairs(terms.neighbors)
    before, after = _sides(inputs, first), _sides(inputs, second)
    if measurement.sensitivity.monotone and isinstance(inputs, np.ndarray):
        change = (after - before).reshape(len(first), -1)
        if not ((change >= 0).all(axis=1) | (change <= 0).all(axis=1)).all():
            raise InternalError(f"{statistic.kind}: not monotone under {terms.neighbors}")
    result = {norm: max(found) for norm, found in _distances(measurement, before, after).items()}
    for norm, largest in result.items():
        stated = getattr(measurement.sensitivity, norm)
        if largest > stated:
            raise InternalError(f"{statistic.kind}: {norm} {largest} beats the stated {stated} under {terms.neighbors}")
    return result


def _later(statistic: TallyStatistic, terms: Terms, pool: Pool, number: int) -> Iterator[list[Any]]:
    """Yield the inputs of a later round's measurements in every table, after draws as of some of the tables."""
    share = PrivacyLoss.of(terms.currency, NANO * len(statistic.measurements(SCHEMA, terms)))
    measured = calibrated(statistic, share, SCHEMA, terms, 0)
    before = measured.turns.index(number)
    for table in range(0, len(pool.tallies), max(1, len(pool.tallies) // TRANSCRIPTS)):
        exact = Inputs.of(measured, SCHEMA, pool.tallies[table], pool.asked_of(table))
        drawn = without_noise(exact)[:before]
        yield pool.after(statistic, list(map(np.array, drawn)), measured.mechanisms)
    if all(isinstance(mechanism, Noise) for mechanism in measured.mechanisms[:before]):
        for trial in range(WILD):
            odd = [_wild(mechanism, trial, place) for place, mechanism in enumerate(measured.mechanisms[:before])]
            yield pool.after(statistic, odd, measured.mechanisms)


def _wild(mechanism: Mechanism, trial: int, place: int) -> NDArray[np.int64]:
    """Return integers up to some hundred times the largest change of a unit; the same in every run."""
    shape = mechanism.sensitivity.shape or ()
    bits = (sha256(f"{trial} {place} {number}".encode()).digest() for number in range(prod(shape)))
    most = mechanism.sensitivity.linf * 10**trial
    numbers = [int.from_bytes(each[:7], "big") % (2 * most + 1) - most for each in bits]
    return np.array(numbers, dtype=np.int64).reshape(shape)


def _sides(inputs: Any, tables: NDArray[np.int64]) -> Any:
    return inputs[tables] if isinstance(inputs, np.ndarray) else [inputs[table] for table in tables]


def _distances(measurement: Measurement, before: Any, after: Any) -> dict[str, list[int]]:
    """Return the distances of two inputs of a mechanism, in the norms that its loss is stated in, pair by pair."""
    if measurement.mechanism is ThresholdedLaplace:
        gaps = [
            [abs(there.get(name, 0) - here.get(name, 0)) for name in {*here, *there}]
            for here, there in zip(before, after, strict=True)
        ]
        return {
            "l0": [sum(gap > 0 for gap in pair) for pair in gaps],
            "l1": [sum(pair) for pair in gaps],
            "linf": [max(pair, default=0) for pair in gaps],
        }
    gap = np.abs(after - before)
    flat = gap.reshape(len(gap), -1)
    if issubclass(measurement.mechanism, Noise):
        found = {"l1": flat.sum(axis=1), "linf": flat.max(axis=1), "l2_squared": (flat**2).sum(axis=1)}
    elif measurement.mechanism is ResidualGaussian:
        found = {"l2_squared": (flat**2).sum(axis=1)}
    elif issubclass(measurement.mechanism, Response):
        found = {"l1": flat.sum(axis=1)}
    elif measurement.mechanism in SELECTIONS:
        found = {"linf": gap.max(axis=-1).reshape(len(gap), -1).sum(axis=1)}
    else:
        raise InternalError(f"{measurement.mechanism.__name__}: in which norm its loss is stated is not said here")
    return {norm: numbers.tolist() for norm, numbers in found.items()}

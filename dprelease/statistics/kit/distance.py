"""How far apart neighbouring tables are for a statistic's mechanisms, beside what it states."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.mechanisms import (
    ExponentialMechanism,
    NoisyTopK,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    ThresholdedLaplace,
)
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.privacy import Terms
from dprelease.statistics.kit.pool import Pool
from dprelease.statistics.kit.rows import SCHEMA
from dprelease.statistics.tabulated import Measurement, Tabulated

SELECTIONS = (PermuteAndFlip, ExponentialMechanism, NoisyTopK, SparseVector)


def check_sensitivity(statistic: Tabulated, terms: Terms, pool: Pool) -> None:
    """Raises InternalError where a pair beats a stated sensitivity, and where no pair attains it."""
    for norm, stated, largest in largest_distances(statistic, terms, pool):
        if largest != stated:
            raise InternalError(
                f"{statistic.kind}: no pair attains the stated {norm} {stated} under {terms.neighbors}, only {largest}"
            )


def largest_distances(statistic: Tabulated, terms: Terms, pool: Pool) -> list[tuple[str, int, int]]:
    """For each norm of each measurement what is stated and what the furthest pair has.

    Raises InternalError where that is more than is stated, or goes up and down where it is said to go one way.
    """
    result = []
    first, second = pool.pairs(terms.neighbors)
    measurements = statistic.measurements(SCHEMA, terms)
    for measurement, inputs in zip(measurements, pool.inputs, strict=True):
        before, after = _sides(inputs, first), _sides(inputs, second)
        if measurement.sensitivity.monotone and isinstance(inputs, np.ndarray):
            change = (after - before).reshape(len(first), -1)
            if not ((change >= 0).all(axis=1) | (change <= 0).all(axis=1)).all():
                raise InternalError(f"{statistic.kind}: not monotone under {terms.neighbors}")
        for norm, found in _distances(measurement, before, after).items():
            stated, largest = getattr(measurement.sensitivity, norm), max(found)
            if largest > stated:
                raise InternalError(
                    f"{statistic.kind}: {norm} {largest} beats the stated {stated} under {terms.neighbors}"
                )
            result.append((norm, stated, largest))
    return result


def _sides(inputs: Any, tables: NDArray[np.int64]) -> Any:
    return inputs[tables] if isinstance(inputs, np.ndarray) else [inputs[table] for table in tables]


def _distances(measurement: Measurement, before: Any, after: Any) -> dict[str, list[int]]:
    """How far apart two inputs of a mechanism are, in the norms that its loss is stated in, pair by pair."""
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
    elif measurement.mechanism is RandomizedResponse:
        found = {"l1": flat.sum(axis=1)}
    elif measurement.mechanism in SELECTIONS:
        found = {"linf": gap.max(axis=-1).reshape(len(gap), -1).sum(axis=1)}
    else:
        raise InternalError(f"{measurement.mechanism.__name__}: in which norm its loss is stated is not said here")
    return {norm: numbers.tolist() for norm, numbers in found.items()}

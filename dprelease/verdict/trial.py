"""The curve and the calibration of a model that was tried, worked out a second time of the counts beside them.

It shares no code with `dprelease.statistics`, which made them: another reading of docs/privacy.md, proof L. That the
ends of intervals are those of the noise is compared where the model is made again (`verdict/recompute.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from dprelease.errors import IntegrityError
from dprelease.model.release import Cell, Estimates, FittedOutput, Release
from dprelease.verdict.noise import ALPHA, GAUSSIAN, RecomputedNoise
from dprelease.words import phrase

FALSE = "false_alarms"
FALLING = (("value", "lower95", "upper95", "raw"), (FALSE, f"{FALSE}_lower95", f"{FALSE}_upper95", f"{FALSE}_raw"))
"""The columns of a curve: what is told, its ends, and the noisy shares; of true and of false positives."""
NEAR = 1e-8
HALF, SLACK = 0.5, 1e-4
"""A step of a discrete noise by halves, and how near to 5 % a chance may be on either side."""


def check_trials(release: Release) -> int:
    """Check and count the models that were tried. Raises IntegrityError where a table of a trial does not follow."""
    found = 0
    for name, output in release.outputs.items():
        if not isinstance(output, FittedOutput) or "roc" not in output.parts:
            continue
        numbers = output.facts["integers"][-1]
        half = len(numbers) // 2
        counts = numbers[:half], numbers[half:]
        drawn = release.certificate.rests_on(release.certificate.statistic(name))[-1]
        noise = RecomputedNoise(float(drawn.scale), drawn.name == GAUSSIAN)
        if not (_falls(output.parts["roc"], counts) and _is_told(output.parts["calibration"], counts, noise)):
            raise IntegrityError(phrase("verdict.trial_not_of_counts", item=name))
        found += 1
    return found


def _falls(roc: Estimates, counts: Sequence[Sequence[int]]) -> bool:
    """Return True if each curve is the nearest falling one to the noisy shares, within ends that fall too.

    One class is true positives, the other false ones: either order, since the file does not say which is which.
    """
    columns = [[roc.numbers[name] for name in names] for names in FALLING]
    return any(
        all(_is_curve(own, each) for own, each in zip(columns, order, strict=True)) for order in (counts, counts[::-1])
    )


def _is_curve(columns: Sequence[Sequence[Cell]], counts: Sequence[int]) -> bool:
    value, lower, upper, raw = columns
    whole = sum(counts)
    if whole <= 0:
        return {*value, *lower, *upper, *raw} == {None}
    shares = [min(1.0, max(0.0, sum(counts[place:]) / whole)) for place in range(1, len(counts))]
    fitted = [
        max(min(_mean(shares, first, last) for first in range(place + 1)) for last in range(place, len(shares)))
        for place in range(len(shares))
    ]
    ends = zip(lower, value, upper, strict=True)
    return (
        _are(raw, shares)
        and _are(value, fitted)
        and all(None not in row and list(row) == sorted(row) for row in ends)  # type: ignore[type-var]
        and all(list(each) == sorted(each, reverse=True) for each in (lower, upper))  # type: ignore[type-var]
    )


def _mean(numbers: Sequence[float], first: int, last: int) -> float:
    return sum(numbers[first : last + 1]) / (last + 1 - first)


def _are(cells: Sequence[Cell], numbers: Sequence[float]) -> bool:
    return all(
        isinstance(cell, int | float) and isclose(cell, number, abs_tol=NEAR)
        for cell, number in zip(cells, numbers, strict=True)
    )


def _is_told(calibration: Estimates, counts: Sequence[Sequence[int]], noise: RecomputedNoise) -> bool:
    """Return True if each cell has its rows and a share where its rows stand out of the noise of two counts; else no
    share, and how many rows it may have."""
    rows = [sum(both) for both in zip(*counts, strict=True)]
    names = ("counted", "counted_up_to")
    cells = zip(rows, calibration.value, *(calibration.extra[name] for name in names), strict=True)
    return all(
        (value is not None and counted == many and most is None and _chance(noise, many - HALF) < ALPHA + SLACK)
        if counted is not None
        else (value is None and _is_most(most, many, noise) and _chance(noise, many - HALF) > ALPHA - SLACK)
        for many, value, counted, most in cells
    )


def _is_most(most: Cell, rows: int, noise: RecomputedNoise) -> bool:
    """Return True if so many are what noise reaches, above the noisy rows or above none."""
    if not isinstance(most, int):
        return False
    far = most - max(0, rows)
    return _chance(noise, far + HALF) < ALPHA + SLACK and _chance(noise, far - HALF) > ALPHA - SLACK


def _chance(noise: RecomputedNoise, t: float) -> float:
    """Return the chance that the noise of two counts goes further than t."""
    return 1.0 if t <= 0 else noise.chance(t, [(1.0, 2)])

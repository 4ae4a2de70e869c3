"""Lines through medians in bins, fitted a second time to the integers beside them: which bins count, and which line.

It shares no code with `dprelease.statistics`, which made them: another reading of docs/privacy.md, proof J″. That the
ends of the intervals are those of the noise is compared where the model is made again (`verdict/recompute.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, isclose, sqrt

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import IntegrityError
from dprelease.model.column import Column, ColumnType
from dprelease.model.release import Estimates, FittedOutput, Release
from dprelease.model.stated import StatedMechanism
from dprelease.words import phrase

BINS, TURNS, FLOOR = 8, 30, 0.02
CHANCE = 0.0025
"""Chance that noise alone goes as far as the rows of a bin that counts, on either side."""
SLACK = (1.0, 1 - 1e-3, 1 + 1e-3)
"""A wide Gaussian's chance is told to this part here."""
SUMMED = 10_000
FIRST_DAY = 719_163
"""1970-01-01."""
FloatArray = NDArray[np.float64]


def check_lines(release: Release) -> int:
    """Check and count lines through medians of bins with rows. Raises IntegrityError where one is another line."""
    found = 0
    for stated in release.certificate.statistics:
        asked, output = release.certificate.asked(stated.id), release.outputs.get(stated.id)
        if asked.get("method") != "medians" or output is None:
            continue
        columns = release.certificate.columns
        measured = release.certificate.rests_on(stated)
        if not isinstance(output, FittedOutput) or not any(
            _follows(output, columns[asked["on"][0]], columns[asked["outcome"]], measured, slack) for slack in SLACK
        ):
            raise IntegrityError(phrase("verdict.line_not_through_medians", item=stated.id))
        found += 1
    return found


def _follows(
    output: FittedOutput, along: Column, outcome: Column, mechanisms: Sequence[StatedMechanism], slack: float
) -> bool:
    (choice, counted, _), (codes, rows, _) = mechanisms, output.facts["integers"]
    kept = [place for place, many in enumerate(rows) if many > 0 and _chance(counted, many) <= CHANCE * slack]
    function, (table,) = output.facts["function"], output.parts.values()
    if function["bins_used"] != len(kept):
        return False
    if len(kept) < 2:
        empty = (table.value, table.lower95, table.upper95, table.extra["predicts"])
        return function["link"] == "none" and {cell for cells in empty for cell in cells} == {None}
    x = np.array([_middle(along, len(rows), place) for place in kept])
    y = np.array([2.0 * codes[place] / outcome.lattice.steps - 1.0 for place in kept])
    n = np.array([float(rows[place]) for place in kept])
    start, slope = _line(x, y, n * n / (n / 4 + float(choice.scale) ** 2 / 2))
    (x_low, x_half), (y_low, y_half) = _scale(along), _scale(outcome)
    slope *= y_half / x_half
    return _are(table, (y_low + y_half * (start + 1) - slope * (x_low + x_half), slope), y_half)


def _are(table: Estimates, line: tuple[float, float], size: float) -> bool:
    """Return True if these are the coefficients, and what predicts, within the intervals beside them."""
    both = zip(table.value, table.extra["predicts"], strict=True)
    if not all(
        isinstance(cell, int | float) and isclose(cell, own, rel_tol=1e-6, abs_tol=1e-7 * size)
        for cells, own in zip(both, line, strict=True)
        for cell in cells
    ):
        return False
    ends = zip(table.lower95, table.value, table.upper95, strict=True)
    return all(None not in row and list(row) == sorted(row) for row in ends)  # type: ignore[type-var]


def _chance(noise: StatedMechanism, rows: int) -> float:
    """Return P(|k| >= rows)."""
    scale = float(noise.scale)
    if noise.name == "discrete_laplace":
        return 2 * exp(-rows / scale) / (1 + exp(-1 / scale))
    if scale > SUMMED:
        return erfc((rows - 0.5) / (scale * sqrt(2)))
    chances = np.exp(-((np.arange(int(40 * scale) + 2) / scale) ** 2) / 2)
    return float(2 * chances[rows:].sum() / (2 * chances.sum() - 1))


def _middle(along: Column, bins: int, place: int) -> float:
    """Return the middle of the codes of a bin, of which the last holds the upper bound too, from -1 to 1."""
    steps = along.lattice.steps
    if bins < BINS or steps < BINS:
        return 2 * place / steps - 1
    first = -(-place * steps // bins)
    last = steps if place == bins - 1 else -(-(place + 1) * steps // bins) - 1
    return (first + last) / steps - 1


def _line(x: FloatArray, y: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Fit a line by weighted least squares, weights falling with how far a median is off (Huber), thirty times."""
    design = np.stack([np.ones(len(x)), x], axis=1)
    line = _fitted(design, y, weights)
    for _ in range(TURNS):
        off = np.abs(y - design @ line)
        reach = max(FLOOR, 1.5 * float(np.median(off)))
        line = _fitted(design, y, weights * np.minimum(1.0, reach / np.maximum(reach, off)))
    return float(line[0]), float(line[1])


def _fitted(design: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    roots = np.sqrt(weights)
    return np.asarray(np.linalg.lstsq(design * roots[:, None], y * roots, rcond=None)[0])


def _scale(column: Column) -> tuple[float, float]:
    """Return the lower bound and half of the width, in the column's own units; of days, as counted from 1970."""
    lattice = column.lattice
    first = lattice.start - (FIRST_DAY if column.type is ColumnType.DATE else 0)
    return float(first * lattice.resolution), float(lattice.steps * lattice.resolution) / 2

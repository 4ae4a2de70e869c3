"""Noisy tables of (bin of a column, class) of the same rows, made to agree: one number of rows of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dprelease.statistics.algebra.elementary import Floats, added, log


@dataclass(frozen=True, eq=False)
class NoisySource:
    """A table of noisy counts, and the variance of the noise on each cell."""

    counts: Floats
    variance: float
    of_class: float | None = None
    """The variance of the rows of a class, where that is not the sum of its cells' variances."""
    family: str = ""
    """Tables of one family all tell the very same rows of a class: one of them counts."""

    @property
    def told(self) -> float:
        """Variance of the rows that it tells of a class."""
        return len(self.counts) * self.variance if self.of_class is None else self.of_class


@dataclass(frozen=True, eq=False)
class ReconciledTables:
    """Tables of parts of the same rows: none negative, and each column of each adds up to its class."""

    rows: float
    """At least 1."""
    classes: Floats
    noisy: Floats
    """The rows of each class before they were cut at 0."""
    variance: float
    """Variance of the noise on the number of rows of a class."""
    tables: tuple[Floats, ...]


def agreed(labels: Sequence[NoisySource], pairs: Sequence[NoisySource] = ()) -> ReconciledTables:
    """Make noisy tables agree, by the noise of each.

    Each label table tells the rows of a class, with the variance of as many draws as it has bins; these are weighted by
    the inverse of that. Pair tables tell the number of rows once more. Each class is cut at 0, and each column of a
    table is moved to the nearest (least squares) numbers, none negative, that add up to its class.
    """
    families = [table.family for table in labels]
    weights = [
        0.0 if table.family and table.family in families[:place] else 1.0 / table.told
        for place, table in enumerate(labels)
    ]
    whole = float(sum(weights))
    classes = np.zeros(labels[0].counts.shape[1])
    for weight, table in zip(weights, labels, strict=True):
        classes = classes + weight / whole * added(table.counts, 0)
    of = len(classes)
    told, rows = whole / of, float(added(classes))
    for table in pairs:
        weight = 1.0 / (table.counts.size * table.variance)
        rows += (float(added(table.counts.ravel())) - rows) * weight / (told + weight)
        told += weight
    noisy = classes + (rows - float(added(classes))) / of
    rows = max(1.0, rows)
    classes = nearest(noisy, rows)
    tables = tuple(
        np.stack([nearest(column, float(total)) for column, total in zip(table.counts.T, classes, strict=True)], axis=1)
        for table in labels
    )
    return ReconciledTables(rows, classes, noisy, 1.0 / whole, tables)


def nearest(numbers: Floats, total: float) -> Floats:
    """Return the nearest numbers, none negative, that add up to a total (least squares)."""
    falling = -np.sort(-np.asarray(numbers, dtype=np.float64), kind="stable")
    cuts = (np.add.accumulate(falling) - total) / np.arange(1, len(falling) + 1)
    kept = int(np.count_nonzero(falling > cuts))
    return np.asarray(np.maximum(numbers - cuts[max(kept, 1) - 1], 0.0))


def smoothed(found: ReconciledTables, labels: Sequence[NoisySource]) -> tuple[Floats, ...]:
    """Return ln P(bin | class), by column: bin by class.

    Each bin gets α = a·(k·π/2 + 1/2) rows more in each class, where k is the number of bins, π the share of the bin in
    all rows, and a = 1 + sd/√2: pulled as strongly to what all classes have in common as there is noise.
    """
    logs = []
    for table, noised in zip(found.tables, labels, strict=True):
        bins = len(table)
        shares = added(table) / found.rows
        extra = (1.0 + (noised.variance / 2.0) ** 0.5) * (0.5 * bins * shares + 0.5)
        logs.append(log((table + extra[:, None]) / (found.classes + float(added(extra)))))
    return tuple(logs)


def priors(found: ReconciledTables) -> Floats:
    """Return ln P(class), with one row more in each."""
    return log((found.classes + 1.0) / (found.rows + len(found.classes)))

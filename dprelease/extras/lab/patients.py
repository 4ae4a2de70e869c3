"""Invented rows of several sites, for methods of regression to be compared on: every second moment is exact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dprelease.extras.lab.chance import Floats, normals

BETA = (0.0711, 0.3644, -0.0926, 0.4800)
"""The slopes, of four standardised columns."""
FLOOR = 0.3764
"""The mean square that the slopes leave of an outcome with mean 0 and variance 1."""
PAIR = (1, 3)
"""Two of the columns go together, as much as slopes and floor ask for; all others do not."""
SHARES = (1, 2, 3, 4, 5, 6, 7)
"""Rows of each site, in twenty-eighths of all rows."""
UNLIKE = 2.0
"""Noise scale in the order by which sites are unlike: without any, each has a stretch of the outcome."""


@dataclass(frozen=True, slots=True)
class SiteRows:
    """Rows of one site: columns x and the outcome y, all standardised over all sites together."""

    x: Floats
    y: Floats

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Patients:
    """n rows in seven unlike sites of 1 to 7 twenty-eighths, from a seed."""

    sites: tuple[SiteRows, ...]

    @classmethod
    def drawn(cls, seed: str, rows: int) -> Patients:
        """Draw normal numbers, turned so that second moments over all rows are those of `moments` exactly."""
        raw = normals(f"{seed} rows", rows, len(BETA) + 1)
        raw -= raw.mean(axis=0)
        plain = np.linalg.cholesky(raw.T @ raw / rows)
        both = raw @ np.linalg.inv(plain).T @ np.linalg.cholesky(moments()).T
        order = np.argsort(both[:, -1] + UNLIKE * normals(f"{seed} sites", rows))
        ends = np.cumsum([rows * share // sum(SHARES) for share in SHARES])[:-1]
        parts = np.split(both[order], ends)
        return cls(tuple(SiteRows(part[:, :-1], part[:, -1]) for part in parts))

    @cached_property
    def all(self) -> SiteRows:
        """The rows that nobody may pool."""
        return SiteRows(
            np.concatenate([site.x for site in self.sites]), np.concatenate([site.y for site in self.sites])
        )

    def error(self, slopes: Floats) -> float:
        """Return the mean square that is left of the outcome, over all rows."""
        return float(((self.all.y - self.all.x @ slopes) ** 2).mean())


def moments() -> Floats:
    """Return Σ of (x, y): the products of all columns, on average."""
    beta = np.array(BETA)
    one, other = PAIR
    found = np.eye(len(BETA) + 1)
    together = (1 - FLOOR - float(beta @ beta)) / (2 * BETA[one] * BETA[other])
    found[one, other] = found[other, one] = together
    found[:-1, -1] = found[-1, :-1] = found[:-1, :-1] @ beta
    return found

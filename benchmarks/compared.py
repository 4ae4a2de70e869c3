"""An error with its standard error, and one of ours beside those of peers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any

from numpy.typing import NDArray

TOLERANCE = 1.05
CERTAIN = 3
"""Standard errors beyond which a difference counts: about 1 in 700 comparisons of equals is called by mistake."""
BY_HAND = "by hand"
"""What the names of ways that are not a library's own call begin with."""


@dataclass(frozen=True)
class Figure:
    """An error with its standard error."""

    value: float
    error: float
    way: str = ""

    @classmethod
    def mean(cls, each: NDArray[Any], way: str = "") -> Figure:
        """The mean of one figure a release."""
        return cls(float(each.mean()), float(each.std(ddof=1) / sqrt(len(each))), way)

    @classmethod
    def root(cls, squares: NDArray[Any], way: str = "") -> Figure:
        """The root mean square error, of one mean square a release."""
        mean = cls.mean(squares)
        root = sqrt(mean.value)
        return cls(root, mean.error / (2 * root) if root else 0.0, way)

    def times(self, other: Figure) -> tuple[float, float]:
        """This as a multiple of another, with its standard error."""
        ratio = self.value / other.value
        relative = hypot(self.error / self.value if self.value else 0, other.error / other.value)
        return ratio, ratio * relative

    def multiple(self, other: Figure) -> str:
        """The same as a text. The standard error stands there where it matters, and * by what was composed by hand."""
        mark = "*" if self.way.startswith(BY_HAND) else ""
        if other.value == 0:
            return f"({self.value:.3g}){mark}"
        ratio, error = self.times(other)
        return f"{ratio:.2f}{f' ± {error:.2f}' if ratio < 1.2 else ''}{mark}"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Our figure, and those of peers by name."""

    ours: Figure
    peers: Mapping[str, Figure]

    @property
    def best(self) -> tuple[str, Figure] | None:
        return min(self.peers.items(), key=lambda item: item[1].value) if self.peers else None

    def beaten_by(self) -> list[str]:
        """Peers that are better by more than 5 %, beyond what chance explains."""
        return [
            name
            for name, peer in self.peers.items()
            if self.ours.value - TOLERANCE * peer.value > CERTAIN * hypot(self.ours.error, TOLERANCE * peer.error)
        ]

    def verdict(self) -> str:
        if not self.best:
            return "no peer"
        beaten = self.beaten_by()
        if beaten:
            return "higher than " + ", ".join(beaten)
        if self.ours.value <= self.best[1].value:
            return "lowest"
        return "within 5 %" if self.ours.value <= TOLERANCE * self.best[1].value else "even, within noise"

"""Could this difference be noise? Two cells of a table, or many at once, with an interval that holds for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, sqrt
from statistics import NormalDist
from typing import Any

from dprelease.bundle.annotated import Annotated
from dprelease.bundle.cells import key_text
from dprelease.bundle.portal_words import tell
from dprelease.model.release import Cell, Estimates, Release

ADDITIVE = frozenset({"count", "units", "sum", "histogram", "crosstab"})
"""Kinds whose every cell has one independent draw of noise, on a lattice."""
LEVELS = (0.90, 0.95, 0.99)
USUAL = 0.95
WAYS = ("pair", "next", "all")
"""Two cells; each cell with the one after it (a trend); the first one chosen with every other."""
MOST_CELLS = 400
"""Of a table that can be compared on a page."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One comparison: how much more there is of the first."""

    first: int
    second: int
    value: float
    lower: float
    upper: float

    @property
    def verdict(self) -> str:
        """`more`, `less`, or `noise` where the interval holds 0."""
        return "more" if self.lower > 0 else "less" if self.upper < 0 else "noise"


@dataclass(frozen=True, slots=True)
class Comparable:
    """A table whose cells can be compared; noisy values where post-processed ones stand beside them."""

    labels: tuple[str, ...]
    value: tuple[float | None, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    noise: str
    """The mechanism where its distribution is known for each cell; empty where only the interval at 95 % is."""
    scale: float
    """Of the noise, in units of the value."""
    step: float
    """Between two possible values."""

    @property
    def possible(self) -> bool:
        """Whether at least two cells have an interval."""
        return (
            sum(lower is not None and upper is not None for lower, upper in zip(self.lower, self.upper, strict=True))
            > 1
        )

    def level(self, confidence: float) -> float:
        """With which confidence a pair is answered: where only intervals at 95 % are known, both hold with 90 %."""
        return confidence if self.noise else 1 - 2 * (1 - USUAL)

    def differences(self, pairs: Sequence[tuple[int, int]], confidence: float) -> list[Difference]:
        """All of them together hold with this confidence (Bonferroni); each alone where only 95 % ones are known."""
        share = 1 - (1 - confidence) / max(1, len(pairs))
        return [found for pair in pairs if (found := self._difference(*pair, share)) is not None]

    def _difference(self, first: int, second: int, confidence: float) -> Difference | None:
        one, other = self.value[first], self.value[second]
        ends = (self.lower[first], self.upper[first], self.lower[second], self.upper[second])
        if one is None or other is None or any(end is None for end in ends):
            return None
        if self.noise:
            half = apart(self.noise, self.scale / self.step, confidence) * self.step
            return Difference(first, second, one - other, one - other - half, one - other + half)
        low, high, other_low, other_high = (float(end) for end in ends if end is not None)
        return Difference(first, second, one - other, low - other_high, high - other_low)

    def pairs(self, way: str, first: int, second: int) -> list[tuple[int, int]]:
        """What is compared. A trend compares each cell with the one before it."""
        places = range(len(self.labels))
        if way == "next":
            return [(place + 1, place) for place in places[:-1]]
        return [(first, place) for place in places if place != first] if way == "all" else [(first, second)]

    def interval(self, place: int, confidence: float) -> tuple[float, float] | None:
        """Of one cell; None where it is not known at this level."""
        lower, upper, value = self.lower[place], self.upper[place], self.value[place]
        if value is None or lower is None or upper is None:
            return None
        if not self.noise:
            return (lower, upper) if confidence == USUAL else None
        half = reach(self.noise, self.scale / self.step, confidence) * self.step
        return value - half, value + half

    def to_mapping(self) -> dict[str, Any]:
        """What a page's script needs to answer the same."""
        columns = {"labels": self.labels, "value": self.value, "lower": self.lower, "upper": self.upper}
        return {**columns, "noise": self.noise, "scale": self.scale, "step": self.step}


def comparable(release: Release, statistic: str) -> Comparable:
    """One table made ready."""
    estimates = release.tables[statistic]
    noise, scale, step = _noise(Annotated.of(release.certificate, statistic, estimates), estimates)
    values = estimates.extra.get("raw", estimates.value) if noise else estimates.value
    keys = len(estimates.key_names)
    labels = (" · ".join(map(key_text, row[:keys])) or tell("whole_table") for row in estimates.rows())
    value, lower, upper = (tuple(map(_number, column)) for column in (values, estimates.lower95, estimates.upper95))
    return Comparable(tuple(labels), value, lower, upper, noise, scale, step)


def _noise(annotated: Annotated, estimates: Estimates) -> tuple[str, float, float]:
    """Mechanism, scale and step where each cell has its own draw; the step follows from the width of an interval."""
    mechanisms = annotated.stated["mechanisms"]
    if annotated.stated["kind"] not in ADDITIVE or annotated.source is not None or len(mechanisms) != 1:
        return "", 0, 1
    name, scale = mechanisms[0]["name"], float(mechanisms[0]["scale"])
    margins = [note.margin95 for note in annotated.notes() if note.margin95]
    steps = reach(name, scale, USUAL) if name in REACH else 0
    if not margins or not steps:
        return "", 0, 1
    step = min(margins) / steps
    step = round(step) if abs(step - round(step)) < 1e-9 else step
    return name, scale * step, step


def reach(name: str, scale: float, confidence: float) -> int:
    """The half-width of one noisy number's interval, in steps."""
    return REACH[name](scale, confidence)


def apart(name: str, scale: float, confidence: float) -> int:
    """The half-width of the interval of a difference of two, in steps."""
    return APART[name](scale, confidence)


def _laplace(scale: float, confidence: float) -> int:
    from dprelease.mechanisms.laplace import laplace_half_width

    return laplace_half_width(scale, confidence)


def _laplace_apart(scale: float, confidence: float) -> int:
    """The smallest h with P(|X − Y| > h) <= 1 − confidence, by halving.

    With q = exp(−1/s), P(X − Y = k) = ((1 − q)/(1 + q))² q^|k| (|k| + c), c = (1 + q²)/(1 − q²); summed from k on.
    """

    def beyond(half: int) -> float:
        q, k = exp(-1 / scale), half + 1
        c = (1 + q * q) / (1 - q * q)
        return float(2 * ((1 - q) / (1 + q)) ** 2 * q**k * ((k + c) / (1 - q) + q / (1 - q) ** 2))

    low, high = -1, max(1, _laplace(scale, confidence))
    while beyond(high) > 1 - confidence:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if beyond(middle) > 1 - confidence else (low, middle)
    return high


def _gaussian(scale: float, confidence: float) -> int:
    """By Φ, which bounds the discrete distribution's tail from half a step inwards."""
    wide = -scale * NormalDist().inv_cdf((1 - confidence) / 2)
    return ceil(wide - 0.5) if ceil(wide - 0.5) + 0.5 >= scale else ceil(wide)


def _gaussian_apart(scale: float, confidence: float) -> int:
    """By Φ with √2 times the scale, and a step more: the difference of two discrete ones is only nearly Gaussian."""
    return ceil(-scale * sqrt(2) * NormalDist().inv_cdf((1 - confidence) / 2)) + 1


REACH = {"discrete_laplace": _laplace, "discrete_gaussian": _gaussian}
APART = {"discrete_laplace": _laplace_apart, "discrete_gaussian": _gaussian_apart}


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None

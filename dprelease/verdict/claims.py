"""Claims about numbers with noise, and how often noise alone leads to one: the second program's own arithmetic.

Probabilities are sums over the first number of two, where `dprelease.statements.tails` sums over the second, and sums
of draws are convolved on a ring. Nothing looks for a threshold: each claim is tried as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, erfc, exp, hypot, log, sqrt
from typing import Any

import numpy as np

from dprelease.verdict.grades import Ruler

Law = tuple[str, float, int]
"""Mechanism, scale and number of draws of a noise."""
LAPLACE = "discrete_laplace"
SHAPES: Mapping[str, Mapping[str, int]] = {
    "list": {"most": 40, "ahead2": 10, "ahead3": 10, "least": 20, "spread": 20},
    "two": {"share": 100},
    "bins": {"stretch": 100},
    "periods": {"first_last": 40, "most": 30, "least": 10, "spread": 20},
}
WHOLE = Ruler(Fraction(0), Fraction(1), None, is_share=True)
SURE = 1 - 1e-9
WIDE = 1000
"""Scales beyond this are made coarser, or continuous."""


@dataclass(frozen=True, slots=True)
class ClaimedCells:
    """Cells that are compared."""

    shape: str
    level: Fraction
    axis: int | None
    places: Sequence[int]
    counts: Sequence[Fraction]
    shown: Sequence[float]
    noises: Sequence[Law | float]
    """The law of each, or how far it goes: an interval and one step."""
    codes: Sequence[str]
    widths: Sequence[Fraction]
    none: frozenset[int] = frozenset()
    """Rows of grade N."""

    def at(self, part: Fraction) -> ClaimedCells:
        return replace(self, level=self.level * part)

    def found(self, limits: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return all claims that pass, as release.json states them."""
        if self.shape == "two":
            return list(self._share(limits))
        if self.shape == "bins":
            return list(self._stretch())
        first = list(self._first_last()) if self.shape == "periods" else []
        top = self._top()
        return [*first, *top, *self._bottom(), *([] if top else self._spread())]

    @property
    def law(self) -> Law | None:
        """The one law of all noises; None where they differ or are not known."""
        first, *others = set(self.noises)
        return first if not others and isinstance(first, tuple) else None

    def _alpha(self, claim: str) -> Fraction:
        return self.level * SHAPES[self.shape].get(claim, 0) / 100

    def _told(self, way: str, alpha: Fraction, places: Sequence[int], strength: float, **values: str) -> dict[str, Any]:
        told: dict[str, Any] = {"way": way}
        told |= {"alpha": f"{alpha.numerator}/{alpha.denominator}", "strength": f"{strength:.6f}", **values}
        told |= {"places": [*places]} if places else {}
        told |= {} if self.axis is None else {"axis": self.axis}
        return told | ({} if self.law else {"basis": "bounded"})

    def _passes(self, more: Sequence[int], less: Sequence[int], beta: Fraction) -> bool:
        """Return True if each of some has more than each of others, in the file too, and is told apart from none."""
        return self.none.isdisjoint(self.places[at] for at in more) and all(
            self.shown[one] > self.shown[other]
            and _apart(self.noises[one], self.noises[other], self.counts[one] - self.counts[other], beta)
            for one, other in self._hardest(more, less)
        )

    def _hardest(self, more: Sequence[int], less: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs that decide: of one law the nearest ones, as published and as drawn."""
        if not self.law:
            return [(one, other) for one in more for other in less]
        orders = (self.counts.__getitem__, self.shown.__getitem__)
        return [(min(more, key=own), max(less, key=own)) for own in orders]

    def _top(self) -> list[dict[str, Any]]:
        size = len(self.places)
        down = sorted(range(size), key=lambda at: (-self.counts[at], at))
        for k, claim in enumerate(("most", "ahead2", "ahead3"), 1):
            alpha = self._alpha(claim)
            if not alpha or k >= size:
                break
            beta, heads, rest = alpha / (k * (size - k) + 1), down[:k], down[k:]
            if k > 1 and any(self.codes[at] == "other" for at in heads):
                continue
            if not self._passes(heads, rest, beta):
                continue
            places = sorted(self.places[at] for at in heads)
            y, z = min(self.counts[at] for at in heads), max(self.counts[at] for at in rest)
            if k > 1:
                gain = 0.01
                if self.law and z > 0:
                    gain = max(gain, log((y - least_apart(self.law, self.law, beta)) / z))
                return [self._told("ahead", alpha, places, gain)]
            if times := self._times(int(y), int(z), beta):
                told = {"factor": _decimal(Fraction(times, 100), 2)}
                return [self._told("most", alpha, places, log(times / 100), **told)]
            return [self._told("most", alpha, places, 0.01)]
        return []

    def _times(self, y: int, z: int, beta: Fraction) -> int:
        """Return a lower bound on the ratio y/z, in hundredths; 0 where that is not told."""
        if not (self.law and z > 0 and _sure(self.law, z, Fraction(1, 40))):
            return 0
        return _last(lambda r: _quotient(self.law, 100, r, 100 * y - r * z, beta), 105, 100 * y // z + 1)

    def _bottom(self) -> Iterator[dict[str, Any]]:
        alpha, size = self._alpha("least"), len(self.places)
        if alpha and size > 2:
            low = min(range(size), key=self.counts.__getitem__)
            if self._passes([at for at in range(size) if at != low], [low], alpha / size):
                yield self._told("least", alpha, [self.places[low]], 0.01)

    def _spread(self) -> Iterator[dict[str, Any]]:
        alpha, law = self._alpha("spread"), self.law
        y, z = (int(each) for each in (max(self.counts), min(self.counts)))
        if not (alpha and law and z > 0) or not _quotient(law, 1250, 1000, 1250 * z - 1000 * y, alpha):
            return
        r = _last(lambda r: not _quotient(law, r, 1000, r * z - 1000 * y, alpha), 1000 * y // z, 1250) or 1000 * y // z
        times = Fraction(r + 1, 1000)
        yield self._told("spread", alpha, [], -log(times), factor=_decimal(times, 3))

    def _first_last(self) -> Iterator[dict[str, Any]]:
        alpha, law = self._alpha("first_last") / 2, self.law
        z, y = int(self.counts[0]), int(self.counts[-1])
        if law is None or y == z or not _apart(law, law, Fraction(abs(y - z)), alpha):
            return
        if not _sure(law, z, alpha):
            return
        centre = max(0, 1000 * y // z)
        low = _last(lambda r: _quotient(law, 1000, r, 1000 * y - r * z, alpha), 1, centre + 1) if centre else 0
        high = centre + 1
        while not _quotient(law, high, 1000, high * z - 1000 * y, alpha):
            high *= 2
            if high > 10**9:
                return
        least = max(1, centre)
        top = (_last(lambda r: not _quotient(law, r, 1000, r * z - 1000 * y, alpha), least, high) or centre) + 1
        if low <= 1000 <= top:
            return
        near = min(abs(log(end / 1000)) for end in (low, top) if end)
        three = (Fraction(max(y, 0), z), Fraction(low, 1000), Fraction(top, 1000))
        told = dict(zip(("share", "least", "most"), (_decimal(each, 3) for each in three), strict=True))
        yield self._told("first_last", 2 * alpha, [self.places[0], self.places[-1]], near, **told)

    def _share(self, limits: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        alpha, law = self._alpha("share") / 2, self.law
        at = self.codes.index("true") if "true" in self.codes else 0
        y, z = int(self.counts[at]), int(self.counts[1 - at])
        if law is None or y + z <= 0 or y < 0 or z < 0:
            return

        def end(y: int, z: int) -> int:
            centre = min(max(0, 1000 * y // (y + z)), 999)
            return _last(lambda r: _quotient(law, 1000 - r, r, (1000 - r) * y - r * z, alpha), 1, centre + 1)

        three = (Fraction(y, y + z), Fraction(end(y, z), 1000), 1 - Fraction(end(z, y), 1000))
        cells = [str(float(each)) for each in three]
        parts = (Fraction(str(limits["caution"])), Fraction(str(limits["unreliable"])))
        letter = next((each for each in "AC" if WHOLE.is_one(each, *cells, limits=parts)), "")
        if letter:
            told = dict(zip(("share", "least", "most"), (_decimal(each, 3) for each in three), strict=True))
            yield self._told("share", 2 * alpha, [self.places[at]], float(letter == "A"), **told)

    def _stretch(self) -> Iterator[dict[str, Any]]:
        alpha, law, size = self._alpha("stretch"), self.law, len(self.places)
        counts = [int(each) for each in self.counts]
        so_far = [0, *accumulate(counts)]
        total = so_far[-1]
        if law is None or total <= 0:
            return
        name, scale, draws = law
        best: tuple[Fraction, Fraction, int, int] | None = None
        for a, b in ((1, 3), (1, 2), (2, 3)):
            for length in range(1, size // 2 + 1):
                sums = [so_far[at + length] - so_far[at] for at in range(size - length + 1)]
                at = sums.index(max(sums))
                beta = alpha / (3 * (size // 2) * len(sums))
                beyond = b * sums[at] - a * total
                laws = ((b - a, (name, scale, draws * length)), (a, (name, scale, draws * (size - length))))
                spread = scale * sqrt((2 if name == LAPLACE else 1) * sum(c * c * each[2] for c, each in laws))
                if beyond > spread and _combined(laws, beyond) <= beta * SURE:
                    dense = Fraction(a, b) * sum(self.widths) / sum(self.widths[at : at + length])
                    best = max(best or (Fraction(0),) * 2 + (0, 0), (dense, Fraction(a, b), at, at + length))
                    break
        if best is not None and best[0] >= Fraction(13, 10):
            dense, part, at, behind = best
            told = {"factor": _decimal(part, 3), "share": _decimal(Fraction(sum(counts[at:behind]), total), 3)}
            yield self._told("stretch", alpha, [self.places[at], self.places[behind - 1]], log(dense), **told)


@dataclass(frozen=True, slots=True)
class ClaimedPairs:
    """Means or shares by group: a part x/(x + x′) of a range each."""

    level: Fraction
    places: Sequence[int]
    pairs: Sequence[tuple[int, int]]
    law: Law
    low: Fraction
    width: Fraction
    is_share: bool

    def at(self, part: Fraction) -> ClaimedPairs:
        return replace(self, level=self.level * part)

    def found(self, limits: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return all claims that pass, as release.json states them. `limits`: not asked for here."""
        centres = [
            self._part(Fraction(min(max(y, 0), y + z), y + z) if y + z > 0 else Fraction(1, 2)) for y, z in self.pairs
        ]
        own = [*self._first(centres, True), *self._first(centres, False)]
        return own or list(self._between())

    def _part(self, part: Fraction) -> Fraction:
        return self.low + self.width * part

    def _limit(self, group: int, beta: Fraction, *, upper: bool) -> Fraction:
        y, z = reversed(self.pairs[group]) if upper else self.pairs[group]
        whole = 10**6
        centre = min(max(0, whole * y // (y + z)), whole - 1) if y + z > 0 else 0
        found = _last(lambda r: _quotient(self.law, whole - r, r, (whole - r) * y - r * z, beta), 1, centre + 1)
        return self._part(1 - Fraction(found, whole) if upper else Fraction(found, whole))

    def _first(self, centres: Sequence[Fraction], up: bool) -> Iterator[dict[str, Any]]:
        """Yield the highest or the lowest: its limit at α/2m beyond those of all others at α/4."""
        alpha, many = self.level * (40 if up else 20) / 100, len(self.pairs)
        chosen = (max if up else min)(range(many), key=centres.__getitem__)
        own = self._limit(chosen, alpha / (2 * many), upper=not up)
        rivals = [self._limit(other, alpha / 4, upper=up) for other in range(many) if other != chosen]
        bound = max(rivals) if up else min(rivals)
        high, low = (own, bound) if up else (bound, own)
        if high > low:
            strength = log(high / low) if self.low == 0 < low else float((high - low) / self.width)
            values = {"share": _decimal(centres[chosen], 6), "most" if up else "least": _decimal(bound, 6)}
            yield self._told("apart" if up else "lowest", alpha, strength, **values) | {"places": [self.places[chosen]]}

    def _between(self) -> Iterator[dict[str, Any]]:
        alpha, every = self.level * 40 / 100, range(len(self.pairs))
        low = min(self._limit(group, alpha / 2, upper=False) for group in every)
        high = max(self._limit(group, alpha / 2, upper=True) for group in every)
        if 10 * (high - low) <= 1 if self.is_share else 4 * (high - low) <= low:
            values = {"least": _decimal(low, 6), "most": _decimal(high, 6)}
            yield self._told("envelope", alpha, -log(1 + (high - low) / self.width), **values)

    def _told(self, way: str, alpha: Fraction, strength: float, **values: str) -> dict[str, Any]:
        alpha_ = f"{alpha.numerator}/{alpha.denominator}"
        return {"way": way, "alpha": alpha_, "strength": f"{strength:.6f}", **values}


@dataclass(frozen=True, slots=True)
class Tried:
    """Counts of rows held out, by class and cell of the score."""

    level: Fraction
    yes: Sequence[int]
    no: Sequence[int]
    law: Law
    positive: int

    def at(self, part: Fraction) -> Tried:
        return replace(self, level=self.level * part)

    def found(self, limits: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the finding on a model against always naming the commoner class. `limits`: not asked for here."""
        cells = len(self.yes)
        signs = [-1] * (cells // 2) + [1] * (cells - cells // 2)
        gains = [sign * (y - n) for sign, y, n in zip(signs, self.yes, self.no, strict=True)]
        gain = min(sum(gains[: cells // 2]), sum(gains[cells // 2 :]))
        rows, right = sum(self.yes) + sum(self.no), sum(gains) + 0
        right = (sum(self.yes) + sum(self.no) + right) // 2
        off = self._far(2 * cells, self.level / 10)
        if rows <= off:
            return []
        draws = 2 * (cells - cells // 2)
        low, high = gain - self._far(draws, self.level * 2 / 5), gain + self._far(draws, self.level / 5)
        ends = [
            low / Fraction(rows + off if low > 0 else rows - off),
            high / Fraction(rows - off if high > 0 else rows + off),
        ]
        way = "better" if low > 0 else "no_better" if ends[1] <= Fraction(1, 50) else "unclear"
        strength = log(1 + 5 * ends[0]) if low > 0 else -float(ends[1]) if way == "no_better" else 0.01
        common = sum(self.yes) >= sum(self.no)
        parts = (
            min(max(Fraction(each, rows), Fraction(0)), Fraction(1))
            for each in (right, max(sum(self.yes), sum(self.no)))
        )
        share, guess = (_decimal(each, 3) for each in parts)
        told: dict[str, Any] = {"way": way, "places": [0]}
        told |= {"alpha": f"{self.level.numerator}/{self.level.denominator}"}
        told |= {"code": self.positive if common else 1 - self.positive, "share": share, "guess": guess}
        told |= {"least": _decimal(Fraction(ends[0] * 1000 // 1, 1000), 3)}
        return [told | {"most": _decimal(Fraction(-(-ends[1] * 1000 // 1), 1000), 3), "strength": f"{strength:.6f}"}]

    def _far(self, draws: int, beta: Fraction) -> int:
        name, scale, _ = self.law
        parts = ((1, (name, scale, draws)),)
        return _last(lambda d: _combined(parts, d) > beta * SURE, 1, 1 << 40) + 1


def _decimal(number: Fraction, digits: int) -> str:
    whole = round(number * 10**digits)
    sign, text = "-" if whole < 0 else "", str(abs(whole)).zfill(digits + 1)
    return f"{sign}{text[:-digits]}.{text[-digits:]}"


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the last of low to high − 1 up to which something holds; 0 where it does not hold of the first."""
    if low >= high or not holds(low):
        return 0
    step = 1 << (high - low).bit_length()
    while step := step >> 1:
        low += step if low + step < high and holds(low + step) else 0
    return low


def _apart(one: Law | float, other: Law | float, gap: Fraction, beta: Fraction) -> bool:
    """Return True if noise leads to such a difference with probability β at most."""
    if gap <= 0:
        return False
    if isinstance(one, float) or isinstance(other, float):
        times = float(gap) / sum(each if isinstance(each, float) else _reach(each) for each in (one, other))
        return times >= 1 and 20**-times <= beta * SURE
    return _difference(one, other, int(gap)) <= beta * SURE


def least_apart(one: Law, other: Law, beta: Fraction) -> int:
    """Return the least difference to which two noises lead with probability β at most."""
    return _last(lambda d: _difference(one, other, d) > beta * SURE, 1, 1 << 62) + 1


def _difference(one: Law, other: Law, d: int) -> float:
    sigma = hypot(one[1], other[1])
    if one[2] == other[2] == 1 and one[0] == other[0] != LAPLACE and min(one[1], other[1]) >= 4 and sigma > WIDE:
        return 0.5 * erfc((d - 1) / sigma / sqrt(2))
    if one == other and one[0] == LAPLACE and one[2] == 1 and one[1] > WIDE:
        q = exp(-1 / one[1])
        return q**d * (d * (1 - q) / (1 + q) + (1 + q * q) / (1 + q) ** 2 + q / (1 + q)) / (1 + q)
    return _pair(one, other, 1, 1, d)


def _quotient(law: Law | None, a: int, b: int, t: int, beta: Fraction) -> bool:
    """Return True if a·n − b·n′ goes to t with probability β at most."""
    assert law is not None
    return _pair(law, law, a, b, t) <= beta * SURE


def _sure(law: Law, count: int, beta: Fraction) -> bool:
    """Return True if nothing at all looks like so many with probability β at most."""
    return count > 0 and _combined(((1, law),), count) <= beta * SURE


def _pair(one: Law, other: Law, a: int, b: int, t: int) -> float:
    """Return P(a·n − b·n′ >= t) = Σ_k P(n = k)·P(n′ <= (a·k − t)/b)."""
    if one[1] > WIDE and one == other and one[2] == 1:
        t -= a + b
        if t <= 0:
            return 1.0
        if one[0] != LAPLACE:
            return 0.5 * erfc(t / one[1] / hypot(a, b) / sqrt(2))
        x, y = sorted((a * one[1], b * one[1]))
        if y - x < y / 1000:
            return exp(-t / y) * (0.5 + t / (4 * y))
        return (y * y * exp(-t / y) - x * x * exp(-t / x)) / (2 * (y - x) * (y + x))
    coarse = max(1, ceil(max(one[1], other[1]) / WIDE))
    if coarse > 1:
        t = -(-t // coarse) - a * one[2] - b * other[2]
    p, q = (_mass(name, scale / coarse, draws) for name, scale, draws in (one, other))
    top, low = len(p) // 2, len(q) // 2
    if abs(t) > (a + 1) * (top + 1) + (b + 1) * (low + 1):
        return float(t < 0)
    k = (a * np.arange(-top, top + 1) - t) // b
    below = np.concatenate([[0], np.cumsum(q)])
    return float(p @ below[np.clip(k + low + 1, 0, len(q))])


def _combined(parts: Sequence[tuple[int, Law]], t: int) -> float:
    """Return P(Σ c·n >= t), by convolution on a ring."""
    coarse = max(1, ceil(max(law[1] for _, law in parts) / WIDE))
    if coarse > 1:
        t = -(-t // coarse) - sum(c * law[2] for c, law in parts)
    return _ring_tail(tuple((c, (name, scale / coarse, draws)) for c, (name, scale, draws) in parts), t)


@lru_cache(maxsize=64)
def _ring(parts: tuple[tuple[int, Law], ...]) -> Any:
    """Return P(x) of the sum for x from −N/2 on."""
    square = sum(c * c * 2 * scale**2 * draws for c, (_, scale, draws) in parts)
    size = 1 << ceil(2 * (48 * max(c * law[1] for c, law in parts) + 15 * sqrt(square) + 4)).bit_length()
    found = np.ones(size // 2 + 1)
    for c, (name, scale, draws) in parts:
        own, ring = _mass(name, scale, 1), np.zeros(size)
        np.add.at(ring, c * np.arange(-(len(own) // 2), len(own) // 2 + 1) % size, own)
        found = found * np.fft.rfft(ring).real ** draws
    return np.fft.fftshift(np.fft.irfft(found, size))


def _ring_tail(parts: tuple[tuple[int, Law], ...], t: int) -> float:
    if len(parts) == 1 and parts[0][0] == parts[0][1][2] == 1:
        own = _mass(*parts[0][1])
        return float(own[max(0, min(len(own), t + len(own) // 2)) :].sum())
    found = _ring(parts)
    return float(found[max(0, min(len(found), t + len(found) // 2)) :].clip(0).sum())


def _reach(law: Law) -> float:
    own = _mass(*law)
    return float(int(np.argmax(np.cumsum(own[::-1])[::-1][len(own) // 2 :] <= 0.025 * SURE)))


@lru_cache(maxsize=256)
def _mass(name: str, scale: float, draws: int) -> Any:
    """Return P(k) of so many draws for k = −K to K, where less than 10^-19 is beyond."""
    if draws > 1:
        found = _ring(((1, (name, scale, draws)),))
        half = len(found) // 2 - 1
        return np.clip(found[1 : 2 * half + 2], 0, None)
    k = np.arange(-ceil(46 * scale) - 2, ceil(46 * scale) + 3)
    own = np.exp(-np.abs(k) / scale) if name == LAPLACE else np.exp(-((k / scale) ** 2) / 2)
    return own / own.sum()

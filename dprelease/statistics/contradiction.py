"""Published counts that noise cannot explain: below nothing, above what was declared, or parts above their whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import expm1, inf, log

from dprelease.mechanisms.gaussian import DiscreteGaussian
from dprelease.mechanisms.laplace import DiscreteLaplace
from dprelease.model.release import Estimates
from dprelease.statistics.count import Count
from dprelease.statistics.counted import CountTable
from dprelease.statistics.price import Price
from dprelease.statistics.priced import StatisticPrice
from dprelease.statistics.units import Units

RISK = 1e-9
"""At most the probability that anything is said of the tables of an honest release, for all claims together."""
TRIES = 200
"""Values of λ that are tried; each gives a bound that holds."""


@dataclass(frozen=True, slots=True)
class Counts:
    """A table of noisy counts of its own draws, each with independent noise."""

    item: StatisticPrice
    values: Sequence[int]

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def rows(self) -> bool:
        """Whether it counts rows, each in at most one cell."""
        return not isinstance(self.item.statistic, Units)

    @property
    def everything(self) -> bool:
        """Whether it is one count of all rows."""
        statistic = self.item.statistic
        return isinstance(statistic, Count) and not statistic.by and statistic.column is None


@dataclass(frozen=True, slots=True)
class Claim:
    """That a combination of noisy counts is as if its noise were above `excess`, and how likely that is at most."""

    words: str
    excess: float
    noise: Mapping[str, tuple[StatisticPrice, int]]
    """By statistic, of how many of its cells the noise adds up."""
    chosen: int = 1
    """Out of how many such combinations this one was chosen, because it is the most unlikely of them."""

    @property
    def log_chance(self) -> float:
        """Chernoff's bound: the least of Σ ψ(λ) − λ·excess over some λ, ψ the logarithm of a noise's E exp(λX)."""
        if self.excess <= 0:
            return 0.0
        widest = max(_scale(item) for item, _ in self.noise.values())
        bounds = [self._at(step / (TRIES * widest)) for step in range(1, TRIES)]
        gaussian = [self._at(10 ** (step / 20 - 4) / widest) for step in range(TRIES)]
        return min(0.0, *bounds, *gaussian)

    def _at(self, rate: float) -> float:
        return sum(cells * _psi(item, rate) for item, cells in self.noise.values()) - rate * self.excess


def contradictions(price: Price, tables: Mapping[str, Estimates], size: int | None) -> list[str]:
    """What the tables of a release say that noise of their scales makes less likely than `RISK`, in sentences.

    `size`: how many units the population was declared to have. Every claim gets the same part of the risk, and
    shares it with those that it was chosen from: the least of a million cells is further below 0 than a single one.
    """
    counted = list(_counted(price, tables))
    claims = [*_each(counted, _most_rows(price, size), size), *_together(counted)]
    limit = log(RISK / max(1, len(claims)))
    return [claim.words for claim in claims if claim.log_chance + log(claim.chosen) < limit]


def _counted(price: Price, tables: Mapping[str, Estimates]) -> Iterator[Counts]:
    for item in price.statistics:
        known = item.id in tables and isinstance(item.statistic, CountTable | Units) and len(item.mechanisms) == 1
        if not known or not isinstance(item.mechanisms[0], DiscreteLaplace | DiscreteGaussian):
            continue
        if getattr(item.statistic, "survey_weights", None) or item.kind not in (
            "count",
            "histogram",
            "crosstab",
            "units",
        ):
            continue
        table = tables[item.id]
        values = list(table.extra.get("raw", table.value))
        if values and all(isinstance(value, int) for value in values):
            yield Counts(item, values)  # type: ignore[arg-type]


def _most_rows(price: Price, size: int | None) -> int | None:
    """How many rows a population of so many units can have in the tables."""
    return None if size is None else size * (price.plan.unit.max_rows if price.plan.unit.column else 1)


def _each(counted: Sequence[Counts], rows: int | None, units: int | None) -> Iterator[Claim]:
    """No count is below nothing, and none above what was declared."""
    for counts in counted:
        one, cells = {counts.id: (counts.item, 1)}, len(counts.values)
        least, most = min(counts.values), max(counts.values)
        yield Claim(f"{counts.id}: {least} is further below 0 than noise of its scale goes.", -least, one, cells)
        declared = rows if counts.rows else units
        if declared is not None:
            words = f"{counts.id}: {most} is more than the declared population can have, {declared}."
            yield Claim(words, most - declared, one, cells)
        if declared is not None and counts.rows and cells > 1:
            total = sum(counts.values)
            words = f"{counts.id}: it sums to {total}, more than the declared population can have, {declared}."
            yield Claim(words, total - declared, {counts.id: (counts.item, cells)})


def _together(counted: Sequence[Counts]) -> Iterator[Claim]:
    """The cells of a table are parts of all rows: they do not sum to more than these."""
    for whole in (each for each in counted if each.everything):
        for parts in (each for each in counted if each.rows and each.id != whole.id):
            total = sum(parts.values)
            words = f"{parts.id} sums to {total}, and {whole.id} says that there are {whole.values[0]} in all."
            noise = {whole.id: (whole.item, 1), parts.id: (parts.item, len(parts.values))}
            yield Claim(words, total - whole.values[0], noise)


def _scale(item: StatisticPrice) -> float:
    mechanism = item.mechanisms[0]
    assert isinstance(mechanism, DiscreteLaplace | DiscreteGaussian)
    return mechanism.scale


def _psi(item: StatisticPrice, rate: float) -> float:
    """log E exp(λX) of discrete Laplace noise; of discrete Gaussian noise at most λ²σ²/2 (Canonne et al. 2020)."""
    scale = _scale(item)
    if isinstance(item.mechanisms[0], DiscreteGaussian):
        return (rate * scale) ** 2 / 2
    decay = 1 / scale
    if rate >= decay:
        return inf
    return 2 * log(-expm1(-decay)) - log(-expm1(rate - decay)) - log(-expm1(-rate - decay))

"""The noisy integers of published releases, added up: those that a bundle tells, and only of noise that adds up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import prod, ulp
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InputError, Problem, problem
from dprelease.extras.federation.combining.sites import VerifiedSite
from dprelease.mechanisms import DiscreteGaussian, Mechanism, NoisyTopK, SparseVector, ThresholdedLaplace
from dprelease.mechanisms.mechanism import LIMIT, SelectionMechanism
from dprelease.mechanisms.response import Response
from dprelease.model.release import Cell, Estimates, FittedOutput, MeasuredTables, Output, SyntheticRows
from dprelease.model.schema import Schema
from dprelease.statistics.adjust import adjusts
from dprelease.statistics.algebra.share import share, weighted_tail
from dprelease.statistics.algebra.summed import ADDABLE, summed
from dprelease.statistics.answer import answers
from dprelease.statistics.kinds.mean import ONE_SIDED, Mean
from dprelease.statistics.kinds.proportion import Share
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.planning.derivation import CountsOfSource
from dprelease.statistics.planning.measurement import PricedMeasurement
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.table_family import TableFamily
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.words import phrase

Integers = NDArray[Any]


def check_addable(sites: Sequence[VerifiedSite], statistics: Sequence[str]) -> None:
    """Raises InputError, naming each of these statistics that is made of something else than published integers that
    add up, and what tells the same."""
    problems = [found for name in statistics for found in _refused(sites, name)]
    if problems:
        raise InputError.from_problems(problems)


def _refused(sites: Sequence[VerifiedSite], name: str) -> Iterator[Problem]:
    item = sites[0].price[name]
    measurements = item.derivation.measurements
    reason = next((why for each in measurements if (why := _reason(each)) is not None), None)
    told = all(_is_told(sites, each.id) for each in measurements)
    if reason is None and not (told or _is_rounded(item, sites[0].price)):
        reason = "unpublished"
    if reason is not None:
        found = phrase(f"verdict.not_added_{reason}", kind=item.kind)
        allowed, remedy = phrase("verdict.added_up"), phrase(f"verdict.instead_of_{reason}")
        yield problem(f"statistics.{name}", found, allowed, remedy)


def _reason(measurement: PricedMeasurement) -> str | None:
    """Return why the integers of a measurement are none that add up."""
    own = measurement.mechanisms
    if any(isinstance(each, SelectionMechanism | NoisyTopK) for each in own):
        return "selection"
    if any(isinstance(each, ThresholdedLaplace) for each in own):
        return "discovery"
    if any(isinstance(each, SparseVector) for each in own):
        return "questions"
    if any(isinstance(each, Response) for each in own):
        return "answers"
    if measurement.rounds > 1:
        return "rounds"
    return None if all(isinstance(each, ADDABLE) for each in own) else "unpublished"


def added_up(sites: Sequence[VerifiedSite], statistics: Sequence[str]) -> tuple[Price, dict[str, Output]]:
    """Return the answers of these statistics for the sum of the sites' integers, and the price with its noise.

    The price is the first site's; nothing is charged.
    """
    price = sites[0].price
    wanted = measured_for(price, statistics)
    drawn = {name: _sums(sites, name) for name in wanted if _is_told(sites, name)}
    together = {name: _together(sites, name) for name in wanted}
    items = [_of(price[name], together) for name in statistics]
    told = tuple(item for item in items if all(each.id in drawn for each in item.derivation.measurements))
    made = answers(replace(price, statistics=told), drawn)
    return replace(price, statistics=tuple(items)), {
        item.id: made[item.id] if item in told else _rounded(sites, item) for item in items
    }


def measured_for(price: Price, statistics: Sequence[str]) -> tuple[str, ...]:
    """Return the statistics whose measurements some are computed of, each once."""
    names = (each.id for name in statistics for each in price[name].derivation.measurements)
    return tuple(dict.fromkeys(names))


def _of(item: StatisticPrice, together: Mapping[str, PricedMeasurement]) -> StatisticPrice:
    """Return a statistic as it follows from measurements with other noise."""
    return replace(item, derivation=item.derivation.measured_by(together))


def _is_told(sites: Sequence[VerifiedSite], name: str) -> bool:
    """Return True if each bundle has the integers of a measurement."""
    return all(_drawn(site, name) is not None for site in sites)


def _is_rounded(item: StatisticPrice, price: Price) -> bool:
    """Return True if a statistic's numbers are whole ones that follow from integers which a bundle does not tell."""
    return isinstance(item.derivation, CountsOfSource) and not adjusts(item, price)


def _rounded(sites: Sequence[VerifiedSite], item: StatisticPrice) -> Estimates:
    """Return sums of whole numbers, each site's rounded: by half a step and half the rest at most, each.

    One site's number is c = round(x / size) of integers x that are off by their noise; the sum of K is off by the sum
    of the noises / size, and K / 2.
    """
    derivation, schema, count = item.derivation, sites[0].price.plan.schema, len(sites)
    assert isinstance(derivation, CountsOfSource)
    assert isinstance(item.statistic, NoisyTable)
    total = sum(_published(site, item.id).astype(object) for site in sites)
    way = derivation.way
    rounding = Fraction(count + 1, 2) * way.size / (way.terms * sum(map(abs, way.parts)))
    wider = replace(derivation, way=replace(way, off=count * way.off + float(rounding)))
    return wider.table(item.statistic, schema, np.asarray(_below(item.id, total)))


def _published(site: VerifiedSite, name: str) -> Integers:
    """Return the whole numbers of a table, in steps."""
    item, output = site.price[name], site.release.outputs[name]
    assert isinstance(item.statistic, NoisyTable)
    assert isinstance(output, Estimates)
    steps = _steps(item.statistic, site.price.plan.schema, output)
    assert steps is not None
    return steps


def _together(sites: Sequence[VerifiedSite], name: str) -> PricedMeasurement:
    measurements = [_measurement(site.price, name) for site in sites]
    mechanisms: list[Mechanism] = [summed(each) for each in zip(*(own.mechanisms for own in measurements), strict=True)]
    return replace(measurements[0], mechanisms=tuple(mechanisms))


def _measurement(price: Price, name: str) -> PricedMeasurement:
    return price[name].derivation.measurement


def _sums(sites: Sequence[VerifiedSite], name: str) -> list[Any]:
    each = [_drawn(site, name) for site in sites]
    total = [sum(part.astype(object) for part in parts) for parts in zip(*filter(None, each), strict=True)]
    return [_below(name, part).tolist() for part in total]


def _below(name: str, total: Any) -> Integers:
    """Return sums as they stand in arrays. Raises InputError where they do not."""
    if any(abs(number) >= LIMIT for number in np.ravel(total)):
        found = phrase("verdict.combined_too_large")
        raise InputError(f"statistics.{name}", found=found, allowed=phrase("verdict.combined_below"))
    return np.array(total, dtype=np.int64)


def _drawn(site: VerifiedSite, name: str) -> list[Integers] | None:
    """Return the sealed integers of a measurement, by mechanism; None where the bundle does not tell them."""
    if name not in site.read:
        site.read[name] = _read(site, name)
    found: list[Integers] | None = site.read[name]
    return found


def _read(site: VerifiedSite, name: str) -> list[Integers] | None:
    item, schema = site.price[name], site.price.plan.schema
    mechanisms, output = item.derivation.measurement.mechanisms, site.release.outputs[name]
    shapes = [mechanism.sensitivity.shape or () for mechanism in mechanisms]
    if isinstance(output, MeasuredTables | SyntheticRows):
        assert isinstance(item.statistic, TableFamily)
        return item.statistic.read(output.integers, mechanisms) if output.integers else None
    if isinstance(output, FittedOutput):
        listed = output.facts["integers"]
        return [np.array(part, dtype=np.int64).reshape(shape) for part, shape in zip(listed, shapes, strict=True)]
    if isinstance(output, Estimates) and isinstance(item.statistic, NoisyTable):
        steps = _steps(item.statistic, schema, output)
        return None if steps is None or len(steps) != prod(shapes[0]) else [steps.reshape(shapes[0])]
    if isinstance(output, Estimates):
        found = pairs(item.statistic, schema, output, mechanisms)
        return None if found is None else [found]
    return None


def _steps(statistic: NoisyTable, schema: Schema, table: Estimates) -> Integers | None:
    """Return the integers of a table, before it was adjusted, without totals and shares."""
    plain = replace(table, value=table.extra.get("raw", table.value), extra={})
    return statistic.in_steps(schema, plain.without_totals() if getattr(statistic, "margins", False) else plain)


MOST = 1_000_000
"""Whole numbers that are tried for one cell."""
LARGEST = 2.0**50
"""Largest sum: floats hold it, and its products with a share, to less than half a step."""
NEAR = 1e-12
"""Relative, of the reach of noise."""


def pairs(
    statistic: TallyStatistic, schema: Schema, table: Estimates, mechanisms: tuple[Mechanism, ...]
) -> NDArray[Any] | None:
    """Return the noisy sums of each cell, side by side; None where the table does not tell them."""
    if isinstance(statistic, Mean):
        if statistic.method != ONE_SIDED:
            return None
    elif not isinstance(statistic, Share):
        return None
    if table.extra or len(mechanisms) != 1:
        return None
    find = partial(_pair, limits=statistic.limits(schema), mechanism=mechanisms[0])
    found = [find(row) for row in zip(table.value, table.lower95, table.upper95, strict=True)]
    if any(each is None for each in found):
        return None
    shape = mechanisms[0].sensitivity.shape or ()
    sums = np.array(found, dtype=np.int64).reshape(shape)
    return sums if _gives(statistic.estimates(schema, [sums], mechanisms), table, statistic.limits(schema)) else None


def _gives(again: Estimates, table: Estimates, limits: tuple[float, float]) -> bool:
    near = 1e-9 * (abs(limits[0]) + abs(limits[1]))
    ends = ((again.lower95, table.lower95), (again.upper95, table.upper95))
    return list(again.value) == list(table.value) and all(
        np.allclose(np.array(one, dtype=float), np.array(other, dtype=float), rtol=0, atol=near) for one, other in ends
    )


def _pair(row: tuple[Cell, ...], limits: tuple[float, float], mechanism: Mechanism) -> tuple[int, int] | None:
    least, most = limits
    width = most - least
    numbers = [float(cell) for cell in row if isinstance(cell, int | float)]
    if len(numbers) < len(row) or width <= 0:
        return None
    value, *ends = numbers
    slip = 4 * ulp(max(abs(least), abs(most))) / width + 2.0**-58
    low, high = 1.0, LARGEST
    for end in ends:
        if end in limits or end == value:
            continue
        apart = abs(value - end) / width
        whole = (_reach((end - least) / width, mechanism) + 0.5) / apart
        # the difference of the scales' squares, by which the tail of Laplace noises is divided, loses digits
        off = whole * (NEAR + ulp(4) / max(abs(least + most - 2 * end) / width, 1e-6) + slip / apart)
        low, high = max(low, whole - off), min(high, whole + off)
    if high - low > MOST:
        return None
    wholes = np.arange(np.floor(low), np.ceil(high) + 1)
    first = np.rint(wholes * ((value - least) / width))
    again = least + width * share(first, wholes - first)
    fitting = np.flatnonzero(again == value)
    if len(fitting) != 1 or wholes[fitting[0]] <= 0:
        return None
    one, both = int(first[fitting[0]]), int(wholes[fitting[0]])
    return one, both - one


def _reach(share: float, mechanism: Mechanism, confidence: float = 0.95) -> float:
    """Return the half-width of (1 − r)·η₁ − r·η₂, by the formula that intervals are found by."""
    sizes = np.array([1 - share, share]) * mechanism.scale
    if isinstance(mechanism, DiscreteGaussian):
        return NormalDist().inv_cdf((1 + confidence) / 2) * float(np.hypot(*sizes))
    low, high = 0.0, 10.0 * float(sizes.max())
    for _ in range(64):
        middle = (low + high) / 2
        beyond = float(weighted_tail(np.array(middle), *sizes)) > 1 - confidence
        low, high = (middle, high) if beyond else (low, middle)
    return low

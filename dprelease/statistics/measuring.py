"""Measurement of tables planned together: residuals of all of them, or the widest of them as they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, sqrt
from statistics import NormalDist
from types import MappingProxyType

import numpy as np

from dprelease.mechanisms import DiscreteLaplace, Mechanism, ResidualGaussian
from dprelease.mechanisms.residual import named, sensitivity
from dprelease.model.privacy import Terms
from dprelease.model.tally import Key
from dprelease.statistics.algebra import fitted
from dprelease.statistics.algebra.residual import AxisFamily, FloatArray, Places, Wholes
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.widest import BITS, Widest
from dprelease.statistics.tabulated import Integers, Measurement

Halves = Mapping[Places, Fraction]
"""Half-widths of the cells' intervals, by table."""

SMOOTH = 5.0
"""From this scale on, sums of discrete Gaussian noises are normal on their lattice to 1e-10."""
SLACK = 1 + 1e-9
"""For the rounding of variances."""


@dataclass(frozen=True)
class Measuring(ABC):
    """A way to measure a family of tables. All of what it measures stands in one order: that of `measurements`."""

    keys: tuple[Key, ...]
    family: AxisFamily

    @abstractmethod
    def measurements(self, terms: Terms, objective: str) -> tuple[Measurement, ...]:
        """Return the measurements that get noise, planned by an objective."""

    @abstractmethod
    def given(self, counts: Mapping[Places, Integers]) -> tuple[Integers, ...]:
        """Return the inputs of the mechanisms, from the counts of the widest tables."""

    @abstractmethod
    def residuals(self, drawn: Sequence[Wholes], mechanisms: Sequence[Mechanism]) -> Mapping[Places, Wholes]:
        """Return the noisy residuals of each set, in `parts`."""

    @abstractmethod
    def half_widths(self, mechanisms: Sequence[Mechanism], confidence: float = 0.95) -> Halves:
        """Return each cell's margin of error by table, rounded up to its lattice."""

    @abstractmethod
    def squares(self, mechanisms: Sequence[Mechanism]) -> FloatArray:
        """Return the σ_B² of each set of the family: the variance of what is estimated of it."""

    def largest(self, mechanisms: Sequence[Mechanism], confidence: float = 0.95) -> Fraction:
        """Return the half-width of the least precise table."""
        return max(self.half_widths(mechanisms, confidence).values())

    parts = 1
    """Into how many a residual is split, so that it is whole."""
    excess = 0.0
    """The fourth cumulant of the noise over its squared variance: 0 where it is nearly normal."""

    def step(self, table: Places) -> int:
        """Return the number of parts of a row of which a table's estimates are whole multiples."""
        return self.family.step(table) * self.parts


class Residuals(Measuring):
    """Discrete Gaussian noise on residuals, with one joint loss: in zcdp."""

    def measurements(self, terms: Terms, objective: str) -> tuple[Measurement, ...]:
        own = {
            "cells": " ".join(map(str, self.family.cells)),
            "sets": named(self.family.sets),
            "rows": terms.max_rows,
            "moves": terms.substitute,
        }
        known = sensitivity(**own)
        assert known.shape is not None
        return (Measurement(ResidualGaussian, known.shape, known, settings={**own, "ratios": self._ratios(objective)}),)

    def _ratios(self, objective: str) -> tuple[float, ...]:
        return _ratios(self.family, objective)

    def given(self, counts: Mapping[Places, Integers]) -> tuple[Integers, ...]:
        return (self.family.residuals(counts),)

    def residuals(self, drawn: Sequence[Wholes], mechanisms: Sequence[Mechanism]) -> Mapping[Places, Wholes]:
        return self.family.split(drawn[0])

    def half_widths(self, mechanisms: Sequence[Mechanism], confidence: float = 0.95) -> Halves:
        (noise,) = mechanisms
        assert isinstance(noise, ResidualGaussian)
        return half_widths(self.family, noise, confidence)

    def squares(self, mechanisms: Sequence[Mechanism]) -> FloatArray:
        (noise,) = mechanisms
        assert isinstance(noise, ResidualGaussian)
        return self.family.squares(noise.by_set)


class WidestTables(Measuring):
    """Discrete Laplace noise on the widest tables as they are, with shares of ε by the objective: in pure.

    In L1 residuals of a row add up to more than the row: there it would take more noise to measure them.
    """

    parts = 2**BITS
    excess = 3.0

    @property
    def widest(self) -> Widest:
        return Widest(self.family)

    def measurements(self, terms: Terms, objective: str) -> tuple[Measurement, ...]:
        tables = self.widest.tables
        shapes = [tuple(self.keys[place].cells for place in places) for places in tables]
        return tuple(
            Measurement(DiscreteLaplace, shape, simplex(terms, shape), Fraction(share))
            for shape, share in zip(shapes, _shares(self.family, objective), strict=True)
        )

    def given(self, counts: Mapping[Places, Integers]) -> tuple[Integers, ...]:
        return tuple(counts[places] for places in self.widest.tables)

    def residuals(self, drawn: Sequence[Wholes], mechanisms: Sequence[Mechanism]) -> Mapping[Places, Wholes]:
        return self.widest.together(drawn, np.array([_variance(noise) for noise in mechanisms]))

    def half_widths(self, mechanisms: Sequence[Mechanism], confidence: float = 0.95) -> Halves:
        laws = _laws(self, tuple(mechanisms))
        return {places: _upwards(Fraction(law.reach(confidence)), self.step(places)) for places, law in laws.items()}

    def squares(self, mechanisms: Sequence[Mechanism]) -> FloatArray:
        return self.widest.squares(np.array([_variance(noise) for noise in mechanisms]))

    def largest(self, mechanisms: Sequence[Mechanism], confidence: float = 0.95) -> Fraction:
        return _largest(self, tuple(mechanisms), confidence)


def measuring(keys: tuple[Key, ...], tables: tuple[Places, ...], by: type[Mechanism]) -> Measuring:
    """Return the way that a mechanism belongs to. `tables`: by the places of their keys."""
    way = Residuals if by is ResidualGaussian else WidestTables
    return way(keys, AxisFamily(tuple(key.cells for key in keys), tables))


def _variance(noise: Mechanism) -> float:
    """Return the variance of the continuous noise of the same scale: by it tables are weighted."""
    assert isinstance(noise, DiscreteLaplace)
    return 2 * noise.scale**2


@lru_cache(maxsize=64)
def _ratios(family: AxisFamily, objective: str) -> tuple[float, ...]:
    return tuple(family.ratios(family.planned(objective, np.ones(len(family.tables)))))


@lru_cache(maxsize=64)
def _shares(family: AxisFamily, objective: str) -> tuple[int, ...]:
    return Widest(family).shares(objective)


@lru_cache(maxsize=64)
def half_widths(family: AxisFamily, noise: ResidualGaussian, confidence: float = 0.95) -> Halves:
    """Return the margins of error of residuals: z·√V and half a step of the lattice.

    Where some noise is small, values cluster on a coarser lattice, whose steps are whole rows at most.
    """
    scales, z = noise.by_set, NormalDist().inv_cdf((1 + confidence) / 2)
    variances = family.variances(family.squares(scales)).tolist()
    found: dict[Places, Fraction] = {}
    for places, variance in zip(family.tables, variances, strict=True):
        step = family.step(places)
        least = min(scales[part] for part in family.parts(places))
        coarse = step if least >= SMOOTH else 1
        found[places] = _upwards(Fraction(z * sqrt(variance) * SLACK) + Fraction(1, 2 * coarse), step)
    return MappingProxyType(found)


@lru_cache(maxsize=64)
def _laws(way: WidestTables, mechanisms: tuple[Mechanism, ...]) -> Mapping[Places, fitted.FittedNoise]:
    """Return the exact noise of the cells of tables that are fitted to whole tables: a sum of Laplace noises."""
    measured = [
        fitted.NoisyCountTable(tuple(way.keys[place] for place in places), _variance(noise), noise)
        for places, noise in zip(way.widest.tables, mechanisms, strict=True)
    ]
    found: dict[Places, fitted.FittedNoise] = {}
    for places in way.family.tables:
        law = fitted.law(measured, [way.keys[place] for place in places])
        assert law is not None
        found[places] = law
    return MappingProxyType(found)


@lru_cache(maxsize=64)
def _largest(way: WidestTables, mechanisms: tuple[Mechanism, ...], confidence: float) -> Fraction:
    """Return the largest margin of error; likely large ones come first, the others are only seen to be smaller."""
    laws, most = _laws(way, mechanisms), Fraction(0)
    for places, law in sorted(laws.items(), key=lambda each: -each[1].noises.standard_deviation):
        step = way.step(places)
        if not law.stays_below(float(most - Fraction(1, step)), confidence):
            most = max(most, _upwards(Fraction(law.reach(confidence)), step))
    return most


def _upwards(reach: Fraction, step: int) -> Fraction:
    return Fraction(ceil(reach * step), step)

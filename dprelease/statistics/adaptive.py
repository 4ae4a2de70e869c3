"""Tables that are chosen one after the other, each because a model fitted so far misses it most: MWEM.

Hardt, Ligett and McSherry 2012, over whole tables: first every column by itself, then so many times a table is chosen
privately by how far the model is from it, and measured. What is chosen and measured is all that is sealed: the model,
its rows and its tables are computed of that. N₀, by which the model counts, is the noisy number of rows of what is
measured first, never the private one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import fsum, pi, prod, sqrt
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import NOISE, SELECTION, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.privacy import Terms
from dprelease.model.tally import Sensitivity
from dprelease.statistics.algebra.residual import AxisFamily, FloatArray, Places, Wholes
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.universe import WHOLE, Universe, wanted
from dprelease.statistics.algebra.widest import Widest
from dprelease.statistics.tabulated import Integers, Measurement

START, CHOOSING = Fraction(1, 5), Fraction(3, 10)
"""Part of the share for all one-column tables together; part of a later table's share for choosing it."""
MOST = 2**60
"""Rows of a model's cell."""
AGAIN = -(2**50)
"""The score of a table that was chosen before: below that of every other."""
LARGE, EACH, LAST = 2_000_000, (1, 10), (3, 30)
"""Passes over what is measured, after each step and in the end: so many of LARGE combinations, and at most."""
FEW = 3
"""Models that are kept: each is as large as all combinations of cells."""

Known = Mapping[Places, tuple[Wholes, Noise]]
"""Noisy counts of the measured tables, with their noise: the later one where a table was chosen twice."""


@dataclass(frozen=True)
class Adaptive:
    """Family of tables measured round after round, and the model that follows from it."""

    chooses: ClassVar[bool] = True
    """True if tables are chosen, and then measured."""
    cells: tuple[int, ...]
    """Number of cells of each column."""
    tables: tuple[Places, ...]
    """All up to some number of columns: one at least, and two."""
    rounds: int

    @cached_property
    def starts(self) -> tuple[Places, ...]:
        """Each column by itself."""
        return tuple(places for places in self.tables if len(places) == 1)

    @cached_property
    def candidates(self) -> tuple[Places, ...]:
        """Among what is chosen."""
        return tuple(places for places in self.tables if len(places) > 1)

    def size(self, places: Places) -> int:
        """Return the number of cells of a table."""
        return prod(self.cells[place] for place in places)

    @cached_property
    def largest(self) -> int:
        """The cells of the largest candidate: as many are measured of each, so that their number tells nothing."""
        return max(map(self.size, self.candidates))

    def measurements(self, terms: Terms) -> tuple[Measurement, ...]:
        """Return each column's own measurement, then in turns the choice by scores and the chosen table's counts."""
        noise, each = NOISE[terms.currency], (1 - START) / self.rounds
        counts = simplex(terms, (self.largest,))
        first = START / len(self.starts)
        found = [Measurement(noise, own, simplex(terms, own), first) for own in self._shapes]
        for number in range(self.rounds):
            turn = 1 + 2 * number
            found.append(self.choice(terms, each * CHOOSING, turn))
            found.append(Measurement(noise, (self.largest,), counts, each * (1 - CHOOSING), round=turn + 1))
        return tuple(found)

    def choice(self, terms: Terms, weight: Fraction, turn: int) -> Measurement:
        """Return the measurement that chooses among all candidates, by their scores."""
        many = (1, len(self.candidates))
        scores = Sensitivity(l1=0, linf=self._moves(terms), shape=many)
        return Measurement(SELECTION[terms.currency], many, scores, weight, round=turn)

    @staticmethod
    def _moves(terms: Terms) -> int:
        """Return the most by which a unit changes a score."""
        return terms.max_rows * (2 if terms.substitute else 1)

    @cached_property
    def widest(self) -> tuple[Places, ...]:
        """The tables that all others are margins of: those that are counted."""
        return Widest(AxisFamily(self.cells, self.tables)).tables

    def counted(self, tallies: Sequence[Integers]) -> Mapping[Places, Integers]:
        """Return the widest tables."""
        return dict(zip(self.widest, tallies, strict=True))

    @property
    def _shapes(self) -> list[tuple[int, ...]]:
        return [(self.size(places),) for places in self.starts]

    def start(self, counts: Mapping[Places, Integers]) -> tuple[Integers, ...]:
        """Return each column by itself, of the counts of the widest tables."""
        return tuple(self._counts(counts, places).ravel() for places in self.starts)

    def later(
        self, counts: Mapping[Places, Integers], drawn: Sequence[Any], mechanisms: Sequence[Mechanism]
    ) -> tuple[Integers, ...]:
        """Return the scores of all candidates, or the last chosen table's counts with zeros up to the largest.

        A score is Σ |count − model| − ⌊what noise would add to that⌋ over the cells, in whole rows: the model is public
        and rounded to whole rows first. A unit's m rows change Σ |count − model| by no more than Σ |count' − count|: m
        under add_remove, 2m under substitute.
        """
        if (len(drawn) - len(self.starts)) % 2:
            own = self._counts(counts, self.chosen(drawn[len(self.starts) :: 2])[-1]).ravel()
            return (np.concatenate([own, np.zeros(self.largest - len(own), dtype=np.int64)]),)
        noise, model = mechanisms[len(drawn) + 1], self.model(drawn, mechanisms)
        assert isinstance(noise, Noise)
        off = sqrt(noise.variance * 2 / pi)
        scores = [
            AGAIN
            if places in model.known
            else int(np.abs(self._counts(counts, places) - model.counts(places)).sum()) - int(off * self.size(places))
            for places in self.candidates
        ]
        return (self.asked(scores, mechanisms[len(drawn)]),)

    def asked(self, scores: Sequence[int], mechanism: Mechanism) -> Integers:
        """Return the scores as what chooses is given them."""
        return np.array([scores], dtype=np.int64)

    def chosen(self, told: Sequence[Any]) -> list[Places]:
        """Return the tables chosen by these draws, in order."""
        return [self.candidates[int(np.ravel(each)[0])] for each in told]

    def could_choose(self, numbers: Sequence[int]) -> bool:
        """Return True if these integers can be a choice."""
        return len(numbers) == 1 and 0 <= numbers[0] < len(self.candidates)

    def _counts(self, counts: Mapping[Places, Integers], places: Places) -> Integers:
        """Return a table as margin of one of the widest ones."""
        several = {place for place in places if self.cells[place] > 1}
        whole = next(each for each in counts if several <= {*each})
        others = tuple(axis for axis, place in enumerate(whole) if place not in places)
        found = np.asarray(counts[whole]).reshape([self.cells[place] for place in whole]).sum(axis=others)
        return np.asarray(found.reshape([self.cells[place] for place in places]).astype(np.int64))

    def read(self, integers: Sequence[Sequence[int]], mechanisms: Sequence[Mechanism]) -> list[Wholes] | None:
        """Return published integers as they were drawn; None where they are no draw of these mechanisms."""
        if len(integers) != len(mechanisms):
            return None
        for numbers, mechanism in zip(integers, mechanisms, strict=True):
            if not all(type(number) is int for number in numbers):
                return None
            if not isinstance(mechanism, Noise):
                if not self.could_choose(numbers):
                    return None
            elif len(numbers) != prod(mechanism.sensitivity.shape or ()) or max(map(abs, numbers)) >= 2**63:
                return None
        return [np.array(numbers, dtype=np.int64) for numbers in integers]

    def model(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], *, ends: bool = False) -> AdaptiveModel:
        """Return the model fitted after some rounds. `ends`: none follows."""
        return fitted(self.transcript(drawn, mechanisms, ends=ends))

    def transcript(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], *, ends: bool = False) -> Transcript:
        """Return the integers drawn so far, with their mechanisms."""
        integers = tuple(np.asarray(each, dtype=np.int64).tobytes() for each in drawn)
        scales = tuple((mechanism.name, mechanism.scale) for mechanism in mechanisms)
        return Transcript(self, integers, scales, ends, mechanisms)


@dataclass(frozen=True, slots=True)
class Transcript:
    """Integers drawn so far, with the mechanisms that drew them."""

    own: Adaptive
    integers: tuple[bytes, ...]
    scales: tuple[tuple[str, float], ...]
    ends: bool
    mechanisms: Sequence[Mechanism] = field(compare=False, repr=False)

    @property
    def starts(self) -> int:
        """Number of tables measured at the start: one for each column."""
        return len(self.own.starts)

    @property
    def before(self) -> Transcript:
        """The same, before the last step."""
        shorter = self.integers if self.ends else self.integers[:-2]
        return Transcript(self.own, shorter, self.scales, False, self.mechanisms)

    def known(self) -> Iterator[tuple[Places, tuple[Wholes, Noise]]]:
        """Yield the measured tables in order, each with its noisy counts and noise."""
        own, numbers = self.own, [np.frombuffer(each, dtype=np.int64) for each in self.integers]
        chosen = own.chosen(numbers[self.starts :: 2])
        places = [*range(self.starts), *range(self.starts + 1, len(numbers), 2)]
        for table, place in zip((*own.starts, *chosen), places, strict=True):
            noise = self.mechanisms[place]
            assert isinstance(noise, Noise)
            yield table, (numbers[place][: own.size(table)].reshape([own.cells[each] for each in table]), noise)


@dataclass(frozen=True)
class AdaptiveModel:
    """A distribution over every combination of cells, with what it was fitted to."""

    known: Known
    total: float
    """The noisy number of rows."""
    universe: Universe

    def table(self, places: Places) -> FloatArray:
        """Return rows by cell."""
        return self.universe.table(places) * (self.total / WHOLE)

    def counts(self, places: Places) -> Integers:
        """Return the same in whole rows."""
        if places not in self._counts:
            self._counts[places] = np.minimum(np.rint(self.table(places)), float(MOST)).astype(np.int64)
        return self._counts[places]

    @cached_property
    def _counts(self) -> dict[Places, Integers]:
        return {}


def _total(known: Known, starts: Sequence[Places]) -> float:
    """Return the noisy number of rows of each column's table, which have as much noise as cells; at least one."""
    sums = [(int(known[places][0].sum()), known[places][0].size) for places in starts]
    return max(1.0, fsum(number / cells for number, cells in sums) / fsum(1 / cells for _, cells in sums))


@lru_cache(maxsize=FEW)
def fitted(transcript: Transcript) -> AdaptiveModel:
    """Return the model that follows from it."""
    own, known = transcript.own, dict(transcript.known())
    total = _total(known, own.starts)
    is_start = len(transcript.integers) == transcript.starts and not transcript.ends
    universe = Universe.even(own.cells) if is_start else fitted(transcript.before).universe
    noisy = {places: wanted(table, sqrt(noise.variance), total) for places, (table, noise) in known.items()}
    return AdaptiveModel(
        known, total, universe.towards(noisy, total, passes(own.cells, LAST if transcript.ends else EACH))
    )


def passes(cells: Sequence[int], bounds: tuple[int, int]) -> int:
    """Return the number of passes: more where there are few combinations of cells."""
    least, most = bounds
    return max(least, min(most, least * LARGE // prod(cells)))

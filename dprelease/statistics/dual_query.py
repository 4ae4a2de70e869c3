"""Rows that answer best what was drawn among the cells that rows made so far have too few of: DualQuery.

Gaboardi, Gallego Arias, Hsu, Roth and Wu 2014, over the cells of tables: first every column by itself, then in each
round some cells are drawn with probabilities that multiplicative weights give them, and a record is added that is in
as many of them as can be. What is drawn is all that is sealed. N₀ is the noisy number of rows of what is measured
first, never the private one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import NOISE, ExponentialMechanism, Mechanism
from dprelease.model.privacy import Currency, Terms
from dprelease.model.tally import Sensitivity
from dprelease.statistics.adaptive import START, Adaptive, AdaptiveModel, Transcript, fitted
from dprelease.statistics.algebra.residual import FloatArray, Places
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.universe import WHOLE, Universe
from dprelease.statistics.tabulated import Integers, Measurement

DRAWN = 50
"""Cells that are drawn in a round."""
MOST = 2**54
"""Rows of a cell, and N₀: so that no score wraps."""


@dataclass(frozen=True)
class DualQuery(Adaptive):
    """Rounds in which cells are drawn, and nothing is measured."""

    chooses: ClassVar[bool] = False

    @cached_property
    def all_cells(self) -> int:
        """Number of cells of all tables together: a question is drawn among these."""
        return sum(map(self.size, self.tables))

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """Index of each table's first cell among all cells."""
        return (0, *accumulate(map(self.size, self.tables)))[:-1]

    def measurements(self, terms: Terms) -> tuple[Measurement, ...]:
        """Return each column by itself, then in turns cells.

        In round t a score has moved with t records: t·m for each of the cells that are drawn. So that the scale is the
        same in all rounds, as in DualQuery, a round's share of ε grows with t, of ρ with t².
        """
        first, turns = START / len(self.starts), range(1, self.rounds + 1)
        power = 1 if terms.currency is Currency.PURE else 2
        whole, many = sum(turn**power for turn in turns), (DRAWN, self.all_cells)
        noise = NOISE[terms.currency]
        found = [Measurement(noise, own, simplex(terms, own), first) for own in self._shapes]
        for turn in turns:
            most = DRAWN * turn * terms.max_rows
            scores = Sensitivity(l1=0, linf=most, monotone=not terms.substitute, shape=many)
            weight = (1 - START) * turn**power / whole
            found.append(Measurement(ExponentialMechanism, many, scores, weight, round=turn))
        return tuple(found)

    def later(self, counts: Any, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> tuple[Integers, ...]:
        """Return each cell's score, as often as cells are drawn: t times its rows, less N₀ for each record in it.

        t is the number of records so far. A unit's row adds t to the cells that it is in, one of each table.
        """
        model = self.model(drawn[: len(self.starts)], mechanisms)
        records = self.records(drawn, mechanisms)
        rows = np.concatenate([np.minimum(self._counts(counts, places), MOST).ravel() for places in self.tables])
        scores = len(records) * rows - min(round(model.total), MOST) * self._answers(records)
        return (np.repeat(scores[np.newaxis], DRAWN, axis=0),)

    def _answers(self, records: Sequence[int]) -> Integers:
        """Count the records in each cell."""
        codes = np.unravel_index(np.array(records, dtype=np.int64), self.cells)
        found = np.zeros(self.all_cells, dtype=np.int64)
        for first, places in zip(self.firsts, self.tables, strict=True):
            cell = np.zeros(len(records), dtype=np.int64)
            for place in places:
                cell = cell * self.cells[place] + codes[place]
            np.add.at(found, first + cell, 1)
        return found

    def records(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> list[int]:
        """Return the combinations of cells so far: first the likeliest by columns alone, then one for each round."""
        start = self.transcript(drawn[: len(self.starts)], mechanisms)
        samples = [np.asarray(each, dtype=np.int64).tobytes() for each in drawn[len(self.starts) :]]
        return [_best(start, sample) for sample in (b"", *samples)]

    def could_choose(self, numbers: Sequence[int]) -> bool:
        return len(numbers) == DRAWN and all(0 <= number < self.all_cells for number in numbers)

    def model(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], *, ends: bool = False) -> AdaptiveModel:
        """Return the model of the columns; in the end that of the records, each as often as the others."""
        start = fitted(self.transcript(drawn[: len(self.starts)], mechanisms))
        if not ends:
            return start
        records = self.records(drawn, mechanisms)
        weights: FloatArray = np.zeros(start.universe.weights.size)
        np.add.at(weights, records, np.rint(WHOLE / len(records)))
        return AdaptiveModel(start.known, start.total, Universe(self.cells, weights.reshape(self.cells)))

    def agreeing(self, sample: Sequence[int], universe: Universe) -> int:
        """Return the combination in most of the cells; of several the likeliest by columns alone, or the first."""
        found = universe.weights * (0.5 / WHOLE)
        for first, places in zip(self.firsts, self.tables, strict=True):
            own = [cell - first for cell in sample if first <= cell < first + self.size(places)]
            if own:
                table = np.bincount(own, minlength=self.size(places)).reshape(_shape(self.cells, places))
                found = found + table
        return int(np.argmax(found))


def _shape(cells: Sequence[int], places: Places) -> tuple[int, ...]:
    """Return an axis for each column, of one cell where a table does not have it."""
    return tuple(many if place in places else 1 for place, many in enumerate(cells))


@lru_cache(maxsize=512)
def _best(start: Transcript, sample: bytes) -> int:
    own = start.own
    assert isinstance(own, DualQuery)
    return own.agreeing(np.frombuffer(sample, dtype=np.int64).tolist(), fitted(start).universe)

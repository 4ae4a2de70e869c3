"""Tables that are asked about in order, of which those that a model misses by much are measured: PMW.

Hardt and Rothblum 2010, over whole tables: first every column by itself, then in each round a sparse vector asks in
order whether a table is further from the model than its noise explains. The first one is measured, and the model
follows it by multiplicative weights; where none is, the first that was not measured yet is, for the round is charged
anyway. N₀ is the noisy number of rows of what is measured
first, never the private one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprelease.mechanisms import Mechanism, SparseVector
from dprelease.mechanisms.sparse_vector import ABOVE, BELOW, NOT_REACHED
from dprelease.model.privacy import Terms
from dprelease.model.tally import Sensitivity
from dprelease.statistics.adaptive import Adaptive
from dprelease.statistics.algebra.residual import Places
from dprelease.statistics.tabulated import Integers, Measurement

SURE = 0.5
"""Confidence level of the reach of noise on questions, which is taken off each table's distance."""
SETTINGS = {"threshold": 0, "answers": 1, "numeric": False}


@dataclass(frozen=True)
class Pmw(Adaptive):
    """The same rounds, each of which asks for the first table that is far instead of the one that is farthest."""

    def choice(self, terms: Terms, weight: Fraction, turn: int) -> Measurement:
        """Return the measurement that asks about all candidates in order, until one is above."""
        many = (len(self.candidates),)
        scores = Sensitivity(l1=0, linf=self._moves(terms), shape=many)
        return Measurement(SparseVector, many, scores, weight, settings=SETTINGS, round=turn)

    def asked(self, scores: Sequence[int], mechanism: Mechanism) -> Integers:
        """Return each table's distance, less the reach of noise on all questions: above 0 it is far."""
        assert isinstance(mechanism, SparseVector)
        reach = mechanism.reach(len(self.candidates), SURE)
        return np.array([score - reach for score in scores], dtype=np.int64)

    def chosen(self, told: Sequence[Any]) -> list[Places]:
        """Return the tables above; where none was the first that was not measured before, which is charged anyway."""
        found: list[Places] = []
        for states in told:
            above = np.flatnonzero(np.ravel(states)[::2] == ABOVE)
            left = (places for places in self.candidates if places not in found)
            found.append(self.candidates[int(above[0])] if len(above) else next(left))
        return found

    def could_choose(self, numbers: Sequence[int]) -> bool:
        """Check states of all candidates, each beside a 0: below up to the one that is above, then not reached."""
        states, many = list(numbers[::2]), len(self.candidates)
        if len(numbers) != 2 * many or any(numbers[1::2]):
            return False
        place = states.index(ABOVE) if ABOVE in states else many
        return states == ([BELOW] * place + [ABOVE] + [NOT_REACHED] * (many - place - 1))[:many]

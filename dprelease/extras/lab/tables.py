"""Attacks on tables: cells that were hidden, found from the totals; and a table that is published twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from dprelease.adversaries.suppression import Cell, Hidden, Suppressed, hidden_cells
from dprelease.extras.lab.chance import Ints
from dprelease.extras.lab.defences import Defence, Private, Rounded, laplace_chances, published
from dprelease.extras.lab.outcome import Outcome, success_bound
from dprelease.extras.lab.worlds import SampleVisit, table


@dataclass(frozen=True, slots=True)
class Subtraction:
    """Hidden cells of a table after the attack, and its outcome."""

    cells: tuple[Hidden, ...]
    outcome: Outcome

    @property
    def primary(self) -> tuple[Hidden, ...]:
        return tuple(each for each in self.cells if each.primary)


def subtract(counts: Ints, rule: Suppressed) -> Subtraction:
    """Attack the hidden cells of a table whose totals are all shown, by somebody who knows the rule.

    `won`: how often they are right about a small cell if they name one that is possible, each as likely.
    """
    cells = hidden_cells(counts, rule)
    small = [1 / (each.most - each.least + 1) for each in cells if each.primary]
    guessing = 1 / (rule.least - 1)
    return Subtraction(cells, Outcome(guessing, sum(small) / len(small) if small else guessing, 1.0))


@dataclass(frozen=True, slots=True)
class Twice:
    """Number of people, and of those with every cell shown by the difference of two tables, each leaving in between."""

    people: int
    shown: int
    outcome: Outcome


def republished(rows: Sequence[SampleVisit], columns: Sequence[str], defence: Defence) -> Twice:
    """Check for each who leaves between two publications of a table: are all cells of their visits shown?

    Private: each table costs ε, so that moving from one cell to another is 2·2ε, of one person less and one more;
    computed of somebody with one visit, whom the attacker takes to be where the table fell most.
    """
    counts = table(columns, rows)
    cells = counts.size
    if isinstance(defence, Private):
        won, bound = fell_most(defence.scale, cells), success_bound(4 * defence.epsilon, answers=cells)
        return Twice(0, 0, Outcome(1 / cells, won, bound))
    own = list(_own(rows, columns))
    shown = sum(all(shows(int(counts[cell]), times, defence) for cell, times in each.items()) for each in own)
    share = shown / len(own)
    return Twice(len(own), shown, Outcome(1 / cells, share + (1 - share) / cells, 1.0))


def _own(rows: Sequence[SampleVisit], columns: Sequence[str]) -> Iterator[Counter[Cell]]:
    for _, visits in groupby(rows, key=lambda row: row.patient):
        yield Counter(tuple(getattr(row, column) for column in columns) for row in visits)


def shows(count: int, times: int, defence: Defence) -> bool:
    """Return True if a cell shows that so many visits are gone from it."""
    before, after = published(count, defence), published(count - times, defence)
    if len(before.chances) > 1:
        raise ValueError(f"{defence}: what is drawn anew each time shows nothing for certain")
    if isinstance(defence, Rounded):
        return before.first != after.first
    return not before.hidden and not after.hidden


def fell_most(scale: float, cells: int) -> float:
    """Return how often the cell that fell most between two tables is the true one; of several each as likely.

    Both have discrete Laplace noise. With F the distribution of a difference D: Σ P(D = v − 1) (F(v)^m − F(v−1)^m) /
    (m P(D = v)), with F(v − 1) = F(v) − P(D = v) so that nothing cancels.
    """
    noise = laplace_chances(scale)
    fall = np.convolve(noise, noise)
    whole = np.maximum(np.cumsum(fall), fall)
    with np.errstate(divide="ignore"):  # at the first of them F(v − 1) is 0
        best = -(whole**cells) * np.expm1(cells * np.log1p(-fall / whole)) / (cells * fall)
    return min(1.0, float((fall[:-1] * best[1:]).sum()))

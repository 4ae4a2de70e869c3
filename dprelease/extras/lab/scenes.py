"""Attacker's view of one draw, and conclusions from it: for the picture beside an outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dprelease.adversaries.suppression import Suppressed
from dprelease.extras.lab.chance import Ints, uniforms
from dprelease.extras.lab.defences import Defence, Private, published
from dprelease.extras.lab.experiment import EACH, EXPERIMENTS, KNOWN, PEOPLE, PRIVATE, AttackRun
from dprelease.extras.lab.membership import membership
from dprelease.extras.lab.reconstruct import reconstruct
from dprelease.extras.lab.tables import subtract
from dprelease.extras.lab.worlds import BY_KEY, TABLES, adults, table, visits

ANSWERS = 11
"""Maximum answers to a repeated question."""
BARS = 12
MAX_CELLS = 120


@dataclass(frozen=True, slots=True)
class SceneCell:
    """A cell of a table: what is published, or of a hidden one the ends that the totals leave."""

    least: int
    most: int
    hidden: bool = False

    @property
    def found(self) -> bool:
        """True if a cell is hidden in vain."""
        return self.hidden and self.least == self.most


@dataclass(frozen=True, slots=True)
class SceneTable:
    """A published table of two columns, by the names of the columns."""

    columns: tuple[str, str]
    rows: tuple[tuple[SceneCell, ...], ...]


def defence_of(chosen: AttackRun) -> Defence:
    """Return the defence of each answer; ε is that of all of them."""
    if chosen.defence == EACH:
        return Private(chosen.epsilon)
    if chosen.defence != PRIVATE:
        return KNOWN[chosen.defence]
    answers = EXPERIMENTS[chosen.attack].answers or int(chosen.number)
    return Private(chosen.epsilon / (answers * (_questions(chosen) if chosen.attack == "reconstruct" else 1)))


def _questions(chosen: AttackRun) -> int:
    return round(int(chosen.world) * float(chosen.number))


def answer(truth: int, defence: Defence, seed: str) -> int | None:
    """Return one published count; None where it is hidden."""
    found = published(truth, defence)
    if found.hidden:
        return None
    place = int(np.searchsorted(np.cumsum(found.chances), float(uniforms(seed, 1)[0])))
    return found.first + min(place, len(found.chances) - 1)


def difference(chosen: AttackRun) -> tuple[int | None, int | None]:
    """Return the adults among all, and among all but one."""
    defence, everybody = defence_of(chosen), adults()
    others = everybody - BY_KEY[chosen.world].adult
    return answer(everybody, defence, "all"), answer(others, defence, "others")


def repeat(chosen: AttackRun) -> tuple[int | None, ...]:
    """Return the first answers to one question."""
    truth = {"kings": adults(), "eve": 48}[chosen.world]
    return tuple(
        answer(truth, defence_of(chosen), f"answer/{place}") for place in range(min(int(chosen.number), ANSWERS))
    )


def people(chosen: AttackRun) -> tuple[bool, ...]:
    """Return for each of so many people if their bit is told right."""
    return tuple(map(bool, reconstruct(int(chosen.world), _questions(chosen), defence_of(chosen)).right))


def scores(chosen: AttackRun) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of members and of others with a score in each of so many intervals."""
    number = int(chosen.world)
    epsilon = chosen.epsilon if chosen.defence == PRIVATE else None
    found = membership(number, int(chosen.number), epsilon, groups=PEOPLE // number // 2)
    both = np.concatenate([found.members, found.others])
    edges = np.linspace(both.min(), both.max(), BARS + 1)
    members, others = (tuple(map(int, np.histogram(own, edges)[0])) for own in (found.members, found.others))
    return members, others


def cells(chosen: AttackRun) -> SceneTable:
    """Return the table, with what the totals tell of hidden cells."""
    names = TABLES[chosen.world]
    return SceneTable((names[0], names[1]), _published(table(names, list(visits())), defence_of(chosen), "cells"))


def twice(chosen: AttackRun) -> SceneTable | None:
    """Return each cell's change after the first person with one visit left; hidden where one of both is.

    None of a table with very many cells.
    """
    names, rows = TABLES[chosen.world], list(visits())
    alone = next(row for row in rows if sum(other.patient == row.patient for other in rows) == 1)
    before, after = (table(names, each) for each in (rows, [row for row in rows if row is not alone]))
    if before.ndim != 2 or before.size > MAX_CELLS:
        return None
    defence = defence_of(chosen)
    changed = []
    for place in np.ndindex(before.shape):
        first, second = (
            answer(int(counts[place]), defence, f"{which}/{place}")
            for which, counts in (("before", before), ("after", after))
        )
        hidden = first is None or second is None
        moved = 0 if first is None or second is None else second - first
        changed.append(SceneCell(moved, moved, hidden))
    return SceneTable((names[0], names[1]), _rows(changed, before.shape[1]))


def _published(counts: Ints, defence: Defence, seed: str) -> tuple[tuple[SceneCell, ...], ...]:
    told = {}
    if isinstance(defence, Suppressed):
        told = {each.cell: each for each in subtract(counts, defence).cells}
    found = []
    for place in np.ndindex(counts.shape):
        if place in told:
            found.append(SceneCell(told[place].least, told[place].most, hidden=True))
        else:
            own = answer(int(counts[place]), defence, f"{seed}/{place}")
            assert own is not None
            found.append(SceneCell(own, own))
    return _rows(found, counts.shape[1])


def _rows(found: list[SceneCell], width: int) -> tuple[tuple[SceneCell, ...], ...]:
    return tuple(tuple(found[place : place + width]) for place in range(0, len(found), width))

"""The rows of two populations, compared for administrators alone: it finds accidents, not a curator who hides them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from time import monotonic

from dprelease.errors import AccessError
from dprelease.model.actor import Actor, Role
from dprelease.model.population import Dataset, Overlap
from dprelease.store import datasets, facts, populations
from dprelease.table.in_common import SECONDS, Identified, units_in_common
from dprelease.words import phrase
from dprelease.workspace.state import MEMORY, State
from dprelease.workspace.warehouses import is_elsewhere

FEWEST = 20
"""Units in common, below which nothing is told: one person's presence decides nothing that is said."""


class InCommon(StrEnum):
    """Rows in common of two datasets; never a number, and never of one person."""

    FILE = "file"
    """The same rows."""
    MOST = "most"
    """Other rows, of at least half of the units of the one with fewer, and of at least `FEWEST`."""
    FEW = "few"
    """Fewer units in common, or none."""
    UNKNOWN = "unknown"
    """Rows that are deleted or on a server, that nothing identifies, or that take too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two populations with tables that are not attested to share units."""

    population: str
    other: str
    overlap: Overlap | None
    """`none`, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapComparison:
    """Comparison of the rows of two datasets, one of either population."""

    dataset: str
    other: str
    in_common: InCommon


def pairs(state: State) -> list[Pair]:
    """Return every pair that may have one budget too many."""
    names = sorted({each.population for each in datasets.every(state.database)})
    found = []
    for name in names:
        known = populations.overlaps(state.database, name)
        for other in names:
            if name < other and known[other] in (None, Overlap.NONE):
                found.append(Pair(population=name, other=other, overlap=known[other]))
    return found


def compare(
    state: State, population: str, other: str, *, actor: Actor, seconds: float = SECONDS
) -> list[OverlapComparison]:
    """Compare every dataset of one population with every one of another; the ledger tells that it was done.

    Nothing is kept: neither a count, nor an identifier or a hash of one. What was found stays in the process while the
    rows are the same. Raises AccessError where the workspace shows no true values to somebody who makes or decides
    plans here, too.
    """
    if facts.is_blind(state.database) and actor.roles & {Role.CURATOR, Role.REVIEWER}:
        raise AccessError(phrase("workspace.compared_for_administrators_alone"))
    owners = [populations.get(state.database, each).name for each in (population, other)]
    registered = [each for each in datasets.every(state.database) if each.population in owners]
    one, two = ([each for each in registered if each.population == owner] for owner in owners)
    found: list[OverlapComparison] = []
    ends = monotonic() + seconds
    if any(_key(state, *each) not in state.compared for each in product(one, two)):
        populations.tell_compared(state.database, population, other, actor=actor)
    for first, second in product(one, two):
        in_common = _compared(state, first, second, seconds=ends - monotonic())
        found.append(OverlapComparison(dataset=first.name, other=second.name, in_common=in_common))
    return found


def _key(state: State, one: Dataset, other: Dataset) -> tuple[str, str]:
    """Return the key of a comparison: versions are new with each set of rows, and with none."""
    first, second = (f"{each.version} {_location(state, each)}" for each in (one, other))
    return first, second


def _location(state: State, dataset: Dataset) -> str:
    return datasets.get(state.database, dataset.name)[1]


def _compared(state: State, one: Dataset, other: Dataset, *, seconds: float) -> InCommon:
    key = _key(state, one, other)
    if key in state.compared:
        return InCommon(state.compared[key])
    places = [_location(state, each) for each in (one, other)]
    if not all(places) or any(is_elsewhere(place) for place in places):
        found = InCommon.UNKNOWN
    elif _is_same(state, *places):
        found = InCommon.FILE
    elif one.unit_column is None or other.unit_column is None:
        found = InCommon.UNKNOWN
    else:
        identified = [
            Identified(table=state.table(place), column=each.unit_column, codes=each.unit_codes)
            for place, each in zip(places, (one, other), strict=True)
            if each.unit_column is not None
        ]
        counted = units_in_common(state.engine, *identified, seconds=seconds) if seconds > 0 else None
        if counted is None:
            return InCommon.UNKNOWN
        fewer, both = min(counted[:2]), counted[2]
        most = both >= FEWEST and 2 * both >= fewer
        found = InCommon.MOST if most else InCommon.FEW if fewer else InCommon.UNKNOWN
    state.compared[key] = found.value
    return found


def _is_same(state: State, place: str, other: str) -> bool:
    """Compare what is stored: tables in memory by their rows, files by the digest that goes with the rows."""
    if place.startswith(MEMORY) and other.startswith(MEMORY):
        return state.engine.hold_the_same(state.table(place), state.table(other))
    _, stated = datasets.registered_at(state.database, place)
    return stated is not None and stated == datasets.registered_at(state.database, other)[1]

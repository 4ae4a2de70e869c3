"""Exact integers over declared cells, which are confidential; and which of a plan's questions one GROUP BY answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from dprelease.model.tally import DiscoveryQuery, Key, Measure, ScoreKey, TallyQuery, UnitPart


@dataclass(frozen=True, slots=True)
class Tally:
    """The answer to one query: exact counts or sums of the query's shape; int64, or Python's integers where larger.

    Nothing is cut here: what is made of several tallies is clamped as a whole, just before noise (1-Lipschitz).
    """

    query: TallyQuery
    values: NDArray[Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The answer to one discovery: how many rows each cell has that has any. Which cells those are is confidential."""

    query: DiscoveryQuery
    values: Mapping[str, int] = field(repr=False)


@dataclass(frozen=True)
class KeySet:
    """The queries that share their keys, answered by one GROUP BY."""

    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    units: bool = False
    """Counts units, not rows."""
    score: ScoreKey | None = None
    part: UnitPart | None = None
    states: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it looks at."""
        scored = self.score.columns if self.score else ()
        measured = (name for measure in self.measures for name in measure.columns)
        return (*(key.column for key in self.keys), *scored, *measured, *self.states)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells of each key, and of the score; or of the states of some columns together."""
        return TallyQuery(self.keys, score=self.score, states=self.states).shape

    def query(self, place: int) -> TallyQuery:
        """Return the query that one of its measures answers."""
        return TallyQuery(self.keys, self.measures[place], self.units, self.score, self.part, self.states)


def key_sets(queries: Sequence[TallyQuery]) -> list[KeySet]:
    """Return the distinct key sets of some queries, each with its distinct measures, in order of first use."""
    found: dict[TallyQuery, dict[Measure, None]] = {}
    for query in queries:
        found.setdefault(replace(query, measure=Measure()), {})[query.measure] = None
    return [
        KeySet(each.keys, tuple(measures), each.units, each.score, each.part, each.states)
        for each, measures in found.items()
    ]


def parted(sets: Sequence[KeySet]) -> bool:
    """Return True if some key sets count only a part of the units."""
    return any(key_set.part for key_set in sets)


def known_units(sets: Sequence[KeySet]) -> list[str]:
    """Return the unit columns needed to count."""
    if any(key_set.units for key_set in sets):
        return ["u", "n"]
    return ["u"] if parted(sets) else []

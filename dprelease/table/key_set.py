"""Which of a plan's questions one GROUP BY answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dprelease.model.tally import Key, Measure, TallyQuery


@dataclass(frozen=True)
class KeySet:
    """The queries that share their keys, answered by one GROUP BY."""

    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    units: bool = False
    """Counts units, not rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it looks at."""
        measured = (name for measure in self.measures for name in measure.columns)
        return (*(key.column for key in self.keys), *measured)


def key_sets(queries: Sequence[TallyQuery]) -> list[KeySet]:
    """The distinct key sets of some queries, each with its distinct measures, in order of first use."""
    found: dict[tuple[tuple[Key, ...], bool], dict[Measure, None]] = {}
    for query in queries:
        found.setdefault((query.keys, query.units), {})[query.measure] = None
    return [KeySet(keys, tuple(measures), units) for (keys, units), measures in found.items()]

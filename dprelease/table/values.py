"""The numbers, days and canonical texts that stored texts say, each an expression of its own below the codes.

A code names its value several times, and a cell's state once more: no engine is left to make it as often.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dprelease.model.column import Column
from dprelease.table.dialect import Dialect


@dataclass(frozen=True)
class CanonicalValues:
    """SQL by column name: canonical texts of stored cells, and numbers and days, of these or of stored values."""

    canonical: Mapping[str, str]
    typed: Mapping[str, str]

    def __contains__(self, name: str) -> bool:
        return name in self.canonical or name in self.typed

    def source(self, rows: str, kept: Sequence[str], dialect: Dialect) -> str:
        """Some columns of a source of rows, and beside them the values by name."""
        made: list[str] = []
        for layer in filter(None, (self.canonical, self.typed)):
            others = [name for name in made if name not in layer]
            listed = ", ".join([*kept, *others, *(f"{sql} AS {name}" for name, sql in layer.items())])
            rows, made = f"(SELECT {listed} FROM {rows}{dialect.fence}) AS canonical", [*others, *layer]
        return rows


def values_of(columns: Iterable[tuple[str, Column, str]], dialect: Dialect) -> CanonicalValues:
    """Return the values of some columns. `columns`: the name that each one's would have, and its stored type."""
    canonical, typed = dict[str, str](), dict[str, str]()
    for name, column, storage in columns:
        if (text := dialect.canonical(column, storage)) is not None:
            canonical[name] = text
        if (value := dialect.value(column, storage, "" if text is None else name)) is not None:
            typed[name] = value
    return CanonicalValues(canonical, typed)

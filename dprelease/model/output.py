"""What a statistic answers with: one of four values, and how each is made of tables and of what stands beside them.

Everything that is an estimate stands in a table of `Estimates`, whatever the answer is: so it is written, drawn,
compared and checked in one way. Rows and models are one file more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from dprelease.model.certificate import Certificate, OutputKind
from dprelease.model.release import Cell, Estimates, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Several tables of one statistic, each by a name of its own."""

    kind: ClassVar[OutputKind] = "tables"
    parts: Mapping[str, Estimates]

    def named(self, statistic: str) -> dict[str, Estimates]:
        """The tables by their names in a bundle."""
        return {f"{statistic}.{part}": table for part, table in self.parts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Tables):
    """Rows that are nobody's, made of what was noised; `parts` tell what was measured, and how far the rows are off."""

    kind: ClassVar[OutputKind] = "rows"
    columns: Mapping[str, Sequence[Cell]] = field(repr=False)
    """By name, each with an entry for each row."""

    def __post_init__(self) -> None:
        assert len({len(column) for column in self.columns.values()}) == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Tables):
    """A function that was fitted to what was noised; `parts` are its numbers with their intervals."""

    kind: ClassVar[OutputKind] = "model"
    facts: Mapping[str, Any]
    """All that it takes to compute it, as JSON has it."""


Output = Estimates | Tables | Rows | Model


def alone(certificate: Certificate, name: str, table: Estimates) -> Release:
    """A release of which one table is looked at."""
    statistic, _, part = name.partition(".")
    return Release(certificate=certificate, outputs={statistic: Tables(parts={part: table}) if part else table})

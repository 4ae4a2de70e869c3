"""What one statistic of a release asks, in words, from the plan in its certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.bundle.display import visible
from dprelease.bundle.words import WORDS, enumerate_words, say
from dprelease.model.release import Axis, Release

LONGEST_NAME = 60
COUNTED = frozenset({"count", "histogram", "crosstab"})
ADDITIVE = COUNTED | {"sum"}
"""Kinds whose cells add up to a whole, so that a bar from zero is what they mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A statistic as readers see it. All texts are visible and of bounded length."""

    id: str
    kind: str
    text: str
    measure: str
    """What the values are: records, or a column and its unit of measure."""
    names: tuple[str, ...]
    """Columns the plan names for this statistic, exactly."""
    columns: Mapping[str, Any]
    """What the plan declares about its columns, by name."""

    @classmethod
    def of(cls, release: Release, statistic: str) -> Question:
        plan = release.certificate["plan"]
        asked = next(item for item in plan["statistics"] if item["id"] == statistic)
        columns: Mapping[str, Any] = plan.get("columns", {})
        kind = str(asked["kind"])
        by = [*asked.get("by", ()), *asked.get("columns", ())]
        own = asked.get("column")
        label = "" if own is None else titled(own, columns)
        values = {"column": label, "by": enumerate_words([titled(name, columns) for name in by]) if by else ""}
        key = kind if kind in WORDS else "other"
        key = f"{key}_by" if by and f"{key}_by" in WORDS else key
        return cls(
            id=statistic,
            kind=kind,
            text=say(key, kind=kind.replace("_", " ").capitalize(), **values),
            measure=say("records") if kind in COUNTED or not label else label,
            names=(*by, own) if own is not None else tuple(by),
            columns=columns,
        )

    def column(self, axis: Axis) -> str | None:
        """The column that an axis' key columns come from: `age` for `age`, and for `age_from` and `age_to`."""
        name = axis.names[0].rstrip("_")
        matches = (item for item in self.names if name in (item.rstrip("_"), f"{item}_from".rstrip("_")))
        return next(matches, None)

    def axis_title(self, axis: Axis) -> str:
        """How an axis is called: its column and unit of measure, or its first key column."""
        column = self.column(axis)
        return titled(axis.names[0] if column is None else column, self.columns)


def titled(name: str, columns: Mapping[str, Any]) -> str:
    """A column's name with its unit of measure."""
    declared = columns.get(name) or {}
    short = visible(name, LONGEST_NAME)
    unit = visible(str(declared.get("unit") or ""), LONGEST_NAME)
    return say("with_unit", name=short, unit=unit) if unit else short


def questions(release: Release) -> Sequence[Question]:
    """One for each table, in the plan's order."""
    return [Question.of(release, item["id"]) for item in release.certificate["plan"]["statistics"]]

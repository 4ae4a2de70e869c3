"""Survey of columns that nobody could describe: questions put to the data, in one plan, priced together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from dprelease.model.column import DISCOVER, ORDERED, Column, ColumnType
from dprelease.model.encoding import plain


class SurveyItem(StrEnum):
    """Each is the id of its statistic, with a number where a plan has several."""

    BOUNDS = "bounds"
    """Between which numbers nearly all values lie, out of bounds far too wide."""
    VALUES = "values"
    """Values of a text column that are not rare."""
    INSIDE = "inside"
    """Share of the rows with a value that lies within the declared bounds."""


KINDS = {SurveyItem.BOUNDS: "bounds", SurveyItem.VALUES: "histogram", SurveyItem.INSIDE: "proportion"}


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """One question about one column. `declared`: the column for this plan alone, as in a plan file."""

    asked: SurveyItem
    column: str
    declared: Mapping[str, Any]
    options: Mapping[str, Any]


def bounds(column: str, wide: Mapping[str, Any]) -> ColumnQuestion:
    """Ask between which bounds values lie. `wide`: a declaration with bounds far too wide."""
    return ColumnQuestion(SurveyItem.BOUNDS, column, wide, {"column": column})


def values(column: str) -> ColumnQuestion:
    """Ask which values there are, at a δ."""
    declared = {"type": ColumnType.CATEGORY.value, "categories": DISCOVER}
    return ColumnQuestion(SurveyItem.VALUES, column, declared, {"column": column})


def inside(column: Column) -> ColumnQuestion:
    """Ask how many rows lie within the declared bounds.

    For this plan the bounds are a step wider at either end, and what lies further out counts as that step: a share of
    rows between the true bounds is then an ordinary proportion, of the sensitivity that it always has. Rows without a
    value, by a code too, are in neither number. The column must be ordered.
    """
    assert column.type in ORDERED
    declared = {key: value for key, value in column.to_mapping().items() if key not in ("outside", "count_missing_as")}
    low, high = column.lower, column.upper
    if isinstance(low, date) and isinstance(high, date):
        step: Any = timedelta(days=1)
        ends = {"lower": (low - step).isoformat(), "upper": (high + step).isoformat()}
    else:
        assert isinstance(low, Decimal) and isinstance(high, Decimal) and column.resolution is not None
        ends = {"lower": plain(low - column.resolution), "upper": plain(high + column.resolution)}
    told = {"at_least": declared["lower"], "at_most": declared["upper"]}
    return ColumnQuestion(SurveyItem.INSIDE, column.name, declared | ends, {"where": [{"column": column.name, **told}]})


def plan_parts(questions: Sequence[ColumnQuestion]) -> dict[str, Any]:
    """Columns and statistics of a plan that asks questions about different columns."""
    ids = [each.asked.value if len(questions) == 1 else f"{each.asked}_{n}" for n, each in enumerate(questions, 1)]
    return {
        "columns": {each.column: dict(each.declared) for each in questions},
        "statistics": [
            {"id": id, "kind": KINDS[each.asked], **each.options} for id, each in zip(ids, questions, strict=True)
        ],
    }


def asked_by(statistic: Mapping[str, Any]) -> SurveyItem | None:
    """Return the question that a plan's statistic asks, by its id and kind; None for any other statistic."""
    word = str(statistic.get("id", "")).partition("_")[0]
    found = SurveyItem(word) if word in list(SurveyItem) else None
    return found if found is not None and KINDS[found] == statistic.get("kind") else None

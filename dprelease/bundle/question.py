"""What one statistic of a release asks, in words, from the plan in its certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.bundle.display import shown, shown_key, visible
from dprelease.bundle.words import WORDS, enumerate_words, say
from dprelease.model.release import Axis, Release

LONGEST_NAME = 60
LONGEST_CONDITION = 160
USUAL_PER = 1000
"""What a rate is per, where the plan does not say."""
COUNTED = frozenset({"count", "histogram", "crosstab", "top"})
SELECTED = "noisy_top_k"
"""The method of `top` without counts."""
ADDITIVE = COUNTED | {"sum", "units", "survey"}
"""Kinds whose cells add up to a whole, so that a bar from zero is what they mean."""
SHARES = frozenset({"proportion", "cdf", "survey"})
MEASURED = frozenset({"variance", "std", "covariance", "correlation"})
"""Kinds whose values are called by the kind."""
ENDINGS = ("", "_from", "_to", "_up_to")
"""Of the key columns of a column."""
HEADS = {"mode": "head_value", "top": "head_value", "threshold": "head_answer", "bounds": "head_value"}
TESTS = ("at_least", "at_most", "equals", "in")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A statistic as readers see it. All texts are visible and of bounded length."""

    id: str
    kind: str
    text: str
    measure: str
    """What the values are: records, or a column and its unit of measure."""
    names: tuple[str, ...]
    """Columns the plan names as keys of this statistic or as what it is about, exactly."""
    columns: Mapping[str, Any]
    """What the plan declares about its columns, by name."""

    @classmethod
    def of(cls, release: Release, statistic: str) -> Question:
        plan = release.certificate["plan"]
        asked = next(item for item in plan["statistics"] if item["id"] == statistic)
        columns: Mapping[str, Any] = plan.get("columns", {})
        values = _values(asked, columns, release.certificate.get("guarantee", {}).get("unit", "unit"))
        by = [*asked.get("by", ()), *asked.get("columns", ())]
        own = asked.get("column")
        return cls(
            id=statistic,
            kind=str(asked["kind"]),
            text=say(_key(asked), **values),
            measure=_measure(asked, values, columns),
            names=(*by, own) if own is not None else tuple(by),
            columns=columns,
        )

    @property
    def head(self) -> str:
        """The key of the heading of its values."""
        return HEADS.get(self.kind, "head_estimate")

    def column(self, axis: Axis) -> str | None:
        """The column that an axis' first key column comes from."""
        return self.column_of(axis.names[0])

    def column_of(self, name: str) -> str | None:
        """The column that a key column comes from: `age` for `age`, `age_from`, `age_to` and `age_up_to`."""
        bare = name.rstrip("_")
        return next((item for item in self.names if bare in {f"{item}{end}".rstrip("_") for end in ENDINGS}), None)

    def listed(self, axis: Axis) -> bool:
        """Whether an axis has names in an order of their own, whatever they look like."""
        declared = self.columns.get(self.column(axis) or "") or {}
        return declared.get("type") in ("category", "boolean")

    def axis_title(self, axis: Axis) -> str:
        """How an axis is called: its columns and units of measure, or its first key column."""
        names = dict.fromkeys(self.column_of(name) or name for name in axis.names)
        return " · ".join(titled(name, self.columns) for name in names) if len(names) > 1 else self.title(axis.names[0])

    def title(self, name: str) -> str:
        """How a key column is called."""
        return titled(self.column_of(name) or name, self.columns)


def _values(asked: Mapping[str, Any], columns: Mapping[str, Any], unit: str) -> dict[str, str]:
    """What a question or measure may name."""

    def title(key: str) -> str:
        return titled(asked[key], columns) if key in asked else ""

    by = [titled(name, columns) for name in (*asked.get("by", ()), *asked.get("columns", ()))]
    where = list(conditions(asked.get("where", ())))
    return {
        "kind": str(asked["kind"]).replace("_", " ").capitalize(),
        "column": title("column") or title("numerator"),
        "divisor": title("denominator"),
        "weights": title("survey_weights"),
        "by": enumerate_words(by) if by else "",
        "unit": visible(unit, LONGEST_NAME),
        "where": visible(enumerate_words(where), LONGEST_CONDITION) if where else "",
        "per": shown(asked.get("per", USUAL_PER)),
        "threshold": shown(asked.get("threshold")),
    }


def _key(asked: Mapping[str, Any]) -> str:
    """The key of the question's words."""
    kind = asked["kind"]
    parts = f"ask_{kind}", f"ask_{kind}_of" if "column" in asked else ""
    key = next((part for part in reversed(parts) if part in WORDS), "ask_other")
    by = f"{key}_by"
    return by if by in WORDS and (asked.get("by") or asked.get("columns")) else key


def _measure(asked: Mapping[str, Any], values: Mapping[str, str], columns: Mapping[str, Any]) -> str:
    kind = asked["kind"]
    if kind in ("units", "ratio", "threshold"):
        measure = say(f"{kind}_measure", **values)
    elif kind == "rate":
        measure = say("rate_of_measure" if "column" in asked else "rate_measure", **values)
    elif kind in MEASURED:
        column = titled(asked["column"], columns, squared=kind == "variance") if "column" in asked else ""
        measure = say(f"{kind}_measure", column=column)
    elif kind in SHARES:
        measure = say("share_measure")
    else:
        counted = kind in COUNTED and asked.get("method") != SELECTED
        measure = say("records") if counted or not values["column"] else values["column"]
    return say("weighted", measure=measure, weights=values["weights"]) if values["weights"] else measure


def conditions(stated: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Conditions as in a plan file, in words."""
    for condition in stated:
        for key in TESTS:
            if key in condition:
                items = condition[key] if key == "in" else [condition[key]]
                value = enumerate_words([_shown(item) for item in items])
                yield say(f"where_{key}", column=visible(condition["column"], LONGEST_NAME), value=value)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else visible(shown_key(value))


def titled(name: str, columns: Mapping[str, Any], *, squared: bool = False) -> str:
    """A column's name with its unit of measure."""
    declared = columns.get(name) or {}
    short = visible(name, LONGEST_NAME)
    unit = visible(str(declared.get("unit") or ""), LONGEST_NAME)
    if unit and squared:
        unit = say("squared", unit=unit)
    return say("with_unit", name=short, unit=unit) if unit else short

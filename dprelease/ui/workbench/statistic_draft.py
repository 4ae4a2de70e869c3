"""A statistic while it is being made, with its conditions: what the fields of a card say, complete or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from dprelease.model.column import LISTED
from dprelease.model.column_options import GROUP, MissingByColumn
from dprelease.model.options import Conditions
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.algebra.unanswered import groupable

_keys = count(1)
SHARES = ("weight", "epsilon", "target_error")
"""Ways to set a statistic's share of the budget."""


def next_key() -> int:
    """Return a number that nothing else on this server's pages has."""
    return next(_keys)


@dataclass
class ConditionDraft:
    """One test of `where`. Tests with the same `group` stand in one line of the plan file."""

    column: str | None = None
    test: str | None = None
    value: Any = None
    key: int = field(default_factory=next_key)
    group: int = field(default_factory=next_key)


@dataclass
class StatisticDraft:
    """One statistic. `options` keeps what was chosen for any kind; only the present kind's are used."""

    kind: str
    id: str = ""
    share: str = SHARES[0]
    weight: Any = 1
    epsilon: Any = None
    target: Any = None
    """The error that is to be kept to."""
    confidence: Any = 0.95
    options: dict[str, Any] = field(default_factory=dict)
    """Options as in a plan file; conditions as drafts. Key columns asked about have a way under `missing`, or ""."""
    key: int = field(default_factory=next_key)

    def mapping(self, chosen_id: str) -> dict[str, Any]:
        result: dict[str, Any] = {"id": chosen_id, "kind": self.kind}
        for key, reader in KINDS[self.kind].options().items():
            value = self.options.get(key)
            if isinstance(reader, MissingByColumn) and value:
                value = {name: way for name, way in value.items() if way and name in reader.names(self.options)}
            if value not in (None, [], {}, ""):
                result[key] = lines(value) if isinstance(reader, Conditions) else value
        if self.share == "epsilon":
            result["epsilon"] = self.epsilon
        elif self.share == "target_error":
            result["target_error"] = {"value": self.target, "confidence": self.confidence}
        elif self.weighted:
            result["weight"] = self.weight
        return result

    @property
    def weighted(self) -> bool:
        """True if the statistic has a weight other than the usual one."""
        return bool(self.share not in ("epsilon", "target_error") and self.weight != 1)

    @property
    def unanswered(self) -> str:
        """The open question about the statistic's share: a key of words, or nothing."""
        if self.share == "epsilon" and self.epsilon is None:
            return "plan_needs_own_epsilon"
        return "plan_needs_target" if self.share == "target_error" and self.target is None else ""


def statistic_draft(item: Mapping[str, Any]) -> StatisticDraft:
    """Return the fields of a statistic in a plan file."""
    readers = KINDS[item["kind"]].options()
    missing = readers.get("missing")
    if isinstance(missing, MissingByColumn):
        item = {**item, "missing": dict.fromkeys(missing.names(item), "") | dict(item.get("missing", {}))}
    target = item.get("target_error", {})
    return StatisticDraft(
        item["kind"],
        item["id"],
        share=next((key for key in SHARES if key in item), SHARES[0]),
        weight=item.get("weight", 1),
        epsilon=item.get("epsilon"),
        target=target.get("value"),
        confidence=target.get("confidence", 0.95),
        options={
            key: conditions(item[key]) if isinstance(reader, Conditions) else item[key]
            for key, reader in readers.items()
            if key in item
        },
    )


def grouped(item: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return a proposed statistic: rows without an answer to a listed key are a group, unless it says otherwise."""
    reader = KINDS[item["kind"]].options().get("missing")
    if not isinstance(reader, MissingByColumn) or "missing" in item:
        return dict(item)
    names = [name for name in groupable(reader.names(item), schema) if schema[name].type in LISTED]
    return {**item, **({"missing": dict.fromkeys(names, GROUP)} if names else {})}


def lines(drafts: Sequence[ConditionDraft]) -> list[dict[str, Any]]:
    """Return conditions as in a plan file."""
    found: dict[int, dict[str, Any]] = {}
    for item in drafts:
        line = found.setdefault(item.group, {"column": item.column})
        if item.test:
            line[item.test] = item.value
    return list(found.values())


def conditions(stated: Sequence[Mapping[str, Any]]) -> list[ConditionDraft]:
    """Return the inverse of `lines`."""
    drafts = []
    for line in stated:
        group = next_key()
        tests = [(key, value) for key, value in line.items() if key != "column"]
        drafts += [ConditionDraft(line["column"], test, value, group=group) for test, value in tests]
    return drafts

"""A plan while it is being made: what the page's fields say, complete or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import streamlit as st
import yaml

from dprelease.model.options import Conditions
from dprelease.model.population import Dataset, Population
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics import Plan
from dprelease.ui.session import DRAFT

_keys = count(1)
LONGEST_ID = 60
SHARES = ("weight", "epsilon", "target_error")
"""What a statistic's part of the budget follows from."""


def _next_key() -> int:
    return next(_keys)


@dataclass
class ConditionDraft:
    """One test of `where`. Tests with the same `group` stand in one line of the plan file."""

    column: str | None = None
    test: str | None = None
    value: Any = None
    key: int = field(default_factory=_next_key)
    group: int = field(default_factory=_next_key)


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
    """As in a plan file; conditions as drafts of them."""
    key: int = field(default_factory=_next_key)

    def suggested_id(self) -> str:
        """An id made from kind and columns."""
        asked = KINDS[self.kind].options()
        own = [self.options[name] for name in ("column", "numerator") if name in asked and self.options.get(name)]
        several = [name for key in ("columns", "by") if key in asked for name in self.options.get(key) or ()]
        words = [self.kind, *own, *several]
        text = re.sub(r"[^a-z0-9]+", "_", "_".join(words).lower()).strip("_")
        return text[: LONGEST_ID - 4].strip("_") or self.kind

    def mapping(self, chosen_id: str) -> dict[str, Any]:
        result: dict[str, Any] = {"id": chosen_id, "kind": self.kind}
        for key, reader in KINDS[self.kind].options().items():
            value = self.options.get(key)
            if value not in (None, [], {}, ""):
                result[key] = lines(value) if isinstance(reader, Conditions) else value
        if self.share == "epsilon":
            result["epsilon"] = self.epsilon
        elif self.share == "target_error":
            result["target_error"] = {"value": self.target, "confidence": self.confidence}
        elif self.weight != 1:
            result["weight"] = self.weight
        return result

    @property
    def unanswered(self) -> str:
        """What of its share is still open: a key of words, or nothing."""
        if self.share == "epsilon" and self.epsilon is None:
            return "plan_needs_own_epsilon"
        return "plan_needs_target" if self.share == "target_error" and self.target is None else ""


@dataclass
class Draft:
    """The fields of a plan."""

    dataset: str | None = None
    title: str = ""
    description: str = ""
    epsilon: Any = 1
    delta: Any = 0
    max_rows: int | None = None
    max_groups: int | None = None
    expected_rows: int | None = None
    expected_units: int | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Declared in the plan file itself."""
    where: list[ConditionDraft] = field(default_factory=list)
    weights: str = ""
    postprocess: list[str] = field(default_factory=list)
    statistics: list[StatisticDraft] = field(default_factory=list)
    generation: int = field(default_factory=_next_key)
    """Another one when all fields changed at once."""

    def ids(self) -> list[str]:
        """The id of each statistic: as typed, else suggested; suggestions never collide."""
        taken = {item.id for item in self.statistics if item.id}
        result = []
        for item in self.statistics:
            chosen, number = item.id or item.suggested_id(), 1
            while not item.id and chosen in taken:
                number += 1
                chosen = f"{item.suggested_id()}_{number}"
            taken.add(chosen)
            result.append(chosen)
        return result

    def schema(self, dataset: Dataset) -> Schema:
        """The dataset's declared columns, joined by the plan's own."""
        return dataset.schema.updated(Schema.parse(self.columns)) if self.columns else dataset.schema

    def mapping(self, dataset: Dataset, population: Population) -> dict[str, Any]:
        """As in a plan file; unit and relation are the dataset's and the population's."""
        unit: Any = "row"
        if dataset.unit_column is not None:
            groups = {} if self.max_groups is None else {"max_groups": self.max_groups}
            unit = {"column": dataset.unit_column, "max_rows": self.max_rows, **groups}
        result: dict[str, Any] = {"dprelease": 1, "title": self.title, "description": self.description}
        result = {key: value for key, value in result.items() if value}
        result["dataset"] = dataset.name
        result["privacy"] = {
            "unit": unit,
            "neighbors": population.neighbors.value,
            "epsilon": self.epsilon,
            "delta": self.delta,
        }
        if self.expected_rows is not None:
            units = {} if self.expected_units is None else {"units": self.expected_units}
            result["expected"] = {"rows": self.expected_rows, **units}
        if self.columns:
            result["columns"] = dict(self.columns)
        settings = {"where": lines(self.where), "weights": self.weights, "postprocess": list(self.postprocess)}
        result |= {key: value for key, value in settings.items() if value}
        pairs = zip(self.statistics, self.ids(), strict=True)
        result["statistics"] = [item.mapping(chosen) for item, chosen in pairs]
        return result

    @classmethod
    def from_plan(cls, plan: Plan) -> Draft:
        """The fields of a finished plan."""
        mapping = plan.to_mapping()
        expected = mapping.get("expected", {})
        return cls(
            dataset=plan.dataset,
            title=plan.title,
            description=plan.description,
            epsilon=mapping["privacy"]["epsilon"],
            delta=mapping["privacy"]["delta"],
            max_rows=None if plan.unit.column is None else plan.unit.max_rows,
            max_groups=plan.unit.max_groups,
            expected_rows=expected.get("rows"),
            expected_units=expected.get("units"),
            columns=mapping.get("columns", {}),
            where=conditions(mapping.get("where", [])),
            weights=plan.weights,
            postprocess=list(plan.postprocess),
            statistics=[_statistic(item) for item in mapping["statistics"]],
        )


def lines(drafts: Sequence[ConditionDraft]) -> list[dict[str, Any]]:
    """Conditions as in a plan file."""
    found: dict[int, dict[str, Any]] = {}
    for item in drafts:
        line = found.setdefault(item.group, {"column": item.column})
        if item.test:
            line[item.test] = item.value
    return list(found.values())


def conditions(stated: Sequence[Mapping[str, Any]]) -> list[ConditionDraft]:
    """The inverse of `lines`."""
    drafts = []
    for line in stated:
        group = _next_key()
        tests = [(key, value) for key, value in line.items() if key != "column"]
        drafts += [ConditionDraft(line["column"], test, value, group=group) for test, value in tests]
    return drafts


def _statistic(item: Mapping[str, Any]) -> StatisticDraft:
    readers = KINDS[item["kind"]].options()
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


def kept() -> Draft:
    """This tab's draft."""
    if DRAFT not in st.session_state:
        st.session_state[DRAFT] = Draft()
    draft: Draft = st.session_state[DRAFT]
    return draft


def keep(draft: Draft) -> None:
    """Replaces this tab's draft."""
    st.session_state[DRAFT] = draft


def has_work() -> bool:
    """Whether this tab holds a draft with anything in it."""
    return bool(DRAFT in st.session_state and kept().statistics)


def as_yaml(mapping: Mapping[str, Any]) -> str:
    """A plan file."""
    return yaml.safe_dump(dict(mapping), sort_keys=False, allow_unicode=True, width=100)

"""A plan while it is being made: what the page's fields say, complete or not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import streamlit as st
import yaml

from dprelease.model.population import Dataset, Population
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics import Plan
from dprelease.ui.session import DRAFT

_keys = count(1)
LONGEST_ID = 60


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
    own_epsilon: bool = False
    weight: Any = 1
    epsilon: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    key: int = field(default_factory=_next_key)

    def suggested_id(self) -> str:
        """An id made from kind and columns."""
        own = [name] if (name := self.options.get("column")) else []
        words = [self.kind, *own, *(self.options.get("columns") or ()), *(self.options.get("by") or ())]
        text = re.sub(r"[^a-z0-9]+", "_", "_".join(words).lower()).strip("_")
        return text[: LONGEST_ID - 4].strip("_") or self.kind

    def mapping(self, chosen_id: str) -> dict[str, Any]:
        chosen = {key: self.options.get(key) for key in KINDS[self.kind].options()}
        result = {"id": chosen_id, "kind": self.kind}
        result |= {key: value for key, value in chosen.items() if value not in (None, [], {}, "")}
        if self.own_epsilon:
            result["epsilon"] = self.epsilon
        elif self.weight != 1:
            result["weight"] = self.weight
        return result


@dataclass
class Draft:
    """The fields of a plan."""

    dataset: str | None = None
    title: str = ""
    description: str = ""
    epsilon: Any = 1
    delta: Any = 0
    max_rows: int | None = None
    expected_rows: int | None = None
    expected_units: int | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Declared in the plan file itself."""
    where: list[ConditionDraft] = field(default_factory=list)
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
        row = dataset.unit_column is None
        unit = "row" if row else {"column": dataset.unit_column, "max_rows": self.max_rows}
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
        where = self._where()
        if where:
            result["where"] = where
        pairs = zip(self.statistics, self.ids(), strict=True)
        result["statistics"] = [item.mapping(chosen) for item, chosen in pairs]
        return result

    def _where(self) -> list[dict[str, Any]]:
        lines: dict[int, dict[str, Any]] = {}
        for item in self.where:
            line = lines.setdefault(item.group, {"column": item.column})
            if item.test:
                line[item.test] = item.value
        return list(lines.values())

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
            expected_rows=expected.get("rows"),
            expected_units=expected.get("units"),
            columns=mapping.get("columns", {}),
            where=[item for line in mapping.get("where", []) for item in _conditions(line)],
            statistics=[_statistic(item) for item in mapping["statistics"]],
        )


def _conditions(line: Mapping[str, Any]) -> list[ConditionDraft]:
    group = _next_key()
    tests = [(key, value) for key, value in line.items() if key != "column"]
    return [ConditionDraft(line["column"], test, value, group=group) for test, value in tests]


def _statistic(item: Mapping[str, Any]) -> StatisticDraft:
    options = {key: item[key] for key in KINDS[item["kind"]].options() if key in item}
    return StatisticDraft(
        item["kind"],
        item["id"],
        own_epsilon="epsilon" in item,
        weight=item.get("weight", 1),
        epsilon=item.get("epsilon"),
        options=options,
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

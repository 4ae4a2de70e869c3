"""A plan while it is being made: what the page's fields say, complete or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from dprelease.model.encoding import plain
from dprelease.model.plan import MINIMISE
from dprelease.model.population import Dataset, Population
from dprelease.model.schema import Schema
from dprelease.model.yaml_text import dump
from dprelease.statistics import Plan
from dprelease.statistics.planning.naming import suggested_id, unique_ids
from dprelease.ui.kit.session import DRAFT
from dprelease.ui.workbench.statistic_draft import (
    ConditionDraft,
    StatisticDraft,
    conditions,
    lines,
    next_key,
    statistic_draft,
)

MOST = 200


@dataclass
class DraftHistory:
    """The saved bodies of a draft, and the place of the present one."""

    steps: list[Mapping[str, Any]] = field(default_factory=list)
    place: int = -1

    def remember(self, body: Mapping[str, Any]) -> None:
        """Take in what was saved; what was undone before is forgotten. The same again is no step."""
        if self.steps and self.steps[self.place] == body:
            return
        self.steps = [*self.steps[: self.place + 1], body][-MOST:]
        self.place = len(self.steps) - 1

    @property
    def can_undo(self) -> bool:
        return self.place > 0

    @property
    def can_redo(self) -> bool:
        return self.place < len(self.steps) - 1

    def back(self) -> Mapping[str, Any] | None:
        """Return the body before, if there is one."""
        return self._step(-1) if self.can_undo else None

    def forth(self) -> Mapping[str, Any] | None:
        """Return the body that was undone, if there is one."""
        return self._step(1) if self.can_redo else None

    def _step(self, by: int) -> Mapping[str, Any]:
        self.place += by
        return self.steps[self.place]


ITSELF = "itself"
"""Key of the weights that the draft has by itself."""


@dataclass
class CriterionDraft:
    """A criterion that the release has to meet."""

    statistic: int
    """The key of the statistic that it is about: its id may still change."""
    requirement: str
    limit: Any
    """Limit, as in a plan file."""


@dataclass
class DerivedDraft:
    """A quantity computed from the counts of a statistic and from public figures."""

    statistic: int
    """The key of the statistic."""
    told: Mapping[str, Any]
    """The rest, as in a plan file."""


@dataclass
class Saved:
    """The workspace's draft, and what was last saved of it."""

    id: str
    name: str
    revision: int
    body: Mapping[str, Any]
    changed: str


@dataclass
class Draft:
    """The fields of a plan."""

    dataset: str | None = None
    title: str = ""
    description: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Descriptions, as in a plan file, where they are written."""
    run: Mapping[str, Any] = field(default_factory=dict)
    """The run, as in a plan file; empty where it is published once."""
    epsilon: Any = 1
    delta: Any = 0
    max_rows: int | None = None
    max_groups: int | None = None
    expected_rows: int | None = None
    expected_units: int | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Columns declared in the plan file itself."""
    missing_codes: list[Any] | None = None
    """Codes of missing answers in all columns, as in a plan file; an empty list is a statement, too."""
    texts: Mapping[str, Any] = field(default_factory=dict)
    """Labels and code lists, as in a plan file."""
    public: Mapping[str, Any] = field(default_factory=dict)
    """Figures from elsewhere, as in a plan file."""
    derived: list[DerivedDraft] = field(default_factory=list)
    where: list[ConditionDraft] = field(default_factory=list)
    weights: str = ITSELF
    """Rule for weights, as in a plan file, or `itself`: see `objective`."""
    postprocess: list[str] = field(default_factory=list)
    charts: bool = True
    lead: int | None = None
    """The key of the statistic of which is told first what is found in it."""
    statistics: list[StatisticDraft] = field(default_factory=list)
    accept: list[CriterionDraft] = field(default_factory=list)
    generation: int = field(default_factory=next_key)
    """Number that is another one when all fields changed at once."""
    plan_id: str = ""
    """Id of the plan last submitted from the draft; the next one follows that, where it was returned."""
    selected: int | None = None
    """The key of the statistic that is looked at."""
    history: DraftHistory = field(default_factory=DraftHistory, repr=False)
    saved: Saved | None = None
    """Draft as the workspace has it."""
    stale: bool = False
    """True if another tab saved the draft meanwhile, so that this one may not."""
    answer: tuple[Any, Any] | None = None
    """The errors that were asked for, and the ε that they need."""

    def ids(self) -> list[str]:
        """Return the id of each statistic: as typed, else suggested; suggestions never collide."""
        suggested = (suggested_id(item.kind, item.options) for item in self.statistics)
        return unique_ids([item.id for item in self.statistics], suggested)

    def remove(self, item: StatisticDraft) -> None:
        """Take a statistic out, and what was asked of it."""
        self.statistics.remove(item)
        self.accept = [asked for asked in self.accept if asked.statistic != item.key]
        self.derived = [each for each in self.derived if each.statistic != item.key]

    def place(self, key: int | None) -> int | None:
        """Return the place of a statistic, by its key; None where it is not there."""
        return next((place for place, item in enumerate(self.statistics) if item.key == key), None)

    @property
    def chosen(self) -> int | None:
        """The place of the statistic that is looked at: the one that was chosen, else the first."""
        found = self.place(self.selected)
        return found if found is not None else 0 if self.statistics else None

    @property
    def objective(self) -> str:
        """The plan's rule for weights: by itself an objective, where rows are expected and no weights stated."""
        if self.weights != ITSELF:
            return self.weights
        weighted = any(item.weighted for item in self.statistics)
        return "" if self.expected_rows is None or weighted else MINIMISE

    @property
    def started(self) -> bool:
        """True if the draft holds anything that would be missed."""
        return bool(self.statistics or self.title or self.where)

    def schema(self, dataset: Dataset) -> Schema:
        """Return the dataset's declared columns, joined by the plan's own."""
        return dataset.schema.updated(Schema.parse(self.columns)) if self.columns else dataset.schema

    def mapping(self, dataset: Dataset, population: Population) -> dict[str, Any]:
        """Return the draft as in a plan file; unit and relation are the dataset's and the population's."""
        unit: Any = "row"
        if dataset.unit_column is not None:
            groups = {} if self.max_groups is None else {"max_groups": self.max_groups}
            unit = {"column": dataset.unit_column, "max_rows": self.max_rows, **groups}
        stated = {"title": self.title, "description": self.description, "about": dict(self.about)}
        result: dict[str, Any] = {"dprelease": 1, **{key: value for key, value in stated.items() if value}}
        result["dataset"] = dataset.name
        if self.run:
            result["run"] = dict(self.run)
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
        if self.missing_codes is not None:
            result["missing_codes"] = list(self.missing_codes)
        settings = {"where": lines(self.where), "weights": self.objective, "postprocess": list(self.postprocess)}
        result |= {key: value for key, value in settings.items() if value}
        if not self.charts:
            result["charts"] = False
        ids = {item.key: chosen for item, chosen in zip(self.statistics, self.ids(), strict=True)}
        result["statistics"] = [item.mapping(ids[item.key]) for item in self.statistics]
        if self.lead in ids:
            result["lead"] = ids[self.lead]
        if self.texts:
            result["texts"] = self._texts(set(ids.values()))
        result |= self._derived(ids)
        if self.accept:
            result["accept"] = [
                {"statistic": ids[asked.statistic], asked.requirement: asked.limit} for asked in self.accept
            ]
        return result

    def _derived(self, ids: Mapping[int, str]) -> dict[str, Any]:
        """Return derived quantities, without the figures that nothing is divided by any more."""
        derived = [{**each.told, "of": ids[each.statistic]} for each in self.derived]
        used = {name for each in derived for name in (each.get("per"), each.get("standardise", {}).get("weights"))}
        public = {name: table for name, table in self.public.items() if name in used}
        return {**({"public": public} if public else {}), "derived": derived} if derived else {}

    def _texts(self, ids: set[str]) -> dict[str, Any]:
        """Return texts, without what is said of statistics that are there no more."""
        said = {name: words for name, words in self.texts.get("statistics", {}).items() if name in ids}
        others = {key: words for key, words in self.texts.items() if key != "statistics"}
        return {**others, **({"statistics": said} if said else {})}

    @classmethod
    def from_plan(cls, plan: Plan) -> Draft:
        """Return the fields of a finished plan."""
        mapping = plan.to_mapping()
        expected = mapping.get("expected", {})
        statistics = [statistic_draft(item) for item in mapping["statistics"]]
        keys = {item.id: item.key for item in statistics}
        return cls(
            dataset=plan.dataset,
            title=plan.title,
            description=plan.description,
            about=mapping.get("about", {}),
            run=mapping.get("run", {}),
            epsilon=mapping["privacy"]["epsilon"],
            delta=mapping["privacy"]["delta"],
            max_rows=None if plan.unit.column is None else plan.unit.max_rows,
            max_groups=plan.unit.max_groups,
            expected_rows=expected.get("rows"),
            expected_units=expected.get("units"),
            columns=mapping.get("columns", {}),
            missing_codes=mapping.get("missing_codes"),
            texts=mapping.get("texts", {}),
            public=mapping.get("public", {}),
            derived=[DerivedDraft(keys[each["of"]], each) for each in mapping.get("derived", [])],
            where=conditions(mapping.get("where", [])),
            weights=plan.weights,
            postprocess=list(plan.postprocess),
            charts=plan.charts,
            lead=keys.get(plan.lead),
            statistics=statistics,
            accept=[
                CriterionDraft(keys[each.statistic], each.requirement.value, plain(each.limit)) for each in plan.accept
            ],
        )


def current() -> Draft:
    """Return this tab's draft."""
    if DRAFT not in st.session_state:
        st.session_state[DRAFT] = Draft()
    draft: Draft = st.session_state[DRAFT]
    return draft


def keep(draft: Draft) -> None:
    """Replace this tab's draft."""
    st.session_state[DRAFT] = draft


def in_tab() -> bool:
    """Return True if this tab holds a draft at all, be it an empty one that was begun anew."""
    return DRAFT in st.session_state


def as_yaml(mapping: Mapping[str, Any]) -> str:
    """Write a plan file."""
    return dump(dict(mapping))

"""A draft as it is saved: everything that its fields say, complete or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.ui.plan.draft import CriterionDraft, Draft
from dprelease.ui.plan.statistic_draft import ConditionDraft, StatisticDraft

FIELDS = (
    "dataset",
    "title",
    "description",
    "about",
    "epsilon",
    "delta",
    "max_rows",
    "max_groups",
    "expected_rows",
    "expected_units",
    "columns",
    "weights",
    "postprocess",
)
STATISTIC_FIELDS = ("kind", "id", "share", "weight", "epsilon", "target", "confidence")
CONDITIONS = "conditions"


def written(draft: Draft) -> dict[str, Any]:
    """Any JSON; `read` is the inverse."""
    places = {item.key: place for place, item in enumerate(draft.statistics)}
    return {
        **{name: getattr(draft, name) for name in FIELDS},
        "where": _lines(draft.where),
        "statistics": [
            {**{name: getattr(item, name) for name in STATISTIC_FIELDS}, "options": _options(item.options)}
            for item in draft.statistics
        ],
        "accept": [
            {"place": places[asked.statistic], "requirement": asked.requirement, "limit": asked.limit}
            for asked in draft.accept
        ],
    }


def read(body: Mapping[str, Any]) -> Draft:
    """The draft that was saved. What an earlier version did not know is as in a new one."""
    draft = Draft(**{name: body[name] for name in FIELDS if name in body})
    draft.where = _conditions(body.get("where", []))
    draft.statistics = [
        StatisticDraft(
            **{name: item[name] for name in STATISTIC_FIELDS if name in item},
            options={name: _value(value) for name, value in item.get("options", {}).items()},
        )
        for item in body.get("statistics", [])
    ]
    draft.accept = [
        CriterionDraft(draft.statistics[item["place"]].key, item["requirement"], item["limit"])
        for item in body.get("accept", [])
    ]
    return draft


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {CONDITIONS: _lines(value)}
        if isinstance(value, list) and any(isinstance(item, ConditionDraft) for item in value)
        else value
        for name, value in options.items()
    }


def _value(value: Any) -> Any:
    return _conditions(value[CONDITIONS]) if isinstance(value, Mapping) and set(value) == {CONDITIONS} else value


def _lines(conditions: list[ConditionDraft]) -> list[dict[str, Any]]:
    """Groups are numbered from 0, in order: their own numbers are good for one run of the program."""
    groups: dict[int, int] = {}
    return [
        {
            "column": item.column,
            "test": item.test,
            "value": item.value,
            "group": groups.setdefault(item.group, len(groups)),
        }
        for item in conditions
    ]


def _conditions(saved: list[dict[str, Any]]) -> list[ConditionDraft]:
    groups: dict[Any, int] = {}
    found = []
    for line in saved:
        item = ConditionDraft(line["column"], line["test"], line["value"])
        item.group = groups.setdefault(line["group"], item.group)
        found.append(item)
    return found

"""What a statistic and a plan measure, apart from what is spent on it and how it is called."""

from __future__ import annotations

from typing import Any

from dprelease.model.column import Column
from dprelease.model.encoding import canonical, digest
from dprelease.model.plan import Plan
from dprelease.model.statistic import COMMON_KEYS, Statistic

SAID = ("description", "unit")
"""What is said of a column and decides no number."""


def measured(statistic: Statistic, plan: Plan) -> str:
    """The same for two statistics that are the same function of the same rows: two draws of it tell more than one.

    Decided by the kind, its options, the declarations of the columns that it uses, the plan's conditions, dataset and
    unit. Titles, ids, shares, descriptions, other statistics and other columns change nothing, nor does any order.
    """
    options = {key: value for key, value in statistic.to_mapping().items() if key not in COMMON_KEYS}
    used = {*statistic.used_columns(), *(condition.column for condition in plan.where)}
    facts = {
        "kind": statistic.kind,
        "options": options,
        "columns": {name: _deciding(plan.schema[name]) for name in sorted(used)},
        "where": [condition.to_mapping() for condition in plan.where],
        "dataset": plan.dataset,
        "unit": plan.unit.to_mapping(),
    }
    return digest(_unordered(facts))


def measured_of(plan: Plan) -> str:
    """The same for two complete plans that measure the same: what each of their statistics does, and the adjustment.

    They may differ in ε, δ, shares (also such as follow from expected rows), criteria, ids, titles and pictures. Unlike
    `measured`, the order of questions counts, where a statistic stops after some that reach a threshold: whoever saw
    the truth would put those first.
    """
    each = sorted(measured(statistic, plan) + _in_turn(statistic) for statistic in plan.statistics)
    return digest({"statistics": each, "postprocess": sorted(plan.postprocess)})


def _in_turn(statistic: Statistic) -> str:
    """The order of the questions of a statistic that asks some in turn, each by what it counts."""
    questions = statistic.to_mapping().get("questions", ())
    return digest({"in_turn": [_unordered(question["where"]) for question in questions]}) if questions else ""


def _deciding(column: Column) -> dict[str, Any]:
    return {key: value for key, value in column.to_mapping().items() if key not in SAID}


def _unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unordered(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return sorted((_unordered(each) for each in value), key=lambda each: canonical([each]))
    return value

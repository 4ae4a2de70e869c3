"""Facts that a statistic and a plan measure by, apart from what is spent on them and their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from dprelease.model.difference import Change, changes
from dprelease.model.encoding import canonical, digest
from dprelease.model.plan import Plan
from dprelease.model.reference import measure_of, reference_of
from dprelease.model.statistic import COMMON_KEYS, Statistic

SAID = ("description", "unit")
"""Column properties that describe a column and decide no number."""


def measured_each(plan: Plan, *, filtered: bool = True) -> Iterator[str]:
    """Yield each statistic's digest, the same for one function of the same rows: two draws of it tell more than one.

    Decided by the kind, its options, the declarations of the columns that it uses, the plan's conditions, dataset and
    unit. Titles, ids, shares, descriptions, other statistics and other columns change nothing, nor does any order.
    `filtered`: False leaves the conditions out.
    """
    where = [condition.to_mapping() for condition in plan.where] if filtered else []
    shared = _unordered({"where": where, "unit": plan.unit.to_mapping(), "dataset": plan.dataset})
    tested = {condition["column"] for condition in where}
    column = cache(lambda name: _unordered(_deciding(plan.schema[name].to_mapping())))
    for statistic in plan.statistics:
        asked = statistic.to_mapping()
        used = {name: column(name) for name in plan.schema.with_inputs({*statistic.used_columns(), *tested})}
        yield digest({"kind": asked["kind"], "options": _unordered(_options(asked)), "columns": used, **shared})


def comparable(asked: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts, all but the dataset, that `measured_each` decides by, of a statistic as a published plan has
    it: editions with equal facts measure the same of other years.

    A column counts as used where its name stands anywhere in the statistic. The days that it keeps of the reference
    column are its edition, no part of what it measures.
    """
    where, columns = plan.get("where", []), plan.get("columns", {})
    named = _names(_options(asked)) | {each["column"] for each in where}
    while further := {name for each in named & columns.keys() for name in _names(columns[each].get("made"))} - named:
        named |= further
    used = {name: each for name, each in columns.items() if name in named}
    return measure_of(_facts(asked, used, where, plan["privacy"]["unit"]), reference_of(plan))


def fingerprint(facts: Mapping[str, Any]) -> str:
    """Return the digest of such facts: no order in them changes it."""
    return digest(_unordered(facts))


def first_difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Change | None:
    """Return the first difference between the facts of two statistics; None where they measure the same."""
    found = (each for each in changes(before, after) if _unordered(each.before) != _unordered(each.after))
    return next(found, None)


def _facts(asked: Mapping[str, Any], used: Mapping[str, Any], where: Sequence[Any], unit: Any) -> dict[str, Any]:
    """Return the facts as they are written; `used`: the declared columns that decide."""
    return {
        "kind": asked["kind"],
        "options": _options(asked),
        "columns": {name: _deciding(used[name]) for name in sorted(used)},
        "where": where,
        "unit": unit,
    }


def _options(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in asked.items() if key not in COMMON_KEYS}


def _names(value: Any) -> set[str]:
    """Return all texts in a value."""
    if isinstance(value, str):
        return {value}
    parts = (*value, *value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return {name for part in parts for name in _names(part)}


def measured_of(plan: Plan) -> str:
    """Return a digest, the same for plans that measure the same: what each of their statistics does, the adjustment,
    and what is derived by which public figures: somebody who saw true values could have copied them there.

    They may differ in ε, δ, shares (also such as follow from expected rows), criteria, ids, titles and pictures. Unlike
    in `measured_each`, the order of questions counts, where a statistic stops after some that reach a threshold:
    whoever saw the truth would put those first.
    """
    found = zip(measured_each(plan), plan.statistics, strict=True)
    each = sorted(own + _in_turn(statistic) for own, statistic in found)
    derived = [*(other.to_mapping() for other in plan.public), *(other.to_mapping() for other in plan.derived)]
    told = {"derived": _unordered(derived)} if derived else {}
    return digest({"statistics": each, "postprocess": sorted(plan.postprocess), **told})


def _in_turn(statistic: Statistic) -> str:
    """Return the order of the questions of a statistic that asks some in turn, each by what it counts."""
    questions = statistic.to_mapping().get("questions", ())
    return digest({"in_turn": [_unordered(question["where"]) for question in questions]}) if questions else ""


def _deciding(column: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in column.items() if key not in SAID}


def _unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unordered(each) for key, each in value.items()}
    if isinstance(value, list | tuple) and len(value) < 2:
        return [_unordered(each) for each in value]
    if isinstance(value, list | tuple):
        return sorted((_unordered(each) for each in value), key=lambda each: canonical([each]))
    return value

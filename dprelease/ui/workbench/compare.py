"""Two plans side by side: what differs, and what each costs and errs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from dprelease.errors import InputError, Problem
from dprelease.model.difference import Change, changes
from dprelease.model.yaml_text import one_line
from dprelease.statements.display import exact
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import known, say
from dprelease.ui.workbench import prices
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.drafts import named
from dprelease.ui.workbench.saving import restore
from dprelease.workspace import SavedDraft

MAX_ROWS = 400
MAX_OFFERED = 200
"""Maximum number of submitted plans, the last ones, that can be compared."""


@dataclass(frozen=True, slots=True)
class ComparedPlan:
    """One of the two plans, as in a plan file, with its price where it has one."""

    name: str
    mapping: Mapping[str, Any]
    price: Price | None
    problems: tuple[Problem, ...] = ()


def compare_dialog(standing: DraftStatus) -> None:
    """Ask which two, and show them; say so where there are not two."""
    choices = _choices()
    if len(choices) < 2:
        blocks.note("compare_one")
        return
    blocks.note("compare_note")
    names = list(choices)
    own = None if standing.draft.saved is None else standing.draft.saved.id
    first = names.index(own) if own in names else 0
    places = (first, 1 if first == 0 else 0)
    chosen = []
    for place, column, key in zip(places, st.columns(2), ("compare_first", "compare_second"), strict=True):
        with column:
            chosen.append(
                st.selectbox(
                    say(key),
                    names,
                    index=place,
                    key=f"{key}-{len(names)}",
                    format_func=lambda name: choices[name][0],
                )
            )
    _show(*(choices[name][1]() for name in chosen))


def _choices() -> dict[str, tuple[str, Callable[[], ComparedPlan]]]:
    """Return drafts and submitted plans, the last ones first: what they are called, and how to read them."""
    drafts = workspace().plans.drafts.find(actor=actor())
    submitted = workspace().plans.find(latest=MAX_OFFERED, actor=actor())
    found: dict[str, tuple[str, Callable[[], ComparedPlan]]] = {
        saved.id: (say("compare_draft", name=named(saved)), partial(_draft, saved)) for saved in drafts
    }
    for record in reversed(submitted):
        title = say("compare_plan", name=record.mapping.get("title") or record.dataset, id=record.id)
        found[record.id] = (title, partial(_submitted, record.id, title, record.mapping))
    return found


def _draft(saved: SavedDraft) -> ComparedPlan:
    draft, name = restore(saved), named(saved)
    datasets = {item.name: item for item in workspace().datasets.find(actor=actor())}
    dataset = datasets.get(draft.dataset or "")
    if dataset is None:
        return ComparedPlan(name, {}, None)
    population = workspace().populations.of(dataset.name, actor=actor())
    mapping = draft.mapping(dataset, population)
    try:
        return ComparedPlan(name, mapping, workspace().price(Plan.parse(mapping), actor=actor()))
    except InputError as error:
        return ComparedPlan(name, mapping, None, error.problems)


def _submitted(plan_id: str, name: str, mapping: Mapping[str, Any]) -> ComparedPlan:
    return ComparedPlan(name, mapping, workspace().plans.price_of(plan_id, actor=actor()))


def _show(first: ComparedPlan, second: ComparedPlan) -> None:
    _differences(first, second)
    _prices(first, second)
    for side in (first, second):
        if side.problems:
            blocks.note("compare_incomplete", name=side.name)
            show_problems(side.problems)


def _differences(first: ComparedPlan, second: ComparedPlan) -> None:
    blocks.subheading(say("compare_differences"))
    # A submitted plan is complete: that it holds the columns it uses, and a draft does not, is no difference.
    whole = "columns" in first.mapping and "columns" in second.mapping
    found = [
        change for change in changes(first.mapping, second.mapping) if whole or not change.path.startswith("columns")
    ]
    if not found:
        blocks.note("compare_same")
        return
    rows = [(_what(change), _written(change.before), _written(change.after)) for change in found[:MAX_ROWS]]
    heads = [say("compare_what"), first.name, second.name]
    blocks.table(say("compare_differences"), heads, rows)


def _what(change: Change) -> str:
    """Return the name of the difference, in words where there are some; else as in a plan file."""
    kind, *rest = change.path.split(".")
    if kind == "statistics" and len(rest) == 1:
        return say("compare_statistic", id=rest[0])
    if kind == "statistics":
        option = known(f"option_{rest[1]}", known(f"compare_{rest[1]}", rest[1]))
        return say("compare_option", id=rest[0], option=option)
    return known(f"compare_{'_'.join((kind, *rest))}", change.path)


def _written(value: Any) -> str:
    """Write a value as in a plan file, without its braces."""
    if value is None:
        return say("compare_absent")
    if isinstance(value, Mapping) and "kind" in value:
        value = {key: item for key, item in value.items() if key != "id"}
    return one_line(value).removeprefix("{").removesuffix("}")


def _prices(first: ComparedPlan, second: ComparedPlan) -> None:
    """Show ε, δ and each statistic's share and error, beside each other."""
    sides = (first, second)
    blocks.subheading(say("compare_prices"))
    rows = [
        ("ε", *(_total(side, "epsilon") for side in sides)),
        ("δ", *(_total(side, "delta") for side in sides)),
    ]
    items = [{} if side.price is None else {item.id: item for item in side.price.statistics} for side in sides]
    for name in dict.fromkeys((*items[0], *items[1])):
        rows.append((name, *(_cell(own.get(name), side) for own, side in zip(items, sides, strict=True))))
    heads = [say("price_statistic"), first.name, second.name]
    blocks.table(say("compare_prices"), heads, rows[:MAX_ROWS], numbers=(1, 2))


def _cell(item: StatisticPrice | None, side: ComparedPlan) -> str:
    if item is None or side.price is None:
        return say("compare_absent")
    return say("compare_cell", error=prices.error(item, side.price.plan.schema), amount=prices.amount(item))


def _total(side: ComparedPlan, name: str) -> str:
    return say("compare_absent") if side.price is None else exact(getattr(side.price, name))

"""Adding statistics: by what is to be shown, by name, or for every column at once."""

from __future__ import annotations

import streamlit as st

from dprelease.model.population import Dataset
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.planning.goals import GOALS, Suggestion, suggestions
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import known, say
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.statistic_draft import StatisticDraft

NAMED = "named"
"""The goal of those who know the statistic that they want."""


def kind_words(kind: str) -> str:
    """Tells what a kind shows, in words."""
    return known(f"kind_{kind}", kind)


def kind_name(kind: str) -> str:
    """Tells what a kind is called, where room is short."""
    return known(f"name_{kind}", kind)


def adding(draft: Draft, dataset: Dataset, schema: Schema, prefix: str) -> None:
    """The questions that lead to a statistic, and the button for a codebook."""
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    goal = left.selectbox(
        say("goal"),
        [*GOALS, NAMED],
        key=f"{prefix}-goal",
        format_func=lambda goal: say(f"goal_{goal}"),
        help=say("goal_help"),
    )
    if goal == NAMED:
        _by_name(draft, right, prefix)
    else:
        _by_goal(draft, goal, schema, dataset.unit_column is not None, right, prefix)
    _codebook(draft, dataset, prefix)


def _by_name(draft: Draft, place: st.delta_generator.DeltaGenerator, prefix: str) -> None:
    place.selectbox(say("statistic_add_kind"), list(KINDS), format_func=kind_words, key=f"{prefix}-kind")
    st.button(
        say("statistic_add"),
        key=f"{prefix}-add",
        on_click=lambda: _add(draft, {"kind": st.session_state[f"{prefix}-kind"]}),
    )


def _by_goal(
    draft: Draft, goal: str, schema: Schema, units: bool, place: st.delta_generator.DeltaGenerator, prefix: str
) -> None:
    asked = GOALS[goal]
    names = place.multiselect(
        say("goal_columns_any") if asked.fewest == 0 else say("goal_columns"),
        [column.name for column in schema if asked.takes(column)],
        key=f"{prefix}-goal-{goal}",
        max_selections=asked.most,
        placeholder=say("choose"),
        help=say(f"goal_{goal}_help"),
    )
    found = suggestions(goal, names, schema, units=units)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    chosen = left.selectbox(
        say("goal_as"),
        list(range(len(found))),
        format_func=lambda place: kind_words(found[place]["kind"]),
        key=f"{prefix}-as-{goal}-{'-'.join(names)}",
        placeholder=say("choose"),
        disabled=not found,
    )
    right.button(
        say("statistic_add"),
        key=f"{prefix}-add",
        disabled=not found,
        on_click=_add,
        args=(draft, found[chosen] if found else {}),
    )
    if not found:
        blocks.note("goal_open" if len(names) < asked.fewest else "goal_cannot")


def _add(draft: Draft, suggestion: Suggestion) -> None:
    """Adds a statistic; one that still misses something is shown with its options."""
    options = {name: value for name, value in suggestion.items() if name not in ("kind", "id")}
    item = StatisticDraft(suggestion["kind"], options=options)
    draft.statistics.append(item)
    if any(options.get(name) in (None, [], "") for name in KINDS[item.kind].required()):
        draft.opened.add(item.key)


def _codebook(draft: Draft, dataset: Dataset, prefix: str) -> None:
    """A statistic for each column that the draft does not have yet."""
    st.button(
        say("codebook_add"),
        key=f"{prefix}-codebook",
        help=say("codebook_help"),
        on_click=_add_codebook,
        args=(draft, dataset),
    )


def _add_codebook(draft: Draft, dataset: Dataset) -> None:
    there = {(item.kind, item.options.get("column")) for item in draft.statistics}
    for item in workspace().plans.codebook(dataset.name, actor=actor()):
        if (item["kind"], item.get("column")) not in there:
            _add(draft, item)

"""Adding a statistic: by what is to be shown, or by its name; with what it would err before it is there."""

from __future__ import annotations

import streamlit as st

from dprelease.model.statistic import KINDS
from dprelease.statements.display import shown
from dprelease.statistics.planning.goals import GOALS, Suggestion, suggestions
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import visit
from dprelease.ui.words import say
from dprelease.ui.workbench.asking import ask
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.proposals import expected, proposed, would_cost
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.statistic_draft import StatisticDraft, grouped, statistic_draft
from dprelease.ui.workbench.titles import kind_words

NAMED = "named"
"""The goal of those who know the statistic that they want."""


def add_dialog(standing: DraftStatus) -> None:
    """Show a question, its columns, how it is shown, and how far off that would be."""
    key = f"add-{visit()}-{standing.draft.generation}-{len(standing.draft.statistics)}"
    goal = st.pills(
        say("goal"),
        [*GOALS, NAMED],
        default=next(iter(GOALS)),
        required=True,
        key=f"{key}-goal",
        format_func=lambda goal: say(f"goal_{goal}"),
        help=say("goal_help"),
    )
    wanted = _by_name(key) if goal == NAMED else _by_goal(standing, str(goal), key)
    if wanted is not None:
        _would_be(standing, wanted)
    with st.container(horizontal=True):
        pressed = st.button(say("statistic_add"), type="primary", key=f"{key}-add", disabled=wanted is None)
        if pressed and wanted is not None:
            _add(standing, wanted)
            st.rerun()
        rest = proposed(standing.draft, standing.dataset)
        if rest and st.button(say("codebook_add"), key=f"{key}-codebook", help=say("codebook_help")):
            standing.draft.statistics += rest
            save(standing.draft)
            st.rerun()


def _by_name(key: str) -> Suggestion:
    kind = st.selectbox(say("statistic_add_kind"), list(KINDS), format_func=kind_words, key=f"{key}-kind")
    return {"kind": kind}


def _by_goal(standing: DraftStatus, goal: str, key: str) -> Suggestion | None:
    asked, schema = GOALS[goal], standing.schema
    names = st.multiselect(
        say("goal_columns_any") if asked.fewest == 0 else say("goal_columns"),
        [column.name for column in schema if asked.takes(column)],
        key=f"{key}-goal-{goal}",
        max_selections=asked.most,
        placeholder=say("choose"),
        help=say(f"goal_{goal}_help"),
    )
    found = suggestions(goal, names, schema, units=standing.dataset.unit_column is not None)
    if not found:
        blocks.note("goal_open" if len(names) < asked.fewest else "goal_cannot")
        return None
    chosen = st.radio(
        say("goal_as"),
        range(len(found)),
        format_func=lambda place: kind_words(found[place]["kind"]),
        key=f"{key}-as-{goal}-{'-'.join(names)}",
        horizontal=True,
    )
    return found[chosen or 0]


def _would_be(standing: DraftStatus, wanted: Suggestion) -> None:
    """Show the count of numbers and the margin of error a statistic would have, beside what the draft has already."""
    items = [*standing.draft.statistics, _drafted(wanted, standing)]
    bench = None if not _is_complete(items[-1]) else would_cost(standing, items)
    if bench is None:
        blocks.note("bench_options_next")
        return
    name = f"s{len(items) - 1}"
    count = bench.price[name].size
    blocks.note(
        "bench_would_be_line", numbers=say("bench_numbers", count, count=shown(count)), error=expected(bench, name)
    )


def _drafted(suggestion: Suggestion, standing: DraftStatus) -> StatisticDraft:
    return statistic_draft({**grouped(suggestion, standing.schema), "id": ""})


def _is_complete(item: StatisticDraft) -> bool:
    return all(item.options.get(name) not in (None, [], "") for name in KINDS[item.kind].required())


def _add(standing: DraftStatus, suggestion: Suggestion) -> None:
    """Add a statistic and look at it; one that still misses something is opened."""
    draft, item = standing.draft, _drafted(suggestion, standing)
    draft.statistics.append(item)
    draft.selected = item.key
    save(draft)
    if not _is_complete(item):
        ask("edit")

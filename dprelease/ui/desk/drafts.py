"""One's drafts: how much is in each, how far off it may be, and how far it has come."""

from __future__ import annotations

from decimal import Decimal
from statistics import median
from typing import Any

import streamlit as st

from dprelease.errors import InputError
from dprelease.statements.display import shown
from dprelease.ui.desk.card import card, line
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.screens import go
from dprelease.ui.words import say
from dprelease.ui.workbench.draft_status import DraftStatus, standing
from dprelease.ui.workbench.drafts import named
from dprelease.ui.workbench.saving import PARAMETER, open_saved, restore
from dprelease.words.sentences import Html
from dprelease.workspace import SavedDraft

MOST = 3
STEPS = 4


def drafts() -> None:
    """Show the last drafts; nothing where there are none."""
    found = workspace().plans.drafts.find(actor=actor())
    if not found:
        return
    with card("drafts", len(found)):
        for saved in found[:MOST]:
            _draft(saved)
        if len(found) > MOST:
            blocks.note("desk_more", count=shown(len(found) - MOST))


def _draft(saved: SavedDraft) -> None:
    stood = _standing(saved)
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"row-draft-{saved.id}"):
        with st.container(gap=None):
            line(named(saved), _about(saved, stood))
        st.badge(say("desk_steps", done=_steps(saved, stood), steps=STEPS), color="gray", width="content")
        if st.button(say("desk_open"), key=f"draft-{saved.id}", width="content"):
            open_saved(saved.id)
            go("workbench", **{PARAMETER: saved.id})


def _standing(saved: SavedDraft) -> DraftStatus | None:
    """Return the status of a draft, with prices; None where it names no dataset that is there."""
    draft = restore(saved)
    if not draft.dataset:
        return None
    try:
        dataset = workspace().datasets.get(draft.dataset, actor=actor())
        return standing(draft, dataset, workspace().populations.of(dataset.name, actor=actor()))
    except InputError:
        return None


def _about(saved: SavedDraft, stood: DraftStatus | None) -> Html:
    """Return a draft's facts: so many statistics, the typical error by declared guesses, ε."""
    parts = [counted("desk_statistics", len(saved.body.get("statistics", [])))]
    error = None if stood is None else _error(stood)
    if error is not None:
        parts.append(say("desk_error", percent=shown(float(f"{100 * error:.2g}"))))
    parts.append(say("desk_epsilon", epsilon=_written(saved.body.get("epsilon"))))
    return Html(" · ".join(fill("{}", part) for part in parts))


def _written(epsilon: Any) -> str:
    """Write ε in the language's notation; as typed where it is no number yet."""
    return shown(epsilon) if isinstance(epsilon, int | float) else str(epsilon or say("none"))


def _error(stood: DraftStatus) -> float | None:
    """Return the middle one of the statistics' errors."""
    bench = stood.bench
    if bench is None or Decimal(str(stood.draft.epsilon)) not in bench.ladder:
        return None
    place = bench.ladder.index(Decimal(str(stood.draft.epsilon)))
    known = [error for each in bench.errors.values() if (error := each[place]) is not None]
    return median(known) if known else None


def _steps(saved: SavedDraft, stood: DraftStatus | None) -> int:
    """Count the steps done: a table, statistics, all answered, within the budget."""
    priced = stood is not None and stood.bench is not None
    done = (stood is not None, bool(saved.body.get("statistics")), priced, priced and bool(stood and stood.affordable))
    return sum(done)

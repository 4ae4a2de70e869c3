"""The head of the workbench: title and state, what is looked at, more to do, and the one button that goes on."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dprelease.statistics.tabulated import TallyStatistic
from dprelease.ui.kit import session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import MODE, visit
from dprelease.ui.words import say
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.asking import Dialog, ask
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.saving import begin, save
from dprelease.ui.workbench.submitted import SubmittedState, state_of
from dprelease.words.sentences import isolated

NEW: Literal["new"] = "new"
Entry = Dialog | Literal["new"]
MENU: tuple[Entry, ...] = (
    "title",
    "rows",
    "meaning",
    "goals",
    "sources",
    "exact",
    "beside",
    "compare",
    "file",
    "drafts",
    "own",
    NEW,
    "delete",
)
"""Entries of the menu; each opens a dialog, but a new draft."""
UNDECIDED = (SubmittedState.DRAFT, SubmittedState.UNSAVED, SubmittedState.RETURNED)
BADGES = {
    SubmittedState.DRAFT: ("check", "green"),
    SubmittedState.UNSAVED: ("warning", "orange"),
    SubmittedState.WAITS: ("hourglass_empty", "blue"),
    SubmittedState.RETURNED: ("undo", "orange"),
    SubmittedState.APPROVED: ("check_circle", "green"),
    SubmittedState.UNFINISHED: ("warning", "orange"),
    SubmittedState.PUBLISHED: ("public", "gray"),
}


def head(standing: DraftStatus) -> None:
    """Draw the head. What is asked for opens as a dialog at the end of the run."""
    draft, state = standing.draft, state_of(standing)
    title = draft.title or say("draft_unnamed", dataset=standing.dataset.name)
    with st.container(key="workbench-head", horizontal=True, vertical_alignment="center"):
        st.html(fill('<h1 class="dp-bench-title">{}</h1>', isolated(title)), width="content")
        icon, colour = BADGES[state]
        st.badge(say(f"bench_is_{state}"), icon=f":material/{icon}:", color=colour)  # type: ignore[arg-type]
        st.space("stretch")
        _modes(standing)
        chosen = st.menu_button(
            say("bench_more"), _offered(standing), format_func=lambda each: say(f"bench_more_{each}"), key="bench-more"
        )
        _onwards(standing, state)
    if chosen == NEW:
        save(draft)
        begin(draft.dataset)
        st.rerun()
    elif chosen is not None:
        ask(chosen)


def _offered(standing: DraftStatus) -> list[Entry]:
    """Return the actions that the draft as it is allows."""
    without: set[Entry] = set()
    if standing.mode != "true" or standing.plan is None:
        without |= {"sources", "exact", "beside"}
    elif not any(isinstance(each, TallyStatistic) and each.output == "rows" for each in standing.plan.statistics):
        without.add("beside")
    if not standing.draft.statistics:
        without.add("goals")
    if standing.draft.saved is None:
        without.add("delete")
    return [each for each in MENU if each not in without]


def _modes(standing: DraftStatus) -> None:
    """Offer true values or a look-alike, where there is a choice. What was seen of the other is let go."""
    allowed = looks.modes()
    if len(allowed) < 2:
        return
    key = f"bench-mode-{visit()}"

    def change() -> None:
        looks.forget()
        st.session_state[MODE] = st.session_state[key]

    st.session_state[key] = standing.mode
    st.segmented_control(
        say("bench_mode"),
        allowed,
        required=True,
        format_func=lambda each: say(f"bench_mode_{each}"),
        key=key,
        on_change=change,
        label_visibility="collapsed",
    )


def _onwards(standing: DraftStatus, state: SubmittedState) -> None:
    """Show the button that sends for review, or publishes; shut, with the reason, where that cannot be."""
    review = session.in_team() and state in UNDECIDED
    label = "publish_review" if state is SubmittedState.WAITS else "bench_send" if review else "bench_publish"
    reason = _shut(standing)
    if not review and state in UNDECIDED and not session.may("approve"):
        reason = say("bench_shut_alone")
    pressed = st.button(
        say(label),
        type="primary",
        icon=":material/send:" if review else None,
        shortcut="Mod+Enter",
        disabled=bool(reason),
        help=reason or None,
        key="bench-onwards",
    )
    if pressed:
        save(standing.draft)
        ask("publish")


def _shut(standing: DraftStatus) -> str:
    """Return the reason why a draft cannot go on; empty where it can."""
    if standing.bench is None:
        return say("bench_shut_incomplete")
    return "" if standing.affordable else say("bench_shut_over", population=standing.population.name)

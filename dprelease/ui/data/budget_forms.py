"""The forms that change what a population may spend, and say more about who is in it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.model.population import Population
from dprelease.ui.data.registration import ask_overlaps, attested, lines, told
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.fields import amount
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say

CAP, PERIOD = "cap", "period"


def change_budget(populations: Sequence[Population], asked: int) -> None:
    """Raises a cap or opens a period; in a team, asks a second person for it. Once that is done the form is empty."""
    visit = session.visit()
    name = _choose("change_population", populations)
    if name is None:
        return
    account = workspace().populations.budget(name, actor=actor())
    blocks.markup(budget.standing(account), "dp-note")
    kind = st.radio(
        say("change_kind"),
        [CAP, PERIOD],
        format_func=lambda each: say(f"change_{each}"),
        captions=[say(f"change_{each}_help") for each in (CAP, PERIOD)],
        key=f"change-kind-{visit}",
    )
    with st.form(f"change-{name}-{kind}-{account.cap}-{account.period}-{asked}", border=False):
        left, middle, right = st.columns(3)
        period = ""
        if kind == PERIOD:
            with left:
                period = st.text_input(say("change_period_name"), help=say("change_period_name_help"))
        with middle if kind == PERIOD else left:
            epsilon = st.text_input(say("change_epsilon"))
        with right if kind == PERIOD else middle:
            delta = st.text_input(say("change_delta"), help=say("change_delta_help"))
        reason = st.text_area(say("change_reason"), help=say("change_reason_help"), height=100)
        if session.in_team():
            blocks.note("population_team")
        verb = "ask" if session.in_team() else "save"
        pressed = st.form_submit_button(say(f"change_{verb}_{kind}"))
    if pressed:
        with kindly():
            ws, cap = workspace(), (amount(epsilon), amount(delta) or None)
            if kind == PERIOD:
                ws.populations.open_period(
                    name, period.strip(), epsilon=cap[0], delta=cap[1], reason=reason, actor=actor()
                )
            else:
                ws.populations.raise_cap(name, epsilon=cap[0], delta=cap[1], reason=reason, actor=actor())
            told(kind, f"changed_{kind}", name=name, period=period.strip())
            st.rerun()


def say_more(populations: Sequence[Population]) -> None:
    """Attests overlaps and declares earlier releases of a population that is registered."""
    name = _choose("more_population", populations)
    if name is None:
        return
    before = {
        other: overlap.value
        for other, overlap in workspace().populations.overlaps(name, actor=actor()).items()
        if overlap is not None
    }
    declared = workspace().populations.earlier_releases(name, actor=actor())
    others = [each.name for each in populations if each.name != name]
    with st.form(f"more-{name}-{len(declared)}", border=False):
        overlaps = {}
        if others:
            blocks.label(say("population_others"))
            overlaps = ask_overlaps(others, key=f"more-{name}", known=before)
            blocks.note("population_others_note")
        if declared:
            blocks.label(say("earlier"))
            blocks.listed(declared)
        earlier = st.text_area(say("population_earlier"), help=say("population_earlier_help"), height=100)
        pressed = st.form_submit_button(say("more_save"))
    if pressed:
        with kindly():
            changed = {other: each for other, each in attested(overlaps).items() if each != before.get(other)}
            for other, overlap in changed.items():
                workspace().populations.attest_overlap(name, other, overlap, actor=actor())
            if lines(earlier):
                workspace().populations.declare_earlier_releases(name, lines(earlier), actor=actor())
            session.flash("more_saved" if changed or lines(earlier) else "more_nothing", name=name)
            st.rerun()


def _choose(label: str, populations: Sequence[Population]) -> str | None:
    """One of the populations; the only one where there is one."""
    names = [each.name for each in populations]
    return st.selectbox(
        say(label),
        names,
        index=0 if len(names) == 1 else None,
        placeholder=say("choose"),
        key=f"{label}-{session.visit()}",
        width=300,
    )

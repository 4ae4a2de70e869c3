"""The forms of populations: registering one, its cap and periods, what it shares with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import streamlit as st

from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.fields import amount
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_label

OPEN = "open"
"""An overlap that nobody attested yet."""
ADDED = "population-added"


def add_population(populations: Sequence[Population], asked: int, *, proposal: str = "") -> None:
    """Ask whose privacy is at stake; register them, or in a team ask a second person for it.

    The form is empty again once that is done: another number of populations, or of requests, is another form.
    """
    team, key = session.in_team(), f"population-{len(populations)}-{asked}"
    with st.form(key, border=False):
        left, middle, right = st.columns(3)
        name = left.text_input(
            say("population_name"), proposal, help=say("population_name_help"), placeholder="patients-2025"
        )
        unit = middle.text_input(
            say("population_unit"), help=say("population_unit_help"), placeholder=say("population_unit_example")
        )
        epsilon = right.text_input(
            say("population_epsilon"),
            help=say("population_epsilon_help"),
            placeholder=say("population_epsilon_example"),
        )
        with st.expander(say("more")):
            more = _more([each.name for each in populations], key)
        if team:
            blocks.note("population_team")
        words = say("population_ask" if team else "population_save")
        pressed = st.form_submit_button(words, type="secondary" if populations else "primary")
    if pressed:
        with kindly():
            added = session.workspace().add_population(
                name.strip(),
                unit=unit.strip(),
                epsilon=amount(epsilon),
                delta=amount(more.pop("delta")) or 0,
                **more,
                actor=session.actor(),
            )
            st.session_state[ADDED] = added.name
            say_done("population", "population_saved", name=added.name)
            st.rerun()


def just_added() -> str | None:
    """Return the people whom this visit has just registered, once."""
    name: str | None = st.session_state.pop(ADDED, None)
    return name


def _more(others: Sequence[str], key: str) -> dict[str, Any]:
    """Ask for settings with usual answers: relation, currency, δ, size, other populations, earlier releases."""
    neighbors = st.radio(
        say("population_neighbors"),
        [relation.value for relation in NeighboringRelation],
        format_func=lambda relation: say(f"neighbors_{relation}"),
        captions=[say(f"neighbors_{relation.value}_help") for relation in NeighboringRelation],
    )
    currency = st.radio(
        say("population_currency"),
        [each.value for each in Currency],
        format_func=lambda each: say(f"currency_{each}"),
        captions=[say(f"currency_{each.value}_help") for each in Currency],
    )
    undiscovered = st.checkbox(say("population_undiscovered"), help=say("population_undiscovered_help"))
    left, right = st.columns(2)
    delta = left.text_input(say("population_delta"), "0", help=say("population_delta_help"))
    size = right.number_input(say("population_size"), value=None, min_value=1, step=1, help=say("population_size_help"))
    overlaps = {}
    if others:
        blocks.label(say("population_others"))
        overlaps = ask_overlaps(others, key=key)
        blocks.note("population_others_note")
    earlier = st.text_area(say("population_earlier"), help=say("population_earlier_help"), height=100)
    said = {"neighbors": neighbors, "currency": currency, "delta": delta, "size": size, "discovers": not undiscovered}
    return {**said, "overlaps": attested(overlaps), "earlier_releases": lines(earlier)}


def ask_overlaps(
    others: Sequence[str], *, key: str, known: Mapping[str, str] | None = None, blank: bool = False
) -> dict[str, str]:
    """Ask how each other population overlaps; `known`: what is attested already. `blank`: until somebody answers."""
    words = [each.value for each in Overlap]
    found, columns = {}, chain.from_iterable(st.columns(2) for _ in others[::2])
    for other, column in zip(others, columns, strict=False):
        now = (known or {}).get(other)
        answers = [OPEN, *words] if now is None else words
        answer = column.selectbox(
            say_label("population_overlap", other=other),
            answers,
            index=None if blank else answers.index(now or OPEN),
            format_func=lambda answer: say(f"overlap_{answer}"),
            placeholder=say("choose"),
            key=f"{key}-overlap-{other}",
        )
        if answer is not None:
            found[other] = answer
    return found


def attested(overlaps: Mapping[str, str]) -> dict[str, str]:
    """Return the overlaps that somebody vouches for."""
    return {other: overlap for other, overlap in overlaps.items() if overlap != OPEN}


def lines(text: str) -> list[str]:
    """Return what stands on the lines of a text."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def say_done(request: str, done: str, **values: str) -> None:
    """Say what was done; in a team, that it was asked for."""
    if session.in_team():
        session.flash("asked", what=say(f"request_{request}", **values))
    else:
        session.flash(done, **values)


CAP, PERIOD = "cap", "period"


def change_budget(populations: Sequence[Population], asked: int) -> None:
    """Raise a cap or open a period; in a team, ask a second person for it. Once that is done the form is empty."""
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
            period = left.text_input(say("change_period_name"), help=say("change_period_name_help"))
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
            say_done(kind, f"changed_{kind}", name=name, period=period.strip())
            st.rerun()


def say_more(populations: Sequence[Population]) -> None:
    """Attest overlaps and declare earlier releases of a population that is registered."""
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
    """Ask for one of the populations; the only one is chosen already."""
    names = [each.name for each in populations]
    return st.selectbox(
        say(label),
        names,
        index=0 if len(names) == 1 else None,
        placeholder=say("choose"),
        key=f"{label}-{session.visit()}",
        width=300,
    )


def population_table(populations: Sequence[Population]) -> None:
    """Show all populations, with what they may spend and have spent."""
    heads = [say(key) for key in ("population", "unit", "relation", "size", "cap", "spent", "left")]
    accounts = [workspace().populations.budget(item.name, actor=actor()) for item in populations]
    rows = [
        (
            item.name,
            item.unit,
            budget.relation(item),
            say("not_declared") if item.size is None else shown(item.size),
            *(each(account) for each in (budget.cap, budget.spent, budget.left)),
        )
        for item, account in zip(populations, accounts, strict=True)
    ]
    blocks.table(say("populations"), heads, rows, numbers=(3,))

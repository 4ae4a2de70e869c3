"""The form that registers a population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import streamlit as st

from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.fields import amount
from dprelease.ui.kit.problems import kindly
from dprelease.ui.words import say, say_label

OPEN = "open"
"""An overlap that nobody attested yet."""


def add_population(populations: Sequence[Population], asked: int) -> None:
    """Asks whose privacy is at stake; registers them, or in a team asks a second person for it.

    The form is empty again once that is done: another number of populations, or of requests, is another form.
    """
    team, key = session.in_team(), f"population-{len(populations)}-{asked}"
    with st.form(key, border=False):
        left, right = st.columns(2)
        with left:
            name = st.text_input(say("population_name"), help=say("population_name_help"), placeholder="patients-2025")
        with right:
            unit = st.text_input(
                say("population_unit"), help=say("population_unit_help"), placeholder=say("population_unit_example")
            )
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
        columns = st.columns(3)
        with columns[0]:
            epsilon = st.text_input(
                say("population_epsilon"),
                help=say("population_epsilon_help"),
                placeholder=say("population_epsilon_example"),
            )
        with columns[1]:
            delta = st.text_input(say("population_delta"), "0", help=say("population_delta_help"))
        with columns[2]:
            size = st.number_input(
                say("population_size"), value=None, min_value=1, step=1, help=say("population_size_help")
            )
        overlaps = {}
        if populations:
            blocks.label(say("population_others"))
            overlaps = ask_overlaps([each.name for each in populations], key=key)
            blocks.note("population_others_note")
        earlier = st.text_area(say("population_earlier"), help=say("population_earlier_help"), height=100)
        if team:
            blocks.note("population_team")
        words = say("population_ask" if team else "population_save")
        pressed = st.form_submit_button(words, type="secondary" if populations else "primary")
    if pressed:
        with kindly():
            added = session.workspace().add_population(
                name.strip(),
                unit=unit.strip(),
                neighbors=neighbors,
                epsilon=amount(epsilon),
                delta=amount(delta) or 0,
                currency=currency,
                size=size,
                overlaps=attested(overlaps),
                earlier_releases=lines(earlier),
                actor=session.actor(),
            )
            told("population", "population_saved", name=added.name)
            st.rerun()


def ask_overlaps(others: Sequence[str], *, key: str, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """How each other population overlaps; `known`: what is attested already."""
    words = [each.value for each in Overlap]
    found, columns = {}, chain.from_iterable(st.columns(2) for _ in others[::2])
    for other, column in zip(others, columns, strict=False):
        now = (known or {}).get(other)
        answers = [OPEN, *words] if now is None else words
        with column:
            found[other] = st.selectbox(
                say_label("population_overlap", other=other),
                answers,
                index=answers.index(now or OPEN),
                format_func=lambda answer: say(f"overlap_{answer}"),
                key=f"{key}-overlap-{other}",
            )
    return found


def attested(overlaps: Mapping[str, str]) -> dict[str, str]:
    """The overlaps that somebody vouches for."""
    return {other: overlap for other, overlap in overlaps.items() if overlap != OPEN}


def lines(text: str) -> list[str]:
    """What stands on the lines of a text."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def told(request: str, done: str, **values: str) -> None:
    """Says what was done; in a team, that it was asked for."""
    if session.in_team():
        session.flash("asked", what=say(f"request_{request}", **values))
    else:
        session.flash(done, **values)

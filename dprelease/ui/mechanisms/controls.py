"""The visitor's controls: mechanism, ε, people, the event. The address always says what is shown."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dprelease.extras.lab.pair import Event, EventSide
from dprelease.extras.lab.two_tables import MECHANISMS, NUMBERS
from dprelease.statements.display import shown as in_words
from dprelease.ui.kit import blocks, session
from dprelease.ui.mechanisms.pictures import outcome
from dprelease.ui.mechanisms.state import EPSILONS, PEOPLE, MechanismView, edges, event_of, read, said, seen
from dprelease.ui.words import say

SHOWN = "mechanisms_shown"
"""The state that this tab shows, the address that it wrote last, and how often either came from elsewhere."""


def opened() -> MechanismView:
    """Return the state of this tab, or of the address where somebody came by another one."""
    query = {name: st.query_params[name] for name in st.query_params}
    kept: tuple[MechanismView, tuple[int, dict[str, str]], int] | None = st.session_state.get(SHOWN)
    mark = (session.visit(), query)
    if kept is not None and kept[1] == mark:
        return kept[0]
    state, wrong = read(query)
    if wrong:
        blocks.note("mech_defaults")
    _keep(state, (kept[2] if kept else 0) + 1)
    return state


def _keep(state: MechanismView, turn: int) -> None:
    """Note the state, and what the address says of it, which no run of the page need read again."""
    address = state.address()
    if {name: st.query_params[name] for name in st.query_params} != address:
        st.query_params.from_dict(address)
    st.session_state[SHOWN] = (state, (session.visit(), address), turn)


def _turn() -> int:
    turn: int = st.session_state[SHOWN][2]
    return turn


def named(widget: str) -> str:
    """Return the key of a widget: those of another turn begin from the state, not from what they showed before."""
    return f"mech-{_turn()}-{widget}"


def controls(state: MechanismView) -> MechanismView:
    """Show the controls, and return the state that they say."""
    mechanism = st.selectbox(
        say("mech_which"),
        MECHANISMS,
        index=MECHANISMS.index(state.mechanism),
        format_func=lambda each: say(f"mech_{each}"),
        key=named("mechanism"),
    )
    left, right = st.columns(2)
    epsilon = left.number_input(say("mech_epsilon"), *EPSILONS, state.epsilon, 0.1, key=named("epsilon"), format="%.2f")
    people = state.people
    if mechanism in NUMBERS:
        people = right.number_input(say("mech_people"), *PEOPLE, state.people, 1, key=named("people"))
    new = replace(state, mechanism=mechanism, epsilon=round(epsilon, 2), people=people)
    if event_of(new) is None:
        new = replace(new, event="")
    return replace(new, event=_event(new))


def keep(state: MechanismView) -> None:
    """Write the address of what is shown."""
    _keep(state, _turn())


def _event(state: MechanismView) -> str:
    """Ask for the event's side and beginning; return empty for the worst event, which moves with ε."""
    shown, event = state.pair, event_of(state)
    assert event is not None
    places = seen(shown)
    key = f"{named(state.mechanism)}-{state.epsilon}-{state.people}"
    side, place = event.side, event.place
    if shown.width:
        sides = list(shown.sides)
        side = st.radio(
            say("mech_event"),
            sides,
            index=sides.index(event.side),
            format_func=lambda each: say(f"mech_side_{each.value}"),
            horizontal=True,
            key=f"{key}-side",
        )
        ends = edges(shown, side)
        options = [ends[each] for each in places]
        value = ends[event.place]
        at = st.select_slider(
            say("mech_event_at"),
            options,
            value=value,
            format_func=lambda each: in_words(float(each), 6),
            key=f"{key}-at-{side.value}",
        )
        place = ends.index(at)
    else:
        place = st.radio(
            say("mech_event_is"),
            list(places),
            index=event.place,
            format_func=lambda each: outcome(len(places), each),
            horizontal=True,
            key=f"{key}-is",
        )
    chosen = Event(place, EventSide(side))
    event_said = state.event if chosen == event else said(shown, chosen)
    st.button(say("mech_worst"), on_click=_worst, key="mech-worst", disabled=not event_said, width="stretch")
    return event_said


def _worst() -> None:
    """Begin the next run with the worst event, and with widgets that begin there."""
    state, _, turn = st.session_state[SHOWN]
    _keep(replace(state, event=""), turn + 1)

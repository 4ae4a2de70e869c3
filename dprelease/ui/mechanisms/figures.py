"""The promises of a mechanism, in figures: one event, beliefs, several answers together, other orders and other δ."""

from __future__ import annotations

from dataclasses import replace
from math import exp, inf
from threading import Lock
from time import monotonic

import streamlit as st

from dprelease.accounting import renyi
from dprelease.accounting.composition import event_bounds, posterior_bounds
from dprelease.extras.lab import audit
from dprelease.extras.lab.mechanism_snippets import mechanism_snippet
from dprelease.extras.lab.pair import Event, EventSide
from dprelease.extras.lab.portal.more import figure, several
from dprelease.extras.lab.two_tables import HERE, NORMAL, csv
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, charts
from dprelease.ui.kit.download_links import along
from dprelease.ui.mechanisms.controls import named
from dprelease.ui.mechanisms.pictures import outcome, trade_off, two_tables
from dprelease.ui.mechanisms.state import COPIES, DELTAS, MechanismView, edges, event_of
from dprelease.ui.words import say
from dprelease.words.language import language

PRIORS = (0.01, 0.1, 0.5, 0.9)
COLUMNS = (1, 10, 100, 1000)
DRAWN = ("laplace", "gaussian")
"""Mechanisms whose noise releases draw."""
DRAWING = Lock()
"""Lock that lets one visitor draw at a time: it takes a processor, and anybody may press the button."""
PRESSES, SECONDS = 6, 60.0
"""Maximum number of drawings for a tab, in so many seconds."""
PRESSED = "mechanisms_drawn"
"""Session key of the times at which this tab had it drawn, of late."""


def distributions(state: MechanismView) -> bytes:
    """Show the output distribution of either table, and the event's probability; return the picture."""
    p, q, event = *_probabilities(state), _event(state)
    words = say("mech_two_alt", event=event, p=figure(p), q=figure(q))
    drawn = two_tables(state.alone, words, language())
    charts.picture(drawn, words)
    return drawn


def verdict(state: MechanismView) -> None:
    """Show the event's probability on either table, and whether ε allows that."""
    p, q = _probabilities(state)
    ratio = inf if q == 0 else p / q
    found = {"event": _event(state), "p": figure(p), "q": figure(q), "ratio": figure(ratio)}
    blocks.text("mech_verdict", **found)
    if state.mechanism == "uniform":
        blocks.text("mech_verdict_never")
    elif state.mechanism in NORMAL:
        delta = state.pair.delta(state.epsilon)
        blocks.text("mech_verdict_normal", rho=figure(state.rho), epsilon=figure(state.epsilon), delta=figure(delta))
    else:
        epsilon = state.promised
        blocks.text("mech_verdict_pure", epsilon=figure(epsilon), rate=figure(exp(min(epsilon, 700.0))))


def told_apart(state: MechanismView) -> bytes:
    """Show the curve of all tests, and return the picture."""
    right = figure(100 * state.pair.right, 4 if state.pair.right <= 0.999 else 5)
    words = say("mech_trade_alt", right=right)
    drawn = trade_off(state.alone, words, language())
    charts.picture(drawn, words)
    blocks.note("mech_right", right=right)
    return drawn


def taken(state: MechanismView, two: bytes, tests: bytes) -> None:
    """Show the downloads: both pictures, their numbers, and the program that prints them."""
    program = mechanism_snippet(state.mechanism, state.epsilon, state.people)
    along("mechanisms", state.address(), {"mechanism": two, "tests": tests}, csv(state.pair), program)


def _probabilities(state: MechanismView) -> tuple[float, float]:
    event = event_of(state)
    assert event is not None
    return state.pair.probabilities(event)


def _event(state: MechanismView) -> str:
    event: Event | None = event_of(state)
    assert event is not None
    if event.side is EventSide.ALONE:
        return say("mech_said_is", at=outcome(len(state.pair.values), event.place))
    return say(f"mech_said_{event.side.value}", at=figure(edges(state.pair, event.side)[event.place], 6))


def beliefs(state: MechanismView) -> None:
    """Show how far a belief, and the probability of whatever follows from a result, may move."""
    blocks.heading("mech_beliefs")
    if state.mechanism == "uniform":
        blocks.text("mech_beliefs_never")
        return
    normal = state.mechanism in NORMAL
    epsilon = state.epsilon if normal else state.promised
    delta = state.pair.delta(epsilon) if normal else 0.0
    blocks.text("mech_beliefs_normal" if normal else "mech_beliefs_pure")
    heads = [say(f"mech_{name}") for name in ("before", "event_least", "event_most")]
    heads += [] if normal else [say("mech_belief_least"), say("mech_belief_most")]
    rows = []
    for prior in PRIORS:
        bounds = [*event_bounds(prior, epsilon, delta), *(() if normal else posterior_bounds(prior, epsilon))]
        rows.append((figure(prior), *map(figure, bounds)))
    blocks.table(say("mech_beliefs_caption"), heads, rows, numbers=range(len(heads)), whole=True)


def composition(state: MechanismView) -> MechanismView:
    """Show several answers together, by each theorem; return the state with what was turned."""
    blocks.heading("mech_together")
    blocks.text("mech_together_what")
    with st.container(horizontal=True):
        copies = st.number_input(say("mech_copies"), *COPIES, state.copies, 1, key=named("copies"), width=200)
        delta = st.selectbox(
            "δ",
            DELTAS,
            index=DELTAS.index(state.delta),
            format_func=figure,
            key=named("delta"),
            width=200,
        )
    if state.mechanism == "uniform":
        blocks.note("mech_together_never")
    else:
        times = sorted({*COLUMNS, copies})
        found = [several(state.mechanism, state.epsilon, state.people, each, delta) for each in times]
        names = [name for name in found[0] if any(each[name] is not None for each in found)]
        rows = [(say(f"mech_by_{name}"), *(figure(each[name]) for each in found)) for name in names]
        heads = [say("mech_theorem"), *(say("mech_times", count=shown(each)) for each in times)]
        caption = say("mech_together_caption", delta=figure(delta))
        blocks.table(caption, heads, rows, numbers=range(1, len(heads)), whole=True)
        if state.mechanism not in NORMAL:
            blocks.note("mech_together_note")
    return replace(state, copies=copies, delta=delta)


def real_noise(state: MechanismView) -> None:
    """Draw the noise that releases use, on the two numbers shown, once it is asked for. Nothing is kept or charged."""
    event = event_of(state)
    if state.mechanism not in DRAWN or event is None:
        return
    blocks.heading("mech_audit")
    blocks.text("mech_audit_what", draws=shown(audit.DRAWS), here=shown(HERE), there=shown(HERE - state.people))
    if not st.button(say("mech_audit_go"), key="mech-audit"):
        return
    if not _may_draw(monotonic()):
        blocks.note("mech_audit_often", presses=PRESSES)
        return
    normal = state.mechanism in NORMAL
    noise = audit.gaussian(state.epsilon) if normal else audit.laplace(state.epsilon)
    least = round(edges(state.pair, event.side)[event.place]) + (1 if event.side is EventSide.MOST else 0)
    delta = state.delta if normal else 0.0
    with DRAWING:
        found = audit.audit(noise, HERE, HERE - state.people, least, delta=delta)
    most = renyi.epsilon_of(renyi.Gaussian(state.rho), delta).epsilon if normal else state.promised
    counts = {"first": shown(found.first), "second": shown(found.second), "least": shown(least)}
    proved, promised = figure(found.epsilon, 3), figure(most)
    blocks.text("mech_audit_found", **counts, proved=proved, promised=promised, delta=figure(delta))


def _may_draw(now: float) -> bool:
    """Take one press of this tab, if there is one left; return True if there was."""
    pressed = [each for each in st.session_state.get(PRESSED, ()) if now - each < SECONDS]
    allowed = len(pressed) < PRESSES
    st.session_state[PRESSED] = [*pressed, now] if allowed else pressed
    return allowed

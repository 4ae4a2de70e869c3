"""Pictures of one mechanism: its two distributions, one below the other, and how well they can be told apart."""

from __future__ import annotations

from functools import lru_cache
from math import exp

import numpy as np

from dprelease.charts.sketch import Box, SketchAxis, SketchSheet, ticks
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab.pair import Event, EventSide
from dprelease.extras.lab.portal import more as lab_more
from dprelease.extras.lab.portal.more import FEW, LEFT, RIGHT, WIDTH, with_legend
from dprelease.extras.lab.promises import Promises
from dprelease.extras.lab.two_tables import NORMAL
from dprelease.ui.mechanisms.state import MechanismView, event_of, seen
from dprelease.ui.words import say

BARS, TESTS = 100, 250
"""Heights of the axes of each picture."""
MANY = 60
"""Number of bars from which they have no outline: it would be most of each."""
CORNERS = 48
POINTS = 60


@lru_cache(maxsize=128)
def two_tables(state: MechanismView, description: str, language: str) -> bytes:
    """Draw the output distribution of a table and of its neighbour; the event is filled."""
    shown = state.pair
    event = event_of(state)
    assert event is not None
    places = seen(shown)
    half = shown.width / 2 or 0.5
    values = shown.values if shown.width else tuple(float(place) for place in places)
    low, high = values[places[0]] - half, values[places[-1]] + half
    names = ticks(low, high) if shown.width else {float(each): outcome(len(places), each) for each in places}
    top = max(float(shown.p.max()), float(shown.q.max()))
    up = SketchAxis(0, top, ticks(0, top, FEW), say("mech_probability"))
    step = 36 + BARS + 28
    sheet = SketchSheet(WIDTH, 2 * step + 4)
    for row, (name, masses) in enumerate((("mech_here", shown.p), ("mech_there", shown.q))):
        begins = step * row + 36
        sheet.text(LEFT, begins - 14, say(name), fill=LIGHT.ink, font_weight="bold")
        panel = sheet.panel(Box(LEFT, begins, WIDTH - RIGHT, begins + BARS), SketchAxis(low, high, names), up)
        gap = 0.0 if shown.width else 0.1
        for place in places:
            fill = LIGHT.accent if is_within(event, place) else LIGHT.grid
            ends = values[place] - half + gap, values[place] + half - gap
            panel.bar(ends, float(masses[place]), fill, LIGHT.line if len(places) < MANY else fill)
    return sheet.alone(description)


def is_within(event: Event, place: int) -> bool:
    """Return True if an output belongs to an event."""
    match event.side:
        case EventSide.LEAST:
            return place >= event.place
        case EventSide.MOST:
            return place <= event.place
    return place == event.place


def outcome(several: int, place: int) -> str:
    """Return the name of an output that is no number: of two a no and a yes, else a candidate."""
    return say(f"mech_answer_{'no' if place == 0 else 'yes'}") if several == 2 else "ABCD"[place]


@lru_cache(maxsize=128)
def trade_off(state: MechanismView, description: str, language: str) -> bytes:
    """Draw misses against false alarms of all tests, beside what ε and δ allow, and the event."""
    shown = state.pair
    wrong, hits = shown.roc()
    if len(wrong) > CORNERS:
        even = np.linspace(0, 1, POINTS + 1)
        wrong, hits = even, np.interp(even, wrong, hits)
    lines = {"own": list(zip(wrong.tolist(), hits.tolist(), strict=True)), "guess": [(0.0, 0.0), (1.0, 1.0)]}
    if state.mechanism in NORMAL:
        lines["bound"] = allowed(state.epsilon, shown.delta(state.epsilon))
    elif state.mechanism != "uniform":
        lines["bound"] = allowed(state.promised, 0.0)
    shares = ticks(0, 1)
    across, up = SketchAxis(0, 1, shares, say("mech_false_alarms")), SketchAxis(0, 1, shares, say("mech_missed"))
    event = event_of(state)
    assert event is not None
    p, q = shown.probabilities(event)
    missed = {name: [(f, 1 - hit) for f, hit in line] for name, line in lines.items()}
    names = {name: say(f"mech_line_{name}") for name in lines}
    return with_legend(missed, names, across, up, TESTS, (q, 1 - p)).alone(description)


def allowed(epsilon: float, delta: float) -> list[tuple[float, float]]:
    """Return the corners of what (ε, δ) allow: hits of at most e^ε f + δ and 1 − e^−ε (1 − δ − f)."""
    rate = exp(min(epsilon, 700.0))
    corner = (1 - delta) / (1 + rate)
    return [(0.0, delta), (corner, rate * corner + delta), (1 - delta, 1.0), (1.0, 1.0)]


@lru_cache(maxsize=128)
def curve(promises: Promises, name: str, description: str, language: str) -> bytes:
    """Draw Rényi divergence by order, or δ by ε."""
    return lab_more.curve(promises, name).alone(description)

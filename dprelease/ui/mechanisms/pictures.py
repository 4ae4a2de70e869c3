"""Pictures of one mechanism: its two distributions, one below the other, and how well they can be told apart."""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import Any

import altair as alt
import numpy as np
import vl_convert

from dprelease.bundle.chart_style import LIGHT, config, tidy
from dprelease.lab.pair import Event, Pair, Side
from dprelease.ui.kit.charts import inline
from dprelease.ui.mechanisms.state import NORMAL, State, edges, event_of, seen
from dprelease.ui.words import say

WIDTH = 260
"""Between the axes: as much as a phone has."""
LOW, HIGH = 96, 240
CORNERS = 48
POINTS = 60
LOOKS = {"bound": (LIGHT.muted, [6, 4]), "own": (LIGHT.accent, [1, 0]), "guess": (LIGHT.muted, [1, 4])}
"""Colour and dashes of each line: neither tells them apart alone."""


@lru_cache(maxsize=128)
def two_tables(state: State, description: str, language: str) -> bytes:
    """What is published of a table and of its neighbour, how likely each is; the event is filled."""
    shown = state.pair
    event = event_of(state)
    assert event is not None
    top = max(float(shown.p.max()), float(shown.q.max()))
    parts = [
        _bars(shown, event, masses.tolist(), top, say(name))
        for name, masses in (("mech_here", shown.p), ("mech_there", shown.q))
    ]
    return _drawn(alt.vconcat(*parts, spacing=12), description)


def _bars(shown: Pair, event: Event, masses: list[float], top: float, title: str) -> Any:
    rows = [
        {"v": _label(shown, place), "p": masses[place], "e": int(is_within(event, place)), **_ends(shown, place)}
        for place in seen(shown)
    ]
    colour = alt.condition("datum.e == 1", alt.value(LIGHT.accent), alt.value(LIGHT.grid))
    y = alt.Y(
        field="p", type="quantitative", title=say("mech_probability"), scale=alt.Scale(domain=[0, top], nice=True)
    )
    mark = inline(rows).mark_bar(stroke=LIGHT.line, strokeWidth=0.5, binSpacing=0)
    if shown.width:
        axis = alt.Axis(format="d", tickMinStep=1, tickCount=6, grid=False)
        x: Any = alt.X(field="low", type="quantitative", title=None, axis=axis, scale=alt.Scale(nice=False, zero=False))
        drawn = mark.encode(x=x, x2=alt.X2("high"), y=y, color=colour)
    else:
        names = [_label(shown, place) for place in seen(shown)]
        x = alt.X(field="v", type="nominal", title=None, sort=names, axis=alt.Axis(labelAngle=0))
        drawn = mark.encode(x=x, y=y, color=colour)
    return drawn.properties(width=WIDTH, height=LOW, title=alt.Title(title, fontSize=13, anchor="start"))


def _ends(shown: Pair, place: int) -> dict[str, float]:
    middle = shown.values[place]
    return {"low": middle - shown.width / 2, "high": middle + shown.width / 2}


def is_within(event: Event, place: int) -> bool:
    """Tells whether an output belongs to an event."""
    match event.side:
        case Side.LEAST:
            return place >= event.place
        case Side.MOST:
            return place <= event.place
    return place == event.place


def _label(shown: Pair, place: int) -> str:
    return outcome(len(shown.values), place) if not shown.width else f"{edges(shown, Side.ALONE)[place]:g}"


def outcome(several: int, place: int) -> str:
    """The name of an output that is no number: of two a no and a yes, else a candidate."""
    return say(f"mech_answer_{'no' if place == 0 else 'yes'}") if several == 2 else "ABCD"[place]


@lru_cache(maxsize=128)
def trade_off(state: State, description: str, language: str) -> bytes:
    """Of all tests: what they miss at each rate of false alarms, beside what ε and δ allow, and the event."""
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
    names = {name: say(f"mech_line_{name}") for name in lines}
    rows = [{"f": f, "m": 1 - hit, "s": names[name]} for name, line in lines.items() for f, hit in line]
    return _drawn(_lines(rows, names) + _point(state), description)


def allowed(epsilon: float, delta: float) -> list[tuple[float, float]]:
    """The corners of what (ε, δ) allow: hits of at most e^ε f + δ and 1 − e^−ε (1 − δ − f)."""
    rate = exp(min(epsilon, 700.0))
    corner = (1 - delta) / (1 + rate)
    return [(0.0, delta), (corner, rate * corner + delta), (1 - delta, 1.0), (1.0, 1.0)]


def _lines(rows: list[dict[str, Any]], names: dict[str, str]) -> Any:
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1])
    scale = alt.Scale(domain=[0, 1], nice=False)
    legend = alt.Legend(title=None, orient="top", columns=1, labelLimit=WIDTH - 40, symbolStrokeWidth=2)
    looks = [LOOKS[name] for name in names]
    labels = list(names.values())
    colours = alt.Scale(domain=labels, range=[colour for colour, _ in looks])
    dashes = alt.Scale(domain=labels, range=[dash for _, dash in looks])
    return (
        inline(rows)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(field="f", type="quantitative", title=say("mech_false_alarms"), axis=axis, scale=scale),
            y=alt.Y(field="m", type="quantitative", title=say("mech_missed"), axis=axis, scale=scale),
            color=alt.Color(field="s", type="nominal", scale=colours, legend=legend),
            strokeDash=alt.StrokeDash(field="s", type="nominal", scale=dashes, legend=legend),
        )
        .properties(width=WIDTH, height=HIGH)
    )


def _point(state: State) -> Any:
    event = event_of(state)
    assert event is not None
    p, q = state.pair.probabilities(event)
    return (
        inline([{"f": q, "m": 1 - p}])
        .mark_point(filled=True, size=90, color=LIGHT.accent, opacity=1)
        .encode(x=alt.X(field="f", type="quantitative"), y=alt.Y(field="m", type="quantitative"))
    )


def _drawn(body: Any, description: str) -> bytes:
    body = body.properties(config=alt.Config.from_dict(config(LIGHT)))
    return tidy(vl_convert.vegalite_to_svg(body.to_dict(), allowed_base_urls=[]), description)

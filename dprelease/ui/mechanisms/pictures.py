"""Pictures of one mechanism: its two distributions, one below the other, and how well they can be told apart."""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import Any, TypeAlias

import numpy as np
import vl_convert

from dprelease.bundle.chart_style import LIGHT, config, tidy
from dprelease.lab.pair import Event, Pair, Side
from dprelease.lab.promises import Promises
from dprelease.lab.two_tables import NORMAL
from dprelease.ui.mechanisms.state import State, event_of, seen
from dprelease.ui.words import say

Spec: TypeAlias = dict[str, Any]
WIDTH = 260
"""Between the axes: as much as a phone has."""
LOW, HIGH = 96, 240
MANY = 60
"""Bars, of which no outline is drawn: it would be most of them."""
CORNERS = 48
POINTS = 60
TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]
PLAIN = {"type": "quantitative", "axis": {"tickCount": 6}, "scale": {"nice": False}}
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
    return _drawn({"vconcat": parts, "spacing": 12}, description)


def _bars(shown: Pair, event: Event, masses: list[float], top: float, title: str) -> Spec:
    rows = [{"p": masses[place], "e": int(is_within(event, place)), **_where(shown, place)} for place in seen(shown)]
    y = {"field": "p", "type": "quantitative", "title": say("mech_probability"), "scale": {"domain": [0, top]}}
    colour = {"condition": {"test": "datum.e == 1", "value": LIGHT.accent}, "value": LIGHT.grid}
    encoding: Spec = {"y": y, "color": colour}
    if shown.width:
        axis = {"format": "d", "tickMinStep": 1, "tickCount": 6, "grid": False}
        scale = {"nice": False, "zero": False}
        x = {"field": "low", "type": "quantitative", "title": None, "axis": axis, "scale": scale}
        encoding |= {"x": x, "x2": {"field": "high"}, "y2": {"datum": 0}}
    else:
        names = [outcome(len(shown.values), place) for place in seen(shown)]
        encoding |= {"x": {"field": "v", "type": "nominal", "title": None, "sort": names, "axis": {"labelAngle": 0}}}
    return {
        "data": {"values": rows},
        "mark": {"type": "bar", "stroke": LIGHT.line, "strokeWidth": 0.5 if len(rows) < MANY else 0, "binSpacing": 0},
        "encoding": encoding,
        "width": WIDTH,
        "height": LOW,
        "title": {"text": title, "fontSize": 13, "anchor": "start"},
    }


def _where(shown: Pair, place: int) -> dict[str, float | str]:
    """Where an output is drawn: under its name, or from one number to the next."""
    if not shown.width:
        return {"v": outcome(len(shown.values), place)}
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
    return _drawn({"layer": [_lines(rows, names), _point(state)], "width": WIDTH, "height": HIGH}, description)


def allowed(epsilon: float, delta: float) -> list[tuple[float, float]]:
    """The corners of what (ε, δ) allow: hits of at most e^ε f + δ and 1 − e^−ε (1 − δ − f)."""
    rate = exp(min(epsilon, 700.0))
    corner = (1 - delta) / (1 + rate)
    return [(0.0, delta), (corner, rate * corner + delta), (1 - delta, 1.0), (1.0, 1.0)]


@lru_cache(maxsize=128)
def curve(promises: Promises, name: str, description: str, language: str) -> bytes:
    """Rényi divergence by order, or δ by ε; what a pure ε allows is drawn below, for the curve may be on it."""
    points = promises.orders() if name == "renyi" else promises.deltas()
    names = {"bound": say("mech_line_pure"), "own": say("mech_line_own")}
    rows = [{"f": at, "m": own, "s": names["own"]} for at, own, _ in points]
    most = [{"f": at, "m": allowed, "s": names["bound"]} for at, _, allowed in points if allowed is not None]
    if not most:
        del names["bound"]
    x = {"field": "f", "title": say("mech_order") if name == "renyi" else "ε", **PLAIN}
    y = {"field": "m", "title": say("mech_divergence") if name == "renyi" else "δ", **PLAIN}
    drawn = _lines([*most, *rows], names, {"x": x, "y": y})
    return _drawn({**drawn, "width": WIDTH, "height": LOW + 64}, description)


def _lines(rows: list[Spec], names: dict[str, str], axes: Spec | None = None) -> Spec:
    legend = {"title": None, "orient": "top", "columns": 1, "labelLimit": WIDTH - 40, "symbolStrokeWidth": 2}
    labels, looks = list(names.values()), [LOOKS[name] for name in names]
    named = {"field": "s", "type": "nominal", "legend": legend}
    return {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            **(axes or _axes()),
            "color": {**named, "scale": {"domain": labels, "range": [colour for colour, _ in looks]}},
            "strokeDash": {**named, "scale": {"domain": labels, "range": [dash for _, dash in looks]}},
        },
    }


def _axes() -> Spec:
    drawn = {"type": "quantitative", "axis": {"values": TICKS}, "scale": {"domain": [0, 1], "nice": False}}
    return {
        "x": {"field": "f", "title": say("mech_false_alarms"), **drawn},
        "y": {"field": "m", "title": say("mech_missed"), **drawn},
    }


def _point(state: State) -> Spec:
    event = event_of(state)
    assert event is not None
    p, q = state.pair.probabilities(event)
    return {
        "data": {"values": [{"f": q, "m": 1 - p}]},
        "mark": {"type": "point", "filled": True, "size": 90, "color": LIGHT.accent, "opacity": 1},
        "encoding": _axes(),
    }


def _drawn(body: Spec, description: str) -> bytes:
    """The drawing, written down as Vega-Lite: its checks would take longer than the drawing."""
    return tidy(vl_convert.vegalite_to_svg({**body, "config": config(LIGHT)}, allowed_base_urls=[]), description)

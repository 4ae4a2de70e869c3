"""The page of one event on two tables: its chances, tests, curves, and draws of the noise that releases use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from math import ceil, exp, inf, isinf
from threading import Lock

import numpy as np

from dprelease.accounting import renyi
from dprelease.charts.sketch import Box, SketchAxis, SketchSheet, ticks
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab import audit
from dprelease.extras.lab.mechanism_snippets import mechanism_snippet
from dprelease.extras.lab.pair import Event, EventSide, OutputPair
from dprelease.extras.lab.portal.lesson import LAB, Lesson, LessonFigure, LessonPart, LessonQuery, LessonTable
from dprelease.extras.lab.portal.more import FEW, LEFT, RIGHT, WIDTH, curve, figure, with_legend
from dprelease.extras.lab.promises import Promises
from dprelease.extras.lab.two_tables import HERE, MECHANISMS, NORMAL, csv, pair_of
from dprelease.statements.display import shown
from dprelease.words.sentences import Words

KEY = "events"
SHOWN = Words("ui")
EVENT = re.compile(r"(ge|le|is):(-?\d{1,6}(?:\.\d{1,3})?)", re.ASCII)
WORST = "worst"
DRAWN = ("laplace", "gaussian")
"""Mechanisms whose noise releases draw."""
DRAWING = Lock()
"""Lock that lets one visitor draw at a time."""
SEEN = 1 / 500
"""Lowest bar drawn, as a share of the highest."""
BARS, HEIGHT, TESTS, POINTS = 200, 100, 220, 60
ORDERS = (1.0, 2.0, 5.0, 10.0, inf)
TIMES = (0.0, 0.5, 1.0, 2.0)


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    mechanism = asked.one("m", MECHANISMS)
    epsilon = asked.number("eps", 1, 0.001, 10)
    people = asked.whole("people", 1, 1, 10)
    found = pair_of(mechanism, epsilon, people)
    text = query.get("event", WORST)
    event = found.worst_event(epsilon, seen(found)) if text == WORST else read_event(found, text)
    if event is None:
        asked.vain.append("event")
        text, event = WORST, found.worst_event(epsilon, seen(found))
    asked.known["event"] = text, WORST
    draws = asked.one("draw", ("no", "yes"))
    link, vain = asked.told()
    p, q = found.probabilities(event)
    words = SHOWN.say("mech_two_alt", event=said(found, event), p=figure(p), q=figure(q))
    tables = LessonFigure(partial(tables_drawn, found, event), words, "tables")
    right = figure(100 * found.right, 4 if found.right <= 0.999 else 5)
    tests = LessonFigure(
        partial(tests_drawn, mechanism, epsilon, people, event), SHOWN.say("mech_trade_alt", right=right), "tests"
    )
    parts = [
        LessonPart(
            title=LAB["events_both"],
            texts=(_promised(mechanism, epsilon, people, found), SHOWN.say("mech_right", right=right)),
            figures=(tables, tests),
        )
    ]
    if mechanism != "uniform":
        parts.append(_curves(mechanism, epsilon, people))
    if mechanism in DRAWN:
        parts.append(_real_noise(mechanism, epsilon, people, found, event, draws == "yes"))
    return Lesson(
        fields=(
            asked.field("m", [(each, SHOWN[f"mech_{each}"]) for each in MECHANISMS]),
            asked.field("eps"),
            asked.field("people"),
            asked.field("event"),
            asked.field("draw", [(each, LAB[f"events_draw_{each}"]) for each in ("no", "yes")]),
        ),
        link=link,
        vain=vain,
        answer=SHOWN.say(
            "mech_verdict", event=said(found, event), p=figure(p), q=figure(q), ratio=figure(p / q if q else inf)
        ),
        parts=tuple(parts),
        figure=tables,
        csv=csv(found),
        program=mechanism_snippet(mechanism, epsilon, people),
    )


def read_event(found: OutputPair, text: str) -> Event | None:
    """Return an event as `ge:108`, from an output that is in sight; None if there is none like that."""
    match = EVENT.fullmatch(text)
    if match is None:
        return None
    side, at = EventSide(match[1]), float(match[2])
    ends = edges(found, side)
    if side not in found.sides or at not in [ends[place] for place in seen(found)]:
        return None
    return Event(ends.index(at), side)


def edges(found: OutputPair, side: EventSide) -> tuple[float, ...]:
    """Return where an event of each place begins: continuous noise lies about the values, and begins before them."""
    off = {EventSide.LEAST: -found.width / 2, EventSide.MOST: found.width / 2}[side] if found.continuous else 0.0
    return tuple(value + off for value in found.values)


def seen(found: OutputPair) -> range:
    """Return the places that are drawn: from the first to the last that is not tiny, on either table."""
    high = np.maximum(found.p, found.q)
    places = np.flatnonzero(high >= SEEN * high.max())
    return range(int(places[0]), int(places[-1]) + 1) if found.width else range(len(high))


def said(found: OutputPair, event: Event) -> str:
    """Return an event in words."""
    if event.side is EventSide.ALONE:
        return SHOWN.say("mech_said_is", at=outcome(len(found.values), event.place))
    return SHOWN.say(f"mech_said_{event.side.value}", at=figure(edges(found, event.side)[event.place], 6))


def outcome(several: int, place: int) -> str:
    """Return the name of an output that is no number: of two a no and a yes, else a candidate."""
    return SHOWN[f"mech_answer_{'no' if place == 0 else 'yes'}"] if several == 2 else "ABCD"[place]


def _promised(mechanism: str, epsilon: float, people: int, found: OutputPair) -> str:
    if mechanism == "uniform":
        return SHOWN["mech_verdict_never"]
    if mechanism in NORMAL:
        rho = (epsilon * people) ** 2 / 2
        delta = figure(found.delta(epsilon))
        return SHOWN.say("mech_verdict_normal", rho=figure(rho), epsilon=figure(epsilon), delta=delta)
    pure = Promises(mechanism, epsilon, people).pure
    return SHOWN.say("mech_verdict_pure", epsilon=figure(pure), rate=figure(exp(min(pure, 700.0))))


def _curves(mechanism: str, epsilon: float, people: int) -> LessonPart:
    """Return both curves beside what a pure ε allows, and some of their figures."""
    normal, promises = mechanism in NORMAL, Promises(mechanism, epsilon, people)
    orders = [(figure(each), figure(inf if normal and isinf(each) else promises.divergence(each))) for each in ORDERS]
    deltas = [(figure(times * promises.pure), figure(promises.delta(times * promises.pure))) for times in TIMES]
    words = SHOWN.say("mech_renyi_alt", one=orders[1][1], other=orders[3][1])
    other = SHOWN.say("mech_delta_alt", one=deltas[0][1], other=deltas[1][1], half=deltas[1][0])
    return LessonPart(
        title=SHOWN["mech_curves"],
        figures=(
            LessonFigure(partial(curve, promises, "renyi"), words, "renyi"),
            LessonFigure(partial(curve, promises, "delta"), other, "delta"),
        ),
        tables=(
            LessonTable(SHOWN["mech_renyi"], (SHOWN["mech_order"], SHOWN["mech_divergence"]), tuple(orders)),
            LessonTable(SHOWN["mech_profile"], ("ε", "δ"), tuple(deltas)),
        ),
    )


def _real_noise(
    mechanism: str, epsilon: float, people: int, found: OutputPair, event: Event, draws: bool
) -> LessonPart:
    """Return what draws of the noise of a release prove, on two public numbers; nothing is kept or charged."""
    here = SHOWN.say("mech_audit_what", draws=shown(audit.DRAWS), here=shown(HERE), there=shown(HERE - people))
    if not draws:
        return LessonPart(title=SHOWN["mech_audit"], texts=(here,))
    normal = mechanism in NORMAL
    noise = audit.gaussian(epsilon) if normal else audit.laplace(epsilon)
    least = round(edges(found, event.side)[event.place]) + (1 if event.side is EventSide.MOST else 0)
    delta = 1e-6 if normal else 0.0
    with DRAWING:
        proved = audit.audit(noise, HERE, HERE - people, least, delta=delta)
    rho = (epsilon * people) ** 2 / 2
    most = renyi.epsilon_of(renyi.Gaussian(rho), delta).epsilon if normal else epsilon * people
    counts = {"first": shown(proved.first), "second": shown(proved.second), "least": shown(least)}
    values = {"proved": figure(proved.epsilon, 3), "promised": figure(most), "delta": figure(delta)}
    return LessonPart(title=SHOWN["mech_audit"], texts=(here, SHOWN.say("mech_audit_found", **counts, **values)))


def tables_drawn(found: OutputPair, event: Event) -> SketchSheet:
    """Draw the outputs of a table and of its neighbour as bars; those of the event are filled."""
    places = seen(found)
    every = ceil(len(places) / BARS)
    half = found.width / 2 or 0.5
    values = found.values if found.width else tuple(float(place) for place in places)
    low, high = values[places[0]] - half, values[places[-1]] + half
    names = ticks(low, high) if found.width else {float(each): outcome(len(places), each) for each in places}
    top = max(float(found.p.max()), float(found.q.max()))
    up = SketchAxis(0, top, ticks(0, top, FEW), SHOWN["mech_probability"])
    step = 36 + HEIGHT + 28
    sheet = SketchSheet(WIDTH, 2 * step + 4)
    for row, (name, masses) in enumerate((("mech_here", found.p), ("mech_there", found.q))):
        begins = step * row + 36
        sheet.text(LEFT, begins - 14, SHOWN[name], fill=LIGHT.ink, font_weight="bold")
        panel = sheet.panel(Box(LEFT, begins, WIDTH - RIGHT, begins + HEIGHT), SketchAxis(low, high, names), up)
        gap = 0.0 if found.width else 0.1
        for place in places[::every]:
            fill = LIGHT.accent if within(event, place) else LIGHT.grid
            ends = values[place] - half + gap, min(high, values[place] - half + 2 * half * every - gap)
            panel.bar(ends, float(masses[place]), fill, LIGHT.line if len(places) < POINTS else fill)
    return sheet


def within(event: Event, place: int) -> bool:
    """Return True if an output belongs to an event."""
    if event.side is EventSide.ALONE:
        return place == event.place
    return place >= event.place if event.side is EventSide.LEAST else place <= event.place


def tests_drawn(mechanism: str, epsilon: float, people: int, event: Event) -> SketchSheet:
    """Draw misses against false alarms of all tests, beside what ε and δ allow, and the event as a dot."""
    found = pair_of(mechanism, epsilon, people)
    wrong, hits = found.roc()
    if len(wrong) > POINTS:
        even = np.linspace(0, 1, POINTS + 1)
        wrong, hits = even, np.interp(even, wrong, hits)
    missed = [(float(one), 1 - float(hit)) for one, hit in zip(wrong, hits, strict=True)]
    lines = {"own": missed, "guess": [(0.0, 1.0), (1.0, 0.0)]}
    if mechanism != "uniform":
        pure = epsilon if mechanism in NORMAL else Promises(mechanism, epsilon, people).pure
        delta = found.delta(epsilon) if mechanism in NORMAL else 0.0
        corner = (1 - delta) / (1 + exp(min(pure, 700.0)))
        lines["bound"] = [(0.0, 1 - delta), (corner, corner), (1 - delta, 0.0)]
    axis = ticks(0, 1)
    p, q = found.probabilities(event)
    names = {name: SHOWN[f"mech_line_{name}"] for name in lines}
    across, up = SketchAxis(0, 1, axis, SHOWN["mech_false_alarms"]), SketchAxis(0, 1, axis, SHOWN["mech_missed"])
    return with_legend(lines, names, across, up, TESTS, (q, 1 - p))

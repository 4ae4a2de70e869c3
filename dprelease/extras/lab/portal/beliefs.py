"""The page of beliefs: how far an event's chance, and a belief, may move (figure 1.1 of a source)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import product
from math import exp

from dprelease.accounting.composition import event_bounds, posterior_bounds
from dprelease.charts.sketch import SketchAxis, SketchSheet, ticks
from dprelease.extras.lab.portal.lesson import (
    LAB,
    Lesson,
    LessonFigure,
    LessonPart,
    LessonQuery,
    LessonTable,
    csv_of,
    told,
)
from dprelease.extras.lab.portal.more import with_legend
from dprelease.statements.display import shown

KEY = "beliefs"
PRIORS = (0.001, 0.01, 0.1, 0.5, 0.75, 0.99)
EPSILONS = (0.01, 0.1, 1.0, 5.0, 10.0)
POINTS, HEIGHT = 100, 240
PROGRAM = """import numpy as np

@settings@
print("p,epsilon,event_least,event_most,belief_least,belief_most")
for p in priors:
    for e in epsilons:
        least, most = max(np.exp(-e) * p, 1 - np.exp(e) * (1 - p)), min(np.exp(e) * p, 1 - np.exp(-e) * (1 - p))
        beliefs = (p / (p + (1 - p) * np.exp(each)) for each in (e, -e))
        print(p, e, least, most, *beliefs, sep=",")
"""


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    priors = asked.numbers("priors", PRIORS, 0.0001, 0.9999, (1, 8))
    epsilons = asked.numbers("epsilons", EPSILONS, 0.001, 20, (1, 6))
    link, vain = asked.told()
    rows = [(p, e, *event_bounds(p, e), *posterior_bounds(p, e)) for p, e in product(priors, epsilons)]
    drawn_at = epsilons[len(epsilons) // 2]
    figure = LessonFigure(partial(drawn, drawn_at), LAB.say("beliefs_alt", epsilon=told(drawn_at)), "beliefs")
    found = {(p, e): (least, most) for p, e, least, most, *_ in rows}
    own = {(p, e): (least, most) for p, e, _, _, least, most in rows}
    heads = ("p", *(f"ε = {told(each)}" for each in epsilons))

    def table(caption: str, cells: Mapping[tuple[float, float], tuple[float, float]]) -> LessonTable:
        return LessonTable(
            LAB[caption],
            heads,
            tuple((told(p), *(" – ".join(_four(each) for each in cells[p, e]) for e in epsilons)) for p in priors),
        )

    return Lesson(
        fields=(asked.field("priors"), asked.field("epsilons")),
        link=link,
        vain=vain,
        answer=LAB.say("beliefs_answer", rate=told(exp(drawn_at), 4), epsilon=told(drawn_at)),
        parts=(
            LessonPart(
                title=LAB["beliefs_event"],
                texts=(LAB["beliefs_event_what"],),
                figures=(figure,),
                tables=(table("beliefs_event", found),),
            ),
            LessonPart(
                title=LAB["beliefs_belief"], texts=(LAB["beliefs_belief_what"],), tables=(table("beliefs_belief", own),)
            ),
        ),
        figure=figure,
        csv=csv_of(("p", "epsilon", "event_least", "event_most", "belief_least", "belief_most"), rows),
        program=PROGRAM.replace("@settings@", f"priors, epsilons = {list(priors)}, {list(epsilons)}"),
    )


def _four(number: float) -> str:
    """Return a probability with four decimals, as the source prints it."""
    return f"{number:.4f}".replace(".", shown(0.5)[1])


def drawn(epsilon: float) -> SketchSheet:
    """Draw both pairs of bounds against the chance beforehand."""
    places = [each / POINTS for each in range(POINTS + 1)]
    lines = {
        "own": [(p, event_bounds(p, epsilon)[1]) for p in places],
        "bound": [(p, event_bounds(p, epsilon)[0]) for p in places],
        "second": [(p, posterior_bounds(p, epsilon)[1]) for p in places],
        "guess": [(p, posterior_bounds(p, epsilon)[0]) for p in places],
    }
    names = {
        "own": LAB["beliefs_event_most"],
        "bound": LAB["beliefs_event_least"],
        "second": LAB["beliefs_most"],
        "guess": LAB["beliefs_least"],
    }
    axis = ticks(0, 1)
    return with_legend(
        lines,
        names,
        SketchAxis(0, 1, axis, LAB["beliefs_before"]),
        SketchAxis(0, 1, axis, LAB["beliefs_after"]),
        HEIGHT,
    )

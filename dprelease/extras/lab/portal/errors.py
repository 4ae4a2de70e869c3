"""The page of what is printed and does not hold: the gallery at any ε, and figures beside the right ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import exp, inf, log

from dprelease.charts.sketch import SketchAxis, SketchSheet, ticks
from dprelease.extras.lab import together
from dprelease.extras.lab.broken import BROKEN
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
from dprelease.extras.lab.portal.more import CURVE, real, with_legend
from dprelease.statements.display import shown
from dprelease.words.sentences import Words

KEY = "errors"
SHOWN = Words("ui")
DRAWN = {"parts": "own", "count": "second", "clamped": "guess"}
CLAIMS = tuple(0.1 * place for place in range(1, 31))
MISPRINTS: Mapping[str, tuple[str, str]] = {
    "tail": ("12.2 = ln(10000/0.5)", f"{log(10_000 / 0.05):.3f} = ln(10000/0.05); ln(10000/0.5) = {log(20_000):.2f}"),
    "example": ("ε₀ = 1/801", f"1/813; 1/801: {together.first_advanced(1 / 801, 10_000, exp(-32)):.5f}"),
    "limit": ("0.5/λ", "1/λ + e^(−1/λ) − 1; λ = 1: 0.3679"),
    "table": ("1/5, 0; 3/5, 3/5; 2/5, 1/5", "0, 0; 3/5, 3/5; 2/5, 2/5"),
    "vector": ("(120, 19)", "(120, 10)"),
    "auction": ("3", "4"),
    "factor": ("Lap(Δ/ε)", "Lap(2Δ/ε)"),
    "indefinite": ("arg min", "−∞"),
    "means": ("240", "30"),
    "model": ("Δ = 8", "Δ = 4"),
    "above": ("≥ c", "≤ c"),
    "ratio": ("= ε", "≤ e^ε"),
    "weights": ("4/3, 2/3", "1, 1"),
    "answers": ("49", "25"),
    "group": ("3^c ζ = 6", "4"),
}
"""Figures as they are printed in sources, and as they are."""
PROGRAM = """from math import erfc, exp, inf, log, sqrt

@settings@


def normal(x):
    return erfc(-x / sqrt(2)) / 2


def gaussian(distance):  # epsilon of Gaussian noise at delta = 1e-5, by bisection
    low, high = 0.0, distance * distance / 2 + 9.5 * distance
    for _ in range(200):
        e, a = (low + high) / 2, distance / 2
        tail = normal(-a - (low + high) / 2 / distance)
        delta = normal(a - e / distance) - (exp(e + log(tail)) if tail > 0 else 0)
        low, high = (e, high) if delta > 1e-5 else (low, e)
    return high


found = dict(parts=3.5 * e, resampled=log(2 * exp(e) - 1), clamped=max(e, log(2) + e / 2), count=e / 2 + 2 / e)
found |= dict(sparse_fixed=31 * e / 4, sparse_grown=7 * e / 4, sparse_monotone=1.5 * e, sigma=gaussian(e))
found |= dict(histogram=2 * e, maximum=2 * e, mode=2 * e, median=2 * e, rounds=gaussian(sqrt(60) * e))
print("algorithm,claimed,real")
for name in names:
    print(name, e, found.get(name, inf), sep=",")
"""


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    epsilon = asked.number("eps", 1, 0.001, 10)
    link, vain = asked.told()
    figure = LessonFigure(drawn, LAB["errors_alt"], "real")
    found = [(each.key, epsilon, real(each.key, epsilon)) for each in BROKEN]
    above = sum(one > epsilon * (1 + 1e-9) for _, _, one in found)
    return Lesson(
        fields=(asked.field("eps"),),
        link=link,
        vain=vain,
        answer=LAB.say(
            "errors_answer",
            epsilon=told(epsilon),
            count=above,
            whole=len(BROKEN),
            endless=sum(one == inf for *_, one in found),
        ),
        parts=(
            LessonPart(
                title=LAB["errors_gallery"],
                texts=(SHOWN["mech_gallery_what"],),
                figures=(figure,),
                tables=(_gallery(epsilon),),
            ),
            LessonPart(title=LAB["errors_figures"], texts=(LAB["errors_figures_what"],), tables=(_misprints(),)),
        ),
        figure=figure,
        csv=csv_of(("algorithm", "claimed", "real"), found),
        program=PROGRAM.replace(
            "@settings@", f"e, names = {epsilon}, {[each.key for each in BROKEN]}".replace("', '", "',\n    '")
        ),
    )


def _gallery(epsilon: float) -> LessonTable:
    rows = []
    for each in BROKEN:
        mended = told(round(each.mended(epsilon), 9))
        event, loss = SHOWN[f"broken_{each.key}_proof"], told(each.witness(epsilon).loss, 4)
        rows.append((SHOWN[f"broken_{each.key}"], event, loss, told(real(each.key, epsilon), 4), mended))
    heads = (
        SHOWN["broken_which"],
        LAB["errors_event"],
        SHOWN["broken_fact_loss"],
        SHOWN["broken_fact_real"],
        LAB["errors_mended"],
    )
    return LessonTable(SHOWN.say("broken_caption", claimed=told(epsilon)), heads, tuple(rows), words=(1,))


def _misprints() -> LessonTable:
    point = shown(0.5)[1]
    rows = tuple(
        (LAB.say(f"misprint_{key}"), *(re.sub(r"(?<=\d)\.(?=\d)", point, each) for each in both))
        for key, both in MISPRINTS.items()
    )
    return LessonTable(LAB["errors_figures"], (LAB["errors_what"], LAB["printed"], LAB["errors_right"]), rows)


def drawn() -> SketchSheet:
    """Draw the real ε of three entries by the claimed one."""
    lines = {"bound": [(each, each) for each in CLAIMS]}
    lines |= {look: [(each, min(real(key, round(each, 9)), 10.0)) for each in CLAIMS] for key, look in DRAWN.items()}
    names = {"bound": LAB["errors_claimed"], **{look: SHOWN[f"broken_{key}"] for key, look in DRAWN.items()}}
    across = SketchAxis(0, 3, ticks(0, 3), LAB["errors_claimed"])
    return with_legend(lines, names, across, SketchAxis(0, 10, ticks(0, 10, 5), SHOWN["broken_fact_real"]), CURVE)

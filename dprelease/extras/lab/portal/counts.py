"""The page of two numbers at once: norms, the sensitivity of both together, and Laplace noise Lap(μ, b)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import exp, log, sqrt

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
from dprelease.extras.lab.portal.more import CURVE, with_legend

KEY = "counts"
LOOKS = ("own", "second", "guess", "bound")
POINTS = 160
PROGRAM = """import numpy as np

@settings@
print("x,first,second,third,fourth")
for x in np.linspace(low, high, 161):
    print(x, *(np.exp(-abs(x - m) / b) / (2 * b) for m, b in zip(centres, scales)), sep=",")
"""


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    vector = asked.numbers("vector", (2, 3, -4, 6), -1e6, 1e6, (1, 8))
    answers = asked.numbers("answers", (121, 10), -1e6, 1e6, (2, 2))
    noise = asked.numbers("noise", (-1, 0), -1e6, 1e6, (2, 2))
    moves = asked.numbers("moves_by", (1, 1), 0.001, 1e6, (2, 2))
    epsilon = asked.number("eps", 1, 0.001, 20)
    centres = asked.numbers("centres", (-3, 0, 3, 6), -100, 100, (4, 4))
    scales = asked.numbers("scales", (1, 1, 1, 1), 0.05, 100, (4, 4))
    link, vain = asked.told()
    whole = sum(moves)
    low, high = span(centres, scales)
    places = [low + (high - low) * each / POINTS for each in range(POINTS + 1)]
    rows = [(x, *(density(x, m, b) for m, b in zip(centres, scales, strict=True))) for x in places]
    figure = LessonFigure(partial(drawn, centres, scales), LAB["counts_alt"], "densities")
    both = [told(answer + each) for answer, each in zip(answers, noise, strict=True)]
    return Lesson(
        fields=tuple(
            asked.field(name) for name in ("answers", "noise", "moves_by", "eps", "vector", "centres", "scales")
        ),
        link=link,
        vain=vain,
        answer=LAB.say("counts_answer", whole=told(whole), scale=told(whole / epsilon), epsilon=told(epsilon)),
        parts=(
            LessonPart(
                title=LAB["counts_both"],
                texts=(
                    LAB["counts_both_what"],
                    LAB.say(
                        "counts_published", answers=_pair(answers), noise=_pair(noise), both=f"({', '.join(both)})"
                    ),
                ),
                tables=(_scales(moves, epsilon),),
            ),
            LessonPart(
                title=LAB["counts_norms"],
                texts=(
                    LAB.say(
                        "counts_norms_what",
                        vector=_pair(vector),
                        first=told(sum(map(abs, vector))),
                        second=told(sqrt(sum(each * each for each in vector))),
                        most=told(max(map(abs, vector))),
                    ),
                ),
            ),
            LessonPart(title=LAB["counts_densities"], texts=(LAB["counts_densities_what"],), figures=(figure,)),
        ),
        figure=figure,
        csv=csv_of(("x", "first", "second", "third", "fourth"), rows),
        program=PROGRAM.replace(
            "@settings@", f"centres, scales, low, high = {list(centres)}, {list(scales)}, {low}, {high}"
        ),
    )


def _pair(numbers: tuple[float, ...]) -> str:
    return f"({', '.join(map(told, numbers))})"


def _scales(moves: tuple[float, ...], epsilon: float) -> LessonTable:
    """Return the noise of each number: by both sensitivities together, by halves of ε, and by each alone."""
    whole = sum(moves)
    ways = (
        ("counts_together", [whole / epsilon] * 2, epsilon),
        ("counts_halves", [2 * each / epsilon for each in moves], epsilon),
        (
            "counts_parts",
            [each ** (1 / 3) * sum(other ** (2 / 3) for other in moves) / epsilon for each in moves],
            epsilon,
        ),
        ("counts_alone", [each / epsilon for each in moves], 2 * epsilon),
    )
    rows = []
    for name, scales, real in ways:
        errors = [told(log(20) * scale, 4) for scale in scales]
        rows.append((LAB[name], *(told(each, 4) for each in scales), *errors, told(real, 4)))
    heads = ("counts_way", "counts_first", "counts_second", "counts_error_first", "counts_error_second", "counts_real")
    return LessonTable(LAB["counts_both"], tuple(LAB[each] for each in heads), tuple(rows))


def density(x: float, centre: float, scale: float) -> float:
    """Return e^(−|x − μ|/b) / 2b."""
    return exp(-abs(x - centre) / scale) / (2 * scale)


def span(centres: tuple[float, ...], scales: tuple[float, ...]) -> tuple[float, float]:
    """Return the ends of the picture: four scales beyond each centre."""
    both = list(zip(centres, scales, strict=True))
    return min(m - 4 * b for m, b in both), max(m + 4 * b for m, b in both)


def drawn(centres: tuple[float, ...], scales: tuple[float, ...]) -> SketchSheet:
    """Draw four densities."""
    low, high = span(centres, scales)
    both = list(zip(LOOKS, centres, scales, strict=True))
    lines = {
        look: [
            (x, density(x, m, b))
            for x in sorted({m, *(low + (high - low) * each / POINTS for each in range(POINTS + 1))})
        ]
        for look, m, b in both
    }
    names = {look: f"Lap({told(m)}, {told(b)})" for look, m, b in both}
    top = 1 / (2 * min(scales))
    return with_legend(
        lines,
        names,
        SketchAxis(low, high, ticks(low, high)),
        SketchAxis(0, top, ticks(0, top, 5), LAB["counts_density"]),
        CURVE,
    )

"""The page of the sparse vector technique and of a threshold for unknown categories, as they hold and as printed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from math import ceil, exp, log, log1p

from dprelease.charts.sketch import Points, SketchAxis, SketchSheet, ticks
from dprelease.extras.lab import accuracy, sparse
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

KEY = "above"
HOW_MANY = (1, 2, 5, 10, 20, 50, 100, 200, 400)
"""Questions below of the picture."""
WAYS = {
    "holds": (sparse.HOLDS, "holds"),
    "told": (sparse.TELLS, "never"),
    "fixed": (sparse.FIXED, "fixed"),
    "grown": (sparse.GROWN, "grown"),
    "bare": (sparse.BARE, "never"),
    "endless": (sparse.ENDLESS, "never"),
    "monotone": (sparse.MONOTONE, "half"),
}
PROGRAM = """import numpy as np

@settings@
nodes, weights = np.polynomial.legendre.leggauss(8)


def log_chance(answers, tells, s, t):  # ln P of what is told; noise of scale s on the threshold 0, t on questions
    cuts = np.unique(np.concatenate([np.linspace(-45, 45, 4001) * x for x in (s, t, s + t)] + [[0, 1]]))
    z = ((cuts[:-1] + cuts[1:])[:, None] / 2 + np.diff(cuts)[:, None] / 2 * nodes).ravel()
    total = np.log((np.diff(cuts)[:, None] / 2 * weights).ravel()) - abs(z) / s - np.log(2 * s)
    for answer, above, times in zip(answers, tells, (below, above_most)):
        x = (z - answer) / t * (-1 if above else 1)
        total += times * np.where(x < 0, x - np.log(2), np.log1p(-np.exp(-abs(x)) / 2))
    return total.max() + np.log(np.exp(total - total.max()).sum())


c = above_most
print("way,below,ln_p,ln_q,loss")
for way, s, t in (("holds", 2, 4 * c), ("fixed", 4, 4 / 3), ("grown", 4, 4 * c / 3), ("monotone", 2, 2 * c)):
    for below in counts:
        p, q = (log_chance(each, (False, True), s / epsilon, t / epsilon) for each in ((0, 1), (1, 0)))
        print(way, below, p, q, abs(p - q), sep=",")
"""


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    epsilon = asked.number("eps", 1, 0.001, 20)
    above = asked.whole("c", 5, 1, 20)
    questions = asked.whole("k", 10, 2, 1_000_000)
    beta = asked.number("beta", 0.05, 1e-6, 0.5)
    delta = asked.number("delta", 1e-6, 1e-15, 0.1)
    link, vain = asked.told()
    rows = [(way, below, *losses) for way, below, losses in _counted(epsilon, above)]
    figure = LessonFigure(partial(drawn, epsilon, above), LAB["above_alt"], "losses")
    return Lesson(
        fields=tuple(asked.field(name) for name in ("eps", "c", "k", "beta", "delta")),
        link=link,
        vain=vain,
        answer=LAB.say(
            "above_answer",
            alpha=told(accuracy.several_above(epsilon, questions, beta, above), 5),
            sure=told(100 * (1 - beta), 6),
            many=questions,
            count=above,
        ),
        parts=(
            LessonPart(
                title=LAB["above_holds"],
                texts=(LAB["above_what"], LAB["above_event"]),
                figures=(figure,),
                tables=(_ways(epsilon, above),),
            ),
            _accuracy(epsilon, questions, beta, above, delta),
            _threshold(epsilon, delta),
        ),
        figure=figure,
        csv=csv_of(("way", "below", "ln_p", "ln_q", "loss"), rows),
        program=PROGRAM.replace("@settings@", f"epsilon, above_most, counts = {epsilon}, {above}, {list(HOW_MANY)}"),
    )


@lru_cache(maxsize=64)
def _counted(epsilon: float, above: int) -> tuple[tuple[str, int, tuple[float, float, float]], ...]:
    """Return, of ways with noise on questions, the logarithms of both chances by how many questions are below."""
    found = []
    for way in ("holds", "fixed", "grown", "monotone"):
        for below in HOW_MANY:
            p, q = _both(WAYS[way][0], epsilon, below, above)
            found.append((way, below, (p, q, abs(p - q))))
    return tuple(found)


def _both(way: sparse.SparseMethod, epsilon: float, below: int, above: int) -> tuple[float, float]:
    answers = [False] * below + [True] * above
    p, q = (
        sparse.of_way(way, epsilon, [first] * below + [second] * above, answers)
        for first, second in ((0.0, 1.0), (1.0, 0.0))
    )
    return p, q


def _ways(epsilon: float, above: int) -> LessonTable:
    below = HOW_MANY[-1]
    rows = []
    for name, (way, real) in WAYS.items():
        threshold, question = way.scales(epsilon, above)
        p, q = _both(way, epsilon, below, above)
        least = {
            "holds": epsilon,
            "fixed": (1 + 6 * above) * epsilon / 4,
            "grown": 7 * epsilon / 4,
            "half": 1.5 * epsilon,
        }
        rows.append(
            (
                LAB[f"above_way_{name}"],
                told(threshold, 4),
                told(question, 4),
                told(abs(p - q), 4),
                told(least.get(real, float("inf")), 4),
            )
        )
        if name == "holds":
            answers = ([False] * below + [True]) * above
            again = [
                sparse.renewed(epsilon, ([one] * below + [other]) * above, answers)
                for one, other in ((0.0, 1.0), (1.0, 0.0))
            ]
            scales = told(2 * above / epsilon, 4), told(4 * above / epsilon, 4)
            rows.append((LAB["above_way_renewed"], *scales, told(abs(again[0] - again[1]), 4), told(epsilon, 4)))
    heads = ("above_way", "above_threshold", "above_question", "above_loss", "above_real")
    return LessonTable(
        LAB.say("above_caption", count=above, below=below), tuple(LAB[each] for each in heads), tuple(rows)
    )


def _accuracy(epsilon: float, questions: int, beta: float, above: int, delta: float) -> LessonPart:
    exact = [
        ("above_one", accuracy.one_above(epsilon, questions, beta), None),
        *(
            (name, rule(epsilon, questions, beta, above), rule(epsilon, questions, beta, above, delta))
            for name, rule in (("above_several", accuracy.several_above), ("above_numbers", accuracy.numbers_told))
        ),
        ("above_chosen", accuracy.chosen(epsilon, questions, beta), None),
    ]
    rows = tuple((LAB[name], told(pure, 6), "–" if loose is None else told(loose, 6)) for name, pure, loose in exact)
    ratio = exact[0][1] / exact[-1][1]
    return LessonPart(
        title=LAB["above_accuracy"],
        texts=(
            LAB.say("above_accuracy_what", many=questions, count=above, sure=told(100 * (1 - beta), 6)),
            LAB["above_misprint"],
            LAB.say("above_ratio", ratio=told(ratio, 3)),
        ),
        tables=(
            LessonTable(LAB["above_accuracy"], (LAB["above_statement"], "α, δ = 0", f"α, δ = {told(delta, 3)}"), rows),
        ),
    )


def _threshold(epsilon: float, delta: float) -> LessonPart:
    """Return the threshold of a histogram whose categories come out of the data: a category of one row shows with δ."""
    least = threshold(epsilon, delta)
    rows = tuple(
        (told(count), told(above_threshold(epsilon, count, least), 4))
        for count in sorted({1, 2, 5, 10, least, 2 * least})
    )
    return LessonPart(
        title=LAB["above_unknown"],
        texts=(
            LAB.say(
                "above_unknown_what",
                least=least,
                epsilon=told(epsilon),
                delta=told(delta, 3),
                chance=told(above_threshold(epsilon, 1, least), 4),
            ),
            LAB.say("above_unknown_broken", chance=told(above_threshold(epsilon, 1, 1), 4)),
        ),
        tables=(LessonTable(LAB["above_unknown"], (LAB["above_count"], LAB["above_shown"]), rows),),
    )


def threshold(epsilon: float, delta: float) -> int:
    """Return the least T with P(1 + noise >= T) <= δ, integer Laplace noise: r^(T − 1) / (1 + r) <= δ, r = e^−ε."""
    return max(2, 1 + ceil(-(log(delta) + log1p(exp(-epsilon))) / epsilon - 1e-12))


def above_threshold(epsilon: float, count: int, least: int) -> float:
    """Return P(count + noise >= T) of integer Laplace noise."""
    r = exp(-epsilon)
    return r ** (least - count) / (1 + r) if least > count else 1 - r ** (count - least + 1) / (1 + r)


def drawn(epsilon: float, above: int) -> SketchSheet:
    """Draw the loss of the counterexample by how many questions are below, of four ways."""
    looks = {"holds": "own", "fixed": "second", "grown": "guess", "monotone": "bound"}
    found: dict[str, list[tuple[float, float]]] = {look: [] for look in looks.values()}
    for way, below, (_, _, loss) in _counted(epsilon, above):
        found[looks[way]].append((log(below), loss))
    lines: dict[str, Points] = dict(found)
    top = max(loss for line in found.values() for _, loss in line)
    across = SketchAxis(
        0, log(HOW_MANY[-1]), {log(each): str(each) for each in (1, 5, 20, 100, 400)}, LAB["above_below"]
    )
    names = {look: LAB[f"above_way_{way}"] for way, look in looks.items()}
    return with_legend(lines, names, across, SketchAxis(0, top, ticks(0, top, 5), LAB["above_loss"]), CURVE)

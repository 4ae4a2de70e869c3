"""The page of several sites: who averages with whom, what the weights do, what a method errs and really costs."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, log, pi, sin

from dprelease.charts.sketch import Points, SketchAxis, SketchSheet, ticks
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab import graphs, several
from dprelease.extras.lab.graphs import GRAPHS, LAPLACIAN, METROPOLIS, PRINTED, SEVEN
from dprelease.extras.lab.patients import FLOOR
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
from dprelease.extras.lab.portal.more import CURVE, WIDTH, with_legend
from dprelease.extras.lab.several import EPSILONS, FEW, MANY, SitesRun
from dprelease.extras.lab.sites_snippet import sites_snippet
from dprelease.statements.display import shown

KEY = "sites"
STEP = 1 / 3
ROUNDS = 20
"""Rounds of the picture of differences."""
HIGHEST = 1.2
"""The top of the picture of errors: the outcome has variance 1."""
PRINTED_NEAR = {10.0: "0.387"}
PRINTED_STEP = "0.379"


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    graph = asked.one("graph", tuple(GRAPHS))
    kind = asked.one("weights", (METROPOLIS, LAPLACIAN, PRINTED))
    if kind == PRINTED and graph != SEVEN:
        asked.vain.append("graph")
        graph = SEVEN
        asked.known["graph"] = SEVEN, SEVEN
    step = asked.number("alpha", STEP, 0.001, 1)
    run = SitesRun(
        asked.one("method", several.METHODS, several.NEIGHBOURS),
        kind,
        step,
        asked.number("mu", 10, 0.001, 10_000),
        asked.whole("rounds", 60, 1, 100),
        int(asked.one("rows", (str(FEW), str(MANY)))),
    )
    link, vain = asked.told()
    rows = several.by_epsilon(run)
    error = LessonFigure(
        lambda: errors_drawn(run), LAB.say("sites_error_alt", method=LAB[f"sites_{run.method}"]), "errors"
    )
    return Lesson(
        fields=(
            asked.field("graph", [(each, LAB[f"sites_graph_{each}"]) for each in GRAPHS]),
            asked.field("weights", [(each, LAB[f"sites_weights_{each}"]) for each in (METROPOLIS, LAPLACIAN, PRINTED)]),
            asked.field("alpha"),
            asked.field("method", [(each, LAB[f"sites_{each}"]) for each in several.METHODS]),
            asked.field("mu"),
            asked.field("rounds"),
            asked.field("rows", [(str(each), shown(each)) for each in (FEW, MANY)]),
        ),
        link=link,
        vain=vain,
        answer=answer(run),
        parts=(
            _graph(graph, kind, step),
            LessonPart(
                title=LAB["sites_errors"],
                texts=(LAB.say("sites_errors_what", floor=shown(FLOOR), rounds=run.rounds),),
                figures=(error,),
                tables=(_errors(run),),
            ),
            LessonPart(
                title=LAB["sites_near"],
                texts=(LAB.say("sites_near_what", rows=shown(several.NEAR_ROWS)), LAB["sites_near_lost"]),
                tables=(_by_near(),),
            ),
            LessonPart(
                title=LAB["sites_step"],
                texts=(LAB.say("sites_step_what", rows=shown(MANY), last=told(graphs.last_step(SEVEN), 4)),),
                tables=(_by_step(),),
            ),
            LessonPart(title=LAB["sites_wrong"], texts=tuple(LAB[f"sites_wrong_{each}"] for each in range(1, 6))),
        ),
        figure=error,
        csv=csv_of(
            ("curve", "at", "as_printed", "paid_for"),
            [
                *(("eigenvalue", place, each, None) for place, each in enumerate(_values(graph, run), 1)),
                *(("error", *row) for row in rows),
            ],
        ),
        program=sites_snippet(run, graph),
    )


def _values(graph: str, run: SitesRun) -> tuple[float, ...]:
    return graphs.eigenvalues(graphs.weights(graph, run.weights, run.step))


def answer(run: SitesRun) -> str:
    """Return what ε = 1 is after so many rounds."""
    real = run.real(1.0)
    if real is None:
        return LAB["sites_answer_none"]
    return LAB.say("sites_answer", rounds=run.rounds, real=told(real, 4))


def _graph(graph: str, kind: str, step: float) -> LessonPart:
    matrix = graphs.weights(graph, kind, step)
    grown, left = graphs.grows_by(matrix), graphs.mixes_by(matrix)
    texts = [LAB.say("sites_values", values=", ".join(told(each) for each in graphs.eigenvalues(matrix)))]
    if grown > 1 + 1e-9:
        texts.append(LAB.say("sites_grows", grown=told(grown, 6), percent=told(100 * (grown - 1), 2)))
    else:
        texts.append(LAB.say("sites_mixes", left=told(left)))
    if kind == PRINTED:
        right = graphs.of_laplacian(SEVEN, STEP)
        texts.append(LAB.say("sites_printed", left=told(graphs.mixes_by(right))))
    best = graphs.best_step(graph)
    texts.append(
        LAB.say("sites_best", best=told(best, 4), left=told(graphs.mixes_by(graphs.of_laplacian(graph, best))))
    )
    sites = range(1, len(matrix) + 1)
    rows = [
        (LAB.say("sites_site", site=site), *(told(each, 4) for each in row), told(sum(row), 4))
        for site, row in zip(sites, matrix.tolist(), strict=True)
    ]
    total = (LAB["sites_sum"], *(told(each, 4) for each in matrix.sum(axis=0).tolist()), "")
    heads = ("W", *(str(site) for site in sites), LAB["sites_sum"])
    name = LAB[f"sites_graph_{graph}"]
    return LessonPart(
        title=LAB["sites_graph"],
        texts=tuple(texts),
        figures=(
            LessonFigure(lambda: graph_drawn(graph), LAB.say("sites_graph_alt", graph=name), "graph"),
            LessonFigure(lambda: spread_drawn(graph, kind, step), LAB["sites_spread_alt"], "spread"),
        ),
        tables=(LessonTable(LAB.say("sites_matrix", weights=LAB[f"sites_weights_{kind}"]), heads, (*rows, total)),),
    )


def _errors(run: SitesRun) -> LessonTable:
    rows = []
    for epsilon, printed, paid in several.by_epsilon(run):
        real = run.real(epsilon)
        rows.append(
            (shown(epsilon), LAB["sites_none"] if real is None else told(real, 4), told(printed, 4), told(paid, 4))
        )
    heads = ("sites_claimed", "sites_real", "sites_as_printed", "sites_paid")
    return LessonTable(LAB["sites_errors"], tuple(LAB[each] for each in heads), tuple(rows))


def _by_near() -> LessonTable:
    rows = tuple(
        (told(near, 4), f"{told(first, 4)}", told(second, 4), told(paid, 4), PRINTED_NEAR.get(near, "–"))
        for near, first, second, paid in several.BY_NEAR
    )
    at = [LAB.say("sites_printed_at", epsilon=shown(each)) for each in (several.NEAR_EPSILON, 1.0)]
    heads = ("μ", *at, LAB.say("sites_paid_at", epsilon=shown(1.0)), LAB["printed"])
    return LessonTable(LAB["sites_near_caption"], heads, rows)


def _by_step() -> LessonTable:
    best, *_ = min(several.BY_STEP, key=lambda each: each[1])
    rows = tuple(
        (
            told(step, 4),
            told(graphs.mixes_by(graphs.of_laplacian(SEVEN, step)), 4),
            told(printed, 4),
            told(paid, 4),
            PRINTED_STEP if step == best else "–",
        )
        for step, printed, paid in several.BY_STEP
    )
    heads = (
        "α",
        LAB["sites_left"],
        LAB.say("sites_printed_at", epsilon=shown(1.0)),
        LAB.say("sites_paid_at", epsilon=shown(1.0)),
        LAB["sites_printed_best"],
    )
    return LessonTable(LAB["sites_step_caption"], heads, rows)


def graph_drawn(graph: str) -> SketchSheet:
    """Draw the sites on a circle, a line between neighbours."""
    number, edges = GRAPHS[graph]
    sheet, height = SketchSheet(WIDTH, 260), 260
    places = [
        (WIDTH / 2 + 100 * sin(2 * pi * each / number), height / 2 - 100 * cos(2 * pi * each / number))
        for each in range(number)
    ]
    for one, other in edges:
        (x, y), (to, down) = places[one - 1], places[other - 1]
        sheet.add(
            "path", class_="second", stroke=LIGHT.ink, stroke_width=2.0, d=f"M{x:.1f} {y:.1f}L{to:.1f} {down:.1f}"
        )
    for site, (x, y) in enumerate(places, 1):
        sheet.add("circle", class_="own node", cx=x, cy=y, r=15.0, fill="#fff", stroke=LIGHT.accent, stroke_width=2.0)
        sheet.text(x, y + 5, str(site), text_anchor="middle")
    return sheet


def spread_drawn(graph: str, kind: str, step: float) -> SketchSheet:
    """Draw how far from their first average sites still are after each round, beside the best I − αL."""
    own = graphs.spread(graphs.weights(graph, kind, step), ROUNDS)
    best = graphs.spread(graphs.of_laplacian(graph, graphs.best_step(graph)), ROUNDS)
    top = max(max(best), min(max(own), 2 * max(best)))
    lines: dict[str, Points] = {
        "bound": [(float(turn), each) for turn, each in enumerate(best)],
        "own": [(float(turn), min(each, top)) for turn, each in enumerate(own)],
    }
    names = {"bound": LAB["sites_spread_best"], "own": LAB["sites_spread_own"]}
    up = SketchAxis(0, top, ticks(0, top, 5), LAB["sites_spread_up"])
    return with_legend(lines, names, SketchAxis(0, ROUNDS, ticks(0, ROUNDS), LAB["sites_spread_across"]), up, CURVE)


def errors_drawn(run: SitesRun) -> SketchSheet:
    """Draw the error by the ε that is claimed, as printed and paid for, and the least that any slopes leave."""
    rows = several.by_epsilon(run)
    lines: dict[str, Points] = {
        "bound": [(log(each), FLOOR) for each in EPSILONS],
        "own": [(log(epsilon), min(printed, HIGHEST)) for epsilon, printed, _ in rows],
        "second": [(log(epsilon), min(paid, HIGHEST)) for epsilon, _, paid in rows],
    }
    top = max(value for line in lines.values() for _, value in line)
    names = {"bound": LAB["sites_floor"], "own": LAB["sites_as_printed"], "second": LAB["sites_paid"]}
    across = SketchAxis(
        log(EPSILONS[0]), log(EPSILONS[-1]), {log(each): shown(each) for each in EPSILONS}, LAB["sites_claimed"]
    )
    low = FLOOR - 0.1 * (top - FLOOR)
    return with_legend(lines, names, across, SketchAxis(low, top, ticks(low, top, 5), LAB["sites_error"]), CURVE)

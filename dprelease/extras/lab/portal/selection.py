"""The page of choosing one of several: three ways that hold, beside two that are printed and do not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from dprelease.charts.sketch import Box, SketchAxis, SketchSheet, ticks
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab import choices
from dprelease.extras.lab.chance import Floats
from dprelease.extras.lab.choices import BROKEN_WAYS, HOLD, chances
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
from dprelease.extras.lab.portal.more import BELOW, LEFT, RIGHT, WIDTH

KEY = "selection"
WAYS = (*HOLD, *BROKEN_WAYS)
SCORES, OTHERS = (4.0, 3.0, 2.0, 0.0), (3.0, 3.0, 2.0, 1.0)
PRICES, BIDS = (1.0, 2.0, 3.0, 3.01, 3.02), (3.01, 1.0, 1.0, 1.0)
"""An auction: what each price earns is the price times how many bid as much."""
COMMON = (0.1, 1.0, 0.1, 5.0, 0.5, 1.0, 0.5, 10.0)
"""ε and gap of the example of two candidates, in turn."""
NAMES = "ABCDEF"
HEIGHT = 180
PROGRAM = """import numpy as np

@settings@


def chances(way, scores, rate):
    if way in ("undivided", "bare_max"):  # as printed, without the 2
        way, rate = {"undivided": "exponential", "bare_max": "noisy_max"}[way], 2 * rate
    s, found = rate * np.array(scores), []
    if way == "exponential":
        return np.exp(s - s.max()) / np.exp(s - s.max()).sum()
    if way == "noisy_max":  # Laplace noise of scale 1 on each, by Gauss and Legendre between the scores
        ends, (nodes, weights) = [s.min() - 45, *sorted(set(s)), s.max() + 45], np.polynomial.legendre.leggauss(8)
        cuts = np.concatenate([np.linspace(a, b, 8 * int(b - a) + 9) for a, b in zip(ends, ends[1:])])
        z = (cuts[:-1] + cuts[1:])[:, None] / 2 + np.diff(cuts)[:, None] / 2 * nodes
        F = [np.where(z < each, np.exp(-abs(z - each)) / 2, 1 - np.exp(-abs(z - each)) / 2) for each in s]
        for i, each in enumerate(s):
            rest = np.prod([F[j] for j in range(len(s)) if j != i], axis=0)
            found.append((np.exp(-abs(z - each)) / 2 * rest * np.diff(cuts)[:, None] / 2 * weights).sum())
        return np.array(found)
    coins = np.exp(s - s.max())  # permute and flip: a candidate's chance is its coin times those before it that fail
    for i, coin in enumerate(coins):
        ways = np.array([1.0])  # of the others, by how many come before
        for other in np.delete(coins, i):
            ways = np.append(ways, 0) + np.append(0, ways * -other)
        found.append(coin * (ways / np.arange(1, len(ways) + 1)).sum())
    return np.array(found)


print("way,candidate,p,q")
for way in ("exponential", "permute_and_flip", "noisy_max", "undivided", "bare_max"):
    for i, (p, q) in enumerate(zip(chances(way, scores, rate), chances(way, others, rate))):
        print(way, "ABCDEF"[i], p, q, sep=",")
"""


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    scores = asked.numbers("scores", SCORES, -10_000, 10_000, (2, 6))
    others = asked.numbers("others", OTHERS, -10_000, 10_000, (2, 6))
    if len(others) != len(scores):
        asked.vain += ["scores", "others"]
        scores, others = SCORES, OTHERS
        asked.known |= {
            name: (" ".join(f"{each:g}" for each in own),) * 2 for name, own in (("scores", SCORES), ("others", OTHERS))
        }
    epsilon = asked.number("eps", 1, 0.001, 20)
    sensitivity = asked.number("delta_f", 1, 0.001, 10_000)
    monotone = asked.one("moves", ("any", "same")) == "same"
    rate = epsilon / sensitivity / (1 if monotone else 2)
    link, vain = asked.told()
    both = {way: (chances(way, scores, rate), chances(way, others, rate)) for way in WAYS}
    rows = [
        (way, NAMES[place], p, q)
        for way, (one, other) in both.items()
        for place, (p, q) in enumerate(zip(one.tolist(), other.tolist(), strict=True))
    ]
    figure = LessonFigure(partial(drawn, scores, rate), LAB["selection_alt"], "chances")
    heads = (LAB["selection_candidate"], LAB["selection_score"], *(LAB[f"selection_{way}"] for way in HOLD))
    gap = max(scores) - sorted(scores)[-2]
    return Lesson(
        fields=(
            asked.field("scores"),
            asked.field("others"),
            asked.field("eps"),
            asked.field("delta_f"),
            asked.field("moves", [(each, LAB[f"selection_moves_{each}"]) for each in ("any", "same")]),
        ),
        link=link,
        vain=vain,
        answer=LAB.say(
            "selection_answer", chance=told(100 * float(both[HOLD[0]][0][_best(scores)]), 4), epsilon=told(epsilon)
        ),
        parts=(
            LessonPart(
                title=LAB["selection_holds"],
                texts=(
                    LAB["selection_what"],
                    LAB.say("selection_bound", gap=told(gap), bound=told(choices.utility_bound(scores, rate, gap))),
                ),
                figures=(figure,),
                tables=tuple(
                    LessonTable(
                        LAB[name],
                        heads,
                        tuple(
                            (NAMES[place], told(score), *(told(float(both[way][table][place])) for way in HOLD))
                            for place, score in enumerate(own)
                        ),
                    )
                    for table, (name, own) in enumerate((("selection_first", scores), ("selection_second", others)))
                ),
            ),
            _losses(epsilon, monotone, both),
            _example(),
            _auction(),
        ),
        figure=figure,
        csv=csv_of(("way", "candidate", "p", "q"), rows),
        program=PROGRAM.replace("@settings@", f"scores, others, rate = {list(scores)}, {list(others)}, {rate}"),
    )


def _best(scores: tuple[float, ...]) -> int:
    return max(range(len(scores)), key=lambda place: scores[place])


def _losses(epsilon: float, monotone: bool, both: Mapping[str, tuple[Floats, Floats]]) -> LessonPart:
    rows = []
    for way in WAYS:
        here = choices.loss(*both[way])
        worst = choices.worst(way, epsilon, 2, monotone=monotone)
        rows.append(
            (LAB[f"selection_{way}"], told(here, 4), told(worst, 4), LAB["holds" if way in HOLD else "does_not"])
        )
    heads = (
        LAB["selection_way"],
        LAB["selection_here"],
        LAB["selection_worst"],
        LAB.say("claimed", epsilon=told(epsilon)),
    )
    return LessonPart(
        title=LAB["selection_losses"],
        texts=(LAB["selection_losses_what"],),
        tables=(LessonTable(LAB["selection_losses"], heads, tuple(rows)),),
    )


def _example() -> LessonPart:
    """Return the example of two candidates whose scores are c apart: the bound, and how likely the worse one is."""
    rows = []
    for epsilon, gap in zip(COMMON[::2], COMMON[1::2], strict=True):
        for kind, rate in (("any", epsilon / 2), ("same", epsilon)):
            scores = (0.0, gap)
            found = [told(float(chances(way, scores, rate)[0]), 5) for way in HOLD]
            rows.append(
                (
                    f"ε = {told(epsilon)}, c = {told(gap)}, {LAB[f'selection_moves_{kind}']}",
                    told(choices.utility_bound(scores, rate, gap), 5),
                    *found,
                )
            )
    heads = (LAB["selection_two"], LAB["selection_bound_head"], *(LAB[f"selection_{way}"] for way in HOLD))
    return LessonPart(
        title=LAB["selection_example"],
        texts=(LAB["selection_example_what"],),
        tables=(LessonTable(LAB["selection_example"], heads, tuple(rows)),),
    )


def _auction() -> LessonPart:
    earned = tuple(price * sum(bid >= price for bid in BIDS) for price in PRICES)
    found = chances(HOLD[0], earned, 1 / (2 * max(PRICES)))
    rows = tuple(
        (told(price), told(each), told(float(chance), 4))
        for price, each, chance in zip(PRICES, earned, found, strict=True)
    )
    return LessonPart(
        title=LAB["selection_auction"],
        texts=(LAB["selection_auction_what"],),
        tables=(
            LessonTable(
                LAB["selection_auction"],
                (LAB["selection_price"], LAB["selection_earns"], LAB["selection_chance"]),
                rows,
            ),
        ),
    )


def drawn(scores: tuple[float, ...], rate: float) -> SketchSheet:
    """Draw the chance of each candidate by each way that holds, as bars beside one another."""
    sheet = SketchSheet(WIDTH, 90 + HEIGHT + BELOW)
    looks = (LIGHT.accent, LIGHT.grid, LIGHT.ink)
    for row, (way, fill) in enumerate(zip(HOLD, looks, strict=True)):
        sheet.add("path", d=f"M{LEFT} {14 + 20 * row}h14v12h-14Z", fill=fill, stroke=LIGHT.ink, stroke_width=0.5)
        sheet.text(LEFT + 22, 25 + 20 * row, LAB[f"selection_{way}"], fill=LIGHT.ink)
    names = {float(place): NAMES[place] for place in range(len(scores))}
    up = SketchAxis(0, 1, ticks(0, 1, 5), LAB["selection_chance"])
    box = Box(LEFT, 90, WIDTH - RIGHT, 90 + HEIGHT)
    panel = sheet.panel(box, SketchAxis(-0.5, len(scores) - 0.5, names, LAB["selection_candidate"]), up)
    for turn, (way, fill) in enumerate(zip(HOLD, looks, strict=True)):
        for place, chance in enumerate(chances(way, scores, rate).tolist()):
            left = place - 0.39 + 0.26 * turn
            panel.bar((left, left + 0.26), chance, fill, LIGHT.ink)
    return sheet

"""The page of several answers: every theorem, three curves at once, conversions (table 5.1), and groups of people."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from math import exp, log

from dprelease.accounting import renyi
from dprelease.charts.sketch import Points, SketchAxis, SketchSheet, ticks
from dprelease.extras.lab import together
from dprelease.extras.lab.pair import gaussian_epsilon
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
from dprelease.extras.lab.portal.more import CURVE, figure, with_legend
from dprelease.extras.lab.promises import ORDERS
from dprelease.statements.display import shown
from dprelease.words.sentences import Words

KEY = "answers"
SHOWN = Words("ui")
TIMES = (1, 10, 100, 1000, 10_000)
FAMILIES = {"response": (0.55, 0.6, 0.75), "laplace": (1.0, 2.0, 3.0), "gauss": (1.0, 2.0, 3.0)}
"""Families of curves, with the three parameters of figures 5.1 to 5.3: chance of the truth, scale λ, σ."""
SYMBOLS = {"response": "p", "laplace": "λ", "gauss": "σ"}
LOOKS = ("own", "second", "guess")
CONVERTED = (1, 10, 100)
CONVERTED_DELTA = 1e-5
EXAMPLE = 10_000, 1 / 801, exp(-32)
PROGRAM = """import numpy as np

@settings@


def divergence(a, x):  # of two tables that one person sets apart
    if family == "gauss":
        return a / (2 * x * x)
    if family == "laplace":
        if a == 1:
            return 1 / x + np.exp(-1 / x) - 1
        return np.log((a * np.exp((a - 1) / x) + (a - 1) * np.exp(-a / x)) / (2 * a - 1)) / (a - 1)
    if a == 1:
        return (2 * x - 1) * np.log(x / (1 - x))
    return np.log(x**a * (1 - x) ** (1 - a) + (1 - x) ** a * x ** (1 - a)) / (a - 1)


print("order,first,second,third")
for a in np.arange(1, 10.25, 0.25):
    print(a, *(divergence(a, x) for x in parameters), sep=",")
"""


def curve_of(family: str, parameter: float) -> renyi.Curve:
    """Return the Rényi curve of one answer."""
    if family == "response":
        return renyi.RandomizedResponseCurve(log(parameter / (1 - parameter)))
    return renyi.Laplace(1 / parameter) if family == "laplace" else renyi.Gaussian(1 / (2 * parameter**2))


def lesson(query: Mapping[str, str]) -> Lesson:
    """Return the page as an address asks for it."""
    asked = LessonQuery(query)
    epsilon = asked.number("eps", 0.1, 0.001, 10)
    copies = asked.whole("k", 10, 1, 10_000)
    delta = asked.number("delta", 1e-6, 1e-20, 0.1)
    family = asked.one("family", tuple(FAMILIES))
    ends = (0.5001, 0.9999) if family == "response" else (0.05, 1000.0)
    parameters = asked.numbers("parameters", FAMILIES[family], *ends, (3, 3))
    link, vain = asked.told()
    found = together.of_pure(epsilon, copies, delta)
    curves = LessonFigure(partial(drawn, family, parameters), LAB["answers_alt"], "three")
    rows = [(order, *(curve_of(family, each).divergence(order) for each in parameters)) for order in ORDERS]
    return Lesson(
        fields=(
            asked.field("eps"),
            asked.field("k"),
            asked.field("delta"),
            asked.field("family", [(each, LAB[f"answers_{each}"]) for each in FAMILIES]),
            asked.field("parameters"),
        ),
        link=link,
        vain=vain,
        answer=LAB.say(
            "answers_answer", count=shown(copies), epsilon=told(epsilon), exact=told(found.exact), delta=told(delta, 3)
        ),
        parts=(
            _theorems(epsilon, copies, delta),
            _example(),
            LessonPart(
                title=LAB["answers_curves"],
                texts=(
                    LAB["answers_curves_what"],
                    LAB.say("answers_limit", right=told(curve_of("laplace", 1).divergence(1), 4)),
                ),
                figures=(curves,),
                tables=(_orders(family, parameters),),
            ),
            LessonPart(
                title=LAB["answers_converted"],
                texts=(LAB.say("answers_converted_what", delta=told(CONVERTED_DELTA, 3)),),
                tables=(_properties(), _converted()),
            ),
            _groups(epsilon, delta),
        ),
        figure=curves,
        csv=csv_of(("order", "first", "second", "third"), rows),
        program=PROGRAM.replace("@settings@", f'family, parameters = "{family}", {list(parameters)}'),
    )


def _theorems(epsilon: float, copies: int, delta: float) -> LessonPart:
    times = sorted({*TIMES, copies})
    found = [together.of_pure(epsilon, each, delta).to_mapping() for each in times]
    rows = [
        (SHOWN[f"mech_by_{name}"], *(figure(each[name], 5) for each in found))
        for name in ("basic", "first", "advanced")
    ]
    rows.append((LAB["answers_orders"], *(figure(together.of_rho_orders(epsilon, each, delta), 5) for each in times)))
    rows += [(SHOWN[f"mech_by_{name}"], *(figure(each[name], 5) for each in found)) for name in ("renyi", "exact")]
    heads = (SHOWN["mech_theorem"], *(SHOWN.say("mech_times", count=shown(each)) for each in times))
    caption = LAB.say("answers_caption", epsilon=told(epsilon), delta=told(delta, 3))
    return LessonPart(
        title=LAB["answers_theorems"],
        texts=(LAB["answers_theorems_what"],),
        tables=(LessonTable(caption, heads, tuple(rows)),),
    )


def _example() -> LessonPart:
    """Return example 1.2.18: what is printed does not follow from its theorem, though it is true."""
    copies, printed, delta = EXAMPLE
    by = [together.first_advanced(each, copies, delta) for each in (printed, 1 / 812, 1 / 813)]
    exact = together.of_pure(printed, copies, delta).exact
    return LessonPart(
        title=LAB["answers_example"],
        texts=(
            LAB.say(
                "answers_example_what",
                printed=told(by[0], 6),
                before=told(by[1], 6),
                right=told(by[2], 6),
                exact=told(exact, 4),
            ),
        ),
    )


def _orders(family: str, parameters: tuple[float, ...]) -> LessonTable:
    rows = tuple(
        (told(order), *(told(curve_of(family, each).divergence(order)) for each in parameters))
        for order in (1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 10.0)
    )
    return LessonTable(LAB["answers_curves"], ("α", *(name_of(family, each) for each in parameters)), rows)


def name_of(family: str, parameter: float) -> str:
    return f"{SYMBOLS[family]} = {told(parameter)}"


def _properties() -> LessonTable:
    """Return the properties of the three families, as formulas and at their usual parameters."""
    formulas = {
        "response": ("|ln(p/(1 − p))|", "ln(p^α (1 − p)^(1−α) + (1 − p)^α p^(1−α)) / (α − 1)"),
        "laplace": ("1/λ", "ln(α/(2α − 1) e^((α−1)/λ) + (α − 1)/(2α − 1) e^(−α/λ)) / (α − 1)"),
        "gauss": ("∞", "α/(2σ²)"),
    }
    rows = []
    for family, (pure, orders) in formulas.items():
        for parameter in FAMILIES[family]:
            curve = curve_of(family, parameter)
            name = f"{LAB[f'answers_{family}']}, {name_of(family, parameter)}"
            rows.append(
                (
                    name,
                    f"{pure} = {figure(curve.pure_epsilon)}" if family != "gauss" else pure,
                    orders,
                    told(curve.divergence(2.0), 4),
                )
            )
    heads = (SHOWN["mech_which"], LAB["answers_pure"], "D_α", "D₂")
    return LessonTable(LAB["answers_properties"], heads, tuple(rows))


@lru_cache(maxsize=1)
def conversions() -> tuple[tuple[str, float, tuple[tuple[float, float], ...]], ...]:
    """Return, of each family and parameter, the ε of 1, 10 and 100 answers: as converted in print, and better."""
    found = []
    for family, parameters in FAMILIES.items():
        for each in parameters:
            curves = [curve_of(family, each) * times for times in CONVERTED]
            both = [
                (together.first_conversion(curve, CONVERTED_DELTA), renyi.epsilon_of(curve, CONVERTED_DELTA).epsilon)
                for curve in curves
            ]
            found.append((family, each, tuple(both)))
    return tuple(found)


def _converted() -> LessonTable:
    rows = []
    for family, parameter, both in conversions():
        exact = []
        if family == "gauss":
            exact = [told(gaussian_epsilon((times**0.5) / parameter, CONVERTED_DELTA), 5) for times in CONVERTED]
        cells = (
            [f"{printed:.4f}" for printed, _ in both],
            [f"{better:.4f}" for _, better in both],
            exact or ["–"] * len(CONVERTED),
        )
        point = shown(0.5)[1]
        numbers = [each.replace(".", point) for three in zip(*cells, strict=True) for each in three]
        rows.append((f"{LAB[f'answers_{family}']}, {name_of(family, parameter)}", *numbers))
    heads = [
        LAB.say(f"answers_head_{name}", count=times) for times in CONVERTED for name in ("printed", "better", "exact")
    ]
    return LessonTable(LAB["answers_converted"], (SHOWN["mech_which"], *heads), tuple(rows))


def _groups(epsilon: float, delta: float) -> LessonPart:
    rows = []
    for people in (2, 3, 5, 10):
        pure, exact, printed = together.group(epsilon, delta, people)
        rows.append((shown(people), told(pure), told(exact), told(printed)))
    orders = []
    for doublings, order in ((1, 4.0), (2, 8.0), (3, 16.0)):
        divergence = order / 2
        at, printed = together.group_orders(order, divergence, doublings)
        people = 2**doublings
        orders.append((shown(people), told(order), told(divergence), told(at), told(printed), told(people**2 * at / 2)))
    heads = ("answers_people", "answers_group_pure", "answers_group_delta", "answers_group_printed")
    others = ("answers_people", "answers_before", "answers_loss", "answers_after", "answers_rule", "answers_as_is")
    at, loss = together.group_orders(8.0, 0.1, 2)
    return LessonPart(
        title=LAB["answers_groups"],
        texts=(
            LAB.say("answers_groups_what", epsilon=told(epsilon), delta=told(delta, 3)),
            LAB.say("answers_groups_rule", at=told(at), loss=told(loss)),
        ),
        tables=(
            LessonTable(LAB["answers_groups_delta"], tuple(LAB[each] for each in heads), tuple(rows)),
            LessonTable(LAB["answers_groups_orders"], tuple(LAB[each] for each in others), tuple(orders)),
        ),
    )


def drawn(family: str, parameters: tuple[float, ...]) -> SketchSheet:
    """Draw three curves of one family, orders 1 to 10."""
    lines: dict[str, Points] = {
        look: [(order, curve_of(family, each).divergence(order)) for order in ORDERS]
        for look, each in zip(LOOKS, parameters, strict=True)
    }
    names = {look: name_of(family, each) for look, each in zip(LOOKS, parameters, strict=True)}
    top = max(value for line in lines.values() for _, value in line)
    across = SketchAxis(1, 10, ticks(1, 10), SHOWN["mech_order"])
    return with_legend(lines, names, across, SketchAxis(0, top, ticks(0, top, 5), SHOWN["mech_divergence"]), CURVE)

"""Common parts of the portal's page of mechanisms and the dashboard: curves, answers together, the gallery."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import exp, inf, isfinite, isinf

from dprelease.charts.sketch import ROW, Box, Look, Points, SketchAxis, SketchSheet, ticks
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab import together
from dprelease.extras.lab.broken import BY_KEY, CounterExample
from dprelease.extras.lab.promises import Promises
from dprelease.extras.lab.two_tables import NORMAL
from dprelease.statements.display import shown
from dprelease.words.sentences import Words

SHOWN = Words("ui")
WIDTH = 350
"""Width of a figure: as much as a phone has."""
LEFT, RIGHT, BELOW = 62, 16, 48
"""Beside and below the axes: as much as ticks and titles take."""
CURVE = 160
"""Height of a curve."""
FEW = 5
"""Ticks of an axis that is not high."""
LOOKS: dict[str, Look] = {
    "bound": (LIGHT.muted, "6 4"),
    "own": (LIGHT.accent, ""),
    "second": (LIGHT.ink, "6 4"),
    "guess": (LIGHT.muted, "1 4"),
}
ABREAST = {"laplace": "own", "gaussian": "second", "response": "guess"}
"""Mechanisms that are compared, and the look of each one's line."""
DIGITS = 9
"""Decimals of a mended loss, without what is left of rounding."""
SMALL = -11.0
"""A logarithm: what is less likely is told by it."""


def figure(number: float | None, digits: int = 4) -> str:
    """Return a number as people read it; nothing where a theorem says nothing."""
    if number is None:
        return "–"
    return "∞" if isinf(number) else shown(float(number), digits)


def curve(promises: Promises, name: str) -> SketchSheet:
    """Draw Rényi divergence by order, or δ by ε; what a pure ε allows goes below, for the curve may be on it."""
    points = promises.orders() if name == "renyi" else promises.deltas()
    most = [(at, allowed) for at, _, allowed in points if allowed is not None]
    lines: dict[str, Points] = {"bound": most} if most else {}
    lines["own"] = [(at, own) for at, own, _ in points if isfinite(own)]
    called = {"bound": SHOWN["mech_line_pure"], "own": SHOWN["mech_line_own"]}
    names = {name: called[name] for name in lines}
    first, last = points[0][0], points[-1][0]
    top = max((value for line in lines.values() for _, value in line), default=0.0) or 1.0
    across = SketchAxis(first, last, ticks(first, last), SHOWN["mech_order"] if name == "renyi" else "ε")
    up = SketchAxis(0, top, ticks(0, top, FEW), SHOWN["mech_divergence"] if name == "renyi" else "δ")
    return with_legend(lines, names, across, up, CURVE)


def compared(name: str, epsilon: float) -> SketchSheet:
    """Draw that curve of each mechanism in `ABREAST` at one ε."""
    lines: dict[str, Points] = {}
    for mechanism, look in ABREAST.items():
        promises = Promises(mechanism, epsilon, 1)
        points = promises.orders() if name == "renyi" else promises.deltas()
        lines[look] = [(at, own) for at, own, _ in points]
    first, last = lines["own"][0][0], lines["own"][-1][0]
    top = max(value for line in lines.values() for _, value in line)
    across = SketchAxis(first, last, ticks(first, last), SHOWN["mech_order"] if name == "renyi" else "ε")
    up = SketchAxis(0, top, ticks(0, top, FEW), SHOWN["mech_divergence"] if name == "renyi" else "δ")
    return with_legend(lines, {}, across, up, CURVE)


def with_legend(
    lines: Mapping[str, Points],
    names: Mapping[str, str],
    across: SketchAxis,
    up: SketchAxis,
    height: float,
    dot: tuple[float, float] | None = None,
) -> SketchSheet:
    """Draw lines below their legend, if what they are called is not told elsewhere; a dot where there is one."""
    begins = 24 + ROW * len(names)
    sheet = SketchSheet(WIDTH, begins + height + BELOW)
    sheet.legend(LEFT, 14, {words: LOOKS[name] for name, words in names.items()})
    panel = sheet.panel(Box(LEFT, begins, WIDTH - RIGHT, begins + height), across, up)
    for name, line in lines.items():
        panel.line(line, LOOKS[name], name)
    if dot is not None:
        panel.dot(*dot, LIGHT.accent)
    return sheet


@lru_cache(maxsize=512)
def several(mechanism: str, epsilon: float, people: int, copies: int, delta: float) -> Mapping[str, float | None]:
    """The ε of so many answers together, by theorem. Of Gaussian noise ρ = ε² people² / 2 each, else ε as promised."""
    promised = Promises(mechanism, epsilon, people).pure
    if mechanism in NORMAL:
        return together.of_gaussian(promised**2 / 2, copies, delta).to_mapping()
    return together.of_pure(promised, copies, delta).to_mapping()


@lru_cache(maxsize=2048)
def real(key: str, epsilon: float) -> float:
    """Return the real ε of an entry of the gallery at a claimed ε."""
    return BY_KEY[key].real(epsilon)


def facts(key: str, epsilon: float) -> list[tuple[str, str]]:
    """Return an entry of the gallery: the key of what each line is called, and the line."""
    entry = BY_KEY[key]
    witness, mended = entry.witness(epsilon), round(entry.mended(epsilon), DIGITS)
    return [
        ("broken_fact_claim", SHOWN[f"broken_{key}_claim"]),
        ("broken_fact_proof", SHOWN[f"broken_{key}_proof"]),
        ("broken_fact_chances", _chances(witness)),
        ("broken_fact_loss", figure(witness.loss)),
        ("broken_fact_real", figure(real(key, epsilon))),
        ("broken_fact_mend", SHOWN.say(f"broken_{key}_mend", loss=figure(mended))),
    ]


def _chances(witness: CounterExample) -> str:
    """Return both probabilities, or both densities; by their logarithms where they are tiny."""
    logarithms = (witness.ln_p, witness.ln_q)
    tiny = any(-inf < each < SMALL for each in logarithms)
    first, second = (_logarithm(each) if tiny else figure(exp(each)) for each in logarithms)
    name = ("density" if witness.density else "chance") + ("_ln" if tiny else "")
    return SHOWN.say(f"broken_{name}", first=first, second=second)


def _logarithm(number: float) -> str:
    return "−∞" if number == -inf else figure(number)

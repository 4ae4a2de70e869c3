"""The lab's page of mechanisms: what each tells of two neighbouring tables, computed beforehand and in a browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import exp, isinf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dprelease.charts.theme import STYLE
from dprelease.extras.lab import two_tables
from dprelease.extras.lab.broken import BROKEN
from dprelease.extras.lab.experiment import EPSILONS
from dprelease.extras.lab.mechanism_snippets import SETTINGS, TEMPLATES, mechanism_snippet
from dprelease.extras.lab.outcome import in_hundred
from dprelease.extras.lab.pair import OutputPair
from dprelease.extras.lab.portal import more, picture
from dprelease.extras.lab.two_tables import HERE, pair_of
from dprelease.statements.display import shown
from dprelease.words.pages import WORDS, tell
from dprelease.words.releases import json_html
from dprelease.words.sentences import Html, Words

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal

SHOWN = Words("ui")
MECHANISMS = ("laplace", "gaussian", "response", "uniform")
CLAIMED, DELTA = 1.0, 1e-6
"""Values that no script computes: one ε, and the δ of several answers."""
TIMES = (1, 10, 100, 1000)
NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2})?", re.ASCII)


def choice(query: Mapping[str, str]) -> tuple[str, float, tuple[str, ...]]:
    """Return the mechanism and the ε of an address, and the names of what it asks for in vain."""
    vain = [name for name in query if name not in ("m", "eps")]
    mechanism, text = query.get("m", MECHANISMS[0]), query.get("eps", "1")
    epsilon = float(text) if NUMBER.fullmatch(text) else 0.0
    if mechanism not in MECHANISMS:
        vain.append("m")
        mechanism = MECHANISMS[0]
    if not EPSILONS[0] <= epsilon <= EPSILONS[-1]:
        vain.append("eps")
        epsilon = 1.0
    return mechanism, epsilon, tuple(vain)


def page(portal: Portal, query: Mapping[str, str]) -> str:
    """Write the page: two distributions, how well they can be told apart, and what ε promises."""
    mechanism, epsilon, vain = choice(query)
    named = {"m": mechanism, "eps": f"{epsilon:g}"}
    link = urlencode({key: value for key, value in named.items() if value != {"m": MECHANISMS[0], "eps": "1"}[key]})
    return portal.render(
        "lab_mechanisms.html.j2",
        path="lab/mechanisms.html",
        vain=SHOWN.say("attacks_ignored", names=", ".join(vain)) if vain else "",
        mechanisms=[(each, SHOWN[f"mech_{each}"]) for each in MECHANISMS],
        mechanism=mechanism,
        epsilon=epsilon,
        ends=(EPSILONS[0], EPSILONS[-1]),
        said=said(mechanism, epsilon),
        promised=promised(mechanism, epsilon),
        tables=tables_picture(mechanism, epsilon),
        trade=trade_picture(mechanism, epsilon),
        program=mechanism_snippet(mechanism, epsilon, 1),
        link=f"mechanisms.html{f'?{link}' if link else ''}",
        query=f"?{link}" if link else "",
        rows=[
            (SHOWN[f"mech_{each}"], each, tuple(percent(pair_of(each, at, 1).right) for at in (0.1, 1.0, 3.0)))
            for each in MECHANISMS
        ],
        heads=[shown(at) for at in (0.1, 1.0, 3.0)],
        curves=[(SHOWN[f"mech_{key}"], curve) for key, curve in _curves()],
        abreast=[(look, more.LOOKS[look][1], SHOWN[f"mech_{each}"]) for each, look in more.ABREAST.items()],
        times=[shown(each) for each in TIMES],
        together=[(SHOWN[f"mech_{each}"], _together(each)) for each in more.ABREAST],
        broken=[(SHOWN[f"broken_{each.key}"], more.facts(each.key, CLAIMED)) for each in BROKEN],
        data=json_html(_data()),
        say=SHOWN.say,
        lab_script="lab.js",
        charts=STYLE,
    )


def _curves() -> list[tuple[str, Html]]:
    """Return both curves of mechanisms that promise something, at ε = 1."""
    keys = {"renyi": "renyi", "delta": "profile"}
    return [(key, Html(more.compared(name, CLAIMED).inline(SHOWN[f"mech_{key}"], name))) for name, key in keys.items()]


def _together(mechanism: str) -> list[str]:
    return [more.figure(more.several(mechanism, CLAIMED, 1, copies, DELTA)["exact"]) for copies in TIMES]


def percent(share: float) -> str:
    return SHOWN.say("attacks_percent", share=shown(in_hundred(share)))


def said(mechanism: str, epsilon: float) -> str:
    """Return a sentence on how often the best guess is right."""
    return tell("lab_right", right=percent(pair_of(mechanism, epsilon, 1).right))


def promised(mechanism: str, epsilon: float) -> str:
    """Return a sentence on what holds of every event."""
    found = pair_of(mechanism, epsilon, 1)
    if mechanism == "gaussian":
        return tell("lab_promised_normal", epsilon=shown(epsilon), delta=shown(float(f"{found.delta(epsilon):.3g}")))
    if isinf(found.epsilon):
        return tell("lab_promised_never")
    return tell("lab_promised", rate=shown(float(f"{exp(epsilon):.4g}")), epsilon=shown(epsilon))


def ticks(mechanism: str) -> dict[float, str]:
    if mechanism == "response":
        return {0.0: SHOWN["mech_answer_no"], 1.0: SHOWN["mech_answer_yes"]}
    return {float(value): str(value) for value in range(HERE - 8, HERE + 9, 4)}


def tables_picture(mechanism: str, epsilon: float) -> Html:
    axes = tell("lab_published"), SHOWN["mech_probability"]
    return picture.two_tables(pair_of(mechanism, epsilon, 1), ticks(mechanism), axes, tell("lab_tables_alt"))


def trade_picture(mechanism: str, epsilon: float) -> Html:
    found = pair_of(mechanism, epsilon, 1)
    alt = SHOWN.say("mech_trade_alt", right=shown(in_hundred(found.right)))
    axes = SHOWN["mech_false_alarms"], SHOWN["mech_missed"]
    return picture.trade_off(trade_lines(mechanism, epsilon, found), axes, alt)


def trade_lines(mechanism: str, epsilon: float, found: OutputPair) -> dict[str, list[tuple[float, float]]]:
    """Return the trade-off curves of this mechanism's tests, of ε and δ, and of guessing."""
    wrong, missed = two_tables.tests(found)
    own = sorted([(0.0, 1.0), *zip(wrong.tolist(), missed.tolist(), strict=True)], key=lambda each: (each[0], -each[1]))
    delta = found.delta(epsilon) if mechanism == "gaussian" else 0.0
    corner = (1 - delta) / (1 + exp(epsilon))
    bound = [(0.0, 1 - delta), (corner, corner), (1 - delta, 0.0)] if mechanism != "uniform" else []
    return {"own": own, "bound": bound, "guess": [(0.0, 1.0), (1.0, 0.0)]}


def _data() -> dict[str, Any]:
    return {
        "mechanisms": MECHANISMS,
        "epsilons": EPSILONS,
        "ticks": {each: list(ticks(each).items()) for each in MECHANISMS},
        "programs": {each: TEMPLATES[each] for each in MECHANISMS},
        "settings": SETTINGS,
        "words": {
            "percent": SHOWN["attacks_percent"],
            "ignored": SHOWN["attacks_ignored"],
            "alt": SHOWN["mech_trade_alt"],
            **{key: WORDS[f"lab_{key}"] for key in ("right", "promised", "promised_normal", "promised_never")},
        },
    }


def taken(kind: str, query: Mapping[str, str]) -> bytes:
    """Return the pictures, their numbers, or the program that prints them."""
    mechanism, epsilon, _ = choice(query)
    if kind == "svg":
        return tables_picture(mechanism, epsilon).encode()
    if kind == "trade":
        return trade_picture(mechanism, epsilon).encode()
    if kind == "csv":
        return two_tables.csv(pair_of(mechanism, epsilon, 1)).encode()
    return mechanism_snippet(mechanism, epsilon, 1).encode()

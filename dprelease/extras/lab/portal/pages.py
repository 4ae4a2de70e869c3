"""The lab for the public: each attack on a page that needs no script, and what a release's ε lets an attacker do.

The words are those of the dashboard's page of attacks. Where a script runs, lab.js computes what is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dprelease.adversaries.population import advantage_of, advantage_of_loss
from dprelease.charts.theme import STYLE
from dprelease.errors import InputError
from dprelease.extras.lab import curves, snippets
from dprelease.extras.lab.experiment import ALL, EACH, EPSILONS, PRIVATE, AttackRun, outcome, read
from dprelease.extras.lab.outcome import Outcome, in_hundred, up_in_hundred
from dprelease.extras.lab.portal import (
    above,
    beliefs,
    counts,
    errors,
    events,
    glossary,
    lesson,
    mechanisms,
    scene,
    selection,
    several_answers,
    sites,
)
from dprelease.extras.lab.portal.lesson import LAB, Lesson
from dprelease.extras.lab.portal.picture import lines_of, picture
from dprelease.extras.lab.worlds import BY_KEY
from dprelease.model.certificate import Certificate
from dprelease.model.privacy import total
from dprelease.statements.display import shown
from dprelease.words import phrase
from dprelease.words.pages import tell
from dprelease.words.releases import json_html
from dprelease.words.sentences import Html, Words

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal
    from dprelease.portal.shelf import Bundle

SHOWN = Words("ui")
"""The attacks are called the same here and in the dashboard."""
FOLDER = "lab"
LAB_SCRIPT = "lab.js"
TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = (LAB_SCRIPT,)
MECHANISMS, TRADE = "mechanisms", "trade"
"""Pages and pictures that are no attack's."""
ATTACKER = "attacker.html"
RELEASE_PAGES = (ATTACKER,)
LINKS = {"catalogue": (f"{FOLDER}/index.html", "lab_link"), "release": (ATTACKER, "lab_allowed_link")}
HTML = "text/html; charset=utf-8"
ADDRESS = re.compile(r"(?:([a-z]+)\.(html|svg|csv|py))?")
"""Name of a file in the folder."""
THEORY = ("hadamard", "scores")
"""Attacks shown by a formula, without a draw."""
PAGES = ("difference", "tracker", "repeat", "hadamard", "scores", "cells", "twice")
NAMES = {"hadamard": "reconstruct", "scores": "membership"}
COMPUTED = ("difference", "repeat", "hadamard", "scores")
"""Attacks that the script computes; of the others it has every outcome, at each ε of the curve."""
LESSONS: Mapping[str, Callable[[Mapping[str, str]], Lesson]] = {
    each.KEY: each.lesson
    for each in (events, beliefs, counts, selection, above, several_answers, sites, errors, glossary)
}
"""Pages that a server computes whole, in the order of the index."""
SAID = ("verdict", "verdict_open", "verdict_each", "percent", "ignored", "alt")


def title(attack: str) -> str:
    return SHOWN.say(f"attacks_{NAMES.get(attack, attack)}")


def story(attack: str) -> str:
    """Return the attack in a sentence."""
    return (
        tell("lab_story_hadamard") if attack == "hadamard" else SHOWN.say(f"attacks_story_{NAMES.get(attack, attack)}")
    )


def percent(share: float) -> str:
    """Return a share of 100, as it is rounded everywhere."""
    return SHOWN.say("attacks_percent", share=shown(in_hundred(share)))


def at_most(share: float) -> str:
    """Return a bound as a share of 100, rounded up."""
    return SHOWN.say("attacks_percent", share=shown(up_in_hundred(share)))


def index(portal: Portal) -> str:
    """Write the page of all attacks, and what each ε allows."""
    return portal.render(
        "lab.html.j2",
        path=f"{FOLDER}/index.html",
        attacks=[(attack, title(attack), story(attack)) for attack in PAGES],
        mechanisms=SHOWN["mechanisms_title"],
        lessons=[(key, LAB[f"{key}_title"], LAB[f"{key}_story"]) for key in LESSONS],
        one=tell("lab_safe_text", right=at_most((1 + advantage_of(1.0, 0.0)) / 2)),
        allowed=[(shown(epsilon), at_most((1 + advantage_of(epsilon, 0.0)) / 2)) for epsilon in EPSILONS],
        guide=portal.served,
    )


def page(portal: Portal, attack: str, query: Mapping[str, str]) -> str:
    """Write the page of one attack as an address asks for it."""
    chosen, vain = choice(attack, query)
    found, usual = outcome(chosen), ALL[attack].usual(attack)
    drawn = _drawn(chosen, found)
    link = urlencode({key: value for key, value in chosen.address().items() if key != "e"})
    return portal.render(
        "lab_attack.html.j2",
        path=f"{FOLDER}/{attack}.html",
        attack=attack,
        title=title(attack),
        story=story(attack),
        theory=attack in THEORY,
        vain=SHOWN.say("attacks_ignored", names=", ".join(vain)) if vain else "",
        controls=list(_controls(chosen)),
        free=attack in COMPUTED,
        epsilon=chosen.epsilon,
        epsilons=[(f"{each:g}", shown(each)) for each in EPSILONS],
        ends=(EPSILONS[0], EPSILONS[-1]),
        odds=[
            (name, SHOWN.say(f"attacks_bar_{name}"), share, (at_most if name == "most" else percent)(share))
            for name, share in _marks(found)
        ],
        verdict=verdict(chosen, found),
        drawn=drawn,
        legend=[(name, SHOWN.say(f"attacks_line_{name}")) for name in ("most", "won", "chosen", "guessing")],
        program=snippets.snippet(chosen),
        link=f"{attack}.html{f'?{link}' if link else ''}",
        query=f"?{link}" if link else "",
        customary=[
            (defence_name(each), replace(usual, defence=each), percent(outcome(replace(usual, defence=each)).won))
            for each in ALL[attack].defences
            if each not in (PRIVATE, EACH)
        ],
        private=[
            (shown(epsilon), percent(won), at_most(most))
            for _, epsilon, _, won, most in curves.rows(replace(usual, defence=PRIVATE))
            if epsilon is not None
        ],
        scene=scene.scene(chosen),
        lessons=scene.lessons(attack),
        why=SHOWN[f"attacks_why_{NAMES.get(attack, attack)}"],
        data=json_html(
            {**_data(attack), "written": f"{attack}.html{f'?{link}' if link else ''}", "served": portal.served}
        ),
        lab=LAB.say,
        charts=STYLE,
        say=SHOWN.say,
        lab_script=LAB_SCRIPT,
    )


def choice(attack: str, query: Mapping[str, str]) -> tuple[AttackRun, tuple[str, ...]]:
    """Read the run that an address asks for; where a script has outcomes of some ε only, of one of these."""
    chosen, vain = read(query, attack)
    if attack not in COMPUTED and chosen.epsilon not in EPSILONS:
        return replace(chosen, epsilon=ALL[attack].usual(attack).epsilon), (*vain, "eps")
    return chosen, tuple(dict.fromkeys(vain))


def verdict(chosen: AttackRun, found: Outcome) -> str:
    values = {"guessing": percent(found.guessing), "won": percent(found.won)}
    if chosen.defence not in (PRIVATE, EACH):
        return SHOWN.say("attacks_verdict_open", **values)
    values |= {"most": at_most(found.at_most), "epsilon": shown(chosen.epsilon)}
    if chosen.defence == PRIVATE:
        return SHOWN.say("attacks_verdict", **values)
    return SHOWN.say("attacks_verdict_each", **values, count=shown(float(chosen.number)), spent=shown(_spent(chosen)))


def _spent(chosen: AttackRun) -> float:
    return round(int(chosen.number) * chosen.epsilon, 4)


def _marks(found: Outcome) -> tuple[tuple[str, float], ...]:
    return ("guessing", found.guessing), ("won", found.won), ("most", found.at_most)


def _drawn(chosen: AttackRun, found: Outcome) -> Html:
    words = {"attack": title(chosen.attack), "won": percent(found.won), "guessing": percent(found.guessing)}
    axes = SHOWN.say("attacks_axis_epsilon"), SHOWN.say("attacks_axis_right")
    return picture(lines_of(curves.rows(chosen)), axes, SHOWN.say("attacks_alt", **words))


def _controls(chosen: AttackRun) -> Iterator[tuple[str, str, list[tuple[str, str]], str]]:
    """Yield each choice: its name in an address, its label, its options, and the chosen one."""
    attack, of = chosen.attack, NAMES.get(chosen.attack, chosen.attack)
    worlds = [(key, world_name(key)) for key in ALL[attack].worlds]
    yield "world", SHOWN.say(f"attacks_world_of_{of}"), worlds, chosen.world
    yield (
        "defence",
        SHOWN.say("attacks_defence"),
        [(each, defence_name(each)) for each in ALL[attack].defences],
        (chosen.defence),
    )
    if ALL[attack].numbers:
        numbers = [(key, number_name(key)) for key in ALL[attack].numbers]
        yield "n", SHOWN.say(f"attacks_number_of_{of}"), numbers, chosen.number


def world_name(key: str) -> str:
    """Return a king by his name, so many people by their number."""
    if key in BY_KEY:
        return BY_KEY[key].name
    return (
        SHOWN.say("attacks_people", count=key) if key.isdigit() else SHOWN.say(f"attacks_world_{key.replace('-', '_')}")
    )


def defence_name(key: str) -> str:
    kind, _, number = key.partition("-")
    more = {"below": shown(int(number) - 1), "least": shown(int(number))} if number else {}
    return SHOWN.say(f"attacks_defence_{kind}", **more)


def number_name(key: str) -> str:
    return shown(float(key)) if key[0].isdigit() else SHOWN.say(f"attacks_way_{key}")


def _data(attack: str) -> dict[str, Any]:
    """Return the data of the script."""
    experiment, usual = ALL[attack], ALL[attack].usual(attack)
    text = snippets.template(usual)
    data: dict[str, Any] = {
        "attack": attack,
        "title": title(attack),
        "usual": {"world": usual.world, "defence": usual.defence, "n": usual.number, "eps": f"{usual.epsilon:g}"},
        "allowed": {"world": experiment.worlds, "defence": experiment.defences, "n": experiment.numbers or ("",)},
        "epsilons": EPSILONS,
        "program": text,
        "words": {key: SHOWN[f"attacks_{key}"] for key in SAID},
    }
    if attack not in COMPUTED:
        data["known"] = dict(_known(attack))
    if attack == "cells":
        hides = [each for each in experiment.defences if each in ("suppressed-5", "complementary-5")]
        data["hides"] = {
            f"{world}|{defence}": snippets.hidden_table(AttackRun(attack, world, defence, "", 1.0))
            for world in experiment.worlds
            for defence in hides
        }
        data["plain"] = snippets.template(replace(usual, defence="exact"))
    return data


def _known(attack: str) -> Iterator[tuple[str, list[list[float]]]]:
    """Yield every outcome: of this product at each ε, else one."""
    experiment = ALL[attack]
    for world in experiment.worlds:
        for number in experiment.numbers or ("",):
            for defence in experiment.defences:
                epsilons = EPSILONS if defence == PRIVATE else (1.0,)
                each = [outcome(general(AttackRun(attack, world, defence, number, epsilon))) for epsilon in epsilons]
                yield f"{world}|{defence}|{number}", [[one.guessing, one.won, one.at_most] for one in each]


def general(chosen: AttackRun) -> AttackRun:
    """With noise all kings are alike, whatever may be asked: computed once."""
    return (
        replace(ALL["tracker"].usual("tracker"), defence=PRIVATE, epsilon=chosen.epsilon)
        if (chosen.attack == "tracker" and chosen.defence == PRIVATE)
        else chosen
    )


def release_page(portal: Portal, bundle: Bundle) -> str:
    """Write the page of what the ε of one release lets an attacker do."""
    facts = bundle.certificate
    epsilon, delta = float(facts.guarantee.epsilon), float(facts.guarantee.delta)
    near = round(min(max(epsilon, EPSILONS[0]), EPSILONS[-1]), 4)
    right = (1 + most_advantage(facts)) / 2
    root = "../../"
    rows = []
    for attack in PAGES:
        at = replace(ALL[attack].usual(attack), defence=PRIVATE, epsilon=near)
        found = outcome(at)
        link = urlencode({"defence": PRIVATE, "eps": f"{near if attack in COMPUTED else nearest(near):g}"})
        rows.append(
            (
                title(attack),
                f"{root}{FOLDER}/{attack}.html?{link}",
                *map(percent, (found.guessing, found.won)),
                at_most(found.at_most),
            )
        )
    return portal.render(
        "attacker.html.j2",
        path=f"release/{bundle.id}/{ATTACKER}",
        id=bundle.id,
        facts=facts,
        epsilon=shown(epsilon, 4),
        delta=delta,
        right=at_most(right),
        rows=rows,
        near=shown(near) if near != round(epsilon, 4) else "",
        index=f"{root}{FOLDER}/index.html",
    )


def nearest(epsilon: float) -> float:
    """Return the ε of the curve from which on nothing more is promised: the least that is no smaller."""
    return next((each for each in EPSILONS if each >= epsilon), EPSILONS[-1])


def most_advantage(facts: Certificate) -> float:
    """Return the largest advantage that ε and δ allow; in zCDP what ρ allows, where that is less."""
    own = facts.guarantee
    allowed = advantage_of(float(own.epsilon), float(own.delta))
    if not facts.in_rho:
        return allowed
    whole = total(facts.spent_on(each) for each in facts.statistics)
    return min(allowed, advantage_of_loss(whole, facts.population.currency))


def files(portal: Portal) -> Iterator[tuple[str, bytes]]:
    """Yield the lab as files, in the language that is spoken."""
    yield f"{FOLDER}/index.html", index(portal).encode()
    for attack in PAGES:
        yield f"{FOLDER}/{attack}.html", page(portal, attack, {}).encode()
        for kind in KINDS:
            yield f"{FOLDER}/{attack}.{kind}", taken(attack, kind, {})
    yield f"{FOLDER}/{MECHANISMS}.html", mechanisms.page(portal, {}).encode()
    for kind in KINDS:
        yield f"{FOLDER}/{MECHANISMS}.{kind}", mechanisms.taken(kind, {})
    yield f"{FOLDER}/{TRADE}.svg", mechanisms.taken(TRADE, {})
    for key, made_of in LESSONS.items():
        found = made_of({})
        yield f"{FOLDER}/{key}.html", lesson.render(portal, key, found).encode()
        for kind in KINDS:
            yield f"{FOLDER}/{key}.{kind}", lesson.taken(found, kind)


KINDS = {"svg": "image/svg+xml", "csv": "text/csv; charset=utf-8", "py": "text/x-python; charset=utf-8"}


def taken(attack: str, kind: str, query: Mapping[str, str]) -> bytes:
    """Return a picture, its numbers, or the program that prints them."""
    chosen, _ = choice(attack, query)
    if kind == "svg":
        return _drawn(chosen, outcome(chosen)).encode()
    return (curves.csv(chosen) if kind == "csv" else snippets.snippet(chosen)).encode()


def made(portal: Portal, path: str, query: Mapping[str, str]) -> tuple[bytes, str, str]:
    """Return an attack on invented people, as the address asks for it. Raises InputError where there is none."""
    match = ADDRESS.fullmatch(path)
    attack, kind = match.groups() if match else ("", "")
    if match and attack in (None, "index") and kind in (None, "html"):
        return index(portal).encode(), HTML, ""
    if attack in LESSONS:
        found = LESSONS[attack](query)
        if kind == "html":
            return lesson.render(portal, attack, found).encode(), HTML, ""
        return lesson.taken(found, kind), KINDS[kind], f"{attack}.{kind}"
    drawn = attack == TRADE and kind == "svg"
    if attack not in (*PAGES, MECHANISMS) and not drawn:
        raise InputError("page", found=f"{FOLDER}/{path}", allowed=phrase("web.page_portal"))
    own = attack in (MECHANISMS, TRADE)
    if kind == "html":
        shown_page = mechanisms.page(portal, query) if own else page(portal, attack, query)
        return shown_page.encode(), HTML, ""
    data = mechanisms.taken(TRADE if drawn else kind, query) if own else taken(attack, kind, query)
    return data, KINDS[kind], f"{attack}.{kind}"

"""The choice of an attack and its result. Knows small invented worlds only: no workspace, no rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dprelease.extras.lab import curves, snippets
from dprelease.extras.lab.experiment import (
    EACH,
    EPSILONS,
    EXPERIMENTS,
    PRIVATE,
    AttackRun,
    outcome,
    question_list,
    read,
)
from dprelease.extras.lab.outcome import Outcome, in_hundred, up_in_hundred
from dprelease.extras.lab.worlds import BY_KEY
from dprelease.statements.display import shown
from dprelease.ui.attacks.scene import scene
from dprelease.ui.kit import blocks
from dprelease.ui.kit.download_links import along
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.words import say


def attack() -> None:
    """Show the whole page: what an address asks for, until something else is chosen."""
    query = st.query_params.to_dict()
    begun, vain = read(query)
    if vain:
        blocks.note("attacks_ignored", names=", ".join(dict.fromkeys(vain)))
    name = st.radio(
        say("attacks_which"),
        list(EXPERIMENTS),
        index=list(EXPERIMENTS).index(begun.attack),
        format_func=lambda key: say(f"attacks_{key}"),
        horizontal=True,
        key="attacks-choice",
    )
    left, right = st.columns([1, 2], gap="large")
    with left:
        blocks.text(f"attacks_story_{name}")
        chosen = _chosen(begun if begun.attack == name else EXPERIMENTS[name].usual(name))
        blocks.note("attacks_invented")
    with right:
        picture = _result(chosen)
    along("attacks", chosen.address(), {name: picture}, curves.csv(chosen), snippets.snippet(chosen))
    _keep(chosen, query)


def _keep(chosen: AttackRun, query: dict[str, str]) -> None:
    """Put what was chosen into the address, which anybody may hand on."""
    if query != chosen.address():
        st.query_params.from_dict(chosen.address())


def _chosen(begun: AttackRun) -> AttackRun:
    experiment = EXPERIMENTS[begun.attack]

    def one(part: str, options: Sequence[str], begins: str, label: str, called: Callable[[str], str]) -> str:
        return st.selectbox(
            label,
            options,
            index=options.index(begins),
            format_func=called,
            key=f"attacks-{begun.attack}-{part}",
        )

    world = one("world", experiment.worlds, begun.world, say(f"attacks_world_of_{begun.attack}"), _world)
    defence = one("defence", experiment.defences, begun.defence, say("attacks_defence"), _defence)
    number = ""
    if experiment.numbers:
        number = one("n", experiment.numbers, begun.number, say(f"attacks_number_of_{begun.attack}"), _number)
    steps = sorted({*EPSILONS, begun.epsilon})
    epsilon = st.select_slider(
        say("attacks_epsilon"), steps, begun.epsilon, format_func=shown, key=f"attacks-{begun.attack}-epsilon"
    )
    return AttackRun(begun.attack, world, defence, number, epsilon)


def _world(key: str) -> str:
    """Return the name of a world: a king by his name, so many people by their number."""
    if key in BY_KEY:
        return BY_KEY[key].name
    return say("attacks_people", count=key) if key.isdigit() else say(f"attacks_world_{key.replace('-', '_')}")


def _defence(key: str) -> str:
    kind, _, number = key.partition("-")
    more = {"below": shown(int(number) - 1), "least": shown(int(number))} if number else {}
    return say(f"attacks_defence_{kind}", **more)


def _number(key: str) -> str:
    """Return a number as it is written, or how somebody asks."""
    return shown(float(key)) if key[0].isdigit() else say(f"attacks_way_{key}")


def _result(chosen: AttackRun) -> bytes:
    """Show the result, and return its picture."""
    found = outcome(chosen)
    bar(found)
    _verdict(chosen, found)
    if chosen.attack == "tracker":
        _questions(chosen)
    scene(chosen)
    picture = _picture(chosen, found)
    with st.expander(say("attacks_why")):
        blocks.text(f"attacks_why_{chosen.attack}")
    blocks.note("attacks_promise")
    return picture


def _verdict(chosen: AttackRun, found: Outcome) -> None:
    values = {"guessing": percent(found.guessing), "won": percent(found.won)}
    if chosen.defence in (PRIVATE, EACH):
        answers = int(chosen.number) if chosen.defence == EACH else 1
        values |= {"most": most(found.at_most), "epsilon": shown(round(answers * chosen.epsilon, 4))}
        blocks.text("attacks_verdict", **values)
    else:
        blocks.text("attacks_verdict_open", **values)
    if found.error:
        blocks.note("attacks_drawn", error=percent(found.error))


def _questions(chosen: AttackRun) -> None:
    heads = [say("attacks_question"), say("attacks_asked"), say("attacks_answer")]
    rows = [
        (
            say(f"attacks_about_{each.about}", age=shown(each.age)),
            shown(each.asked),
            say("attacks_answered") if each.allowed else say("attacks_refused"),
        )
        for each in question_list(chosen).questions
    ]
    blocks.table(say("attacks_questions"), heads, rows, numbers=(1,), whole=True)


def _picture(chosen: AttackRun, found: Outcome) -> bytes:
    """Draw the curve. Its libraries take a moment to load the first time: all else should be on the page before."""
    from dprelease.ui.attacks.picture import SLIM, WIDE, lines_of, picture
    from dprelease.ui.kit import charts

    lines = lines_of(chosen)
    words = say(
        "attacks_alt", attack=say(f"attacks_{chosen.attack}"), won=percent(found.won), guessing=percent(found.guessing)
    )
    for room, width in (("wide", WIDE), ("slim", SLIM)):
        with st.container(key=f"attack-{room}"):
            charts.picture(picture(lines, words, width), words)
    return picture(lines, words, WIDE)


def percent(share: float) -> str:
    """Return a share of 100, as it is rounded everywhere."""
    return say("attacks_percent", share=shown(in_hundred(share)))


def most(share: float) -> str:
    """Return a bound as a share of 100, rounded up."""
    return say("attacks_percent", share=shown(up_in_hundred(share)))


def bar(found: Outcome) -> None:
    """Show the result as a bar, each mark with name and figure below: neither colour nor place says anything alone."""
    marks = {"guessing": found.guessing, "won": found.won, "most": found.at_most}
    named = {
        name: (say(f"attacks_bar_{name}"), most(share) if name == "most" else percent(share))
        for name, share in marks.items()
    }
    places = {name: f"{100 * share:.2f}%" for name, share in marks.items()}
    st.html(
        fill(
            '<div class="dp-odds"><div class="dp-odds-bar" role="img" aria-label="{words}"><i style="width:{won}"></i>'
            '<u style="left:{guessing}"></u><b style="left:{most}"></b></div><dl>{names}</dl></div>',
            words="; ".join(f"{label} {share}" for label, share in named.values()),
            names=joined(
                fill('<div class="dp-odds-{}"><dt>{}</dt><dd>{}</dd></div>', name, label, share)
                for name, (label, share) in named.items()
            ),
            **places,
        )
    )

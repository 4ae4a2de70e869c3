"""The attacker's view of one draw: answers, a table with its hidden cells, people that were told right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dprelease.extras.lab import scenes
from dprelease.extras.lab.experiment import AttackRun
from dprelease.extras.lab.scenes import SceneCell, SceneTable
from dprelease.extras.lab.worlds import BY_KEY, SIZES
from dprelease.statements.display import MINUS, shown
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.words import say
from dprelease.words.sentences import Html

YEARS = 5
HIDDEN = "·"


def scene(chosen: AttackRun) -> None:
    """Draw the attacker's view; of a tracker there are its questions."""
    draw = SCENES.get(chosen.attack)
    if draw is not None:
        draw(chosen)


def _difference(chosen: AttackRun) -> None:
    first, second = scenes.difference(chosen)
    less = HIDDEN if first is None or second is None else shown(first - second)
    name = BY_KEY[chosen.world].name
    rows = [
        (say("attacks_scene_all"), _answer(first)),
        (say("attacks_scene_without", name=name), _answer(second)),
        (say("attacks_scene_less"), less),
    ]
    blocks.table(say("attacks_scene"), [say("attacks_count"), say("attacks_answer")], rows, numbers=(1,), whole=True)


def _repeat(chosen: AttackRun) -> None:
    answers = scenes.repeat(chosen)
    told = [each for each in answers if each is not None]
    blocks.text(
        "attacks_scene_answers",
        answers=", ".join(map(_answer, answers)),
        mean=shown(round(sum(told) / len(told), 1)) if told else HIDDEN,
    )


def _reconstruct(chosen: AttackRun) -> None:
    right = scenes.people(chosen)
    words = say("attacks_scene_people", right=shown(sum(right)), people=shown(len(right)))
    squares = joined(Html("<i></i>") if each else Html("<b>×</b>") for each in right)
    st.html(fill('<div class="dp-people" role="img" aria-label="{}">{}</div>', words, squares))
    blocks.note("attacks_scene_people", right=shown(sum(right)), people=shown(len(right)))


def _membership(chosen: AttackRun) -> None:
    both = scenes.scores(chosen)
    most = max(map(max, both))
    bars = joined(
        fill(
            "<span>{}</span><div>{}</div>",
            say(f"attacks_scene_{name}"),
            joined(fill('<i style="height:{}%"></i>', f"{100 * count / most:.1f}") for count in own),
        )
        for name, own in zip(("members", "others"), both, strict=True)
    )
    st.html(fill('<div class="dp-scores" role="img" aria-label="{}">{}</div>', say("attacks_scene_scores"), bars))
    blocks.note("attacks_scene_scores")


def _cells(chosen: AttackRun) -> None:
    found = scenes.cells(chosen)
    _table(found, say("attacks_scene_cells"), lambda each: _ends(each) if each.hidden else shown(each.least))
    if any(each.hidden for row in found.rows for each in row):
        blocks.note("attacks_scene_hidden")


def _twice(chosen: AttackRun) -> None:
    found = scenes.twice(chosen)
    if found is not None:
        _table(found, say("attacks_scene_changes"), lambda each: HIDDEN if each.hidden else _change(each.least))
        blocks.note("attacks_scene_changed")


SCENES: Mapping[str, Callable[[AttackRun], None]] = {
    "difference": _difference,
    "repeat": _repeat,
    "reconstruct": _reconstruct,
    "membership": _membership,
    "cells": _cells,
    "twice": _twice,
}


def _answer(told: int | None) -> str:
    return HIDDEN if told is None else shown(told)


def _ends(cell: SceneCell) -> str:
    return f"[{shown(cell.least)}]" if cell.found else f"[{shown(cell.least)}–{shown(cell.most)}]"


def _change(moved: int) -> str:
    return shown(moved) if moved <= 0 else f"+{shown(moved)}"


def _names(column: str) -> list[str]:
    """Return the names of a column's categories."""
    if column == "band":
        return [f"{YEARS * place}–{YEARS * place + YEARS - 1}" for place in range(SIZES[column])]
    return say(f"attacks_categories_{column}").split(", ")


def _table(table: SceneTable, caption: str, text: Callable[[SceneCell], str]) -> None:
    blocks.label(caption)
    rows, columns = map(_names, table.columns)
    head = joined(fill('<th scope="col">{}</th>', name) for name in columns)
    body = joined(
        fill('<tr><th scope="row">{}</th>{}</tr>', name, _row(cells, text))
        for name, cells in zip(rows, table.rows, strict=True)
    )
    st.html(
        fill(
            '<div class="dp-scroll dp-cells" tabindex="0" role="region" aria-label="{}"><table>'
            "<tr><td></td>{}</tr>{}</table></div>",
            caption,
            head,
            body,
        )
    )


def _row(cells: Sequence[SceneCell], text: Callable[[SceneCell], str]) -> Html:
    return joined(fill('<td class="{}">{}</td>', _mark(text(each)), text(each)) for each in cells)


def _mark(text: str) -> str:
    """Return the style class of a cell: told although it was hidden, or changed; not told; shown."""
    if text == HIDDEN or "–" in text:
        return "dp-unsure"
    return "dp-told" if text[0] in f"[+{MINUS}" else ""

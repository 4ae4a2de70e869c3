"""Readers' names of the cells of a table's keys: by their labels, else by their codes, else as ranges of values."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from dprelease.model.release import Axis, Cell, is_cut, is_partial
from dprelease.statements.display import shown_key
from dprelease.statements.question import StatisticLabel
from dprelease.words.phrases import visible
from dprelease.words.releases import say

LONGEST_LABEL = 80
LINE = 40
"""Largest number of characters in a line of a label."""


def key_text(cell: Cell) -> str:
    """Write a cell of a key column; one that would look empty is called blank."""
    text = shown_key(cell)
    return text if text.strip() else say("blank")


def named_key(question: StatisticLabel, name: str, cell: Cell) -> str:
    """Return the readers' name of a key cell: its label, else its code."""
    return question.beside(cell) or visible(question.coded(name, cell)[0]) or key_text(cell)


def columns_of(axis: Axis) -> list[list[int]]:
    """Return the places of an axis' names, those of a range together."""
    found: list[list[int]] = []
    for place, name in enumerate(axis.names):
        before = axis.names[place - 1].rstrip("_").removesuffix("_from") if place else ""
        if place and name.rstrip("_") == f"{before}_to" and len(found[-1]) == 1:
            found[-1].append(place)
        elif place and is_partial(name):
            continue
        else:
            found.append([place])
    return found


def cell_label(axis: Axis, cell: Sequence[Cell], question: StatisticLabel) -> str:
    """Return the name of an axis' cell in charts, in one line."""
    return named_cell(axis, cell, columns_of(axis), question).replace("\n", " ")


def named_cell(axis: Axis, cell: Sequence[Cell], columns: Sequence[Sequence[int]], question: StatisticLabel) -> str:
    """Return a cell's name by the labels of its codes; a label so long that it may be cut stands behind its code."""
    if beside := question.beside(cell[0]):
        return beside
    coded = [question.coded(axis.names[part[0]], cell[part[0]])[0] if len(part) == 1 else "" for part in columns]
    named = [
        [f"{shown_key(cell[part[0]])} {label}" if len(label) > LINE else label]
        if label
        else [cell[place] for place in part]
        for part, label in zip(columns, coded, strict=True)
    ]
    label = _label(named)
    return say("partial_period", period=label) if is_cut(axis.names, cell) else label


def _label(parts: Sequence[Sequence[Cell]]) -> str:
    """Return a cell's name from its values, or ranges of values."""
    texts = [
        shown_key(part[0]) if part[0] == part[-1] else say("range", first=shown_key(part[0]), last=shown_key(part[-1]))
        for part in parts
    ]
    return "\n".join(textwrap.wrap(visible(" · ".join(texts), LONGEST_LABEL), LINE)) or say("blank")

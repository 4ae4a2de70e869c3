"""The statistics of a draft, one card each."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.errors import Problem
from dprelease.model.column_options import ColumnNames
from dprelease.model.options import Conditions, Questions
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.priced import StatisticPrice
from dprelease.ui import blocks, fields
from dprelease.ui.draft import SHARES, Draft, StatisticDraft
from dprelease.ui.options import ask, is_asked, usual
from dprelease.ui.prices import price_line
from dprelease.ui.problems import show_problems
from dprelease.ui.words import WORDS, known, say

WIDEST = 5
"""Fields in a row."""
WIDE = (Conditions, Questions)
"""What takes a row of its own."""
RARE = ("survey_weights", "method", "noise", "cells", "candidates")
"""Options that are one click away."""


def kind_words(kind: str) -> str:
    """What a kind shows, in words."""
    return known(f"kind_{kind}", kind)


def kind_name(kind: str) -> str:
    """What a kind is called, where room is short."""
    return known(f"name_{kind}", kind)


def statistic_card(draft: Draft, item: StatisticDraft, schema: Schema, prefix: str) -> DeltaGenerator:
    """Draws and reads one statistic's fields; returns the place for its price or problems."""
    place = draft.statistics.index(item)
    key = f"{prefix}-s{item.key}"
    with st.container(border=True):
        head, side = st.columns([5, 1], vertical_alignment="center")
        with head:
            title = st.container()
        with side, st.container(horizontal=True, horizontal_alignment="right"):
            st.button(
                say("remove"),
                key=f"{key}-remove",
                type="tertiary",
                help=say("remove_statistic", number=place + 1),
                on_click=draft.statistics.remove,
                args=(item,),
            )
        for line in _lines(item, schema):
            _row(item, line, schema, key, draft.ids()[place])
        rare = [name for name in _asked(item, schema) if name in RARE]
        if rare:
            chosen = any(item.options.get(name) not in (None, [], usual(item.kind, name)) for name in rare)
            with st.container(key=f"more-{key}"), st.expander(say("more_options"), expanded=chosen):
                _row(item, rare, schema, key, draft.ids()[place])
        with title:
            blocks.subheading(draft.ids()[place])
        if f"note_{item.kind}" in WORDS:
            blocks.note(f"note_{item.kind}")
        return st.container()


def _row(item: StatisticDraft, line: Sequence[str], schema: Schema, key: str, chosen_id: str) -> None:
    """Fields side by side; one that is wide alone."""
    readers = KINDS[item.kind].options()
    if len(line) == 1 and isinstance(readers.get(line[0]), WIDE):
        item.options[line[0]] = ask(item, line[0], schema, key)
        return
    widths = [2 if isinstance(readers.get(name), ColumnNames) else 1 for name in line]
    room = [WIDEST - sum(widths)] if sum(widths) < WIDEST else []
    for column, name in zip(st.columns([*widths, *room], vertical_alignment="bottom"), line, strict=False):
        with column:
            if name in readers:
                item.options[name] = ask(item, name, schema, key)
            else:
                COMMON[name](item, key, chosen_id)


def _asked(item: StatisticDraft, schema: Schema) -> list[str]:
    """The options to ask for, the required ones first."""
    readers, required = KINDS[item.kind].options(), KINDS[item.kind].required()
    asked = [name for name in readers if is_asked(name, readers[name], item.options, schema)]
    return sorted(asked, key=lambda name: name not in required)


def _lines(item: StatisticDraft, schema: Schema) -> list[list[str]]:
    """The fields of a card in rows: its kind and options, then what every kind has."""
    readers = KINDS[item.kind].options()
    asked = [name for name in _asked(item, schema) if name not in RARE]
    first = ["kind", *(name for name in asked if not isinstance(readers[name], WIDE))]
    alone = [[name] for name in asked if isinstance(readers[name], WIDE)]
    common = ["id", "share", "amount", *(["confidence"] if item.share == "target_error" else [])]
    if not alone and len(first) + len(common) <= WIDEST:
        return [first + common]
    return [*(first[start : start + WIDEST] for start in range(0, len(first), WIDEST)), *alone, common]


def _kind(item: StatisticDraft, key: str, chosen_id: str) -> None:
    chosen = st.selectbox(
        say("statistic_kind"), list(KINDS), key=fields.begin(f"{key}-kind", item.kind), format_func=kind_name
    )
    if chosen != item.kind:
        item.kind = chosen
        st.rerun()


def _id(item: StatisticDraft, key: str, chosen_id: str) -> None:
    more = {"help": say("statistic_id_help"), "placeholder": chosen_id, "max_chars": 60}
    item.id = fields.text(say("statistic_id"), f"{key}-id", item.id, **more)


def _share(item: StatisticDraft, key: str, chosen_id: str) -> None:
    chosen = st.selectbox(
        say("share"),
        SHARES,
        key=fields.begin(f"{key}-share", item.share),
        format_func=lambda share: say(f"share_{share}"),
        help=say("share_help"),
    )
    if chosen != item.share:
        item.share = chosen
        st.rerun()


def _amount(item: StatisticDraft, key: str, chosen_id: str) -> None:
    if item.share == "epsilon":
        label, name = say("share_epsilon_value"), f"{key}-epsilon"
        item.epsilon = fields.exact(fields.number(label, name, item.epsilon, step=0.1, format="%g"))
    elif item.share == "target_error":
        label, name = say("share_target_value"), f"{key}-target"
        more = {"min_value": 0.0, "format": "%g", "help": say("share_target_help")}
        item.target = fields.exact(fields.number(label, name, item.target, **more))
    else:
        label, name = say("share_weight_value"), f"{key}-weight"
        item.weight = fields.exact(fields.number(label, name, item.weight, step=1.0, format="%g")) or 1


def _confidence(item: StatisticDraft, key: str, chosen_id: str) -> None:
    limits = {"min_value": 0.5, "max_value": 0.999, "step": 0.01, "format": "%g"}
    number = fields.number(say("share_confidence"), f"{key}-confidence", item.confidence, **limits)
    item.confidence = fields.exact(number) or 0.95


COMMON = {"kind": _kind, "id": _id, "share": _share, "amount": _amount, "confidence": _confidence}
"""The fields that every kind has."""


def judge(place: DeltaGenerator, priced: StatisticPrice | None, schema: Schema, problems: Sequence[Problem]) -> None:
    """Fills a card's last line: what it costs, or what is wrong with it."""
    with place:
        if problems:
            show_problems(problems)
        elif priced is not None:
            blocks.markup(price_line(priced, schema), "dp-note")

"""The statistics and conditions of a draft, one card or line each."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.errors import Problem
from dprelease.model.column import CODED, LISTED, NUMERIC, Column, ColumnType, read_date
from dprelease.model.options import ColumnNames
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.price import StatisticPrice
from dprelease.ui import blocks, fields
from dprelease.ui.draft import ConditionDraft, Draft, StatisticDraft
from dprelease.ui.options import ask, is_asked
from dprelease.ui.prices import price_line
from dprelease.ui.problems import show_problems
from dprelease.ui.words import known, say

WIDEST = 5
"""Fields in a row."""


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
        readers = KINDS[item.kind].options()
        for line in _lines(item, schema):
            widths = [2 if isinstance(readers.get(name), ColumnNames) else 1 for name in line]
            room = [WIDEST - sum(widths)] if sum(widths) < WIDEST else []
            for column, name in zip(st.columns([*widths, *room]), line, strict=False):
                with column:
                    if name in readers:
                        item.options[name] = ask(name, readers[name], item.options, schema, key)
                    else:
                        COMMON[name](item, key, draft.ids()[place])
        with title:
            blocks.subheading(draft.ids()[place])
        return st.container()


def _lines(item: StatisticDraft, schema: Schema) -> list[list[str]]:
    """The fields of a card in rows: its kind and options, the required ones first, then what every kind has."""
    readers = KINDS[item.kind].options()
    required = KINDS[item.kind].required()
    asked = [name for name in readers if is_asked(readers[name], item.options, schema)]
    first = ["kind", *sorted(asked, key=lambda name: name not in required)]
    common = ["id", "share", "amount"]
    if len(first) + len(common) <= WIDEST:
        return [first + common]
    return [*(first[start : start + WIDEST] for start in range(0, len(first), WIDEST)), common]


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
    shares = {False: say("share_weight"), True: say("share_epsilon")}
    item.own_epsilon = st.selectbox(
        say("share"),
        list(shares),
        key=fields.begin(f"{key}-share", item.own_epsilon),
        format_func=shares.__getitem__,
        help=say("share_help"),
    )


def _amount(item: StatisticDraft, key: str, chosen_id: str) -> None:
    if item.own_epsilon:
        label, name = say("share_epsilon_value"), f"{key}-epsilon"
        item.epsilon = fields.exact(fields.number(label, name, item.epsilon, step=0.1, format="%g"))
    else:
        label, name = say("share_weight_value"), f"{key}-weight"
        item.weight = fields.exact(fields.number(label, name, item.weight, step=1.0, format="%g")) or 1


COMMON = {"kind": _kind, "id": _id, "share": _share, "amount": _amount}
"""The fields that every kind has."""


def judge(place: DeltaGenerator, priced: StatisticPrice | None, schema: Schema, problems: Sequence[Problem]) -> None:
    """Fills a card's last line: what it costs, or what is wrong with it."""
    with place:
        if problems:
            show_problems(problems)
        elif priced is not None:
            blocks.markup(price_line(priced, schema), "dp-note")


def condition_line(draft: Draft, item: ConditionDraft, schema: Schema, prefix: str) -> None:
    """Draws and reads one condition of `where`."""
    key = f"{prefix}-w{item.key}"
    columns = st.columns([3, 2, 4, 1], vertical_alignment="bottom")
    with columns[0]:
        names = [column.name for column in schema if column.type in CODED]
        item.column = fields.one_of(say("where_column"), f"{key}-column", names, item.column, placeholder=say("choose"))
    column = schema[item.column] if item.column else None
    listed = column is not None and column.type in LISTED
    tests = ("equals", "in") if listed else ("at_least", "at_most", "equals")
    with columns[1]:
        item.test = fields.one_of(
            say("where_test"),
            f"{key}-test",
            tests,
            item.test,
            format_func=lambda test: say(f"where_{test}"),
            placeholder=say("choose"),
        )
    with columns[2]:
        item.value = _value(item, column, key)
    with columns[3]:
        st.button(
            say("remove"),
            key=f"{key}-remove",
            type="tertiary",
            help=say("remove_condition", number=draft.where.index(item) + 1),
            on_click=draft.where.remove,
            args=(item,),
        )


def _value(item: ConditionDraft, column: Column | None, key: str) -> object:
    label = say("where_value")
    if column is None or not item.test:
        st.text_input(label, key=f"{key}-none", disabled=True)
        return None
    name = f"{key}-{column.type}-{item.test}"
    if column.type in LISTED:
        if item.test == "in":
            given = item.value if isinstance(item.value, list) else []
            return fields.some_of(label, name, column.labels, given, placeholder=say("choose"))
        return fields.one_of(label, name, column.labels, item.value, placeholder=say("choose"))
    if column.type in NUMERIC:
        number = item.value if isinstance(item.value, int | float) else None
        return fields.exact(fields.number(label, name, number, format="%g", step=1.0))
    assert column.type is ColumnType.DATE
    chosen = st.date_input(
        label,
        value=None,
        min_value=read_date(column.lower),
        max_value=read_date(column.upper),
        key=fields.begin(name, read_date(item.value)),
        format="YYYY-MM-DD",
    )
    return None if chosen is None else chosen.isoformat()

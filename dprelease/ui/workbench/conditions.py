"""The editor of conditions: which rows are meant, one line a test."""

from __future__ import annotations

import streamlit as st

from dprelease.model.column import CODED, LISTED, NUMERIC, Column, ColumnType
from dprelease.model.report import read_date
from dprelease.model.schema import Schema
from dprelease.ui.kit import fields
from dprelease.ui.kit.phrases import day_format
from dprelease.ui.words import say
from dprelease.ui.workbench.statistic_draft import ConditionDraft


def conditions(items: list[ConditionDraft], schema: Schema, prefix: str) -> None:
    """Draw and read all conditions, with a button for one more."""
    for item in list(items):
        _line(items, item, schema, prefix)
    st.button(say("where_add"), on_click=lambda: items.append(ConditionDraft()), key=f"{prefix}-where")


def _line(items: list[ConditionDraft], item: ConditionDraft, schema: Schema, prefix: str) -> None:
    key = f"{prefix}-w{item.key}"
    columns = st.columns([3, 2, 4, 1], vertical_alignment="bottom")
    with columns[0]:
        names = [column.name for column in schema if column.type in CODED and not column.discover]
        item.column = fields.one_of(say("where_column"), f"{key}-column", names, item.column, placeholder=say("choose"))
    column = schema[item.column] if item.column else None
    listed = column is not None and column.type in LISTED
    tests = ("equals", "in") if listed else ("at_least", "at_most", "equals", "in")
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
    columns[3].button(
        say("remove"),
        key=f"{key}-remove",
        type="tertiary",
        help=say("remove_condition", number=items.index(item) + 1),
        on_click=items.remove,
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
            given = {_text(value): value for value in (item.value if isinstance(item.value, list) else ())}
            some = fields.some_of(label, name, column.labels, list(given), placeholder=say("choose"))
            return [given.get(text, text) for text in some]
        one = fields.one_of(label, name, column.labels, _text(item.value), placeholder=say("choose"))
        return item.value if one == _text(item.value) else one
    if item.test == "in":
        return fields.items(label, name, item.value if isinstance(item.value, list) else [], help=say("where_in_help"))
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
        format=day_format(),
    )
    return None if chosen is None else chosen.isoformat()


def _text(value: object) -> str:
    """Return a declared value as listed. A plan file may write it as a truth value or a number, and keeps that."""
    return str(value).lower() if isinstance(value, bool) else str(value)

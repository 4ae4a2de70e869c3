"""The table of a dataset's columns: search, undo, and the editor itself."""

from __future__ import annotations

import streamlit as st

from dprelease.model.column import ColumnType
from dprelease.ui.columns.codes import codes_question
from dprelease.ui.columns.desk import EVERYTHING, VIEWS, Desk
from dprelease.ui.columns.row import ENDS, FLAGS, TEXTS
from dprelease.ui.columns.sheet import FIELDS
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted
from dprelease.ui.words import say, say_html

WIDTHS = dict(zip(TEXTS, (95, 95, 110, 200, 170, 160, 145, 110, 220), strict=True))
TALL = 595
"""Pixels of a long table: 16 lines and the header, so that the page around it stays in reach."""
FEW = 15
"""Columns that need no search."""


def table(desk: Desk) -> None:
    """Draws the table and takes what is typed in it."""
    _count(desk)
    _find(desk)
    if not desk.sight:
        blocks.note("columns_none_in_sight")
        return
    key = f"columns-{desk.dataset.name}-{session.visit()}-{desk.grid}"
    config = st.column_config
    texts = {
        name: config.TextColumn(say(f"column_{name}"), help=say(f"column_{name}_help"), width=width)
        for name, width in WIDTHS.items()
        if name != "outside"
    }
    st.data_editor(
        desk.sheet.frame(desk.sight, desk.dataset.unit_column),
        key=key,
        on_change=_typed,
        args=(desk, key),
        hide_index=True,
        num_rows="fixed",
        placeholder="",
        height=TALL if len(desk.sight) > FEW else "auto",
        disabled=["name", "check"],
        column_order=FIELDS,
        column_config={
            "name": config.TextColumn(say("column_name"), pinned=True, width=130),
            "check": config.TextColumn(say("column_check"), help=say("column_check_help"), width=110),
            "use": config.CheckboxColumn(say("column_use"), help=say("column_use_help"), width=65),
            "type": config.SelectboxColumn(
                say("column_type"),
                help=say("column_type_help"),
                options=[kind.value for kind in ColumnType],
                width=95,
            ),
            "outside": config.SelectboxColumn(
                say("column_outside"),
                help=say("column_outside_help"),
                options=list(ENDS),
                format_func=lambda each: say(f"outside_{each}"),
                width=WIDTHS["outside"],
            ),
            **{
                name: config.CheckboxColumn(say(f"column_{name}"), help=say(f"column_{name}_help"), width=75)
                for name in FLAGS
            },
            **texts,
        },
        alt=say("columns_table"),
    )
    codes_question(desk)


def _count(desk: Desk) -> None:
    """How far the declaration is."""
    rows = desk.sheet.rows.values()
    wrong = sum(bool(row.problems()) for row in rows)
    values = {"used": sum(row.use for row in rows), "all": counted("columns", len(desk.names))}
    words = say_html("columns_count_wrong" if wrong else "columns_count", **values, wrong=counted("columns", wrong))
    blocks.markup(words)


def _find(desk: Desk) -> None:
    """Search and view, and the way back; the table shows what is found."""
    search, view = "", EVERYTHING
    if len(desk.names) > FEW:
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        with left:
            search = st.text_input(
                say("columns_search"), key=f"{desk.dataset.name}-search", placeholder=say("columns_search_example")
            )
        with right:
            view = st.selectbox(
                say("columns_view"),
                VIEWS,
                format_func=lambda each: say(f"view_{each}"),
                key=f"{desk.dataset.name}-view",
            )
    desk.look(search, view)
    with st.container(horizontal=True):
        st.button(say("undo"), on_click=desk.undo, disabled=not desk.past, key="columns-undo")
        st.button(say("redo"), on_click=desk.redo, disabled=not desk.future, key="columns-redo")
        if desk.is_changed:
            st.button(say("columns_reset"), on_click=desk.reset, type="tertiary", key="columns-reset")


def _typed(desk: Desk, key: str) -> None:
    """Takes over the cells that differ from what the table holds."""
    cells = {desk.sight[place]: edit for place, edit in st.session_state[key]["edited_rows"].items()}
    desk.change({name: desk.sheet.rows[name].changed(edit) for name, edit in cells.items()}, typed=True)

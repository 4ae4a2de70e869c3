"""The table of a dataset's columns: search, undo, the editor itself, and the button that declares what stands in it."""

from __future__ import annotations

import streamlit as st

from dprelease.codebook.codes import NONE, write_line
from dprelease.model.column import NUMERIC, ColumnType
from dprelease.model.report import as_decimal
from dprelease.ui.columns.desk import EVERYTHING, VIEWS, Desk
from dprelease.ui.columns.row import ENDS, FLAGS, TEXTS, Row
from dprelease.ui.columns.sheet import FIELDS
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.fields import with_point
from dprelease.ui.kit.phrases import counted, day, some
from dprelease.ui.kit.problems import box, kindly, show_problems
from dprelease.ui.kit.session import actor, workspace
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
        search = left.text_input(
            say("columns_search"), key=f"{desk.dataset.name}-search", placeholder=say("columns_search_example")
        )
        view = right.selectbox(
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


USUAL = {"negative": (-9, -99, -999), "positive": (9, 99, 999)}
"""Codes that surveys often use."""


def codes_question(desk: Desk) -> None:
    """Asks of all such columns at once; a single one is answered in its line."""
    silent = [row for row in desk.sheet.rows.values() if row.use and row.type in NUMERIC and not row.missing_codes]
    if not silent or any(row.problems() for row in silent):
        return
    blocks.note("codes_question", columns=some([row.name for row in silent]))
    with st.container(horizontal=True):
        for name in ("none", *USUAL):
            st.button(say(f"codes_{name}"), on_click=_answer, args=(desk, silent, name), key=f"codes-{name}")


def _answer(desk: Desk, silent: list[Row], name: str) -> None:
    desk.change({row.name: row.changed({"missing_codes": _line(row, name)}) for row in silent})


def _line(row: Row, name: str) -> str:
    """The codes as the line has them: none between the bounds, where a number is a value of the column."""
    ends = [as_decimal(with_point(text)) for text in (row.lower, row.upper)]
    low, high = ends
    if name == "none" or low is None or high is None:
        return NONE
    return write_line(code for code in USUAL[name] if not low <= code <= high)


MOST_PROBLEMS = 12
"""That are listed."""


def unsaved(desk: Desk) -> None:
    """Says that there is work that was not saved as a declaration, or that another tab goes on with it."""
    if desk.stale:
        box(say_html("columns_stale"), kind="warning")
        with st.container(horizontal=True):
            st.button(say("columns_take_other"), on_click=desk.take_other, key="columns-other")
            st.button(say("columns_take_mine"), on_click=desk.take_mine, key="columns-mine")
    elif desk.draft is not None and desk.is_changed:
        blocks.note("columns_unsaved", on=day(desk.draft.changed))


def saving(desk: Desk) -> None:
    """Declares what stands in the table."""
    problems = desk.sheet.problems()
    with st.container():  # however much it says, the button after it stays the same one: no press is lost
        if problems:
            show_problems(problems[:MOST_PROBLEMS])
            if len(problems) > MOST_PROBLEMS:
                blocks.note("columns_more_problems", more=counted("problems", len(problems) - MOST_PROBLEMS))
        else:
            with kindly():
                _consequences(desk)
    if st.button(say("columns_save"), type="primary", disabled=bool(problems)):
        with kindly():
            described = workspace().datasets.describe(desk.dataset.name, desk.sheet.declared(), actor=actor())
            desk.dataset = described
            desk.change(desk.registered.rows)
            desk.forget()
            session.flash("columns_saved", count=len(described.schema.columns), dataset=desk.dataset.name)
            st.rerun()


def _consequences(desk: Desk) -> None:
    """What would change, and what was made with the declaration that it replaces."""
    declared = desk.sheet.declared()
    if not desk.is_changed or not declared:
        return
    found = workspace().datasets.dependents(desk.dataset.name, declared, actor=actor())
    if not found.changed:
        return
    lines = [say("saving_changed", columns=some(found.changed))]
    if found.approved:
        lines.append(say("saving_approved", plans=some(found.approved)))
    if found.waiting:
        lines.append(say("saving_waiting", plans=some(found.waiting)))
    if found.published:
        lines.append(say("saving_published", plans=some(found.published)))
    if found.previewed:
        lines.append(say("saving_previewed"))
    blocks.label(say("saving_title"))
    blocks.listed(lines)

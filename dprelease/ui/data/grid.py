"""A dataset's columns as a sheet; undo, the question about codes, and the button that declares what stands there."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.codebook.codes import NONE, write_line
from dprelease.model.column import NUMERIC, ColumnType
from dprelease.model.column_fields import ColumnOption, Widget
from dprelease.model.report import as_decimal
from dprelease.ui.data.row import Row
from dprelease.ui.data.rows import accepting
from dprelease.ui.data.sheet import FIELDS, SHEET
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.fields import with_point
from dprelease.ui.kit.phrases import counted, day, some
from dprelease.ui.kit.problems import box, kindly, show_problems
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html

TALL = 595
"""Height of a long table in pixels: 16 lines and the header, so that the page around it stays in reach."""
FEW = 15
"""Maximum number of lines of a sheet that is shown whole."""


def sheet(work: Work) -> None:
    """Draw the sheet and take what is typed, or pasted, in it."""
    if not work.sight:
        blocks.note("columns_none_in_sight")
        return
    key = f"columns-{work.dataset.name}-{session.visit()}-{work.grid}"
    config = st.column_config
    st.data_editor(
        work.sheet.frame(work.sight, work.dataset.unit_column),
        key=key,
        on_change=_typed,
        args=(work, key),
        hide_index=True,
        num_rows="fixed",
        placeholder="",
        height=TALL if len(work.sight) > FEW else "auto",
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
            **{name: _cells(name, option) for name, option in SHEET.items()},
        },
        alt=say("columns_table"),
    )
    blocks.note("columns_pasting")


def _cells(name: str, option: ColumnOption) -> Any:
    """Return the column configuration in which a property's cells are typed or chosen."""
    config, label = st.column_config, say(f"column_{name}")
    more: dict[str, Any] = {"help": say(f"column_{name}_help"), "width": option.width}
    if option.widget is Widget.SELECT:
        words = list(option.reader.choices)
        return config.SelectboxColumn(label, options=words, format_func=lambda word: say(f"{name}_{word}"), **more)
    return (config.CheckboxColumn if option.widget is Widget.CHECK else config.TextColumn)(label, **more)


def history(work: Work) -> None:
    """Show the buttons that go back, and forward again."""
    st.button(say("undo"), on_click=work.undo, disabled=not work.past, key="columns-undo")
    st.button(say("redo"), on_click=work.redo, disabled=not work.future, key="columns-redo")
    if work.is_changed:
        st.button(say("columns_reset"), on_click=work.reset, type="tertiary", key="columns-reset")


def _typed(work: Work, key: str) -> None:
    """Take over the cells that differ from what the table holds."""
    cells = {work.sight[place]: edit for place, edit in st.session_state[key]["edited_rows"].items()}
    work.change({name: work.sheet.rows[name].changed(edit) for name, edit in cells.items()}, typed=True)


USUAL = {"negative": (-9, -99, -999), "positive": (9, 99, 999)}
"""Codes that surveys often use."""


def codes_question(work: Work) -> None:
    """Ask of all such columns at once; a single one is answered in its line."""
    silent = [row for row in work.sheet.rows.values() if row.use and row.type in NUMERIC and not row.missing_codes]
    if not silent or any(row.problems() for row in silent):
        return
    blocks.note("codes_question", columns=some([row.name for row in silent]))
    with st.container(horizontal=True):
        for name in ("none", *USUAL):
            st.button(say(f"codes_{name}"), on_click=_answer, args=(work, silent, name), key=f"codes-{name}")


def _answer(work: Work, silent: list[Row], name: str) -> None:
    work.change({row.name: row.changed({"missing_codes": _line(row, name)}) for row in silent})


def _line(row: Row, name: str) -> str:
    """Return the codes as the line has them: none between the bounds, where a number is a value of the column."""
    ends = [as_decimal(with_point(text)) for text in (row.lower, row.upper)]
    low, high = ends
    if name == "none" or low is None or high is None:
        return NONE
    return write_line(code for code in USUAL[name] if not low <= code <= high)


MAX_PROBLEMS = 12
"""Maximum number of problems listed."""


def unsaved(work: Work) -> None:
    """Say that there is work that was not saved as a declaration, or that another tab goes on with it."""
    if work.stale:
        box(say_html("columns_stale"), kind="warning")
        with st.container(horizontal=True):
            st.button(say("columns_take_other"), on_click=work.take_other, key="columns-other")
            st.button(say("columns_take_mine"), on_click=work.take_mine, key="columns-mine")
    elif work.draft is not None and work.is_changed:
        blocks.note("columns_unsaved", on=day(work.draft.changed))


def saving(work: Work) -> None:
    """Declare what stands in the table."""
    problems = [problem for row in work.sheet.rows.values() for problem in work.problems(row)]
    with st.container():  # however much it says, the button after it stays the same one: no press is lost
        if problems:
            show_problems(problems[:MAX_PROBLEMS])
            if len(problems) > MAX_PROBLEMS:
                blocks.note("columns_more_problems", more=counted("problems", len(problems) - MAX_PROBLEMS))
        else:
            with kindly():
                _consequences(work)
    with st.container(horizontal=True):
        pressed = st.button(say("columns_save"), type="primary", disabled=bool(problems))
        accepting(work)
    if pressed and not work.sheet.declared():
        box(say_html("columns_nothing"), kind="notice")
    elif pressed:
        with kindly():
            described = workspace().datasets.describe(
                work.dataset.name, work.sheet.declared(), proposed=work.taken(), actor=actor()
            )
            work.take_declared(described)
            session.flash("columns_saved", count=len(described.schema.columns), dataset=work.dataset.name)
            st.rerun()


def _consequences(work: Work) -> None:
    """Show the columns that saving would change, and the plans and previews made with the declaration it replaces."""
    declared = work.sheet.declared()
    if not (work.is_changed and declared and work.dataset.schema.columns):
        return
    found = workspace().datasets.dependents(work.dataset.name, declared, actor=actor())
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

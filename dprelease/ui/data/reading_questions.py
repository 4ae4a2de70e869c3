"""Questions that a file does not settle: asked before anything of it is read, one after another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from dprelease.model.reading import DELIMITERS, ENCODINGS, MAX_HEADER, Detected, ShortRow, WorkbookSheet
from dprelease.model.row_rules import RowRules
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted
from dprelease.ui.words import say, say_label
from dprelease.workspace.staging import Upload

SIGNS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", ".": "point"}
FAULT = "fault"
HEAD_ROWS, HEAD_COLUMNS, HEAD_WIDTH = 8, 8, 40
"""Rows, columns and characters of a file's beginning that are shown, to say which row holds the names."""


def ask(upload: Upload) -> Detected | None:
    """Ask the first thing that is not settled; return what was detected once all is, else None."""
    if upload.detected.short is not None:
        return _ask_short(upload, upload.detected.short)
    key = f"{upload.id}-said"
    said: dict[str, Any] = st.session_state.get(key, {})
    detected = _detected(upload, said)
    if not detected.asks:
        return detected
    part = detected.asks[0]
    blocks.subheading(say(f"ask_{part}"))
    blocks.text("ask_blind_text" if detected.blind else f"ask_{part}_text")
    with st.form(f"{upload.id}-ask-{part}", border=False):
        answer = _answer(upload, part, detected)
        pressed = st.form_submit_button(say("ask_go_on"), type="primary")
    if pressed and answer is not None:
        st.session_state[key] = {**said, part: answer}
        st.rerun()
    if pressed:
        blocks.note("ask_unanswered")
    return None


def _ask_short(upload: Upload, row: ShortRow) -> Detected | None:
    """Ask about a row with few cells: a note, which a rule leaves out, or a fault of the file."""
    blocks.subheading(say("ask_skip"))
    blocks.text("ask_skip_text", line=row.line, cells=row.cells, width=row.width)
    with st.form(f"{upload.id}-ask-skip-{row.cells}", border=False):
        answer = st.radio(
            say("ask_skip"),
            [row.rule, FAULT],
            index=None,
            format_func=lambda each: say(f"ask_skip_{each.partition(':')[0]}", place=row.cells),
            key=f"{upload.id}-answer-skip-{row.cells}",
            label_visibility="collapsed",
        )
        pressed = st.form_submit_button(say("ask_go_on"), type="primary")
    if pressed and answer == row.rule:
        reading = upload.detected.reading
        rules = RowRules.parse([*replace(reading.skip, note=0).to_texts(), row.rule])
        return replace(upload.detected, reading=replace(reading, skip=rules), asks=())
    if pressed:
        blocks.note("ask_unanswered" if answer is None else "ask_skip_mend")
    return None


def forget(upload: Upload) -> None:
    """Forget the answers, to ask anew: what was said could not be read."""
    st.session_state.pop(f"{upload.id}-said", None)


def _detected(upload: Upload, said: dict[str, Any]) -> Detected:
    """Return what is detected beside the answers given so far; detected anew only when they change."""
    if not said:
        return upload.detected
    key = f"{upload.id}-detected"
    kept: tuple[dict[str, Any], Detected] | None = st.session_state.get(key)
    if kept is None or kept[0] != said:
        found = session.workspace().datasets.uploads.redetected(upload.id, said, actor=session.actor())
        kept = st.session_state[key] = (said, found)
    return kept[1]


def _answer(upload: Upload, part: str, detected: Detected) -> Any:
    asked: dict[str, Any] = {"label": say(f"ask_{part}"), "label_visibility": "collapsed"}
    key = f"{upload.id}-answer-{part}"
    if part == "sheet":
        sheets = {each.name: each for each in detected.sheets}
        return st.radio(
            options=list(sheets), index=None, format_func=lambda name: _sheet(sheets[name], detected), key=key, **asked
        )
    if part == "encoding":
        return st.selectbox(options=ENCODINGS, index=None, placeholder=say("choose"), key=key, **asked)
    if part == "delimiter":
        return st.radio(
            options=DELIMITERS, index=None, format_func=lambda sign: say(f"sign_{SIGNS[sign]}"), key=key, **asked
        )
    _head(upload, detected)
    if part == "units":
        return st.radio(
            options=[True, False], index=None, format_func=lambda yes: say(f"ask_units_{yes}".lower()), key=key, **asked
        )
    return st.number_input(
        say("reading_header"),
        value=detected.reading.header,
        min_value=0,
        max_value=MAX_HEADER,
        step=1,
        help=say("reading_header_help"),
        key=key,
        width=300,
    )


def _sheet(sheet: WorkbookSheet, detected: Detected) -> str:
    if detected.blind:
        return sheet.name
    columns, rows = counted("columns", sheet.columns), counted("rows", sheet.rows)
    return say_label("ask_sheet_option", name=sheet.name, columns=columns, rows=rows)


def _head(upload: Upload, detected: Detected) -> None:
    """Show the first rows, for whoever brings the file; nothing where nobody may look at rows."""
    rows = session.workspace().datasets.uploads.beginning(upload.id, detected.reading, actor=session.actor())
    rows = rows[:HEAD_ROWS]
    if rows:
        width = min(HEAD_COLUMNS, max(len(cells) for _, cells in rows))
        lines = [
            [str(number), *(cell[:HEAD_WIDTH] for cell in [*cells, *[""] * width][:width])] for number, cells in rows
        ]
        heads = [say("ask_row"), *map(str, range(1, width + 1))]
        blocks.table(say("ask_head"), heads, lines)

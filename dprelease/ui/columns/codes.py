"""The question which codes stand for no answer, of columns of numbers that do not say. Nothing is looked up."""

from __future__ import annotations

import streamlit as st

from dprelease.codebook.codes import NONE, write_line
from dprelease.model.column import NUMERIC
from dprelease.model.report import as_decimal
from dprelease.ui.columns.desk import Desk
from dprelease.ui.columns.row import Row
from dprelease.ui.kit import blocks
from dprelease.ui.kit.fields import with_point
from dprelease.ui.kit.phrases import some
from dprelease.ui.words import say

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

"""The notation of one column's cells, as a field: what they propose, what is usual, or what somebody types."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from dprelease.model.column import ColumnType
from dprelease.model.yaml_text import one_line
from dprelease.ui.data.row import Row, listed, shown_form
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks
from dprelease.ui.kit.fields import begin
from dprelease.ui.words import say
from dprelease.workspace.proposed_readings import usual

ANSWERS = ("yes", "no")


def reading_field(work: Work, kind: str, row: Row, key: str, asked: dict[str, Any]) -> bool:
    """Draw the field where cells are not written as programs do, or may not be. Returns True if it did."""
    found = work.proposal(row)
    if found is None and not row.reading:
        return False
    if work.asks(row):
        blocks.note("reading_asked")
    elif found is not None and not row.reading:
        blocks.note("reading_otherwise")
    readings = (*(found.readings if found else ()), *usual(kind))
    options = list(dict.fromkeys([*([row.reading] if row.reading else []), *map(one_line, readings)]))
    st.selectbox(
        say("column_reading"),
        options,
        format_func=partial(shown_form, kind),
        index=None,
        placeholder=say("choose"),
        help=say("column_reading_help"),
        accept_new_options=True,
        key=begin(f"{key}-reading", row.reading or None),
        **asked,
    )
    if kind == ColumnType.BOOLEAN and found is not None and not found.readings:
        for place, answer in zip(st.columns(2), ANSWERS, strict=True):
            field = begin(f"{key}-{answer}", "")
            place.text_input(say(f"reading_{answer}"), help=say("reading_answers_help"), key=field, **asked)
    return True


def said_reading(key: str) -> dict[str, str]:
    """Return the reading that words for yes and no make, where both were typed."""
    words = {answer: listed(st.session_state.get(f"{key}-{answer}", "")) for answer in ANSWERS}
    return {"reading": one_line(words)} if all(words.values()) else {}

"""The options of a statistic, in an open card."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.model.column_options import ColumnNames
from dprelease.model.options import Conditions, Questions
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.ui.kit import blocks, fields
from dprelease.ui.plan.adding import kind_name
from dprelease.ui.plan.options import ask, is_asked, usual
from dprelease.ui.plan.statistic_draft import SHARES, StatisticDraft
from dprelease.ui.words import WORDS, say

WIDEST = 5
"""Fields in a row."""
WIDE = (Conditions, Questions)
"""What takes a row of its own."""
RARE = ("survey_weights", "method", "noise", "cells", "candidates")
"""Options that are one click away."""
DECIDING = ("column", "columns")
"""What decides which other options there are to ask for."""


def options_of(item: StatisticDraft, schema: Schema, key: str, chosen_id: str) -> None:
    """Draws and reads them."""
    for name in DECIDING:
        if f"{key}-{name}" in st.session_state and name in KINDS[item.kind].options():
            item.options[name] = st.session_state[f"{key}-{name}"]
    for line in _lines(item, schema):
        _row(item, line, schema, key, chosen_id)
    rare = [name for name in _asked(item, schema) if name in RARE]
    if rare:
        chosen = any(item.options.get(name) not in (None, [], usual(item.kind, name)) for name in rare)
        with st.container(key=f"more-{key}"), st.expander(say("more_options"), expanded=chosen):
            _row(item, rare, schema, key, chosen_id)
    if f"note_{item.kind}" in WORDS:
        blocks.note(f"note_{item.kind}")


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
    common = ["id", "share", *(["confidence"] if item.share == "target_error" else [])]
    if not alone and len(first) + len(common) <= WIDEST:
        return [first + common]
    return [*(first[start : start + WIDEST] for start in range(0, len(first), WIDEST)), *alone, common]


def _kind(item: StatisticDraft, key: str, chosen_id: str) -> None:
    st.selectbox(
        say("statistic_kind"),
        list(KINDS),
        key=fields.begin(f"{key}-kind", item.kind),
        format_func=kind_name,
        on_change=_taken_over,
        args=(item, "kind", key),
    )


def _taken_over(item: StatisticDraft, name: str, key: str) -> None:
    """Of a choice on which the rest of the card depends: it is there before the card is drawn again."""
    setattr(item, name, st.session_state[f"{key}-{name}"])


def _id(item: StatisticDraft, key: str, chosen_id: str) -> None:
    more = {"help": say("statistic_id_help"), "placeholder": chosen_id, "max_chars": 60}
    item.id = fields.text(say("statistic_id"), f"{key}-id", item.id, **more)


def _share(item: StatisticDraft, key: str, chosen_id: str) -> None:
    st.selectbox(
        say("share"),
        SHARES,
        key=fields.begin(f"{key}-share", item.share),
        format_func=lambda share: say(f"share_{share}"),
        help=say("share_help"),
        on_change=_taken_over,
        args=(item, "share", key),
    )


def _confidence(item: StatisticDraft, key: str, chosen_id: str) -> None:
    limits = {"min_value": 0.5, "max_value": 0.999, "step": 0.01, "format": "%g"}
    number = fields.number(say("share_confidence"), f"{key}-confidence", item.confidence, **limits)
    item.confidence = fields.exact(number) or 0.95


COMMON = {"kind": _kind, "id": _id, "share": _share, "confidence": _confidence}
"""The fields that every kind has."""

"""The columns one below the other, each with how far it is, what it may hold, where that is from, and one button."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.ui.data.row import Row
from dprelease.ui.data.settling import SettlingState, codes_words, domain_words
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.words import say
from dprelease.words.sentences import Html, isolated

MARKS = {SettlingState.SETTLED: "✓", SettlingState.SURE: "?", SettlingState.ASK: "?", SettlingState.OPEN: "–"}
PAGE = 20
"""Number of columns listed at once."""
SHORT = 90
"""Maximum characters of a description in the list."""


def progress(work: Work) -> None:
    """Show the number of settled columns, and that guesses read nothing."""
    total = len(work.sheet.rows)
    done = total - len(work.unsettled()) - sum(bool(work.problems(row)) for row in work.made())
    st.progress(done / total, text=say("columns_settled", done=done, total=total))


def accepting(work: Work) -> None:
    """Show one button for all that the names say surely."""
    sure = work.sure()
    if sure:
        label = say("columns_accept", len(sure), count=len(sure))
        st.button(label, on_click=_accept, args=(work,), icon=":material/done_all:", key="columns-accept")


def _accept(work: Work) -> None:
    work.change({name: work.accepted(name) for name in work.sure()})


def listed(work: Work) -> None:
    """Show the columns in sight, some at a time."""
    if not work.sight:
        blocks.note("columns_none_in_sight")
        return
    first = 0
    if len(work.sight) > PAGE:
        pages = -(-len(work.sight) // PAGE)
        first = PAGE * (st.pagination(pages, key=f"columns-page-{work.dataset.name}-{work.seen}") - 1)
    for name in work.sight[first : first + PAGE]:
        _line(work, name)


def _line(work: Work, name: str) -> None:
    state = work.state(name)
    with framed(str(work.names.index(name)), chosen=name == work.chosen):
        _tell(work, name, state)
        key = {SettlingState.SETTLED: "column_change", SettlingState.OPEN: "column_describe"}.get(
            state, "column_settle"
        )
        st.button(
            say(key),
            type="tertiary" if state is SettlingState.SETTLED else "secondary",
            on_click=work.choose,
            args=(name,),
            key=f"settle-{name}",
        )


def framed(key: str, *, chosen: bool) -> Any:
    """Return the place of one column in the list."""
    look = "chosen" if chosen else "line"
    return st.container(
        border=True, horizontal=True, wrap=False, vertical_alignment="center", key=f"column-{look}-{key}"
    )


def _tell(work: Work, name: str, state: SettlingState) -> None:
    row, unit = work.sheet.rows[name], work.dataset.unit_column
    shown = row if state is SettlingState.SETTLED else work.proposed(name)
    leaves = state is SettlingState.SURE and work.accepted(name).left
    domain = say("domain_leave") if leaves else domain_words(shown, unit)
    kind = "key" if name == unit else shown.type
    badge = sort_badge(kind)
    written = say("reading_open") if not leaves and work.asks(shown) else shown.written
    parts = [domain, codes_words(shown), written, _source(shown, leaves=leaves), _short(shown.description)]
    tell(state, name, badge, " · ".join(part for part in parts if part))


def tell(state: SettlingState, name: str, badge: Html, words: str) -> None:
    """Show a column's line: how far it is, its name and kind, and some words."""
    st.html(
        fill(
            '<div class="dp-column"><p><span class="dp-state dp-state-{}" aria-hidden="true">{}</span>'
            '<span class="dp-hidden">{}</span> <strong>{}</strong> {}</p><p class="dp-note">{}</p></div>',
            state.value,
            MARKS[state],
            say(f"state_{state.value}"),
            isolated(name),
            badge,
            isolated(words),
        )
    )


def sort_badge(kind: str) -> Html:
    """Return the kind of a column, in a word; nothing where it has none yet."""
    return fill('<span class="dp-kind">{}</span>', say(f"sort_{kind}")) if kind else fill("")


def _source(row: Row, *, leaves: bool) -> str:
    source = "name" if leaves else row.source
    return say(f"source_{source}") if source in ("name", "codebook", "list") else ""


def _short(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 1].rstrip() + "…"

"""A list of columns that somebody pastes: name, kind, lowest, highest, categories; shown before it is taken."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from dprelease.codebook.bounds import LOWER, UPPER, Fault, PastedBounds, Typed, read_bounds
from dprelease.codebook.vocabulary import FREE_TEXT, KINDS, plain_word
from dprelease.model.column import ORDERED, ColumnType
from dprelease.model.separators import Roles
from dprelease.model.typed import NotUnderstood
from dprelease.ui.data.row import Row, listed
from dprelease.ui.data.settled_list import SettledColumns, settle, written
from dprelease.ui.data.settling import domain_words, is_whole
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted, some
from dprelease.ui.words import say
from dprelease.words import phrase, verbatim

LIST = "list"
SIGNS = "\t;|,"
"""Signs that may separate the cells of a line, the likeliest first."""


def paste(work: Work) -> None:
    """Ask for the list, show what it would say, and take it."""
    blocks.note("paste_text")
    key = f"paste-{work.dataset.name}-{session.visit()}"
    text = st.text_area(say("paste_list"), key=key, height=140, placeholder=say("paste_example"))
    if not text.strip():
        return
    pasted, unknown = read(text, work)
    if unknown:
        blocks.note("import_unknown", columns=some(unknown))
    if not pasted:
        return
    names = [each.name for each in pasted]
    held = (
        f"{key}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"  # other words are another list: nothing is answered
    )
    taken = settle(held, lambda *known: bounds(pasted, *known), names, missing={}, more=unclear_kinds(pasted))
    rows = {each.name: each.row(taken) for each in pasted if each.name not in taken.left}
    unclear = {fault.typed.name for fault in taken.bounds.faults}
    heads = [say(each) for each in ("column_name", "column_type", "paste_written", "paste_holds")]
    unit = work.dataset.unit_column
    lines = [
        (row.name, say(f"sort_{row.type}") if row.type else "–", written(taken.bounds, name), domain_words(row, unit))
        for name, row in sorted(rows.items(), key=lambda item: item[0] not in unclear)
    ]
    if rows and taken.bounds.asked is None:
        blocks.table(say("paste_preview"), heads, lines)
    label = say("import_apply", columns=counted("columns", len(rows)))
    if st.button(label, type="primary", disabled=not (rows and taken.is_ready)):
        done = work.change(rows)
        session.flash("paste_done", columns=counted("columns", done))
        st.rerun()


@dataclass(frozen=True, slots=True)
class Pasted:
    """One line of a list, as it is written."""

    name: str
    kind: str
    ends: Mapping[str, str]
    categories: tuple[str, ...]

    @property
    def type(self) -> str:
        """The kind of column that its word means; nothing where there is no word, or none that is known."""
        word = plain_word(self.kind)
        return str(KINDS.get(word, ColumnType.TEXT if word in FREE_TEXT else ""))

    def row(self, taken: SettledColumns) -> Row:
        """Return the line as it would stand in the table: what the preview shows is what is taken."""
        declared: dict[str, Any] = {"type": self.type, **taken.bounds.of(self.name)}
        declared |= {"categories": list(self.categories)} if self.categories else {}
        declared |= {"missing_codes": [taken.codes[self.name]]} if self.name in taken.codes else {}
        row = Row.of(self.name, declared)
        row = replace(row, source=LIST, outside="missing" if row.proposes_missing else "")
        return replace(row, use=bool(row.type) and is_whole(row))


def bounds(pasted: Sequence[Pasted], roles: Roles | None = None, order: str | None = None) -> PastedBounds:
    """Read the bounds of the lines."""
    cells = [
        Typed(each.name, key, text, each.type or None)
        for each in pasted
        if each.type in ("", *ORDERED)
        for key, text in each.ends.items()
    ]
    return read_bounds(cells, roles, order)


def unclear_kinds(pasted: Sequence[Pasted]) -> list[Fault]:
    """Return the lines whose kind is a word that is not known."""
    allowed, remedy = verbatim(", ".join(kind.value for kind in ColumnType)), phrase("ui.kind_or_nothing")
    return [
        Fault(Typed(each.name, "type", each.kind), NotUnderstood(each.kind, allowed, remedy))
        for each in pasted
        if each.kind and not each.type
    ]


def read(text: str, work: Work) -> tuple[list[Pasted], list[str]]:
    """Return the lines about columns of the table, and the names of the others."""
    sign = next((each for each in SIGNS if each in text), ",")
    names = {name.casefold(): name for name in work.names}
    rows, unknown = {}, []
    for cells in csv.reader(text.splitlines(), delimiter=sign, skipinitialspace=True):
        name, kind, lower, upper, *rest = [cell.strip() for cell in (*cells, "", "", "", "")]
        found = names.get(name.casefold())
        if found is None:
            unknown += [name] if name else []
            continue
        ends = {key: end for key, end in ((LOWER, lower), (UPPER, upper)) if end}
        categories = (item for cell in rest if cell for item in listed(cell.replace("|", "\n")))
        rows[found] = Pasted(found, kind, ends, tuple(categories))
    return list(rows.values()), [name for name in unknown if name.casefold() not in ("name", "nombre")]

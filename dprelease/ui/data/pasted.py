"""A list of columns that somebody pastes: name, kind, lowest, highest, categories; shown before it is taken."""

from __future__ import annotations

import csv
from dataclasses import replace

import streamlit as st

from dprelease.model.column import ColumnType
from dprelease.ui.data.row import Row, line, listed
from dprelease.ui.data.settling import domain_words, is_whole
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted, some
from dprelease.ui.words import say

LIST = "list"
SIGNS = "\t;|,"
"""What may stand between the cells of a line, the likeliest first."""
KINDS = {
    **{kind.value: kind for kind in ColumnType},
    **dict.fromkeys(("int", "whole", "entero"), ColumnType.INTEGER),
    **dict.fromkeys(("float", "decimal", "numeric", "numero", "número"), ColumnType.NUMBER),
    **dict.fromkeys(("categorical", "factor", "categoria", "categoría"), ColumnType.CATEGORY),
    **dict.fromkeys(("bool", "sí/no", "si/no", "yes/no"), ColumnType.BOOLEAN),
    **dict.fromkeys(("day", "fecha"), ColumnType.DATE),
    **dict.fromkeys(("string", "texto"), ColumnType.TEXT),
}


def paste(work: Work) -> None:
    """Asks for the list, shows what it would say, and takes it."""
    blocks.note("paste_text")
    key = f"paste-{work.dataset.name}-{session.visit()}"
    text = st.text_area(say("paste_list"), key=key, height=140, placeholder=say("paste_example"))
    if not text.strip():
        return
    rows, unknown = read(text, work)
    if unknown:
        blocks.note("import_unknown", columns=some(unknown))
    if not rows:
        return
    heads = [say(each) for each in ("column_name", "column_type", "paste_holds")]
    unit = work.dataset.unit_column
    lines = [(row.name, say(f"sort_{row.type}") if row.type else "–", domain_words(row, unit)) for row in rows]
    blocks.table(say("paste_preview"), heads, lines)
    if st.button(say("import_apply", columns=counted("columns", len(rows))), type="primary"):
        done = work.change({row.name: row for row in rows})
        session.flash("paste_done", columns=counted("columns", done))
        st.rerun()


def read(text: str, work: Work) -> tuple[list[Row], list[str]]:
    """Returns the lines about columns of the table, and the names of the others."""
    sign = next((each for each in SIGNS if each in text), ",")
    names = {name.casefold(): name for name in work.names}
    rows, unknown = {}, []
    for cells in csv.reader(text.splitlines(), delimiter=sign, skipinitialspace=True):
        name, kind, lower, upper, *rest = [cell.strip() for cell in (*cells, "", "", "", "")]
        found = names.get(name.casefold())
        if found is None:
            unknown += [name] if name else []
            continue
        rows[found] = _row(found, kind, lower, upper, [item for item in rest if item])
    return list(rows.values()), [name for name in unknown if name.casefold() not in ("name", "nombre")]


def _row(name: str, kind: str, lower: str, upper: str, rest: list[str]) -> Row:
    categories = [item for cell in rest for item in listed(cell.replace("|", "\n"))]
    type = KINDS.get(kind.casefold(), "")
    cells = {"type": str(type), "lower": lower, "upper": upper, "categories": line(categories), "use": False}
    row = replace(Row(name).changed(cells), source=LIST)
    return replace(row, use=bool(row.type) and is_whole(row))

"""A column made of others: what it is to be, of which, what comes of it, and what it comes to in rows made up."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import streamlit as st

from dprelease.bundle.guarantee import caveat
from dprelease.codebook.book import number_text
from dprelease.errors import Problem
from dprelease.model.column import COLUMN_OPTIONS, NUMERIC, Column, ColumnType
from dprelease.model.made import KEY as MADE_KEY
from dprelease.model.made.example import example
from dprelease.model.schema import Schema
from dprelease.model.yaml_text import one_line
from dprelease.ui.data.purposes import OWN, PURPOSES, PurposeFields, purpose_of
from dprelease.ui.data.row import Row
from dprelease.ui.data.rows import framed, sort_badge, tell
from dprelease.ui.data.settling import SettlingState, domain_words
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, fields, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.words import say
from dprelease.verdict.made_columns import made_of
from dprelease.words import phrase
from dprelease.words.sentences import isolated

CLIP = "clip"
NONE = "–"
MEASURED_ALIKE = ("sum", "difference", "least", "greatest", "first")
"""Functions whose result has the unit of measure that all their input columns share."""


def offer(work: Work) -> None:
    """Show the button that opens a new made column."""
    st.button(say("made_make"), icon=":material/add:", on_click=_open, args=(work, ""), key="columns-make")


def made_columns(work: Work) -> None:
    """Show the made columns, each with what it is made of."""
    rows = work.made()
    if not rows:
        return
    blocks.subheading(say("made_columns"))
    schema, _ = work.read_all()
    for place, row in enumerate(rows):
        column, wrong = schema.get(row.name), bool(work.problems(row))
        with framed(f"made-{place}", chosen=row.name == work.making):
            words = say("made_wrong") if column is None or wrong else caveat(made_of(column))
            state = SettlingState.ASK if column is None or wrong else SettlingState.SETTLED
            tell(state, row.name, sort_badge(column.type if column else ""), words)
            key = f"settle-made-{place}"
            st.button(say("column_change"), type="tertiary", on_click=_open, args=(work, row.name), key=key)


def _open(work: Work, name: str) -> None:
    """Open a made column beside the list, for which the sheet makes room."""
    work.open_made(name)
    st.session_state[f"sheet-{work.dataset.name}"] = False


def making(work: Work) -> None:
    """Show the fields of the made column that is open."""
    former = work.making or ""
    row = work.sheet.rows.get(former, Row(former))
    with st.container(border=True, key="column-editor-open"):
        with st.container(horizontal=True, horizontal_alignment="distribute", wrap=False, vertical_alignment="center"):
            blocks.subheading(former or say("made_title"))
            st.button(say("column_close"), type="tertiary", on_click=work.choose, args=(None,), key="made-close")
        if not former:
            blocks.note("made_lead")
        _fields(work, row)


def _fields(work: Work, row: Row) -> None:
    former, sheet = row.name, work.sheet
    others, _ = work.read_all(sheet.put(None, former) if former else sheet)
    ((function, said),) = row.mapping()["made"].items() if row.made else (("", None),)
    was = purpose_of(function, said, others) if function else None
    key = f"make-{work.dataset.name}-{session.visit()}-{former}"
    words = {each: say(f"made_purpose_{each}") for each in PURPOSES}
    more: dict[str, Any] = {"format_func": words.__getitem__, "placeholder": say("choose")}
    purpose = fields.one_of(say("made_purpose"), f"{key}-purpose", list(PURPOSES), was, **more)
    if purpose is None:
        return
    ask = PurposeFields(others, f"{key}-{purpose}", suffix=purpose)
    if function and purpose in (was, OWN):
        ask.function, ask.said, ask.step = function, said, row.resolution
    else:
        row = Row(former)
    made = PURPOSES[purpose][0](ask)
    outcome = st.container()
    taken = {*sheet.rows, work.dataset.unit_column} - {former}
    proposal = _free(f"{ask.inputs[0]}_{ask.suffix}", taken) if ask.inputs else ""
    typed = fields.text(say("made_name"), f"{key}-name", former, placeholder=proposal, help=say("made_name_help"))
    cells = {"made": made if isinstance(made, str) else one_line(made)} | _more(row, ask)
    then = replace(row, name=typed.strip() or proposal, use=True).changed(cells)
    with outcome:
        schema = _judge(work, then, ask, former, is_whole=made is not None, is_new=then.name not in taken)
    with st.container(horizontal=True):
        pressed = st.button(say("made_keep" if former else "made_take"), type="primary", key=f"{ask.key}-take")
        if former:
            st.button(say("remove"), on_click=work.make, args=(None, former), key=f"{ask.key}-remove")
    if pressed and schema is not None:
        work.make(Row.of(then.name, schema.said()[then.name]), former)
        session.flash("made_done", column=then.name)
        st.rerun()
    if pressed:
        blocks.note("made_not_yet")


def _free(name: str, taken: set[str | None]) -> str:
    return name if name not in taken else next(new for at in count(2) if (new := f"{name}_{at}") not in taken)


def _more(row: Row, ask: PurposeFields) -> dict[str, Any]:
    """Draw the folded fields that few columns need: narrower bounds, a unit of measure, a description."""
    units = {ask.columns[each].unit for each in ask.inputs}
    measure = ask.measure or (units.pop() if len(units) == 1 and ask.suffix in MEASURED_ALIKE else "")
    ends = ("lower", "upper") if ask.step is not None else ("lower", "upper", "resolution")
    cells: dict[str, Any] = {} if ask.step is None else {"resolution": ask.step}
    with st.expander(say("column_more"), expanded=bool(ask.least) or any(getattr(row, name) for name in ends)):
        blocks.note("made_narrower")
        for place, name in zip(st.columns(len(ends)), ends, strict=True):
            with place:
                began = getattr(row, name) or (ask.least if name == "lower" else "")
                cells[name] = fields.text(say(f"column_{name}"), f"{ask.key}-{ask.least}-{name}", began)
        left, right = st.columns(2)
        with left:
            words = {each: say(f"outside_{each}") for each in COLUMN_OPTIONS["outside"].reader.choices}
            more: dict[str, Any] = {"options": list(words), "format_func": words.__getitem__}
            cells["outside"] = st.selectbox(
                say("column_outside"), key=fields.begin(f"{ask.key}-outside", row.outside or CLIP), **more
            )
        with right:
            cells["unit"] = fields.text(
                say("column_unit"), f"{ask.key}-{measure}-unit", row.unit if ask.said else measure
            )
        cells["description"] = fields.text(say("column_description"), f"{ask.key}-description", row.description)
    return cells | ({"outside": ""} if cells["outside"] == CLIP else {})


def _judge(work: Work, row: Row, ask: PurposeFields, former: str, *, is_whole: bool, is_new: bool) -> Schema | None:
    """Show what comes of a made column, or its problems. Returns all that would be declared, where it has none."""
    problems, schema = [*ask.problems, *row.problems()], Schema({})
    if not is_new:
        problems.append(Problem(say("made_name"), row.name, phrase("ui.made_name_free")))
    if is_whole and not problems:
        schema, found = work.read_all(work.sheet.put(row, former))
        problems += work.wrong(row, found) or (found if row.name not in schema else ())
    column = None if problems else schema.get(row.name)
    if problems:
        show_problems(problems)
    elif column is None:
        blocks.note("made_open")
    else:
        _result(column, schema)
    return None if column is None else schema


def _result(column: Column, schema: Schema) -> None:
    """Show a made column's kind and values, how it is made, and some rows made up."""
    values = Row.of(column.name, {**column.to_mapping(), MADE_KEY: None})
    blocks.label(say("made_result"))
    words = fill("{} <strong>{}</strong>", sort_badge(values.type), isolated(domain_words(values, None)))
    blocks.markup(words)
    blocks.note("as_it_is", text=caveat(made_of(column)))
    assert column.made is not None
    columns = [*(schema[name] for name in column.made.inputs), column]
    rows = [
        [_cell(each, row[each.name]) for each in columns[:-1]] + [_cell(column, code)]
        for row, code in example(column, schema.columns)
    ]
    numbers = [place for place, each in enumerate(columns) if each.type in NUMERIC]
    heads = [each.name for each in columns]
    blocks.table(say("made_example"), heads, rows, numbers=numbers, keys=0, whole=True)
    blocks.note("made_example_note")


def _cell(column: Column, code: int | None) -> str:
    """Return a declared value as it is shown."""
    if code is None:
        return NONE
    if column.discover:
        return say("made_any")
    value = column.value(code)
    if column.type is ColumnType.BOOLEAN:
        return say("answer_yes" if code else "answer_no")
    return value if isinstance(value, str) else fields.with_comma(number_text(value))

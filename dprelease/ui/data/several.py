"""One change to several columns, or to one where the table has no room. Fields left empty change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dprelease.codebook import compatible
from dprelease.errors import Problem
from dprelease.model.column import ColumnType
from dprelease.model.domain import WIDE, Domain, dates, domains
from dprelease.ui.data.row import ENDS, FLAGS, TEXTS, Row, line, listed
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.words import say
from dprelease.words import NOTHING, phrase

DATES = "dates"
YES, NO = "yes", "no"
TYPED = ("lower", "upper", "resolution", "unit", "missing_codes", "count_missing_as")
"""Fields of one line."""
FIRST_YEAR, LAST_YEAR = 1000, 2999
KEY = "several"


def several(work: Work) -> None:
    """Asks which columns, and what they are to be."""
    blocks.note("several_text")
    blocks.guide_link("describe-columns", "ready-domains")
    chosen = _columns(work)
    key = f"{KEY}-{work.dataset.name}-{session.visit()}"
    said = _fields(work, key, chosen)
    if st.button(say("several_apply", columns=counted("columns", len(chosen))), type="primary", disabled=not chosen):
        done = work.change({name: _applied(work.sheet.rows[name], said) for name in chosen})
        session.flash("several_done", columns=counted("columns", done))
        st.rerun()


def _columns(work: Work) -> list[str]:
    """The columns to change; the table's search is how many of them are chosen at once."""
    key = f"{KEY}-{work.dataset.name}-columns"
    st.session_state[key] = [name for name in st.session_state.get(key, []) if name in work.names]
    chosen: list[str] = st.multiselect(say("several_columns"), work.names, key=key, placeholder=say("choose"))
    if 1 < len(work.sight) < len(work.names):
        label = say("several_sight", columns=counted("columns", len(work.sight)))
        st.button(label, on_click=_choose, args=(key, list(work.sight)), key=f"{key}-sight")
    return chosen


def _choose(key: str, names: list[str]) -> None:
    st.session_state[key] = names


def _fields(work: Work, key: str, chosen: list[str]) -> dict[str, Any]:
    """What was filled in: cells of a row, a domain's declaration under the rest."""
    known: dict[str, Domain | None] = {name: item for name, item in domains().items() if item.group != WIDE}
    known[DATES] = None
    left, right = st.columns(2, vertical_alignment="bottom")
    name = left.selectbox(
        say("several_domain"),
        list(known),
        index=None,
        format_func=lambda each: _name(each, known[each]),
        placeholder=say("several_domain_none"),
        help=say("several_domain_help"),
        key=f"{key}-domain",
    )
    said: dict[str, Any] = {}
    with right:
        if name == DATES:
            said["domain"] = _dates(key).to_mapping()
        else:
            kind = st.selectbox(
                say("column_type"),
                [item.value for item in ColumnType],
                index=None,
                placeholder=say("several_same"),
                help=say("column_type_help"),
                key=f"{key}-type",
            )
            said["type"] = kind or ""
            ready = None if name is None else known[name]
            if ready is not None:
                said["domain"] = ready.to_mapping()
    if "domain" in said:
        blocks.note("several_domain_is", domain=Row.of("", said["domain"]).brief())
    for column, field in zip(st.columns(len(TYPED)), TYPED, strict=True):
        now = {getattr(work.sheet.rows[each], field) for each in chosen}
        said[field] = column.text_input(
            say(f"column_{field}"),
            placeholder=next(iter(now)) if len(now) == 1 else "",
            help=say(f"column_{field}_help"),
            key=f"{key}-{field}",
        ).strip()
    left, right = st.columns(2)
    with left:
        pasted = st.text_area(say("column_categories"), help=say("several_categories_help"), key=f"{key}-categories")
        said["categories"] = line(listed(pasted))
    said["description"] = right.text_area(
        say("column_description"), help=say("column_description_help"), key=f"{key}-description"
    ).strip()
    *places, place = st.columns(4)
    said["outside"] = place.selectbox(
        say("column_outside"),
        list(ENDS),
        index=None,
        format_func=lambda each: say(f"outside_{each}"),
        placeholder=say("several_same"),
        help=say("column_outside_help"),
        key=f"{key}-outside",
    )
    for column, flag in zip(places, ("use", *FLAGS), strict=True):
        said[flag] = column.selectbox(
            say(f"column_{flag}"),
            [YES, NO],
            index=None,
            format_func=lambda answer: say(f"answer_{answer}"),
            placeholder=say("several_same"),
            help=say(f"column_{flag}_help"),
            key=f"{key}-{flag}",
        )
    said["empty"] = st.multiselect(
        say("several_empty"),
        TEXTS,
        format_func=lambda field: say(f"column_{field}"),
        placeholder=say("several_empty_none"),
        help=say("several_empty_help"),
        key=f"{key}-empty",
    )
    return said


def _name(name: str, item: Domain | None) -> str:
    """A domain with the group it stands in."""
    return (
        say("domain_dates")
        if item is None
        else say("domain_name", group=say(f"domain_group_{item.group}"), name=item.label)
    )


def _dates(key: str) -> Domain:
    """The days of the years that are asked for."""
    first, last = st.columns(2)
    limits: dict[str, Any] = {"min_value": FIRST_YEAR, "max_value": LAST_YEAR, "value": None, "step": 1}
    start = first.number_input(say("dates_first"), key=f"{key}-first", **limits)
    end = last.number_input(say("dates_last"), key=f"{key}-last", help=say("dates_last_help"), **limits)
    if start is None:
        return Domain(DATES, "time", NOTHING, {"type": ColumnType.DATE.value})
    if end is not None and end < start:
        problem = Problem(say("dates_last"), str(int(end)), phrase("ui.dates_after", year=int(start)))
        show_problems([problem])
        return Domain(DATES, "time", NOTHING, {"type": ColumnType.DATE.value})
    return dates(int(start), int(end or start))


def _applied(row: Row, said: Mapping[str, Any]) -> Row:
    """One column with what was said of all: emptied, then a domain's declaration, then single fields."""
    emptied: dict[str, Any] = dict.fromkeys(said["empty"], "")
    row = replace(row, **emptied)
    if "domain" in said:
        row = Row.of(row.name, compatible(row.mapping(), said["domain"]))
    typed: dict[str, Any] = {key: said[key] for key in ("type", *TEXTS) if said.get(key)}
    if typed.get("type", row.type) != row.type:
        row = replace(Row.of(row.name, compatible(row.mapping(), {"type": typed["type"]})), use=row.use)
    typed |= {flag: said[flag] == YES for flag in ("use", *FLAGS) if said[flag]}
    return row.changed(typed) if typed else row

"""One change to several columns, or to one where the table has no room. Fields left empty change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dprelease.codebook import compatible
from dprelease.errors import Problem
from dprelease.model.column import COLUMN_OPTIONS, ColumnType
from dprelease.model.column_fields import Widget
from dprelease.model.domain import WIDE, Domain, dates, domains
from dprelease.ui.data.row import FLAGS, Row, line, listed
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.words import say
from dprelease.words import NOTHING, phrase

DATES = "dates"
YES, NO = "yes", "no"
BULK = {name: option for name, option in COLUMN_OPTIONS.items() if option.width}
"""The properties that may be changed in several columns at once."""
FIRST_YEAR, LAST_YEAR = 1000, 2999
KEY = "several"


def several(work: Work) -> None:
    """Ask which columns, and what they are to be."""
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
    """Ask for the columns to change; the table's search is how many of them are chosen at once."""
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
    """Return the values filled in: cells of a row, a domain's declaration under the rest."""
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
            said["type"] = _asked("type", f"{key}-type", set()) or ""
            ready = None if name is None else known[name]
            if ready is not None:
                said["domain"] = ready.to_mapping()
    if "domain" in said:
        blocks.note("several_domain_is", domain=Row.of("", said["domain"]).brief())
    drawn = {widget: [each for each in BULK if BULK[each].widget is widget] for widget in Widget}
    for names in (drawn[Widget.LINE], drawn[Widget.AREA], ["use", *drawn[Widget.CHECK], *drawn[Widget.SELECT]]):
        for place, field in zip(st.columns(len(names)), names, strict=True):
            now = {getattr(work.sheet.rows[each], field) for each in chosen}
            with place:
                said[field] = _asked(field, f"{key}-{field}", now)
    said["empty"] = st.multiselect(
        say("several_empty"),
        [each for each in BULK if each not in FLAGS],
        format_func=lambda field: say(f"column_{field}"),
        placeholder=say("several_empty_none"),
        help=say("several_empty_help"),
        key=f"{key}-empty",
    )
    return said


def _asked(name: str, key: str, now: set[Any]) -> Any:
    """Ask for a property's new value; empty where it is to stay. `now`: its values in the chosen columns."""
    label, about = say(f"column_{name}"), say(f"column_{name}_help")
    if name == "categories":
        return line(listed(st.text_area(label, help=say("several_categories_help"), key=key)))
    if name in BULK and BULK[name].widget is Widget.AREA:
        return st.text_area(label, help=about, key=key).strip()
    if name in BULK and BULK[name].widget is Widget.LINE:
        own = next(iter(now)) if len(now) == 1 else ""
        return st.text_input(label, placeholder=own, help=about, key=key).strip()
    more: dict[str, Any] = {"index": None, "placeholder": say("several_same"), "help": about, "key": key}
    if name == "type":
        return st.selectbox(label, [kind.value for kind in ColumnType], **more)
    if name in ("use", *FLAGS):
        return st.selectbox(label, [YES, NO], format_func=lambda word: say(f"answer_{word}"), **more)
    return st.selectbox(label, list(BULK[name].reader.choices), format_func=lambda word: say(f"{name}_{word}"), **more)


def _name(name: str, item: Domain | None) -> str:
    """Return a domain with the group it stands in."""
    if item is None:
        return say("domain_dates")
    return say("domain_name", group=say(f"domain_group_{item.group}"), name=item.label)


def _dates(key: str) -> Domain:
    """Ask for years, and return the domain of their days."""
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
    """Return one line with what was said of all: emptied, then a domain's declaration, then single fields."""
    emptied: dict[str, Any] = dict.fromkeys(said["empty"], "")
    row = replace(row, **emptied)
    if "domain" in said:
        row = Row.of(row.name, compatible(row.mapping(), said["domain"]))
    typed: dict[str, Any] = {key: said[key] for key in ("type", *BULK) if key not in FLAGS and said.get(key)}
    if typed.get("type", row.type) != row.type:
        row = replace(Row.of(row.name, compatible(row.mapping(), {"type": typed["type"]})), use=row.use)
    typed |= {flag: said[flag] == YES for flag in ("use", *FLAGS) if said[flag]}
    return row.changed(typed) if typed else row

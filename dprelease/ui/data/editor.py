"""One column's declaration as fields beside the list; on a phone they lie over it. Kept as it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import streamlit as st

from dprelease.codebook.codes import read_line, write_line
from dprelease.errors import DPReleaseError
from dprelease.model.column import COLUMN_OPTIONS, NUMERIC, ORDERED, ColumnType
from dprelease.model.column_fields import Widget
from dprelease.model.domain import Domain, dates, domains
from dprelease.model.encoding import plain
from dprelease.model.population import Dataset
from dprelease.model.privacy import Currency
from dprelease.model.report import as_decimal
from dprelease.model.yaml_text import one_line
from dprelease.statements.display import margin, shown
from dprelease.statistics import Plan
from dprelease.ui.data.row import Row, line, listed, shown_form
from dprelease.ui.data.settling import guessed, proposed, spaced
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.choice import usual_rows
from dprelease.ui.kit.fields import begin, follow, with_point
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html
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


KINDS = [kind.value for kind in ColumnType if kind is not ColumnType.TEXT]
CODES = ("-99", "-9", "999", "9999", "NA")
"""Codes for no answer that surveys often use."""
USUAL = {
    "integer": ("age", "count_10", "count_100", "count_1000", "likert_5"),
    "number": ("money_1000", "money_10000", "money_100000", "money_1000000", "percent", "share"),
    "category": ("sex", "sex_words", "sex_spanish", "yes_no", "yes_no_spanish", "zero_one"),
    "date": (),
    "boolean": (),
}
"""Ready domains that are offered where the name says nothing."""
FIRST_YEAR, LAST_YEAR = 2019, 2027
FEW_LABELS = 3
LEVELS = {
    ColumnType.CATEGORY: "coast:\n  north: [a, b]\n  south: [c]",
    ColumnType.INTEGER: "broad: {edges: [0, 16, 65]}\nfive: {width: 5}",
}
"""Examples of levels as in a plan file, by type."""
READINGS = {
    ColumnType.INTEGER: "{thousands: [.]}",
    ColumnType.NUMBER: "{decimal: ',', thousands: [.], affixes: [€]}",
    ColumnType.DATE: "{dates: [d.m.y]}",
    ColumnType.BOOLEAN: "{yes: [Ja, J], no: [Nein, N]}",
    ColumnType.CATEGORY: "{spellings: {north: [N]}}",
}
"""Examples of readings as in a plan file, by type."""
LAID = ("lower", "upper", "unit", "categories", "other", "missing_codes", "description", "made")
"""Properties that most columns need, each with a place of its own. The rest is folded away."""


def editor(work: Work) -> None:
    """Show the fields of the column that is open: the one somebody chose, else the first that is not settled."""
    name = work.chosen if work.chosen in work.names else next(iter(work.unsettled()), None)
    if name is None:
        blocks.note("columns_all_settled")
        return
    with st.container(border=True, key="column-editor-open" if work.is_opened else "column-editor"):
        _fields(work, name)


def _fields(work: Work, name: str) -> None:
    row = work.proposed(name)
    key = f"edit-{work.dataset.name}-{name}-{session.visit()}-{work.grid}"
    asked: dict[str, Any] = {"on_change": _typed, "args": (work, name, key)}
    with st.container(horizontal=True, horizontal_alignment="distribute", wrap=False):
        blocks.subheading(name)
        with st.container(key="column-close", width="content"):
            label = say("column_close")
            st.button(label, type="tertiary", on_click=work.choose, args=(None,), key=f"{key}-close")
    if name == work.dataset.unit_column:
        blocks.note("column_is_key")
    kinds = KINDS if row.type != ColumnType.TEXT else [*KINDS, row.type]
    kind = st.segmented_control(
        say("column_type"),
        kinds,
        format_func=lambda each: say(f"sort_{each}"),
        key=begin(f"{key}-type", row.type or None),
        **asked,
    )
    if kind and kind != ColumnType.TEXT:
        _usual(work, name, row, key)
        _domain(kind, row, key, asked)
        shown = reading_field(work, kind, row, key, asked)
        _codes(row, key, asked, work.no_answers(row))
        text = begin(f"{key}-description", row.description)
        st.text_input(say("column_description"), help=say("column_description_help"), key=text, **asked)
        _more(kind, row, key, asked, without=(*LAID, *(("reading",) if shown else ())))
        width_words(work.dataset, row)
    _buttons(work, name, key)


def _usual(work: Work, name: str, row: Row, key: str) -> None:
    """Offer ranges and lists that many such columns have."""
    found = guessed(replace(row, use=False))
    known = domains()
    names = found.usual if found and found.usual else USUAL.get(row.type, ())
    ready: dict[str, Domain] = {each: known[each] for each in names if _is_of(known[each], row.type)}
    if row.type == ColumnType.DATE:
        ready = {item.name: item for item in (dates(year, year) for year in range(FIRST_YEAR, LAST_YEAR))}
    if not ready:
        return
    now = next((each for each, item in ready.items() if _has(row, item)), None)
    field = f"{key}-usual"
    follow(field, now)
    st.pills(
        say("column_usual"),
        list(ready),
        format_func=lambda each: _label(ready[each]),
        key=field,
        on_change=_take,
        args=(work, name, field, ready),
    )


def _is_of(item: Domain, kind: str) -> bool:
    return item.declared["type"] == kind or {item.declared["type"], kind} <= {each.value for each in NUMERIC}


def _has(row: Row, item: Domain) -> bool:
    own = Row.of(row.name, item.to_mapping())
    return (row.lower, row.upper, row.categories) == (own.lower, own.upper, own.categories)


def _label(item: Domain) -> str:
    """Return a domain as its values: a range, or the first categories."""
    row = Row.of("", item.to_mapping())
    if item.declared["type"] == ColumnType.DATE:
        return row.lower[:4]
    if row.categories:
        found = listed(row.categories)
        return ", ".join(found[:FEW_LABELS]) + (" …" if len(found) > FEW_LABELS else "")
    if not row.upper:
        return str(item.label)
    return " – ".join(shown(item.declared[end]) for end in ("lower", "upper"))


def _take(work: Work, name: str, field: str, ready: dict[str, Domain]) -> None:
    chosen = st.session_state[field]
    if chosen is None:
        return
    row = work.proposed(name)
    said = Row.of(name, ready[chosen].to_mapping())
    unit, description = said.unit or row.unit, row.description or said.description
    kept = replace(said, unit=unit, description=description, missing_codes=row.missing_codes, use=row.use)
    work.chosen = name
    work.change({name: kept})


def _domain(kind: str, row: Row, key: str, asked: dict[str, Any]) -> None:
    """Draw the fields for a column's bounds and unit, or for its categories."""
    if kind in ORDERED:
        names = ("lower", "upper", "unit") if kind in NUMERIC else ("lower", "upper")
        for place, name in zip(st.columns(len(names)), names, strict=True):
            field = begin(f"{key}-{name}", getattr(row, name))
            place.text_input(say(f"column_{name}"), help=say(f"column_{name}_help"), key=field, **asked)
    elif kind == ColumnType.CATEGORY:
        field = begin(f"{key}-categories", "\n".join(listed(row.categories)))
        st.text_area(say("column_categories"), help=say("several_categories_help"), key=field, height=100, **asked)
        st.checkbox(say("column_other_long"), key=begin(f"{key}-other", row.other), **asked)


def _codes(row: Row, key: str, asked: dict[str, Any], words: Sequence[str]) -> None:
    """Draw the field for codes of missing answers. `words`: those that the cells propose."""
    usual = list(dict.fromkeys((*CODES, *(write_line([word]) for word in words))))
    now = [] if not row.missing_codes else [write_line([code]) for code in read_line(row.missing_codes)]
    field = begin(f"{key}-codes", [code for code in now if code in usual])
    st.pills(
        say("column_missing_codes"),
        usual,
        selection_mode="multi",
        help=say("column_missing_codes_help"),
        key=field,
        **asked,
    )
    rest = ", ".join(code for code in now if code not in usual) if now else row.missing_codes
    st.text_input(
        say("column_own_codes"),
        key=begin(f"{key}-own_codes", rest),
        label_visibility="collapsed",
        placeholder=say("column_own_codes"),
        **asked,
    )


def _more(kind: str, row: Row, key: str, asked: dict[str, Any], *, without: Sequence[str]) -> None:
    """Draw the folded fields that few columns need."""
    with st.expander(say("column_more")):
        for name, option in COLUMN_OPTIONS.items():
            if name in without or kind not in option.types:
                continue
            field, now = f"{key}-{name}", getattr(row, name)
            said: dict[str, Any] = {"label": say(f"column_{name}"), "help": say(f"column_{name}_help"), **asked}
            match option.widget:
                case Widget.SELECT:
                    words = list(option.reader.choices)
                    said |= {"format_func": partial(_choice, name), "key": begin(field, now or words[0])}
                    st.selectbox(options=words, **said)
                case Widget.CHECK:
                    st.checkbox(key=begin(field, now), **said)
                case Widget.AREA:
                    example = LEVELS.get(ColumnType(kind), "") if name == "levels" else ""
                    st.text_area(key=begin(field, now), placeholder=example, height=100, **said)
                case Widget.LINE:
                    example = READINGS[ColumnType(kind)] if name == "reading" else ""
                    st.text_input(key=begin(field, now), placeholder=example, **said)


def _choice(name: str, word: str) -> str:
    return say(f"{name}_{word}")


def _buttons(work: Work, name: str, key: str) -> None:
    if work.refused == name:
        show_problems(work.problems(replace(_read(work, name, key), use=True)))
    with st.container(horizontal=True):
        st.button(
            say("column_right"),
            type="primary",
            shortcut="K",
            on_click=_settle,
            args=(work, name, key),
            key=f"{key}-right",
        )
        st.button(say("column_next"), shortcut="J", on_click=_next, args=(work, name), key=f"{key}-next")
        st.button(say("column_leave"), on_click=_leave, args=(work, name), key=f"{key}-leave")


def _read(work: Work, name: str, key: str) -> Row:
    """Return the line as the fields have it: those that are drawn for its kind."""
    row, state = work.proposed(name), st.session_state
    if f"{key}-type" not in state:
        return row
    kind = state[f"{key}-type"] or ""
    if kind != row.type:
        return replace(Row(name), type=kind, use=row.use, description=row.description, missing_codes=row.missing_codes)
    cells: dict[str, Any] = {each: state[f"{key}-{each}"] for each in COLUMN_OPTIONS if f"{key}-{each}" in state}
    if "outside" in cells and cells["outside"] == "clip" and not row.outside:
        cells["outside"] = ""
    if f"{key}-categories" in state:
        cells["categories"] = line(listed(state[f"{key}-categories"]))
    cells |= said_reading(key)
    if f"{key}-codes" in state:
        own = state.get(f"{key}-own_codes", "").strip()
        cells["missing_codes"] = ", ".join([*state[f"{key}-codes"], *([own] if own else [])])
    return row.changed({**cells, "use": row.use})


def _typed(work: Work, name: str, key: str) -> None:
    """Keep what was typed; it is settled by a button only."""
    row = _read(work, name, key)
    work.chosen, work.refused = name, None
    work.change({name: row}, typed=row.type == work.proposed(name).type)


def _settle(work: Work, name: str, key: str) -> None:
    """Take the column as it stands, and go on to the next one; or say what lacks."""
    before = work.sheet.rows[name]
    row = _read(work, name, key)
    if row == before and row.left:
        work.go_on()
        return
    then = replace(row, use=True, left=False, source=proposed(before).source)
    if work.problems(then):
        work.chosen, work.refused = name, name
        return
    work.change({name: then})
    work.chosen = name
    opened = work.is_opened
    work.go_on()
    work.is_opened = opened and work.chosen is not None


def _next(work: Work, name: str) -> None:
    opened = work.is_opened
    work.chosen = name
    work.go_on()
    work.is_opened = opened


def _leave(work: Work, name: str) -> None:
    """Declare that nothing is to be published about a column."""
    work.change({name: replace(Row(name), left=True)})
    _next(work, name)


WIDER = 5
ID = "total"


def width_words(dataset: Dataset, row: Row) -> None:
    """Say what happens to values beyond the bounds, and how much noise wider bounds would mean."""
    upper = as_decimal(with_point(row.upper))
    if row.type not in NUMERIC or upper is None or not row.lower or replace(row, use=True).problems():
        return
    key = "width_missing" if row.outside == "missing" else "width_clip"
    blocks.markup(say_html(key, lower=spaced(row.lower), upper=spaced(row.upper)), "dp-note")
    now, wide = _error(dataset, row, upper), _error(dataset, row, upper * WIDER)
    if now and wide:
        blocks.note("width_noise", now=margin(now), wide=margin(wide), upper=shown(plain(upper * WIDER)))


def _error(dataset: Dataset, row: Row, upper: Decimal) -> float | None:
    """Return the margin of a total of the column at ε = 1, by price alone; None where it has none."""
    population = workspace().populations.of(dataset.name, actor=actor())
    unit = dataset.unit_column
    mapping = {
        "dprelease": 1,
        "title": say("width_title"),
        "dataset": dataset.name,
        "privacy": {
            "unit": {"column": unit, "max_rows": usual_rows(dataset.name) or 1} if unit else "row",
            "neighbors": population.neighbors.value,
            "epsilon": 1,
            "delta": "0.000001" if population.currency is Currency.ZCDP else 0,
        },
        "columns": {row.name: {**row.mapping(), "upper": str(upper)}},
        "statistics": [{"id": ID, "kind": "sum", "column": row.name}],
    }
    try:
        return workspace().price(Plan.parse(mapping), actor=actor())[ID].error95
    except DPReleaseError:
        return None

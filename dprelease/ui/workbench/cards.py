"""The statistics of a draft, one card each: what it is, what it errs, its weight; its options one click away."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.bundle.display import shown
from dprelease.errors import Problem
from dprelease.model.column_options import ColumnNames
from dprelease.model.options import Conditions, Questions
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.words import WORDS, say, say_label
from dprelease.ui.workbench.adding import kind_name
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.options import ask, is_asked, usual
from dprelease.ui.workbench.prices import price_line
from dprelease.ui.workbench.statistic_draft import SHARES, StatisticDraft
from dprelease.words.sentences import isolated

PAGE = 20
"""Cards on the screen at a time: each has several widgets."""
LIGHTEST, HEAVIEST = 0.1, 10.0
"""Of the slider; any other weight is typed."""


def statistic_cards(draft: Draft, schema: Schema, prefix: str) -> dict[int, DeltaGenerator]:
    """Draws and reads a page of cards; returns the places for their prices or problems, by place in the plan."""
    ids = draft.ids()
    return {place: _card(draft, place, ids[place], schema, prefix) for place in _page(draft, prefix)}


def _page(draft: Draft, prefix: str) -> range:
    """The places that are shown; beyond a page, one chooses which."""
    count = len(draft.statistics)
    if count <= PAGE:
        return range(count)
    pages = list(range(-(-count // PAGE)))
    key = f"{prefix}-page"
    if st.session_state.get(key, 0) not in pages:
        st.session_state[key] = pages[-1]
    left, _ = st.columns([2, 3])
    page = left.selectbox(
        say("cards_page", count=shown(count)),
        pages,
        key=key,
        format_func=lambda page: say(
            "cards_range", first=shown(page * PAGE + 1), last=shown(min(count, (page + 1) * PAGE))
        ),
    )
    return range(page * PAGE, min(count, (page + 1) * PAGE))


def title_of(item: StatisticDraft) -> str:
    """Tells what a statistic is, in short."""
    columns = [item.options[name] for name in ("column", "numerator", "denominator") if item.options.get(name)]
    columns += item.options.get("columns") or []
    values = {
        "kind": kind_name(item.kind),
        "columns": ", ".join(columns),
        "groups": ", ".join(item.options.get("by") or ()),
    }
    if values["groups"]:
        return say("card_title_by" if columns else "card_title_only_by", **values)
    return say("card_title" if columns else "card_title_alone", **values)


def _card(draft: Draft, place: int, chosen_id: str, schema: Schema, prefix: str) -> DeltaGenerator:
    item = draft.statistics[place]
    key, opened = f"{prefix}-s{item.key}", item.key in draft.opened
    with st.container(border=True, key=f"card-{key}"):
        main, share, side = st.columns([10, 7, 5], vertical_alignment="center")
        with share:
            _share(item, key, chosen_id)
        with side, st.container(horizontal=True, horizontal_alignment="right"):
            st.button(
                say("card_close") if opened else say("card_open"),
                key=f"{key}-open",
                type="tertiary",
                help=say("card_open_help", number=place + 1),
                on_click=(draft.opened.discard if opened else draft.opened.add),
                args=(item.key,),
            )
            st.button(
                say("remove"),
                key=f"{key}-remove",
                type="tertiary",
                help=say("remove_statistic", number=place + 1),
                on_click=draft.remove,
                args=(item,),
            )
        if opened:
            options_of(item, schema, key, chosen_id)
        with main:
            _heading(item, chosen_id)
            return st.container()


def _heading(item: StatisticDraft, chosen_id: str) -> None:
    title, name = isolated(title_of(item)), isolated(chosen_id)
    st.html(fill('<h3 class="dp-h3 dp-card">{} <small class="dp-id">{}</small></h3>', title, name))


def _share(item: StatisticDraft, key: str, chosen_id: str) -> None:
    """The weight, dragged or typed; or the statistic's own ε or error."""
    if item.share == "epsilon":
        number = fields.number(say("share_epsilon_value"), f"{key}-epsilon", item.epsilon, step=0.1, format="%g")
        item.epsilon = fields.exact(number)
    elif item.share == "target_error":
        more = {"min_value": 0.0, "format": "%g", "help": say("share_target_help")}
        item.target = fields.exact(fields.number(say("share_target_value"), f"{key}-target", item.target, **more))
    else:
        _weight(item, key, chosen_id)


def _weight(item: StatisticDraft, key: str, chosen_id: str) -> None:
    number, slider = f"{key}-weight", f"{key}-weight-slider"

    def change(widget: str) -> None:
        typed = st.session_state[widget]
        item.weight = fields.exact(round(typed, 1) if widget == slider else typed) or 1
        fields.follow(number, float(item.weight))
        fields.follow(slider, _within(item.weight))

    left, right = st.columns([3, 2], vertical_alignment="center")
    left.slider(
        say_label("share_weight_of", name=chosen_id),
        LIGHTEST,
        HEAVIEST,
        value=_within(item.weight),
        step=0.1,
        key=slider,
        format="%g",
        label_visibility="collapsed",
        on_change=change,
        args=(slider,),
    )
    right.number_input(
        say("share_weight_value"),
        value=float(item.weight),
        step=1.0,
        format="%g",
        key=number,
        on_change=change,
        args=(number,),
    )


def _within(weight: float | int) -> float:
    return round(min(HEAVIEST, max(LIGHTEST, float(weight))), 1)


def judge(place: DeltaGenerator, priced: StatisticPrice | None, schema: Schema, problems: Sequence[Problem]) -> None:
    """Fills a card's line: what it errs and costs, or what is wrong with it."""
    with place:
        if problems:
            show_problems(problems)
        elif priced is not None:
            blocks.markup(price_line(priced, schema), "dp-note")


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


def _way(item: StatisticDraft, key: str, chosen_id: str) -> None:
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


COMMON = {"kind": _kind, "id": _id, "share": _way, "confidence": _confidence}
"""The fields that every kind has."""

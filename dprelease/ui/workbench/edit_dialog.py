"""One statistic of the draft: its options, its part of ε, and what it errs and costs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.errors import Problem
from dprelease.model.column_options import ColumnNames, ColumnSets
from dprelease.model.options import Conditions, Questions
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.kit.session import visit
from dprelease.ui.words import WORDS, say, say_label
from dprelease.ui.workbench.asking import done
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.draft_status import standing as standing_of
from dprelease.ui.workbench.options import ask, is_asked, usual
from dprelease.ui.workbench.prices import price_line
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.statistic_draft import SHARES, StatisticDraft
from dprelease.ui.workbench.steps import duplicate, remove
from dprelease.ui.workbench.titles import kind_name, title_of
from dprelease.words.sentences import isolated

LIGHTEST, HEAVIEST = 0.1, 10.0
"""Ends of the slider; any other weight is typed."""


def edit_dialog(standing: DraftStatus) -> None:
    """Show one statistic: what it is, what it errs and costs, its options, and its part of ε."""
    draft, place = standing.draft, standing.draft.chosen
    if place is None:
        return
    item, schema = draft.statistics[place], standing.schema
    key, chosen_id = f"edit-{visit()}-{item.key}", draft.ids()[place]
    head, verdict = st.container(), st.container()
    options_of(item, schema, key, chosen_id)
    with st.container(key=f"share-{key}"):
        _share(item, key, chosen_id)
    save(draft)
    with head:
        _heading(item, chosen_id)
    after = standing_of(draft, standing.dataset, standing.population)
    priced = None if after.bench is None else after.bench.price.statistics[place]
    judge(verdict, priced, schema, after.of(place), after.missing, standing.population.unit)
    with st.container(horizontal=True):
        if st.button(say("bench_duplicate"), key=f"{key}-copy"):
            duplicate(draft, place)
            st.rerun()
        if st.button(say("remove"), key=f"{key}-remove"):
            remove(draft, place)
            st.rerun()
        st.space("stretch")
        done()


def _heading(item: StatisticDraft, chosen_id: str) -> None:
    title, name = isolated(title_of(item)), isolated(chosen_id)
    st.html(fill('<h3 class="dp-h3 dp-card">{} <small class="dp-id">{}</small></h3>', title, name))


def _share(item: StatisticDraft, key: str, chosen_id: str) -> None:
    """Ask for the weight, dragged or typed; or the statistic's own ε or error."""
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


def judge(
    place: DeltaGenerator,
    priced: StatisticPrice | None,
    schema: Schema,
    problems: Sequence[Problem],
    missing: str,
    unit: str,
) -> None:
    """Show a statistic's error and cost, or what is wrong with it, or missing."""
    with place:
        if problems:
            show_problems(problems)
        elif priced is not None:
            blocks.markup(price_line(priced, schema), "dp-note")
        elif missing:
            blocks.note(missing, unit=unit)


WIDEST = 5
"""Maximum number of fields in a row."""
WIDE = (Conditions, Questions)
"""Options that take a row of their own."""
RARE = (
    "survey_weights",
    "max_rows_per_cell",
    "sampling",
    "effect",
    "method",
    "noise",
    "cells",
    "candidates",
    "tables",
    "objective",
    "source",
)
"""Options that are one click away."""
DECIDING = ("column", "columns")
"""Options that decide which other options there are to ask for."""


def options_of(item: StatisticDraft, schema: Schema, key: str, chosen_id: str) -> None:
    """Draw and read the options."""
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
    """Show fields side by side; one that is wide alone."""
    readers = KINDS[item.kind].options()
    if len(line) == 1 and isinstance(readers.get(line[0]), WIDE):
        item.options[line[0]] = ask(item, line[0], schema, key)
        return
    widths = [2 if isinstance(readers.get(name), ColumnNames | ColumnSets) else 1 for name in line]
    room = [WIDEST - sum(widths)] if sum(widths) < WIDEST else []
    for column, name in zip(st.columns([*widths, *room], vertical_alignment="bottom"), line, strict=False):
        with column:
            if name in readers:
                item.options[name] = ask(item, name, schema, key)
            else:
                COMMON[name](item, key, chosen_id)


def _asked(item: StatisticDraft, schema: Schema) -> list[str]:
    """Return the options to ask for, the required ones first."""
    readers, required = KINDS[item.kind].options(), KINDS[item.kind].required()
    asked = [name for name in readers if is_asked(name, readers[name], item.options, schema)]
    return sorted(asked, key=lambda name: name not in required)


def _lines(item: StatisticDraft, schema: Schema) -> list[list[str]]:
    """Return the fields of a card in rows: its kind and options, then what every kind has."""
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
    """Set a choice on which the rest of the card depends, before the card is drawn again."""
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

"""How ε is chosen: dragged, typed, begun from the harm that is feared, or found from an error that is allowed."""

from __future__ import annotations

from bisect import bisect_right
from math import log

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.accounting.deployments import HARMS, LOWER_QUARTILE, MEDIAN, UPPER_QUARTILE
from dprelease.bundle.display import exact, shown
from dprelease.model.population import Population
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html, say_label
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.prices import unit_of
from dprelease.words.sentences import Html

SCALE = (
    *(0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8),
    *(2.0, 2.3, 2.6, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 8.0, 9.0, 10.0, 12.0, 15.0, 20.0),
)
"""Where the slider stops; any other ε is typed."""


def nearest(epsilon: float | int | None) -> float:
    """The place on the slider of an ε."""
    if not epsilon or epsilon <= 0:
        return SCALE[0] if epsilon is not None else 1.0
    return min(SCALE, key=lambda value: abs(log(value / float(epsilon))))


def place(epsilon: float) -> float:
    """Tells where an ε stands along the slider, in percent of its length."""
    after = bisect_right(SCALE, epsilon)
    if after in (0, len(SCALE)):
        return 0.0 if after == 0 else 100.0
    low, high = SCALE[after - 1], SCALE[after]
    return 100 * (after - 1 + log(epsilon / low) / log(high / low)) / (len(SCALE) - 1)


def choose(draft: Draft, population: Population, prefix: str) -> DeltaGenerator:
    """Slider and number, which follow each other, and δ; they stay in sight while one looks at the errors.

    Returns the place for what would be left, which stays in sight too.
    """
    number, slider = f"{prefix}-epsilon", f"{prefix}-epsilon-slider"
    with st.container(key="epsilon-bar"):
        left, middle, right = st.columns([6, 2, 2], vertical_alignment="center")
        remains = st.container()
    with left:
        st.select_slider(
            say("plan_epsilon_slider"),
            SCALE,
            value=nearest(draft.epsilon),
            key=slider,
            format_func=shown,
            on_change=lambda: set_epsilon(draft, prefix, st.session_state[slider]),
            help=say("plan_epsilon_help"),
        )
        _ruler()
    middle.number_input(
        say("plan_epsilon"),
        key=number,
        value=None if draft.epsilon is None else float(draft.epsilon),
        min_value=0.0,
        step=0.1,
        format="%g",
        on_change=lambda: set_epsilon(draft, prefix, st.session_state[number]),
        help=say("plan_epsilon_help"),
    )
    draft.epsilon = fields.exact(st.session_state[number])
    with right:
        more = {"min_value": 0.0, "max_value": 0.001, "step": 1e-6, "format": "%g", "help": say("plan_delta_help")}
        draft.delta = fields.exact(fields.number(say("plan_delta"), f"{prefix}-delta", draft.delta, **more)) or 0
    marks = {"median": shown(MEDIAN), "lower": shown(LOWER_QUARTILE, 3), "upper": shown(UPPER_QUARTILE)}
    blocks.note("epsilon_ruler", **marks)
    if draft.epsilon is not None and draft.epsilon > UPPER_QUARTILE:
        blocks.markup(say_html("epsilon_red", quartile=shown(UPPER_QUARTILE)), "dp-note dp-watermark")
    _begin_from_harm(draft, population, prefix)
    return remains


def set_epsilon(draft: Draft, prefix: str, value: float | None) -> None:
    """Sets the plan's ε, and both widgets; from a callback, or before they are drawn."""
    draft.epsilon = fields.exact(value)
    fields.follow(f"{prefix}-epsilon", None if value is None else float(value))
    fields.follow(f"{prefix}-epsilon-slider", nearest(value))


def _ruler() -> None:
    """Under the slider: where published deployments are, and from where on few of them go."""
    marks = joined(
        fill('<i style="left:{}%"></i>', f"{place(value):.1f}") for value in (LOWER_QUARTILE, MEDIAN, UPPER_QUARTILE)
    )
    red = fill('<b style="left:{}%"></b>', f"{place(UPPER_QUARTILE):.1f}")
    st.html(fill('<div class="dp-ruler" aria-hidden="true">{}{}</div>', red, Html(marks)))


def _begin_from_harm(draft: Draft, population: Population, prefix: str) -> None:
    with st.expander(say("harm_begin")):
        key = f"{prefix}-harm"
        st.radio(
            say_label("harm_question", unit=population.unit),
            list(HARMS),
            index=None,
            key=key,
            format_func=lambda harm: say(f"harm_{harm}", epsilon=shown(HARMS[harm])),
            on_change=lambda: set_epsilon(draft, prefix, HARMS[st.session_state[key]]),
        )
        blocks.note("harm_note")


MOST = 5


def from_errors(draft: Draft, price: Price, prefix: str) -> None:
    """Asks for errors, says which ε they need, and offers to set it."""
    with st.expander(say("wanted")):
        blocks.note("wanted_note")
        priced = {item.id: item for item in price.statistics if item.error95}
        names = fields.some_of(
            say("wanted_which"), f"{prefix}-wanted", list(priced), [], max_selections=MOST, placeholder=say("choose")
        )
        errors = {}
        for name in names:
            unit = unit_of(priced[name], price.plan.schema)
            label = say_label("wanted_error_unit" if unit else "wanted_error", name=name, unit=unit)
            limits = {"min_value": 0.0, "format": "%g", "placeholder": f"{priced[name].error95:.3g}", "width": 320}
            errors[name] = fields.number(label, f"{prefix}-wanted-{name}", None, **limits)
        ready = bool(errors) and all(errors.values())
        if st.button(say("wanted_find"), key=f"{prefix}-wanted-find", disabled=not ready):
            with kindly(), st.spinner(say("wanted_finding")):
                draft.answer = (errors, workspace().plans.needed_epsilon(price.plan, errors, actor=actor()))
        if draft.answer is not None and draft.answer[0] == errors:
            needed = draft.answer[1]
            box(
                say_html("wanted_answer", epsilon=exact(needed), now=exact(price.plan.epsilon_nano / 10**9)),
                kind="done",
            )
            st.button(
                say("wanted_set", epsilon=exact(needed)),
                key=f"{prefix}-wanted-set",
                on_click=set_epsilon,
                args=(draft, prefix, float(needed)),
            )

"""From errors to ε: what the whole plan needs so that some statistics err no more than they may."""

from __future__ import annotations

import streamlit as st

from dprelease.bundle.display import exact
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.plan.draft import Draft
from dprelease.ui.plan.epsilon import set_epsilon
from dprelease.ui.plan.prices import unit_of
from dprelease.ui.words import say, say_html, say_label

MOST = 5


def wanted(draft: Draft, price: Price, prefix: str) -> None:
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
                draft.answer = (errors, workspace().needed_epsilon(price.plan, errors, actor=actor()))
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

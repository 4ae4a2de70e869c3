"""Other figures for one release, beside what is charged: shown only."""

from __future__ import annotations

import streamlit as st

from dprelease.bundle.display import exact, shown
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say

DELTA = 1e-6
DIGITS = 5


def figures(price: Price, prefix: str) -> None:
    """What the plan's mechanisms come to by other ways of adding them up, at a δ of the reader's choice."""
    with st.expander(say("figures")):
        blocks.note("figures_note")
        limits = {"min_value": 1e-12, "max_value": 0.1, "format": "%g", "width": 240}
        delta = fields.number(say("figures_delta"), f"{prefix}-figures-delta", DELTA, **limits)
        if not st.toggle(say("figures_show"), key=f"{prefix}-figures-show") or delta is None:
            return
        found = workspace().figures(price.plan, delta, actor=actor())
        rows = [
            (say(f"figures_{name}"), shown(figure["epsilon"], DIGITS), exact(figure["delta"]))
            for name, figure in found["figures"].items()
        ]
        heads = [say(head) for head in ("figures_way", "price_loss", "event_delta")]
        blocks.table(say("figures"), heads, rows, numbers=(1, 2), whole=True)

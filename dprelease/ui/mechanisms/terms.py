"""The promises of a mechanism in other terms: Rényi divergence by order, δ by ε, and that of several people."""

from __future__ import annotations

from math import inf, isinf

import streamlit as st

from dprelease.extras.lab.portal.more import figure
from dprelease.extras.lab.promise_snippets import promise_snippet
from dprelease.extras.lab.promises import Promises
from dprelease.extras.lab.two_tables import NORMAL, NUMBERS
from dprelease.ui.kit import blocks, charts
from dprelease.ui.kit.download_links import along
from dprelease.ui.mechanisms.pictures import curve
from dprelease.ui.mechanisms.state import MechanismView
from dprelease.ui.words import say
from dprelease.words.language import language

ORDERS = (1.0, 2.0, 5.0, 10.0, inf)
TIMES = (0.0, 0.5, 1.0, 2.0)
GROUPS = (2, 5, 10)


@st.fragment
def terms(state: MechanismView) -> None:
    """Show both curves, some of their figures, and groups of people: folded, and computed only while looked at."""
    if state.mechanism == "uniform":
        return
    blocks.heading("mech_curves")
    with st.expander(say("mech_curves_open"), key="mech-curves", on_change="rerun") as folded:
        if folded.open:
            _curves(state)


def _curves(state: MechanismView) -> None:
    normal = state.mechanism in NORMAL
    found = Promises(state.mechanism, state.epsilon, state.people)
    left, right, _ = st.columns(3, gap="medium")
    with left:
        rows = [(figure(each), figure(inf if normal and isinf(each) else found.divergence(each))) for each in ORDERS]
        renyi = _shown(found, "renyi", rows[1][1], rows[3][1])
        blocks.table(say("mech_renyi"), [say("mech_order"), say("mech_divergence")], rows, numbers=(0, 1), whole=True)
    with right:
        rows = [(figure(times * found.pure), figure(found.delta(times * found.pure))) for times in TIMES]
        profile = _shown(found, "delta", rows[0][1], rows[1][1], half=rows[1][0])
        blocks.table(say("mech_profile"), ["ε", "δ"], rows, numbers=(0, 1), whole=True)
    if state.mechanism in NUMBERS:
        one = state.epsilon
        told = [figure(people**2 * one**2 / 2 if normal else people * one) for people in GROUPS]
        blocks.text("mech_groups_normal" if normal else "mech_groups", two=told[0], five=told[1], ten=told[2])
    pictures = {"renyi": renyi, "delta": profile}
    program = promise_snippet(state.mechanism, state.epsilon, state.people)
    along("mechanisms", state.address(), pictures, found.csv(), program, called="curves")


def _shown(found: Promises, name: str, one: str, other: str, **more: str) -> bytes:
    """Show a curve, said by two of its figures; return the picture."""
    words = say(f"mech_{name}_alt", one=one, other=other, **more)
    drawn = curve(found, name, words, language())
    charts.picture(drawn, words)
    return drawn

"""The gallery of what is often printed and does not hold: claim, counterexample, real ε, mend."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dprelease.extras.lab.broken import BROKEN
from dprelease.extras.lab.portal.more import facts, figure, real
from dprelease.ui.kit import blocks
from dprelease.ui.mechanisms.controls import named
from dprelease.ui.mechanisms.state import MechanismView
from dprelease.ui.words import say, say_label


def gallery(state: MechanismView) -> MechanismView:
    """Show what each entry really is at a claimed ε, and one of them; return the state with what was chosen."""
    blocks.heading("mech_gallery")
    blocks.text("mech_gallery_what")
    rows = [(say(f"broken_{entry.key}"), figure(real(entry.key, state.epsilon))) for entry in BROKEN]
    heads = [say("broken_which"), say("broken_fact_real")]
    blocks.table(say("broken_caption", claimed=figure(state.epsilon)), heads, rows, numbers=(1,), whole=True)
    keys = [entry.key for entry in BROKEN]
    chosen = st.selectbox(
        say("broken_look"),
        keys,
        index=keys.index(state.broken),
        format_func=lambda each: say_label(f"broken_{each}"),
        key=named("broken"),
    )
    blocks.facts(facts(chosen, state.epsilon))
    if real(chosen, state.epsilon) <= state.epsilon:
        blocks.note("broken_holds_here")
    return replace(state, broken=chosen)

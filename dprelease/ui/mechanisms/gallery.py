"""The gallery of what is often printed and does not hold: claim, counterexample, real ε, mend."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import exp, inf

import streamlit as st

from dprelease.lab.broken import BROKEN, BY_KEY, Broken, Witness
from dprelease.ui.kit import blocks
from dprelease.ui.mechanisms.controls import named
from dprelease.ui.mechanisms.figures import figure
from dprelease.ui.mechanisms.state import State
from dprelease.ui.words import say, say_label

DIGITS = 9
"""What a mend leaves, without what is left of rounding."""
SMALL = -11.0
"""A logarithm: what is less likely is told by it."""


def gallery(state: State) -> State:
    """Shows what each entry really is at a claimed ε, and one of them; returns the state with what was chosen."""
    blocks.heading("mech_gallery")
    blocks.text("mech_gallery_what")
    rows = [(say(f"broken_{entry.key}"), figure(_real(entry.key, state.epsilon))) for entry in BROKEN]
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
    _entry(BY_KEY[chosen], state.epsilon)
    return replace(state, broken=chosen)


def _entry(entry: Broken, epsilon: float) -> None:
    real = _real(entry.key, epsilon)
    witness, mended = entry.witness(epsilon), round(entry.mended(epsilon), DIGITS)
    facts = [
        ("broken_fact_claim", say(f"broken_{entry.key}_claim")),
        ("broken_fact_proof", say(f"broken_{entry.key}_proof")),
        ("broken_fact_chances", _chances(witness)),
        ("broken_fact_loss", figure(witness.loss)),
        ("broken_fact_real", figure(real)),
        ("broken_fact_mend", say(f"broken_{entry.key}_mend", loss=figure(mended))),
    ]
    blocks.facts(facts)
    if real <= epsilon:
        blocks.note("broken_holds_here")


@lru_cache(maxsize=2048)
def _real(key: str, epsilon: float) -> float:
    return BY_KEY[key].real(epsilon)


def _chances(witness: Witness) -> str:
    """Both probabilities, or both densities; by their logarithms where they are tiny."""
    logarithms = (witness.ln_p, witness.ln_q)
    tiny = any(-inf < each < SMALL for each in logarithms)
    first, second = (_logarithm(each) if tiny else figure(exp(each)) for each in logarithms)
    name = ("density" if witness.density else "chance") + ("_ln" if tiny else "")
    return say(f"broken_{name}", first=first, second=second)


def _logarithm(number: float) -> str:
    return "−∞" if number == -inf else figure(number)

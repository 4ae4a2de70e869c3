"""The gallery of what is often printed and does not hold: claim, counterexample, real ε, mend."""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf

import streamlit as st

from dprelease.lab.broken import BROKEN, BY_KEY, Witness
from dprelease.ui.kit import blocks
from dprelease.ui.mechanisms.figures import figure
from dprelease.ui.words import say, say_label

DIGITS = 9
"""What a mend leaves, without what is left of rounding."""
SMALL = -11.0
"""A logarithm: what is less likely is told by it."""


def gallery(epsilon: float) -> None:
    """Shows every entry, as it is at a claimed ε."""
    blocks.heading("mech_gallery")
    blocks.text("mech_gallery_what")
    for entry in BROKEN:
        witness, real, mended = _at(entry.key, epsilon)
        holds = real <= epsilon
        title = {"name": say(f"broken_{entry.key}"), "claimed": figure(epsilon), "real": figure(real)}
        with st.expander(say_label("broken_holds" if holds else "broken_title", **title)):
            facts = [
                ("broken_fact_claim", say(f"broken_{entry.key}_claim")),
                ("broken_fact_proof", say(f"broken_{entry.key}_proof")),
                ("broken_fact_chances", _chances(witness)),
                ("broken_fact_loss", figure(witness.loss)),
                ("broken_fact_real", figure(real)),
                ("broken_fact_mend", say(f"broken_{entry.key}_mend", loss=figure(round(mended, DIGITS)))),
            ]
            blocks.facts(facts)
            if holds:
                blocks.note("broken_holds_here")


@lru_cache(maxsize=2048)
def _at(key: str, epsilon: float) -> tuple[Witness, float, float]:
    entry = BY_KEY[key]
    return entry.witness(epsilon), entry.real(epsilon), entry.mended(epsilon)


def _chances(witness: Witness) -> str:
    """Both probabilities, or both densities; by their logarithms where they are tiny."""
    logarithms = (witness.ln_p, witness.ln_q)
    tiny = any(-inf < each < SMALL for each in logarithms)
    first, second = (_logarithm(each) if tiny else figure(exp(each)) for each in logarithms)
    name = ("density" if witness.density else "chance") + ("_ln" if tiny else "")
    return say(f"broken_{name}", first=first, second=second)


def _logarithm(number: float) -> str:
    return "−∞" if number == -inf else figure(number)

"""The one bar of all attacks: guessing, what was won, and at most, from 0 to 100 %."""

from __future__ import annotations

import streamlit as st

from dprelease.charts.display import shown
from dprelease.lab.outcome import Outcome, in_hundred
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.words import say


def percent(share: float) -> str:
    """A share of 100, as it is rounded everywhere."""
    return say("attacks_percent", share=shown(in_hundred(share)))


def bar(found: Outcome) -> None:
    """Shows it, each mark with its name and figure below it: neither colour nor place says anything alone."""
    marks = {"guessing": found.guessing, "won": found.won, "most": found.at_most}
    named = {name: (say(f"attacks_bar_{name}"), percent(share)) for name, share in marks.items()}
    places = {name: f"{100 * share:.2f}%" for name, share in marks.items()}
    st.html(
        fill(
            '<div class="dp-odds"><div class="dp-odds-bar" role="img" aria-label="{words}"><i style="width:{won}"></i>'
            '<u style="left:{guessing}"></u><b style="left:{most}"></b></div><dl>{names}</dl></div>',
            words="; ".join(f"{label} {share}" for label, share in named.values()),
            names=joined(
                fill('<div class="dp-odds-{}"><dt>{}</dt><dd>{}</dd></div>', name, label, share)
                for name, (label, share) in named.items()
            ),
            **places,
        )
    )

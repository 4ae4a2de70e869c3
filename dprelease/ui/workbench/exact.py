"""What exact tables would give away in place of noisy ones: of the curator's own true values, for the curator."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.charts.display import shown
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.attack import of_100
from dprelease.ui.workbench.standing import Standing
from dprelease.workspace.exact_tables import GivenAway


def exact_dialog(standing: Standing) -> None:
    """Which small cells could be found again, by table and rule, beside what the plan's noise allows."""
    seen = looks.held()
    if seen is None or seen.mode != "true" or standing.bench is None:
        blocks.note("bench_sources_first")
        return
    with st.spinner(say("exact_computing")):
        found = seen.look.exact_tables()
    blocks.text("exact_what")
    box(say_html("exact_warning"), kind="warning")
    small = [each for each in found if each.hidden]
    if small:
        _table(small)
    else:
        blocks.text("exact_none")
    right = workspace().attack(standing.bench.price.plan, actor=actor()).found.any.right
    blocks.text("exact_instead", any=of_100(right), unit=standing.population.unit)


def _table(small: Sequence[GivenAway]) -> None:
    heads = [say(f"exact_{name}") for name in ("table", "rule", "hidden", "found", "near")]
    rows = [
        (
            each.table,
            say(f"exact_rule_{each.rule.replace('-', '_')}"),
            shown(each.hidden),
            shown(each.found),
            shown(each.near),
        )
        for each in small
    ]
    blocks.table(say("exact_caption"), heads, rows, numbers=(2, 3, 4))
    blocks.note("exact_note")

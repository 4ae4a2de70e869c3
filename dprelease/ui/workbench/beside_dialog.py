"""True tables beside the synthetic rows of the preview's own draw: the curator's true values, for the curator."""

from __future__ import annotations

import streamlit as st

from dprelease.bundle.synthetic import CellShare, shares
from dprelease.statements.display import shown
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.ui.kit import blocks, charts
from dprelease.ui.kit.problems import box
from dprelease.ui.releases.rows_comparison import DRAWN, MOST, called, drawn, percent
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.looks import Seen

DIGITS = 2


def beside_dialog(standing: DraftStatus) -> None:
    """Show a table over columns that go together in the rows: true shares, and those of the rows."""
    seen = looks.held()
    if seen is None or seen.mode != "true" or standing.bench is None:
        blocks.note("bench_sources_first")
        return
    made = [each.id for each in seen.plan.statistics if isinstance(each, TallyStatistic) and each.output == "rows"]
    if not made:
        blocks.note("beside_none")
        return
    box(say_html("beside_warning"), kind="warning")
    chosen = made[0]
    if len(made) > 1:
        chosen = st.selectbox(say("beside_of"), made, key="beside-of")
    seen.shown(chosen)
    _table(seen, chosen)


def _table(seen: Seen, statistic: str) -> None:
    with st.spinner(say("bench_counting")):
        found = seen.look.rows_beside(statistic)
    asked = {name: seen.look.open(f"{statistic}.{name}").question for name in found.true}
    name = st.selectbox(
        say("beside_which"),
        list(asked),
        format_func=lambda each: asked[each].text,
        key=f"beside-true-{statistic}",
        on_change=seen.once_more,
    )
    told = shares(found.rows, found.true[name])
    if not told:
        blocks.note("beside_nothing")
        return
    blocks.text("beside_apart", share=shown(100 * _apart(told), DIGITS))
    if len(told) <= DRAWN:
        words = say("beside_true_alt", table=asked[name].text)
        charts.picture(drawn(told, say("beside_true")).alone(words), words)
    blocks.note("beside_true_note")
    rows = [
        (
            str(place),
            called(asked[name], found.true[name], each),
            percent(each.measured),
            percent(each.rows),
            shown(100 * (each.rows - each.measured), DIGITS),
        )
        for place, each in enumerate(told[:MOST], 1)
    ]
    heads = ["", *(say(f"beside_{each}") for each in ("cell", "true", "rows", "off"))]
    blocks.table(asked[name].text, heads, rows, numbers=(2, 3, 4), keys=2)
    if len(told) > MOST:
        blocks.note("beside_more", left=shown(len(told) - MOST))


def _apart(found: list[CellShare]) -> float:
    """Return the total variation between both: the share of rows that would have to stand in another cell."""
    return sum(abs(each.rows - each.measured) for each in found) / 2

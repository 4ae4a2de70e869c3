"""The comparison of any measured table with what the synthetic rows say of it."""

from __future__ import annotations

import streamlit as st

from dprelease.bundle.synthetic import CellShare, shares
from dprelease.charts.sketch import Box, SketchAxis, SketchSheet, ticks
from dprelease.charts.theme import LIGHT
from dprelease.model import families
from dprelease.model.release import Estimates, Release, SyntheticRows
from dprelease.statements.cell_names import key_text
from dprelease.statements.display import shown
from dprelease.statements.question import StatisticLabel
from dprelease.ui.kit import blocks, charts
from dprelease.ui.words import say

MOST = 200
"""Maximum number of cells listed; few enough of them are drawn."""
DRAWN = 60
REPORT = f"{families.ROWS}_{families.REPORT}"
"""The kind of the table that says how far rows are off, below which this stands."""
DIGITS = 4
WIDTH, HEIGHT = 420, 250
BOX = Box(62, 64, WIDTH - 16, HEIGHT - 40)


@st.fragment
def beside(release: Release, statistic: str, *, is_open: bool) -> None:
    """Show the comparison folded, computed only while looked at: maybe of a million rows, and hundreds of tables."""
    kinds = families.parts(release.certificate.asked(statistic))
    measured = [name for name, own in kinds.items() if own["kind"] != REPORT]
    with st.expander(
        say("beside_title"), expanded=is_open, key=f"beside-open-{statistic}", on_change="rerun"
    ) as folded:
        if folded.open:
            _chosen(release, statistic, measured)


def _chosen(release: Release, statistic: str, tables: list[str]) -> None:
    """Let a reader choose a table: shares that were measured, with intervals, and those of the rows."""
    output = release.outputs[statistic]
    assert isinstance(output, SyntheticRows)
    names = {
        name: StatisticLabel.of(release.certificate, f"{statistic}.{name}").text
        for name in tables
        if name in output.parts
    }
    if not names:
        blocks.text("release_nothing")
        return
    chosen = st.selectbox(
        say("beside_which"), list(names), format_func=lambda each: names[each], key=f"beside-{statistic}"
    )
    found = shares(output, output.parts[chosen])
    asked = StatisticLabel.of(release.certificate, f"{statistic}.{chosen}")
    if not found:
        blocks.text("release_nothing")
        return
    if len(found) <= DRAWN:
        words = say("beside_alt", table=names[chosen])
        charts.picture(drawn(found, say("beside_measured")).alone(words), words)
    blocks.note("beside_note")
    rows = [
        (
            str(place),
            called(asked, output.parts[chosen], each),
            *map(percent, (each.measured, each.lower, each.upper, each.rows)),
        )
        for place, each in enumerate(found[:MOST], 1)
    ]
    heads = [
        "",
        say("beside_cell"),
        say("beside_measured"),
        say("beside_lower"),
        say("beside_upper"),
        say("beside_rows"),
    ]
    blocks.table(names[chosen], heads, rows, numbers=(2, 3, 4, 5), keys=2)


def called(asked: StatisticLabel, table: Estimates, cell: CellShare) -> str:
    """Return a cell by its keys: a bin by both of its ends, another one as readers call it."""
    keys, told = iter(cell.keys), []
    for axis in table.axes:
        if len(axis.names) > 1:
            told.append("–".join(key_text(next(keys)) for _ in axis.names))
        else:
            key = next(keys)
            told.append(asked.coded(axis.names[0], key)[0] or key_text(key))
    return " · ".join(told)


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return "–" if share is None else shown(100 * share, DIGITS)


def drawn(found: list[CellShare], measured: str) -> SketchSheet:
    """Draw each cell by its number: its interval as a line, what was measured across it, the rows as a dot.

    `measured`: what the rows stand beside.
    """
    ends = [(each.lower, each.measured, each.upper) for each in found]
    told = [[value for value in each if value is not None] for each in ends]
    top = max(*(max(each) for each in told), *(each.rows for each in found))
    low = min(0.0, *(min(each) for each in told))
    sheet = SketchSheet(WIDTH, HEIGHT)
    sheet.legend(BOX.left, 14, {measured: (LIGHT.ink, "")})
    sheet.add("circle", cx=BOX.left + 13, cy=34.0, r=5.0, fill=LIGHT.accent)
    sheet.text(BOX.left + 34, 38, say("beside_rows"), fill=LIGHT.ink)
    up = ticks(100 * low, 100 * top, 5)
    across = ticks(0, len(found) + 1, 10)
    numbers = {value: text for value, text in across.items() if value == int(value) and 0 < value <= len(found)}
    panel = sheet.panel(
        BOX, SketchAxis(0, len(found) + 1, numbers), SketchAxis(100 * low, 100 * top, up, say("beside_percent"))
    )
    for place, each in enumerate(found, 1):
        values = told[place - 1]
        panel.line([(place, 100 * values[0]), (place, 100 * values[-1])], (LIGHT.ink, ""), "measured")
        for value in values:
            panel.line([(place - 0.2, 100 * value), (place + 0.2, 100 * value)], (LIGHT.ink, ""), "measured")
        panel.dot(place, 100 * each.rows, LIGHT.accent)
    return sheet

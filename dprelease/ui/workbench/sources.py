"""The sources of the error: noise, bounds, and rows that are left out. No value is suggested."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from dprelease.charts.data import draw
from dprelease.model.presentation import ValueKind
from dprelease.model.reading_report import ReadingReport
from dprelease.statements.display import MINUS, margin, shown
from dprelease.statements.question import StatisticLabel
from dprelease.statistics import Plan
from dprelease.ui.kit import blocks
from dprelease.ui.kit.charts import short
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.reading_report import reading_list
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.words.phrases import visible
from dprelease.workspace import outcomes
from dprelease.workspace.preview import StatisticPreview
from dprelease.workspace.sources import Sources

MAX_ROWS = 200
"""Maximum number of rows in the table of one statistic."""


def sources_dialog(standing: DraftStatus) -> None:
    """Show which rows are used, and what moves the numbers of the statistic that is looked at."""
    seen = looks.held()
    place = standing.draft.chosen
    if seen is None or seen.mode != "true" or standing.bench is None or place is None:
        blocks.note("bench_sources_first")
        return
    with st.spinner(say("bench_counting")):
        found = seen.look.sources()
    if found is None:
        blocks.note("bench_sources_first")
        return
    plan = standing.bench.price.plan
    rows(found, seen.look.reading, plan)
    wanted = standing.draft.ids()[place]
    for name in seen.look.names:
        if name == wanted or name.startswith(f"{wanted}."):
            opened = seen.look.open(name)
            item = StatisticPreview(
                name=name,
                price=standing.bench.price[wanted],
                true=opened.true,
                schema=plan.schema,
                draws=[seen.look.draw(name)],
                uncut=found.uncut.get(name),
                unclipped=found.unclipped.get(name),
            )
            blocks.subheading(opened.question.name)
            statistic(opened.question, item)


def rows(sources: Sources, reading: ReadingReport | None, plan: Plan) -> None:
    """Show which rows are used, and how the cells of each column are read."""
    box(say_html("sources_warning"), kind="warning")
    if plan.unit.column is not None:
        blocks.facts(
            [
                ("sources_rows", shown(sources.rows)),
                ("sources_unidentified", shown(sources.rows - sources.identified)),
                ("sources_cut", shown(sources.identified - sources.kept)),
                ("sources_kept", shown(sources.kept)),
            ]
        )
    if reading is not None:
        reading_list(reading)


def statistic(asked: StatisticLabel, item: StatisticPreview) -> None:
    """Show noise beside what bounds and left-out rows add, cell by cell, and what is largest."""
    if not outcomes.numeric(item):
        blocks.note("sources_words")
        return
    whole = zip(outcomes.parts(item), asked.aside(item.true), strict=True)
    parts = [part for part, is_left_out in whole if not is_left_out]
    largest = Counter(part.largest for part in parts if part.largest)
    if not largest:
        blocks.note("sources_unknown")
        return
    if len(parts) == 1:
        blocks.text(f"sources_largest_{parts[0].largest}")
    else:
        name, count = largest.most_common(1)[0]
        blocks.text(f"sources_mostly_{name}", count=shown(count), cells=shown(len(parts)))
    labels = [visible(short(row)) for row in draw(asked, item.true).rows]
    columns: list[tuple[str, list[str]]] = [
        ("cell", [label or visible(asked.measure) for label in labels]),
        ("noise", [_margin(part.noise) for part in parts]),
    ]
    for name in ("clipping", "cutting"):
        moved = [getattr(part, name) for part in parts]
        if any(each is not None for each in moved):
            columns.append((name, [_signed(each) for each in moved]))
    columns.append(("largest", [say(f"largest_{part.largest}") if part.largest else "" for part in parts]))
    heads = [say(f"part_{name}") for name, _ in columns]
    body = list(zip(*(cells for _, cells in columns), strict=True))[:MAX_ROWS]
    numbers = range(1, len(columns) - 1)
    blocks.table(say("sources_table", question=asked.name), heads, body, numbers=numbers)
    if asked.presentation.values is ValueKind.GRADED:
        blocks.note("sources_quantiles")
    elif all(part.clipping is None for part in parts):
        blocks.note("sources_no_clipping")


def _margin(noise: float | None) -> str:
    return say("unknown") if noise is None else say("error", margin=margin(noise) if noise else 0)


def _signed(number: float | None) -> str:
    if number is None:
        return say("unknown")
    rounded = float(f"{number:.2g}")
    return shown(0) if not rounded else f"+{shown(rounded)}" if rounded > 0 else f"{MINUS}{shown(-rounded)}"

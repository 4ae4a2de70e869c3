"""The reading report on a page: how the cells of each declared column are read, for those who may see true values."""

from __future__ import annotations

import streamlit as st

from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.reading_report import STATES, CellState, ColumnReading, ReadingReport
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import dotted, fill, joined
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, may, visit, workspace
from dprelease.ui.words import say, say_html
from dprelease.words.sentences import Html, isolated

NONE = "–"
FEW = 12
"""Maximum number of columns in a list that does not scroll."""


def may_read() -> bool:
    """Return True if whoever acts may be shown how cells are read."""
    return may("preview") and workspace().plans.preview_policy is PreviewPolicy.TRUE


def reading_list(report: ReadingReport) -> None:
    """Show a line a column; those with many cells that are unreadable or outside are marked, in words too."""
    if not report.columns:
        blocks.note("reading_nothing")
        return
    states = [state for state in STATES if state is CellState.UNDERSTOOD or any(each[state] for each in report)]
    heads = [say("reading_column"), *(say(f"reading_{state}") for state in states)]
    rows = [(_name(each), *(shown(each[state]) if each[state] else NONE for state in states)) for each in report]
    blocks.table(say("reading_caption"), heads, rows, numbers=range(1, len(heads)), whole=len(rows) <= FEW)
    lines = [_written(each) for each in report if each.shapes]
    if lines:
        st.html(fill('<ul class="dp-list">{}</ul>', joined(fill("<li>{}</li>", line) for line in lines)))
        blocks.note("reading_shapes")
    blocks.note("reading_of", rows=shown(report.columns[0].rows))


def reading_asked(dataset: str, *, key: str) -> None:
    """Offer to count how the cells of a dataset are read, where whoever acts may see it; the ledger is told first."""
    if not may_read():
        return
    blocks.note("reading_why")
    if st.button(say("reading_count"), key=f"{key}-{visit()}-{dataset}"):
        with kindly(), st.spinner(say("bench_counting")):
            reading_list(workspace().datasets.reading(dataset, actor=actor()))


def _name(each: ColumnReading) -> Html:
    """Return a column's name; with a mark in words where many of its cells are not taken as they are."""
    if not each.many:
        return isolated(each.column)
    key = "reading_many" if each.answered else "reading_no_value"
    return fill('{}<span class="dp-many">▲ {}</span>', isolated(each.column), say(key))


def _written(each: ColumnReading) -> Html:
    """Return in words how the unreadable cells of a column are written."""
    shapes = (fill("<code>{}</code> ({})", isolated(shape), shown(cells)) for shape, cells in each.shapes if shape)
    others = [say_html("reading_other_shapes", cells=shown(cells)) for shape, cells in each.shapes if not shape]
    return say_html("reading_written", column=each.column, shapes=dotted([*shapes, *others]))

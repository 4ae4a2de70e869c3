"""The declaration of one dataset's columns: rows to settle one by one, or the sheet; ways to fill them in; saving."""

from __future__ import annotations

import streamlit as st

from dprelease.codebook import propose
from dprelease.model.population import Dataset
from dprelease.statements.display import shown
from dprelease.ui.data.bounds import find_bounds
from dprelease.ui.data.codebooks import OWN, row_of, take_over
from dprelease.ui.data.editor import editor
from dprelease.ui.data.grid import codes_question, history, saving, sheet, unsaved
from dprelease.ui.data.making import made_columns, making, offer
from dprelease.ui.data.pasted import paste
from dprelease.ui.data.rows import listed, progress
from dprelease.ui.data.several import several
from dprelease.ui.data.terminal import dataset_by_terminal
from dprelease.ui.data.work import EVERYTHING, SETTLED, UNSETTLED, VIEWS, Work, work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.fields import begin
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.reading_report import may_read, reading_asked
from dprelease.ui.screens import go, link
from dprelease.ui.words import say


def offer_own(work: Work) -> None:
    """Offer the file's labels for the columns that nobody settled, all at once."""
    key = f"own-{work.dataset.name}"
    if st.session_state.get(key) or not work.unsettled():
        return
    book = session.workspace().datasets.codebook(work.dataset.name, actor=session.actor())
    if book is None:
        return
    found = propose(book, work.names, {name: row.mapping() for name, row in work.sheet.rows.items()})
    open_ones = set(work.unsettled()) - {work.dataset.unit_column}  # an identifier is not published
    then = {each.name: row_of(each.name, each.then) for each in found.changes if each.name in open_ones}
    if not then:
        return
    with st.container(border=True):
        named = sum(bool(entry.declared or entry.texts.label) for entry in book.entries)
        blocks.text("own_says", named=shown(named), columns=counted("columns", len(work.names)))
        with st.container(horizontal=True):
            label = say("import_apply", columns=counted("columns", len(then)))
            if st.button(label, key=f"{key}-take"):
                st.session_state[key] = True
                done = work.change(then)
                session.flash("import_done", columns=counted("columns", done), source=say(f"import_from_{OWN}"))
                st.rerun()
            if st.button(say("own_leave"), type="tertiary", key=f"{key}-leave"):
                st.session_state[key] = True
                st.rerun()


TOOLS = {"import": take_over, "paste": paste, "several": several, "bounds": find_bounds}
FEW = 15
"""Maximum number of columns that need no search."""
MANY = 30
"""Number of columns beyond which the sheet is the quicker way."""


def columns(dataset: Dataset) -> None:
    """Draw the columns of a dataset."""
    desk = work(dataset)
    unsaved(desk)
    offered = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        tool = st.pills(
            say("columns_tools"),
            list(TOOLS),
            format_func=lambda each: say(f"tool_{each}"),
            key=f"tool-{dataset.name}",
            label_visibility="collapsed",
        )
        offer(desk)
    place = st.container(border=True) if tool else None
    if tool is None:  # a codebook that is open says the same
        with offered:
            offer_own(desk)
    progress(desk)
    saving(desk)
    as_sheet = _find(desk)
    if as_sheet:
        sheet(desk)
        made_columns(desk)
    else:
        left, right = st.columns([1.35, 1])
        with left:
            listed(desk)
            made_columns(desk)
        with right:
            (editor if desk.making is None else making)(desk)
    codes_question(desk)
    if place is not None and tool:
        with place:  # drawn last: it is about the columns that are shown
            TOOLS[tool](desk)
    if dataset.schema.columns and may_read():
        with st.expander(say("reading_cells")):
            reading_asked(dataset.name, key="columns-reading")
    if dataset.schema.columns:
        dataset_by_terminal(dataset)
    with st.container(horizontal=True, vertical_alignment="center"):
        if dataset.schema.columns:
            link("workbench", say("go_plan"), new=dataset.name)
        if st.button(say("data_back"), type="tertiary"):
            go("tables")
    blocks.guide_link("describe-columns")


def _find(desk: Work) -> bool:
    """Choose the columns in sight, show the way back, and return True if they are shown as a sheet."""
    name = desk.dataset.name
    open_ones = len(desk.unsettled())
    counts = {EVERYTHING: len(desk.names), UNSETTLED: open_ones, SETTLED: len(desk.names) - open_ones}
    with st.container(horizontal=True, vertical_alignment="center"):
        view = st.segmented_control(
            say("columns_view"),
            VIEWS,
            required=True,
            format_func=lambda each: say(f"view_{each}", count=counts[each]),
            key=begin(f"{name}-view", EVERYTHING),
            label_visibility="collapsed",
        )
        search = ""
        if len(desk.names) > FEW:
            search = st.text_input(
                say("columns_search"),
                key=f"{name}-search",
                placeholder=say("columns_search_example"),
                label_visibility="collapsed",
                width=300,
            )
        history(desk)
        as_sheet = st.toggle(say("columns_as_sheet"), help=say("columns_as_sheet_help"), key=f"sheet-{name}")
    if len(desk.names) > MANY and not as_sheet:
        blocks.note("columns_many")
    desk.look(search, view or EVERYTHING, held=as_sheet)
    return as_sheet

"""The dataset that the draft is about; without one, the way to a table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.model.population import Dataset
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import some
from dprelease.ui.kit.session import actor, visit, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import say
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.own_plans import own_plans


def dataset_of(draft: Draft) -> Dataset | None:
    """Return the dataset of the draft: its own, else the only one, else the one that is chosen here."""
    found = workspace().datasets.find(actor=actor())
    ready = {item.name: item for item in found if item.schema.columns}
    last = st.session_state.get(session.DATASET)
    name = draft.dataset if draft.dataset in ready else last if last in ready else None
    if name is None and len(ready) == 1:
        (name,) = ready
    if name is None:
        st.title(say("workbench_title"), anchor=False)
        if ready:
            name = _asked(list(ready))
        else:
            _first()
        _undeclared([item.name for item in found if not item.schema.columns])
        own_plans()
    if name is None:
        return None
    draft.dataset = st.session_state[session.DATASET] = name
    if draft.max_rows is None and ready[name].unit_column is not None:
        draft.max_rows = workspace().datasets.terms(name, actor=actor()).max_rows
    return ready[name]


def _asked(names: Sequence[str]) -> str | None:
    """Offer the tables by name; once one is chosen, the page begins with it."""
    chosen = st.pills(say("plan_dataset"), names, key=f"opening-{visit()}")
    if chosen is not None:
        st.session_state[session.DATASET] = chosen
        st.rerun()
    return chosen


def _first() -> None:
    """Show, where no table is ready, the steps to the first release."""
    with st.container(border=True, key="opening-first"):
        blocks.subheading(say("bench_no_table"))
        blocks.text("plan_no_dataset")
        link("tables", say("go_dataset"))


def _undeclared(names: Sequence[str]) -> None:
    """Name the tables whose columns are not declared: else they would seem to be lost."""
    if names:
        blocks.note("bench_undeclared", names=some(list(names)))
        link("tables", say("go_columns"), dataset=names[0])

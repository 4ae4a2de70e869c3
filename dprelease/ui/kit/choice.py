"""The choice of a page's dataset, and what was said of it when it was registered."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.model.population import Dataset
from dprelease.ui.kit import session
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say


def dataset(label: str, datasets: Sequence[Dataset], key: str, last: str | None) -> Dataset | None:
    """Ask for the dataset: at first the last one worked on, or the only one."""
    names = [item.name for item in datasets]
    start = last if last in names else names[0] if len(names) == 1 else None
    name = st.selectbox(
        label,
        names,
        index=None if start is None else names.index(start),
        key=f"{key}-{session.visit()}",
        placeholder=say("choose"),
    )
    if name is None:
        return None
    st.session_state[session.DATASET] = name
    return datasets[names.index(name)]


def usual_rows(dataset: str) -> int | None:
    """Return the rows of one unit to be used, from general knowledge; None where nobody said."""
    return workspace().datasets.terms(dataset, actor=actor()).max_rows

"""The dialog asked for: a button, a menu or the component asks, and the end of the run opens it."""

from __future__ import annotations

from typing import Literal

import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx

from dprelease.ui.kit.session import DIALOG
from dprelease.ui.words import say

Dialog = Literal[
    "add",
    "edit",
    "title",
    "rows",
    "meaning",
    "goals",
    "compare",
    "sources",
    "exact",
    "beside",
    "file",
    "drafts",
    "own",
    "delete",
    "publish",
]


def ask(name: Dialog) -> None:
    """Have a dialog opened at the end of this run."""
    st.session_state[DIALOG] = name


def taken() -> Dialog | None:
    """Return the dialog asked for, once."""
    name: Dialog | None = st.session_state.pop(DIALOG, None)
    return name


def once_more() -> None:
    """Run the fragment again, or the page where that is what runs."""
    context = get_script_run_ctx(suppress_warning=True)
    st.rerun(scope="fragment" if context is not None and context.fragment_ids_this_run else "app")


def done() -> None:
    """Show the button that closes a dialog: what was entered is saved already."""
    if st.button(say("bench_done"), type="primary", key="dialog-done"):
        st.rerun()

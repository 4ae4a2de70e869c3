"""The one dialog that a reviewer may have open; kept in the tab, so that it stays whatever draws the page again."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dprelease.ui.kit.session import REVIEW_DIALOG


def opens(name: str) -> None:
    """Open a dialog, as what a button does."""
    st.session_state[REVIEW_DIALOG] = name


def close() -> None:
    """Close the dialog, when it is dismissed or has done what it is for."""
    st.session_state.pop(REVIEW_DIALOG, None)


def shown(name: str, title: str, content: Callable[[], None]) -> None:
    """Show a dialog, where it is the one that is open."""
    if st.session_state.get(REVIEW_DIALOG) == name:
        st.dialog(title, on_dismiss=close)(content)()

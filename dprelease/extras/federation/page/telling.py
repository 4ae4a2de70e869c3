"""Errors of a round in their own words: whose message it is, and why it is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from dprelease.errors import IntegrityError
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import flash, visit
from dprelease.ui.words import say_html

TAKEN = "rounds_taken_in"


@contextmanager
def openly() -> Iterator[None]:
    """Show errors like `kindly`, IntegrityErrors in their words: they name sites, files and hashes, never a cell."""
    with kindly():
        try:
            yield
        except IntegrityError as error:
            box(say_html("as_it_is", text=error))
            blocks.note("rounds_refused")


def given(key: str) -> str:
    """Return the key of a field for what another site sent: empty again once that is taken in."""
    return f"{key}-{visit()}-{st.session_state.get(TAKEN, 0)}"


def taken_in() -> None:
    """Empty the fields for what another site sent: else the same files would wait there to be taken once more."""
    st.session_state[TAKEN] = st.session_state.get(TAKEN, 0) + 1


def tried(does: Callable[[], tuple[str, dict[str, object]]]) -> None:
    """Do something, and draw the page again with what it has to say; or tell why it was not done."""
    with openly():
        key, values = does()
        flash(key, **values)
        st.rerun()

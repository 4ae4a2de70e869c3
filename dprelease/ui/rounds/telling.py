"""What goes wrong in a round, in its own words: whose message it is, and why it is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from dprelease.errors import IntegrityError
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import flash
from dprelease.ui.words import say_html


@contextmanager
def openly() -> Iterator[None]:
    """As `kindly`, and an IntegrityError with its words: those of rounds name sites, files and hashes, never a cell."""
    with kindly():
        try:
            yield
        except IntegrityError as error:
            box(say_html("as_it_is", text=error))


def tried(does: Callable[[], tuple[str, dict[str, object]]]) -> None:
    """Does something, and draws the page again with what it has to say; or tells why it was not done."""
    with openly():
        key, values = does()
        flash(key, **values)
        st.rerun()

"""The drop zone for tables, of any size: the file goes to the server's own address, which never holds it in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from streamlit.components.v2 import component
from streamlit.components.v2.types import ComponentRenderer

from dprelease.ui.bench.component import register
from dprelease.ui.words import say

NAME = "dprelease.drop"
PARTS = ("button", "sent", "ending", "failed")


def drop(label: str, types: Sequence[str], *, after: str | None, key: str) -> str | None:
    """Show the zone and return the id of a file that has arrived just now.

    `types`: endings of the names of files that are offered; `after`: a dataset whose layout the file is read by.
    """
    words = {part: say(f"drop_{part}", percent="{percent}") for part in PARTS}
    data = {"words": {**words, "label": label}, "types": list(types), "after": after}
    register(NAME)
    found: str | None = _declared()(data=data, key=key, on_arrived_change=lambda: None).arrived
    return found


@cache
def _declared() -> ComponentRenderer:
    return component(NAME, js="drop.js", css="drop.css")

"""The mounted component: JavaScript in files, which the page's policy lets in where it would refuse inline script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest
from streamlit.components.v2.types import ComponentRenderer

from dprelease.model.version import VERSION
from dprelease.ui.bench.events import Events, read
from dprelease.ui.words import WORDS
from dprelease.words.language import point

HERE = Path(__file__).parent
ASSETS = "assets"
MANIFEST = ComponentManifest("dprelease", VERSION, [ComponentConfig(name, ASSETS) for name in ("bench", "drop")])
NAME = "dprelease.bench"
EVENTS = ("look", "open", "view", "draw", "add", "edit", "duplicate", "remove", "move", "coarsen", "undo", "redo")
"""Events that the script sends, each once: `look` after each pause of the slider, `open` when a statistic is chosen."""
TURNS = count()
"""Counter that makes messages differ: Streamlit would give the script an earlier one again, which that has emptied."""


def bench(data: Mapping[str, Any], *, key: str, on_event: Callable[[Events], None] | None = None) -> Events:
    """Show the component and return what was done in it; `on_event` is told each event before the page runs again.

    Sent as bytes, for these the script can empty when others come or it is left; text would stay in the page's memory
    as long as Streamlit keeps it. Another key for each mode (true values, look-alike), so that nothing is taken over.
    """

    def told(event: str) -> None:
        """Report each event once: several that come together are each told by themselves, in their order."""
        if on_event is not None:
            on_event(read({event: (st.session_state.get(key) or {}).get(event)}))

    shown = {**data, "words": {**words(), **data.get("words", {})}, "number": data.get("number") or number_signs()}
    sent = json.dumps({**shown, "turn": next(TURNS)}, ensure_ascii=False, allow_nan=False, default=float).encode()
    callbacks: dict[str, Any] = {f"on_{event}_change": partial(told, event) for event in EVENTS}
    register(NAME)
    return read(_declared()(data=sent, key=key, **callbacks))


def register(name: str) -> None:
    """Name a component's files to Streamlit, on this runtime, whether installed or in a checkout.

    Streamlit itself looks for them in installed distributions only.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(name) is None:
        manager.register_from_manifest(MANIFEST, HERE)


@cache
def _declared() -> ComponentRenderer:
    return component(NAME, js="bench.js", css="bench.css")


THIN = "\N{NARROW NO-BREAK SPACE}"
IDS = (
    "bench_add",
    "bench_and",
    "bench_beside",
    "bench_beside_invented",
    "bench_cells",
    "bench_cells_short",
    "bench_coarsen",
    "bench_down",
    "bench_draw",
    "bench_duplicate",
    "bench_edit",
    "bench_empty",
    "bench_error",
    "bench_filter",
    "bench_first",
    "bench_gap",
    "bench_half",
    "bench_hundred",
    "bench_hundred_short",
    "bench_invented",
    "bench_invented_is",
    "bench_invented_value",
    "bench_keys",
    "bench_largest",
    "bench_largest_share",
    "bench_left",
    "bench_left_mark",
    "bench_loss",
    "bench_middle",
    "bench_most_often",
    "bench_nearest",
    "bench_none",
    "bench_not_usable",
    "bench_not_yet",
    "bench_of_draws",
    "bench_of_noisy",
    "bench_one_of",
    "bench_over_by",
    "bench_redo",
    "bench_release",
    "bench_remove",
    "bench_secret",
    "bench_sign",
    "bench_smallest",
    "bench_spent",
    "bench_statistics",
    "bench_summary",
    "bench_sure",
    "bench_too_noisy",
    "bench_total",
    "bench_true_is",
    "bench_true_value",
    "bench_true_understood",
    "bench_true_within",
    "bench_true_within_is",
    "bench_typical_error",
    "bench_undrawn",
    "bench_undo",
    "bench_up",
    "bench_upper",
    "bench_views",
    "bench_would_be",
    "bench_would_be_short",
)
"""Ids of the texts that the script shows, with places that it fills itself."""
COUNTED = ("bench_coarser", "bench_noisy", "bench_row", "bench_usable")
"""Ids of the texts that have a singular and a plural form."""


def words() -> dict[str, str | dict[str, str]]:
    """Return by id a text, or {one, other} if the text depends on a count."""
    counted = {each: {"one": WORDS.text(each, 1), "other": WORDS.text(each, 2)} for each in COUNTED}
    return {each: WORDS[each] for each in IDS} | counted


def number_signs() -> dict[str, str]:
    """Return the decimal sign, and the sign between thousands."""
    return {"decimal": point(), "group": THIN}

"""Mounts the component: JavaScript in files, which the page's policy lets in where it would refuse inline script."""

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
from dprelease.ui.bench.wording import number_signs, words

HERE = Path(__file__).parent
ASSETS = "assets"
MANIFEST = ComponentManifest("dprelease", VERSION, [ComponentConfig("bench", ASSETS)])
NAME = "dprelease.bench"
EVENTS = ("look", "open", "view", "draw", "add", "edit", "duplicate", "remove", "move", "undo", "redo")
"""What the script sends, each once: `look` after each pause of the slider, `open` when a statistic is chosen."""
TURNS = count()
"""No two messages are alike: Streamlit would give the script an earlier one again, which that has emptied."""


def bench(data: Mapping[str, Any], *, key: str, on_event: Callable[[Events], None] | None = None) -> Events:
    """Shows the component and returns what was done in it; `on_event` is told each event before the page runs again.

    Sent as bytes, for these the script can empty when others come or it is left; text would stay in the page's memory
    as long as Streamlit keeps it. Another key for each mode (true values, look-alike), so that nothing is taken over.
    """

    def told(event: str) -> None:
        """Called once for each event: several that come together are each told by themselves, in their order."""
        if on_event is not None:
            on_event(read({event: (st.session_state.get(key) or {}).get(event)}))

    shown = {**data, "words": {**words(), **data.get("words", {})}, "number": data.get("number") or number_signs()}
    sent = json.dumps({**shown, "turn": next(TURNS)}, ensure_ascii=False, allow_nan=False, default=float).encode()
    callbacks: dict[str, Any] = {f"on_{event}_change": partial(told, event) for event in EVENTS}
    return read(_renderer()(data=sent, key=key, **callbacks))


def _renderer() -> ComponentRenderer:
    """The mounting command, on this runtime: its files are named to Streamlit here, whether installed or in a checkout.

    Streamlit itself looks for them in installed distributions only.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(NAME) is None:
        manager.register_from_manifest(MANIFEST, HERE)
    return _declared()


@cache
def _declared() -> ComponentRenderer:
    return component(NAME, js="bench.js", css="bench.css")

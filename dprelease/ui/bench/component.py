"""Mounts the component: JavaScript in files, which the page's policy lets in where it would refuse inline script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest
from streamlit.components.v2.types import ComponentRenderer

from dprelease.model.version import VERSION
from dprelease.ui.bench.wording import number_signs, words

HERE = Path(__file__).parent
ASSETS = "assets"
MANIFEST = ComponentManifest("dprelease", VERSION, [ComponentConfig("bench", ASSETS)])
NAME = "dprelease.bench"
EVENTS = ("look", "open", "view", "draw", "add", "edit", "duplicate", "remove", "move", "undo", "redo")
"""What the script sends, each once: `look` after each pause of the slider, `open` when a statistic is chosen."""
TURNS = count()
"""No two messages are alike: Streamlit would give the script an earlier one again, which that has emptied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """What a person did since the last run; None where nothing."""

    look: Mapping[str, Any] | None = None
    """{epsilon, least, most, looks, view, statistic}: where the slider rests, and between which ε it was moved."""
    open: str | None = None
    view: str | None = None
    draw: int | None = None
    add: bool | None = None
    edit: str | None = None
    duplicate: str | None = None
    remove: str | None = None
    move: tuple[str, int] | None = None
    """Which statistic, and to which place."""
    undo: bool | None = None
    redo: bool | None = None

    @property
    def epsilon(self) -> float | None:
        """The ε at which the slider came to rest."""
        return None if self.look is None else float(self.look["epsilon"])


def bench(data: Mapping[str, Any], *, key: str, on_event: Callable[[Events], None] | None = None) -> Events:
    """Shows the component and returns what was done in it; `on_event` is told the same before the page runs again.

    Sent as bytes, for these the script can empty when others come or it is left; text would stay in the page's memory
    as long as Streamlit keeps it. Another key for each mode (true values, look-alike), so that nothing is taken over.
    """

    def told() -> None:
        if on_event is not None:
            on_event(_events(st.session_state.get(key) or {}))

    shown = {**data, "words": {**words(), **data.get("words", {})}, "number": data.get("number") or number_signs()}
    sent = json.dumps({**shown, "turn": next(TURNS)}, ensure_ascii=False, allow_nan=False, default=float).encode()
    callbacks: dict[str, Any] = {f"on_{event}_change": told for event in EVENTS}
    return _events(_renderer()(data=sent, key=key, **callbacks))


def _events(result: Mapping[str, Any]) -> Events:
    found = {event: result.get(event) for event in EVENTS}
    if found["move"] is not None:
        found["move"] = tuple(found["move"])
    return Events(**found)


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

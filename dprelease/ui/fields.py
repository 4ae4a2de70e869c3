"""Widgets that begin from what is kept elsewhere: their own state lives only as long as the page is open."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import streamlit as st

from dprelease.model.encoding import plain
from dprelease.model.report import as_decimal


def begin(key: str, initial: Any) -> str:
    """Seeds a widget's state the first time it is drawn."""
    if key not in st.session_state:
        st.session_state[key] = initial
    return key


def text(label: str, key: str, initial: str, **more: Any) -> str:
    return st.text_input(label, key=begin(key, initial), **more) or ""


def number(label: str, key: str, initial: float | int | None, **more: Any) -> Any:
    """A number, or None while the field is empty."""
    return st.number_input(label, key=begin(key, initial), value=None, **more)


def one_of(label: str, key: str, options: Sequence[Any], initial: Any, **more: Any) -> Any:
    """One of the options, or None. What is no longer among them is forgotten."""
    begin(key, initial)
    if st.session_state[key] not in options:
        st.session_state[key] = None
    return st.selectbox(label, options, key=key, index=None, **more)


def some_of(label: str, key: str, options: Sequence[Any], initial: Sequence[Any], **more: Any) -> list[Any]:
    """Some of the options, in the order they were chosen."""
    begin(key, list(initial))
    if any(item not in options for item in st.session_state[key]):
        st.session_state[key] = [item for item in st.session_state[key] if item in options]
    return st.multiselect(label, options, key=key, **more)


def items(label: str, key: str, initial: Sequence[Any], **more: Any) -> list[Any]:
    """Values apart by commas; numbers are read as numbers."""
    written = text(label, key, ", ".join(map(str, initial)), **more)
    return [number_or_text(item.strip()) for item in written.split(",") if item.strip()]


def number_or_text(item: str) -> int | float | str:
    """The number that a text writes, else the text."""
    found = as_decimal(item)
    return item if found is None else plain(found)


def exact(value: float | int | None) -> int | float | None:
    """A typed number as a plan file writes it."""
    found = None if value is None else as_decimal(value)
    return None if found is None else plain(found)


def flag(label: str, key: str, initial: bool, **more: Any) -> bool:
    """Yes or no."""
    return st.checkbox(label, key=begin(key, initial), **more)


def plain_number(value: Any) -> Any:
    """A number as a plan file writes it; anything else as it is."""
    return plain(value) if isinstance(value, Decimal) else value

"""Widgets that begin from what is kept elsewhere: their own state lives only as long as the page is open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import streamlit as st

from dprelease.errors import InputError, Problem
from dprelease.model.encoding import plain
from dprelease.model.privacy import decimal_text
from dprelease.model.report import as_decimal
from dprelease.ui.words import say
from dprelease.words import phrase
from dprelease.words.language import point

DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
ONE_COMMA = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


def begin(key: str, initial: Any) -> str:
    """Seed a widget's state the first time it is drawn."""
    if key not in st.session_state:
        st.session_state[key] = initial
    return key


def follow(key: str, value: Any) -> None:
    """Set what a widget shows. One that shows it already is let alone: it may have been moved on meanwhile."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def in_pairs(count: int) -> list[Any]:
    """Return places for so many fields, two a line."""
    return [place for _ in range(-(-count // 2)) for place in st.columns(2)][:count]


def text(label: str, key: str, initial: str, **more: Any) -> str:
    return st.text_input(label, key=begin(key, initial), **more) or ""


def number(label: str, key: str, initial: float | int | None, **more: Any) -> Any:
    """Ask for a number, or None while the field is empty."""
    return st.number_input(label, key=begin(key, initial), value=None, **more)


def one_of(label: str, key: str, options: Sequence[Any], initial: Any, **more: Any) -> Any:
    """Ask for one of the options, or None. What is no longer among them is forgotten."""
    begin(key, initial)
    if st.session_state[key] not in options:
        st.session_state[key] = None
    return st.selectbox(label, options, key=key, index=None, **more)


def some_of(label: str, key: str, options: Sequence[Any], initial: Sequence[Any], **more: Any) -> list[Any]:
    """Ask for some of the options, in the order they were chosen."""
    begin(key, list(initial))
    if any(item not in options for item in st.session_state[key]):
        st.session_state[key] = [item for item in st.session_state[key] if item in options]
    return st.multiselect(label, options, key=key, **more)


def items(label: str, key: str, initial: Sequence[Any], **more: Any) -> list[Any]:
    """Ask for values apart by commas; numbers are read as numbers."""
    written = text(label, key, ", ".join(map(str, initial)), **more)
    return [number_or_text(item.strip()) for item in written.split(",") if item.strip()]


def number_or_text(item: str) -> int | float | str:
    """Return the number that a text writes, else the text."""
    found = as_decimal(item)
    return item if found is None else plain(found)


def exact(value: float | int | None) -> int | float | None:
    """Return a typed number as a plan file writes it."""
    found = None if value is None else as_decimal(value)
    return None if found is None else plain(found)


def amount(written: str | None) -> str:
    """Return a typed number as text, with a decimal point. Raises InputError where it may be two numbers."""
    typed = (written or "").strip()
    if found := unclear(typed, say("number")):
        raise InputError.from_problems([found])
    return with_point(typed)


def with_point(typed: str) -> str:
    """Return a typed number with a decimal point: a comma is one, unless it may part thousands where points do not."""
    is_decimal = DECIMAL_COMMA.fullmatch(typed) and (point() == "," or not ONE_COMMA.fullmatch(typed))
    return typed.replace(",", ".") if is_decimal else typed


def decimal(typed: str) -> Decimal | None:
    """Return a typed number; a decimal comma counts in every language where it can be no comma between thousands."""
    text = typed.strip()
    if DECIMAL_COMMA.fullmatch(text) and (point() == "," or not GROUPED.fullmatch(text)):
        text = text.replace(",", ".")
    elif point() == "," and THOUSANDS.fullmatch(text):
        return None
    return as_decimal(text)


def meant(typed: str) -> str:
    """Return the number that something typed may have meant, as it would be typed; empty where nobody can tell."""
    digits = re.sub(r"[^0-9.,]", "", typed)
    found = as_decimal(digits.replace(",", ".", 1).replace(",", "")) if digits else None
    return "" if found is None else with_comma(decimal_text(found))


def with_comma(number: str) -> str:
    """Return a number as it would be typed in the language that is spoken."""
    return number.replace(".", point())


def unclear(typed: str, path: str) -> Problem | None:
    """Return the problem of 200.000 where there are decimal commas, and of 200,000 where there are points."""
    if point() == "," and THOUSANDS.fullmatch(typed):
        whole, part = typed.replace(".", ""), typed.replace(".", ",", 1).replace(".", "")
        remedy = phrase("ui.number_unclear", whole=whole, part=part)
    elif point() == "." and ONE_COMMA.fullmatch(typed):
        remedy = phrase("ui.number_unclear_point", whole=typed.replace(",", ""), part=typed.replace(",", "."))
    else:
        return None
    return Problem(path, typed, phrase("ui.number_clear"), remedy)


def flag(label: str, key: str, initial: bool, **more: Any) -> bool:
    """Ask for yes or no."""
    return st.checkbox(label, key=begin(key, initial), **more)


def plain_number(value: Any) -> Any:
    """Return a number as a plan file writes it; anything else as it is."""
    return plain(value) if isinstance(value, Decimal) else value

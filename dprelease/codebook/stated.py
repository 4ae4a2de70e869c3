"""Bounds and codes of a standard: numbers that a program wrote, and texts, by how the file says they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from dprelease.codebook.book import number_text
from dprelease.codebook.bounds import ExactText
from dprelease.model.number_form import NumberForm
from dprelease.model.separators import APOSTROPHES, MARKS, SPACES

NOTHING: Mapping[str, Any] = MappingProxyType({})
DECIMAL, GROUP = "decimalChar", "groupChar"
"""Names of the signs of numbers, in both Table Schema and CSVW."""


def stated(value: object, signs: Mapping[str, Any] = NOTHING) -> str:
    """A value as it stands in a cell. Exact where it is a number, or a text in which the file names the signs."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return ExactText(number_text(value))
    form = _form(signs)
    plain = None if form is None else form.canonical(value)
    return value.strip() if plain is None else ExactText(number_text(plain))


def stated_ends(
    rules: Mapping[str, Any], keys: Mapping[str, Sequence[str]], signs: Mapping[str, Any]
) -> dict[str, str]:
    """Return the bounds of a column. `keys`: the names of each end; one that is not in itself bounds all the same."""
    told = {end: [rules[key] for key in names if rules.get(key) is not None] for end, names in keys.items()}
    return {end: text for end, values in told.items() if values and (text := stated(values[0], signs))}


def _form(signs: Mapping[str, Any]) -> NumberForm | None:
    """Return the form of numbers, where a file states it."""
    decimal, group = signs.get(DECIMAL), signs.get(GROUP)
    if decimal not in (*MARKS, None) or group not in (*MARKS, *SPACES, *APOSTROPHES, None) or decimal == group:
        return None
    other = "," if group == "." else "."
    return NumberForm(decimal=decimal or other, thousands=() if group is None else (group,))

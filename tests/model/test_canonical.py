"""Canonical JSON and the JSON of files: the bytes that everything is hashed, signed and compared by."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from dprelease.model.encoding import canonical, pretty

pytestmark = pytest.mark.quick

ASCII = st.text(alphabet=st.characters(max_codepoint=127))
WORDS = ASCII | st.text(alphabet=st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | st.floats(1e-7, 1e22)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS, lambda each: st.lists(each) | st.dictionaries(WORDS, each)
)


@given(VALUES)
def test_canonical_json_is_that_of_the_reference(value: Any) -> None:
    """Also where Python's own writer is asked, because it writes such values the same, and faster."""
    try:
        expected = rfc8785.dumps(value)
    except rfc8785.CanonicalizationError:
        with pytest.raises(rfc8785.CanonicalizationError):
            canonical(value)
    else:
        assert canonical(value) == expected


@pytest.mark.parametrize("value", [1e-4, 1e-5, 0.1 + 0.2, 1e15, 1e16, 5e-324, 1.0, -0.0, 2**53, -(2**53), True, "\x7f"])
def test_canonical_numbers_and_texts_at_the_borders(value: Any) -> None:
    try:
        expected = rfc8785.dumps([value])
    except rfc8785.CanonicalizationError:
        expected = None
    if expected is None:
        with pytest.raises(rfc8785.CanonicalizationError):
            canonical([value])
    else:
        assert canonical([value]) == expected


@given(VALUES)
def test_json_for_people_is_pythons(value: Any) -> None:
    expected = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert pretty(value) == expected.encode()

"""What readers see: no hidden characters, and only digits that the noise supports."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from math import isclose

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dprelease.statements.display import THIN, estimate, factor, margin, shown, shown_key
from dprelease.words.phrases import visible


def number(text: str) -> Decimal:
    return Decimal(text.replace(THIN, "").replace("\N{MINUS SIGN}", "-"))


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ((1283.47, 1243.2, 1323.1), ("1 280", "1 240", "1 330")),
        ((1283, 1243, 1323), ("1 280", "1 240", "1 330")),
        ((11873, 11768, 11978), ("11 870", "11 760", "11 980")),
        ((-3, -9, 4), ("−3", "−9", "4")),
        ((0.1234567, 0.11, 0.13), ("0.123", "0.110", "0.130")),
        ((12, 12, 12), ("12", "12", "12")),
        ((37650, None, None), ("37 650", "", "")),
        ((1 / 3, None, None), ("0.3333333333", "", "")),
        ((None, None, None), ("", "", "")),
        (("north", None, None), ("north", "", "")),
    ],
)
def test_numbers_have_the_digits_that_their_noise_supports(cells: tuple[float, ...], texts: tuple[str, ...]) -> None:
    assert estimate(*cells) == tuple(text.replace(" ", THIN) for text in texts)


@given(st.floats(-1e15, 1e15), st.floats(1e-9, 1e12), st.floats(1e-9, 1e12))
def test_a_shown_interval_holds_the_exact_one(value: float, below: float, above: float) -> None:
    lower, upper = value - below, value + above
    assume(lower < value < upper)
    texts = [number(text) for text in estimate(value, lower, upper)]
    assert texts[1] <= Decimal(repr(lower))
    assert texts[2] >= Decimal(repr(upper))
    assert float(texts[2] - texts[1]) <= 1.6 * (upper - lower)
    assert abs(float(texts[0]) - value) <= 0.26 * (upper - lower)


@given(st.text())
def test_nothing_hides_in_shown_text(text: str) -> None:
    hidden = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not [character for character in visible(text) if unicodedata.category(character) in hidden]
    assert len(visible(text)) == len(text)
    assert not set(visible(text)) & set(
        "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
    )


def test_long_text_is_cut() -> None:
    assert visible("a" * 100, 10) == "a" * 9 + "…"


def test_years_and_other_small_keys_are_not_grouped() -> None:
    assert shown_key(2025) == "2025"
    assert shown_key(20250) == f"20{THIN}250"
    assert shown(2025) == f"2{THIN}025"


@given(st.floats(1e-6, 1e9))
def test_a_margin_is_rounded_up_to_two_digits(half: float) -> None:
    shown_margin = float(number(margin(half)))
    assert shown_margin >= half or isclose(shown_margin, half)
    assert shown_margin <= half * 1.11


@pytest.mark.parametrize(
    ("epsilon", "text"),
    [(0.1, "1.11"), (1, "2.72"), (3, "20.1"), (7, f"1{THIN}100"), (20, "4.86 × 10⁸"), (1_000_000, "3.04 × 10⁴³⁴²⁹⁴")],
)
def test_the_factor_of_the_promise_is_e_to_the_epsilon_rounded_up(epsilon: float, text: str) -> None:
    assert factor(epsilon) == text

"""Texts of pictures for the press: broken between words, never inside a number."""

from __future__ import annotations

import pytest

from dprelease.portal.press import lines

LONG = "The North has 1\u202f700 times as many visits as the West, which has the fewest of all regions by far, "


@pytest.mark.parametrize("across", range(200, 1500, 50))
def test_a_long_finding_is_cut_between_two_words_and_not_after_a_number(across: int) -> None:
    told = lines(LONG * 3 + "12\u202f345 – 67\u202f890", across, 46, 3)
    assert len(told) <= 3
    whole = set((LONG * 3).replace(",", "").split(" "))
    cut = told[-1].removesuffix(" …")
    if cut != told[-1]:
        assert not cut or cut.split(" ")[-1].strip(",") in whole
        assert not cut[-1:].isdigit()


def test_a_short_one_is_left_whole_and_a_word_of_two_hundred_letters_fits() -> None:
    assert lines("No group stands out.", 1500, 46, 3) == ["No group stands out."]
    told = lines("a" * 200, 1500, 46, 3)
    assert len(told) <= 4
    assert max(map(len, told)) * 46 * 0.56 <= 1560

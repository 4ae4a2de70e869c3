"""How a number is shown, and what is taken for it."""

from __future__ import annotations

from itertools import product

import pytest

from dprelease.charts.cells import bound, dressed, fits
from dprelease.model.grade import Grade
from dprelease.words.language import speaking


@pytest.mark.parametrize("scale", [1, 0.125])
def test_what_is_not_told_apart_from_none_fits_however_far_below_it_lies(scale: float) -> None:
    """Also where the interval ends below 0: what there is at most is then further away than that end."""
    with speaking("en"):
        for value, half in product(range(-90, 30), range(1, 60)):
            if value - half > 0:
                continue
            numbers = (
                [value, value - half, value + half]
                if scale == 1
                else [scale * n for n in (value, value - half, value + half)]
            )
            cells = dict(zip(("value", "lower95", "upper95"), numbers, strict=True))
            text = dressed(bound(*numbers), Grade.NONE)
            assert fits(text, "value", cells, (), Grade.NONE), cells
            assert not fits(text.replace("at most ", "at most 9"), "value", cells, (), Grade.NONE), cells

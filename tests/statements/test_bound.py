"""How a number is shown that is not told apart from none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from dprelease.model.grade import at_most
from dprelease.statements.number import bound
from dprelease.words.language import speaking


@pytest.mark.parametrize("scale", [1, 0.125])
def test_what_there_is_at_most_is_rounded_up(scale: float) -> None:
    """Also where the interval ends below 0: what there is at most is then further away than that end."""
    with speaking("en"):
        for value, half in product(range(-90, 30), range(1, 60)):
            if value - half > 0:
                continue
            whole = (value, value - half, value + half)
            numbers: Sequence[float] = whole if scale == 1 else [scale * number for number in whole]
            text = bound(*numbers)
            most = at_most(*numbers)
            reach = (most - numbers[1]) / 2
            assert most <= float(text) < most + max(reach / 2, 1 if scale == 1 else 0) * (1 + 1e-9), numbers

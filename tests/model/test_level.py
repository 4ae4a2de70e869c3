"""Bands of an integer column begin at multiples of their width, wherever the declared range begins."""

from __future__ import annotations

import pytest

from dprelease.model.level import band_starts
from dprelease.model.schema import Schema

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("lower", range(-6, 7))
@pytest.mark.parametrize("width", [1, 5])
def test_bands_begin_at_multiples_of_their_width(lower: int, width: int) -> None:
    declared = {"type": "integer", "lower": lower, "upper": lower + 17, "levels": {"band": {"width": width}}}
    column = Schema.parse({"age": declared})["age"]
    starts = [lower + code for code in band_starts(column.levels[0], column.lattice)]
    assert starts == [age for age in range(lower, lower + 18) if age == lower or age % width == 0]

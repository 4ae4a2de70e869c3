"""A sample of a crossing has each value of its short parameters, and is the same each time."""

from __future__ import annotations

from itertools import product

import pytest

from tests.tries import sampled

pytestmark = pytest.mark.quick

KINDS, ENGINES, LANGUAGES = "abcdefg", ("duckdb", "postgresql", "spark"), ("en", "es")
CROSSING = [
    {"kind": kind, "engine": engine, "language": language}
    for kind, engine, language in product(KINDS, ENGINES, LANGUAGES)
]


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_each_value_is_tried(n: int) -> None:
    tried = sampled(CROSSING, n)
    assert tried == sampled(CROSSING, n)
    assert set(range(0, len(CROSSING), n)) <= tried
    assert len(tried) < len(CROSSING) / n + len(KINDS) + len(ENGINES) + len(LANGUAGES)
    for name, values in (("kind", KINDS), ("engine", ENGINES), ("language", LANGUAGES)):
        assert {CROSSING[place][name] for place in tried} == set(values)


def test_a_list_without_a_crossing_is_thinned_alone() -> None:
    assert sampled([{"seed": seed} for seed in range(30)], 10) == {0, 10, 20}
    assert sampled([], 3) == set()

"""How much the runs beside the full one try: an eighth of the examples of a property, and a sample of a crossing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import settings

ALL, SOME = 100, 12
"""The two values of `max_examples` that `tests/conftest.py` chooses between; a property without settings has either."""


def tries(full: int) -> int:
    """Return the number of examples of a property that the full run tries `full` times."""
    return max(1, full * settings.default.max_examples // ALL)


def sampled(cases: Sequence[Mapping[str, object]], n: int) -> set[int]:
    """Return which cases of a crossing are tried, by their places: the first of each n, and each value once.

    A value (a kind, an engine, a language) that none of those has is tried in the first case that has it, where its
    parameter takes no more values than cases are tried anyway. The same cases give the same sample.
    """
    tried = set(range(0, len(cases), n))
    for name in cases[0] if cases else ():
        values = [str(case.get(name)) for case in cases]
        if len(set(values)) <= len(range(0, len(cases), n)):
            for value in set(values) - {values[place] for place in tried}:
                tried.add(values.index(value))
    return tried

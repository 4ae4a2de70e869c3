"""How many examples Hypothesis tries of a property: all in the full run, a quarter of them in the others."""

from __future__ import annotations

from hypothesis import settings

ALL, SOME = 100, 25
"""The two values of `max_examples` that `tests/conftest.py` chooses between; a property without settings has either."""


def tries(full: int) -> int:
    """Return the number of examples of a property that the full run tries `full` times."""
    return max(1, full * settings.default.max_examples // ALL)

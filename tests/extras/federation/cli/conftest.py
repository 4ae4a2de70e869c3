"""What the tests of the terminal prepare, for those of this room."""

from __future__ import annotations

from tests.cli.conftest import (
    empty,
    stocked,
    team,
    terminal,
)

__all__ = [
    "empty",
    "stocked",
    "team",
    "terminal",
]

"""Steps of long work, as whoever looks on is told of them: never a number of rows, and never how fast they are read."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

heard: ContextVar[Callable[[str], None]] = ContextVar("heard", default=lambda step: None)
"""Listener of who runs the work: the terminal has one."""


def reach(step: str) -> None:
    """Tell that a step begins."""
    heard.get()(step)

"""What an error says of what somebody wrote: made visible, for it is read in a terminal."""

from __future__ import annotations

from dprelease.errors import Problem
from dprelease.words import verbatim


def test_signs_that_a_terminal_obeys_are_not_repeated() -> None:
    shown = str(Problem("columns.\x1b[31mage\u202e", "a", verbatim("b")))
    assert "\x1b" not in shown
    assert "\u202e" not in shown

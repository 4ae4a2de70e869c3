"""Attacks on what was published: a score for each target, above 0 where they take it to be there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

HALF = 0.5


def counted(count: Any, others: float) -> Any:
    """A count, less everybody else who is known to be in it."""
    return np.asarray(count, dtype=np.float64) - others - HALF


def differenced(whole: Any, without: Any) -> Any:
    """Everybody, less everybody but the target."""
    return counted(whole, 0) - without


def padded(whole: Any, part: Any, rest: Any) -> Any:
    """Everybody less a part, and the rest, which is the same people: a tracker asks for a few by asking for many."""
    return (np.asarray(whole, dtype=np.float64) - part + rest) / 2 - HALF


def averaged(answers: Sequence[Any], others: float) -> Any:
    """The mean of all answers to one question."""
    return counted(np.mean(np.asarray(answers, dtype=np.float64), axis=0), others)


def weighed(moved: Iterable[Any]) -> Any:
    """All that was published, each as a multiple of what the target moves it by, none of them with much weight."""
    return np.sum([np.clip(np.asarray(each, dtype=np.float64) - HALF, -3, 3) for each in moved], axis=0)

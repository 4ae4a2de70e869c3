"""The codes of an ordered column: whole numbers in steps of its resolution."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

MAX_STEPS = 2**31 - 2
"""The finest lattice: codes stay below 2^31, so that a product of two fits 62 bits."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """The declared values of an ordered column: lower, lower + resolution, ..., upper, with codes 0..steps."""

    start: int
    """lower / resolution"""
    steps: int
    """K = (upper - lower) / resolution; the largest code"""
    resolution: Decimal
    """Step in the column's own units; a day for dates."""

"""Office that publishes: its name at the head of every public page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Office:
    """Office as its pages name it."""

    name: str

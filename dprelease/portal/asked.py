"""What a visitor asks of a table to compare, as an address says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dprelease.portal.compare import LEVELS, USUAL, WAYS


@dataclass(frozen=True, slots=True)
class Asked:
    """Which cells, in which way, at which level."""

    way: str = WAYS[0]
    first: int = 0
    second: int = 1
    level: float = USUAL

    @classmethod
    def of(cls, query: Mapping[str, str], cells: int) -> Asked:
        """From an address; what it cannot be is left as it usually is."""

        def place(name: str, usual: int) -> int:
            text = query.get(name, "")
            return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 and int(text) < cells else usual

        level = next((each for each in LEVELS if query.get("level") == f"{each:.0%}".rstrip("%")), USUAL)
        way = query.get("way", "")
        return cls(way if way in WAYS else WAYS[0], place("first", 0), place("second", min(1, cells - 1)), level)

"""Tables of equal tallies whose cells differ: unreadable, outside the bounds, ambiguous ones.

assert rows(0) != rows(7)
"""

from __future__ import annotations

import csv
import io
from random import Random
from typing import Any

COLUMNS: dict[str, Any] = {
    "pay": {"type": "number", "lower": 0, "upper": 200, "resolution": 1},
    "region": {"type": "category", "categories": ["North", "South"]},
    "day": {"type": "date", "lower": "2020-01-01", "upper": "2020-12-31"},
    "works": {"type": "boolean"},
}
ALIKE: dict[str, list[list[str | None]]] = {
    "pay": [
        ["about 99", None, "", " ", "48.411,71 €", "16,0 %", "1.000.000", "1,5", "(3)", "k. A.", "2020-01-01", "1 2"],
        ["40000", "50000", "201", "1e300", "inf", "200.6"],
        ["-1", "-300", "-inf", "-0.6"],
        ["1.000", "1", "1.0", " 1 ", "1e0"],
        ["200", "200.000", "2e2"],
        ["100"],
    ],
    "region": [["NORTH", "north ", "N.", "", None, "Norte", "North,South"], ["North"], ["South"]],
    "day": [
        ["01/02/2020", "2020/03/04", "31.12.2020", "2020-02-30", "Mai 2020", "20200101", None, "43721"],
        ["2021-01-01", "9999-12-31", "2031-05-05"],
        ["2019-12-31", "0001-01-01"],
        ["2020-03-04", " 2020-03-04", "2020-03-04T23:59:00Z"],
    ],
    "works": [["J", "Ja", "x", "2", "maybe", None], ["yes", "TRUE", "1", "t"], ["no", "0", "False", "f"]],
}
"""By column, cells that are read as one value, or as none."""
WRITTEN: dict[str, Any] = {
    "decimal": ".",
    "dates": "ymd",
    "yes": ["yes", "true", "1", "t"],
    "no": ["no", "0", "false", "f"],
}
"""What is answered where cells are not looked at: the same for all of these tables."""
ROWS = 48


def rows(seed: int) -> list[tuple[str | None, ...]]:
    """A table: of each row the same values as in any other, each written as this seed has it."""
    kinds, draw = Random("kinds"), Random(seed)
    return [tuple(draw.choice(kinds.choice(alike)) for alike in ALIKE.values()) for _ in range(ROWS)]


def text(seed: int) -> str:
    """The same as a file with commas."""
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([list(COLUMNS), *rows(seed)])
    return target.getvalue()

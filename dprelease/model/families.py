"""Which tables a family of tables has, and how each is called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

KIND = "workload"
USUAL_ORDER = 2
LONGEST = 50
"""Letters of a table's name."""


def tables(
    columns: Sequence[str], order: int | None = None, listed: Sequence[Sequence[str]] = ()
) -> Mapping[str, tuple[str, ...]]:
    """The columns of each table, by its name: those listed, or all over up to `order` columns. In the columns' order.

    Names are letters, digits and _, begin with a letter, and are made different by numbers.
    """
    found: dict[str, tuple[str, ...]] = {}
    for own in listed or _up_to(columns, order or USUAL_ORDER):
        chosen = tuple(name for name in columns if name in own)
        text = re.sub(r"[^a-z0-9]+", "_", "_".join(chosen).lower()).strip("_")
        name = base = (text if text[:1].isalpha() else f"t_{text}")[:LONGEST].strip("_")
        number = 1
        while name in found:
            number += 1
            name = f"{base}_{number}"
        found[name] = chosen
    return found


def of_table(asked: Mapping[str, Any], part: str) -> dict[str, Any]:
    """The options of a statistic, as in a plan, for one table of it: of a family the columns are the table's own."""
    if asked["kind"] != KIND or not part:
        return dict(asked)
    own = tables(asked["columns"], asked.get("order"), asked.get("tables", ())).get(part)
    return dict(asked) if own is None else {**asked, "columns": list(own)}


def _up_to(columns: Sequence[str], order: int) -> list[tuple[str, ...]]:
    lengths = range(1, min(order, len(columns)) + 1)
    return [chosen for length in lengths for chosen in combinations(columns, length)]

"""Tables of a family of tables, and their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

KIND, ROWS = "workload", "synthetic"
CHOSEN = ("mwem", "pmw", "dual_query")
"""Methods of rows for which is chosen what those made so far lack: of how far they are off a bound is told."""
USUAL_ORDER = 2
"""Default maximum number of columns of a table, where a plan does not say."""
REPORT = "report"
"""The table that tells how far rows are off that are nobody's."""
LONGEST = 50
"""Maximum length of a table's name."""


def tables(
    columns: Sequence[str], order: int | None = None, listed: Sequence[Sequence[str]] = ()
) -> Mapping[str, tuple[str, ...]]:
    """Return each table's columns, by its name: those listed, or all over up to `order` columns, in the columns' order.

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


def report(columns: Sequence[str], order: int) -> str:
    """Return the name of the table that states how far rows are off: another name than any measured table has."""
    taken, number = tables(columns, order), 1
    while (name := REPORT if number == 1 else f"{REPORT}_{number}") in taken:
        number += 1
    return name


def parts(asked: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options, as in a plan, of each table of a statistic, by name; in a family each has its own columns."""
    kind = asked["kind"]
    if kind not in (KIND, ROWS):
        return {}
    order = asked.get("order") or USUAL_ORDER
    named = tables(asked["columns"], order, asked.get("tables", ()))
    found = {name: {**asked, "columns": list(columns)} for name, columns in named.items()}
    if kind == ROWS:
        chosen = {"method": asked["method"]} if asked.get("method") in CHOSEN else {}
        found[report(asked["columns"], order)] = {"id": asked["id"], "kind": f"{ROWS}_{REPORT}", **chosen}
    return found


def of_table(asked: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Return the options of a statistic, as in a plan, for one table of it."""
    return dict(parts(asked).get(part, asked)) if part else dict(asked)


def _up_to(columns: Sequence[str], order: int) -> list[tuple[str, ...]]:
    lengths = range(1, min(order, len(columns)) + 1)
    return [chosen for length in lengths for chosen in combinations(columns, length)]

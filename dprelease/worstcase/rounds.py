"""Synthetic rows by rounds: what each is given, and what one row can add to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import prod

from dprelease.worstcase import reach
from dprelease.worstcase.asked import Asked, Measured
from dprelease.worstcase.reach import Row

METHODS = ("mwem", "pmw", "dual_query")
USUAL_ORDER = 2
ROUNDS, DRAWN = 30, 50
"""Of dual_query: usual rounds, and cells that are drawn in each."""


def synthetic(asked: Asked) -> Iterator[Measured]:
    """With `mwem` and `pmw` each column by itself, then in turns scores of all wider tables, and one of them.

    A score is a sum of absolute differences to other numbers. A row changes the difference in its cell by 1, up or
    down: up in one table and down in another one. With `pmw` they are asked about in order.
    With `dual_query` cells of all tables are drawn, fifty at once: in round t a row adds t to its cell of each table.
    """
    bins, names = asked.options.get("bins", {}), asked.options["columns"]
    cells = [min(asked.many(name), bins.get(name, asked.many(name))) for name in names]
    order = min(int(asked.options.get("order") or USUAL_ORDER), len(names))
    wider = [prod(own) for length in range(2, order + 1) for own in combinations(cells, length)]
    rows: list[Row]
    for many in cells:
        yield asked.cells((many,))
    if asked.options["method"] == "dual_query":
        for turn in range(1, int(asked.options.get("rounds") or ROUNDS) + 1):
            rows = [{(one, cell): turn for one in range(DRAWN)} for cell in (0, 1)]
            among = sum(cells) + sum(wider)
            yield Measured("scores", (DRAWN, among), reach.of_scores(rows, asked.world, among))
        return
    sides = list(product((0, 1), repeat=2))
    signs: list[Row] = [{(0, table, side): way * (1 - 2 * side) for table, side in sides} for way in (1, -1)]
    for _ in range(int(asked.options.get("rounds") or min(2 * len(names), -(-len(wider) // 2)))):
        if asked.options["method"] == "mwem":
            yield Measured("scores", (1, len(wider)), reach.of_scores(signs, asked.world, len(wider)))
        else:
            some = range(min(2, len(wider)))
            rows = [{(table,): way * (1 - 2 * table) for table in some} for way in (1, -1)]
            yield Measured("questions", (len(wider),), reach.of_questions(rows, asked.world))
        yield asked.cells((max(wider),))

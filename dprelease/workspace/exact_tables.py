"""Disclosure by the plan's tables if they were published exactly with small cells hidden, as is customary.

Of true values that somebody looks at: for the same eyes, and kept nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprelease.adversaries.suppression import Suppressed, hidden, hidden_cells
from dprelease.model.presentation import Presentation, Quantity, Trait, ValueKind
from dprelease.model.release import Estimates

RULES: Mapping[str, Suppressed] = {
    "suppressed-5": Suppressed(5),
    "complementary-5": Suppressed(5, complementary=True),
    "suppressed-10": Suppressed(10),
}
"""Customary rules, by what the lab calls them."""
MAX_HIDDEN = 300
"""Most hidden cells of a table; with more, the ends of each take too long, and the table is left out."""
MAX_CELLS = 20_000


@dataclass(frozen=True, slots=True)
class GivenAway:
    """A table under one rule, all its totals being shown, to somebody who knows the rule. The repr shows no count."""

    table: str
    rule: str
    hidden: int
    """Cells that are hidden for being small."""
    found: int
    """Hidden small cells that the totals tell exactly."""
    near: int
    """Hidden small cells that the totals tell exactly or to within 1."""

    def __repr__(self) -> str:
        return f"GivenAway({self.table!r}, {self.rule!r})"


def counts_of(table: Estimates, presentation: Presentation) -> NDArray[np.int64] | None:
    """Return the counts of a table of rows or units by cell, without its totals; None of any other table."""
    counted = presentation.measure in (Quantity.RECORDS, Quantity.UNITS) and presentation.values is ValueKind.NOISY
    inner = table.without_totals() if any(table.totals) else table
    if not (counted and presentation.has(Trait.ADDITIVE) and inner.axes and 0 < len(inner) <= MAX_CELLS):
        return None
    if not all(isinstance(value, int) and value >= 0 for value in inner.value):
        return None
    return np.array(inner.value, dtype=np.int64).reshape([len(axis.cells) for axis in inner.axes])


def given_away(name: str, counts: NDArray[np.int64]) -> Iterator[GivenAway]:
    """Yield the count of cells that each rule hides, and of those that the totals tell; unless too many are hidden.

    Of two columns `found` and `near` are all that the totals tell; of one or more than two, what taking away tells, and
    so the least.
    """
    for rule, defence in RULES.items():
        if hidden(counts, defence).sum() <= MAX_HIDDEN:
            small = [cell for cell in hidden_cells(counts, defence) if cell.primary]
            near = sum(max(each.truth - each.least, each.most - each.truth) <= 1 for each in small)
            yield GivenAway(name, rule, len(small), sum(each.exact for each in small), near)

"""What a plan derives of its counts, looked at before anything is charged: by its declared keys alone."""

from __future__ import annotations

from collections.abc import Sequence

from dprelease.model.plan import Plan
from dprelease.model.release import TOTAL, Axis, Cell
from dprelease.model.report import Report
from dprelease.statistics.counted import CountTable
from dprelease.statistics.tabulated import Tabulated
from dprelease.words import phrase


def check_derived(plan: Plan, statistics: Sequence[Tabulated], report: Report) -> None:
    """Adds problems of rates: of what are no plain counts, and of public figures with other keys."""
    asked, public = {each.id: each for each in statistics}, {each.name: each for each in plan.public}
    for place, derived in enumerate(plan.derived):
        statistic, path = asked[derived.of], f"derived[{place}].of"
        if not is_countable(plan, statistic):
            report.add(path, found=derived.of, allowed=phrase("statistics.derived_of_plain_counts"))
        else:
            axes = [_codes(axis) for axis in statistic.axes(plan.schema)]
            public[derived.per].check_beside(axes, f"public.{derived.per}", report)
    unused = public.keys() - {each.per for each in plan.derived}
    for name in sorted(unused):
        found, remedy = phrase("statistics.public_unused"), phrase("statistics.public_divide_or_leave_out")
        report.add(f"public.{name}", found=found, allowed=phrase("statistics.public_used"), remedy=remedy)


def is_countable(plan: Plan, statistic: Tabulated) -> bool:
    """Tells whether a statistic is one of plain counts by declared keys."""
    weighted = getattr(statistic, "survey_weights", None) is not None
    counts = isinstance(statistic, CountTable) and not weighted and not statistic.discovers(plan.schema)
    return counts and bool(statistic.axes(plan.schema))


def _codes(axis: Axis) -> tuple[str, list[str]]:
    """A key by the first of its columns, and its codes as they stand in the table's file, without the total."""
    return axis.names[0], [code_of(cell[0]) for cell in axis.cells if cell[0] != TOTAL]


def code_of(cell: Cell) -> str:
    """A key's entry as it stands in a file."""
    return "" if cell is None else cell if isinstance(cell, str) else repr(cell)

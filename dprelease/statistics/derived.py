"""Numbers that a plan derives of its counts, checked before anything is charged: by its declared keys alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from dprelease.model.column import ORDERED
from dprelease.model.derived import Compared, Standard
from dprelease.model.plan import Plan
from dprelease.model.public import MAX_NAMED
from dprelease.model.release import TOTAL, Axis
from dprelease.model.report import Report
from dprelease.model.standard import code_of
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.words import phrase

MAX_WORKED_OUT = 2000
"""Rows of a table of standardised rates, indices or changes: the interval of each is worked out by itself."""


def check_derived(plan: Plan, statistics: Sequence[TallyStatistic], report: Report) -> None:
    """Add problems of what is derived: of no plain counts, of public figures with other keys, along no key."""
    asked, public = {each.id: each for each in statistics}, {each.name: each for each in plan.public}
    for place, derived in enumerate(plan.derived):
        statistic, path = asked[derived.of], f"derived[{place}].of"
        if not is_countable(plan, statistic):
            report.add(path, found=derived.of, allowed=phrase("statistics.derived_of_plain_counts"))
            continue
        if isinstance(derived, Compared):
            _check_compared(plan, derived, statistic, f"derived[{place}]", report)
            continue
        axes = [_codes(axis) for axis in statistic.axes(plan.schema)]
        public[derived.per].check_beside(axes, f"public.{derived.per}", report)
        if derived.standardise is not None:
            others = (axis for axis in statistic.axes(plan.schema) if axis.names[0] != derived.standardise.over)
            rows = prod(len(axis.cells) for axis in others)
            _check_standard(plan, derived.standardise, dict(axes), rows, f"derived[{place}].standardise", report)
    unused = public.keys() - {name for each in plan.derived for name in each.figures}
    for name in sorted(unused):
        found, remedy = phrase("statistics.public_unused"), phrase("statistics.public_divide_or_leave_out")
        report.add(f"public.{name}", found=found, allowed=phrase("statistics.public_used"), remedy=remedy)


def _check_standard(
    plan: Plan, standard: Standard, axes: Mapping[str, Sequence[str]], rows: int, path: str, report: Report
) -> None:
    """Add problems of rates that cannot be weighted by a standard population. `axes`: the keys with their codes."""
    if report.choice(standard.over, f"{path}.over", axes) is None:
        return
    if plan.postprocess:
        remedy = phrase("statistics.standard_or_postprocess")
        allowed = phrase("statistics.standard_of_noisy")
        report.add(path, found=", ".join(plan.postprocess), allowed=allowed, remedy=remedy)
    if rows > MAX_WORKED_OUT:
        allowed = phrase("model.at_most", max_text=MAX_WORKED_OUT)
        report.add(path, found=phrase("statistics.standard_rows", rows=rows), allowed=allowed)
    weights, before = {each.name: each for each in plan.public}[standard.weights], len(report.problems)
    place, codes = f"public.{standard.weights}", axes[standard.over]
    weights.check_beside([(standard.over, codes)], place, report)
    if len(report.problems) > before:
        return
    missing = [code for code in codes if weights.numbers.get((code,)) is None]
    if missing:
        found = phrase("statistics.standard_without", codes=", ".join(missing[:MAX_NAMED]))
        remedy = phrase("statistics.standard_write_0")
        report.add(f"{place}.content", found=found, allowed=phrase("statistics.standard_each"), remedy=remedy)
    elif not any(weights.numbers.values()):
        found = phrase("statistics.standard_all_0")
        report.add(f"{place}.content", found=found, allowed=phrase("statistics.standard_some"))


def _check_compared(plan: Plan, asked: Compared, statistic: TallyStatistic, path: str, report: Report) -> None:
    """Add problems of counts that cannot be compared along a key. `statistic`: countable."""
    assert counts_rows(statistic)
    axes = {axis.names[0]: axis for axis in statistic.axes(plan.schema)}
    if plan.postprocess:
        allowed, remedy = phrase("statistics.compared_of_noisy"), phrase("statistics.compared_or_postprocess")
        report.add(path, found=", ".join(plan.postprocess), allowed=allowed, remedy=remedy)
    if getattr(statistic, "margins", False):
        found, remedy = phrase("statistics.compared_totals"), phrase("statistics.compared_without_totals")
        report.add(f"{path}.of", found=found, allowed=phrase("statistics.compared_cells"), remedy=remedy)
        return
    rows = prod(len(axis.cells) for axis in axes.values())
    if rows > MAX_WORKED_OUT:
        allowed = phrase("model.at_most", max_text=MAX_WORKED_OUT)
        report.add(path, found=phrase("statistics.compared_rows", rows=rows), allowed=allowed)
    if report.choice(asked.over, f"{path}.over", axes) is None:
        return
    axis = axes[asked.over]
    codes = [code_of(cell[0]) for cell in axis.cells]
    if asked.base is not None:
        if report.choice(asked.base, f"{path}.base", codes) is not None and axis.is_cut(codes.index(asked.base)):
            found, remedy = phrase("statistics.compared_cut", base=asked.base), phrase("statistics.compared_whole_base")
            report.add(f"{path}.base", found=found, allowed=phrase("statistics.compared_whole"), remedy=remedy)
        return
    key = statistic.keys(plan.schema)[[*axes].index(asked.over)]
    if plan.schema[key.column].type not in ORDERED or not key.in_order:
        found, remedy = phrase("statistics.compared_unordered", over=asked.over), phrase("statistics.compared_use_base")
        report.add(f"{path}.over", found=found, allowed=phrase("statistics.compared_ordered"), remedy=remedy)
    elif asked.lag is not None and asked.lag >= len(codes):
        report.add(f"{path}.lag", found=asked.lag, allowed=phrase("statistics.compared_lag", most=len(codes) - 1))


def is_countable(plan: Plan, statistic: TallyStatistic) -> bool:
    """Return True if a statistic is one of plain counts by declared keys."""
    weighted = getattr(statistic, "survey_weights", None) is not None
    counts = counts_rows(statistic) and not weighted and not statistic.discovers(plan.schema)
    return counts and bool(statistic.axes(plan.schema))


def _codes(axis: Axis) -> tuple[str, list[str]]:
    """Return a key by the first of its columns, and its codes as they stand in the table's file, without the total."""
    return axis.names[0], [code_of(cell[0]) for cell in axis.cells if cell[0] != TOTAL]

"""A submitted plan in the words of a terminal: all of it, the filter first, so that nothing is approved unseen."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dprelease.model.privacy import NANO, decimal_text
from dprelease.words import Figure, phrase, verbatim

if TYPE_CHECKING:
    from dprelease.workspace.review import ReviewedPlan

FEW_LOOKS = 5
"""Maximum number of them that are named, the last ones; a finding counts all of them."""
FEW_CATEGORIES = 12
"""Maximum number of a column's categories that are named; the others are counted."""


def planned(reviewed: ReviewedPlan) -> Iterator[str]:
    """Yield the lines: which rows, what is asked of them, the columns as declared, criteria, texts."""
    from dprelease.bundle.guarantee import rows_used
    from dprelease.model.yaml_text import one_line
    from dprelease.statements.question import StatisticLabel

    plan = reviewed.plan
    mapping = plan.to_mapping()
    yield str(phrase("cli.plan_filter", filter=verbatim(rows_used(mapping) or str(phrase("cli.plan_all_rows")))))
    if plan.expected is not None:
        yield str(phrase("cli.plan_expects_filtered" if plan.where else "cli.plan_expects", rows=plan.expected.rows))
    yield str(phrase("cli.plan_asks"))
    for item in reviewed.price.statistics:
        asked, unit = item.statistic.to_mapping(), reviewed.population.unit
        question = StatisticLabel.asked(asked, item.statistic.presented, plan.schema, unit).text
        options = {key: value for key, value in asked.items() if key not in ("id", "share")}
        yield f"  {item.id}: {question} {one_line(options)}"
    if names := plan.schema.with_inputs(plan.used_columns()):
        yield str(phrase("cli.plan_columns"))
        yield from (f"  {name}: {one_line(_short(plan.schema[name].to_mapping()))}" for name in names)
    for key in ("derived", "accept", "postprocess"):
        if mapping.get(key):
            yield str(phrase(f"cli.plan_{key}"))
            yield from (f"  {one_line(each)}" for each in mapping[key])
    if plan.description:
        yield str(phrase("cli.plan_described", text=verbatim(plan.description)))


def errors_when_filtered(reviewed: ReviewedPlan) -> Iterator[str]:
    """Yield which rows the errors are for, and what they are where the filter has yet to leave fewer."""
    from dprelease.statements.display import margin

    if (found := reviewed.filtered) is not None:
        errors = tuple(
            phrase("cli.plan_error_filtered", name=name, error=Figure(margin(error)))
            for name, error in found.errors.items()
        )
        yield str(phrase("cli.plan_filtered", rows=found.rows, left=found.left, errors=errors))


def looks(reviewed: ReviewedPlan) -> Iterator[str]:
    """Yield the looks at true values of the plan before it was submitted: who, when, at which ε."""
    if not reviewed.looks:
        yield str(phrase("cli.plan_no_looks"))
    for look in reviewed.looks[-FEW_LOOKS:]:
        name, on, title = verbatim(look.actor), verbatim(look.at[:10]), verbatim(look.title)
        if not look.title:
            yield str(phrase("cli.plan_look_elsewhere", name=name, on=on))
            continue
        low, high = (decimal_text(Decimal(nano or 0) / NANO) for nano in (look.least_nano, look.most_nano))
        tried = Figure(low if low == high else f"{low} – {high}")
        yield str(phrase("cli.plan_look", name=name, on=on, title=title, epsilons=tried))


def _short(column: dict[str, Any]) -> dict[str, Any]:
    """Return a declaration with the first of its categories, and how many there are."""
    named = column.get("categories")
    if not isinstance(named, list) or len(named) <= FEW_CATEGORIES:
        return column
    more = str(phrase("cli.plan_more_categories", count=len(named) - FEW_CATEGORIES))
    return {**column, "categories": [*named[:FEW_CATEGORIES], more]}

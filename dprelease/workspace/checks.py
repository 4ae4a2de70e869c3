"""Checks of every plan before it is decided: of the plan, its price and the ledger alone, never of rows."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

from dprelease.model.column import LISTED, Column, ColumnType
from dprelease.model.forbidden import forbidden
from dprelease.model.missing import told as codes_told
from dprelease.model.plan import Plan
from dprelease.model.policy import PlanCheck, Policy
from dprelease.model.population import Dataset, Population
from dprelease.model.presentation import Quantity, Trait
from dprelease.model.privacy import ATTO, NANO, decimal_text, significant
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.store.account import Account
from dprelease.workspace import model_checks, narrow
from dprelease.workspace.looks_before import PARTS, LookBefore
from dprelease.workspace.model_checks import PublishedBounds
from dprelease.workspace.narrow import Near

IDENTIFIER = re.compile(
    r"(^|[_\W])(p?ids?|nr|no|num|number|uuid|guid|ssn|nhs|mrn|dni|nif|nie|passport|e?mail|phone|tel|name|surname|nombre|"
    r"apellidos?|address|direccion|iban)($|[_\W])",
    re.IGNORECASE,
)
"""Names of columns that often tell who somebody is."""
MANY_CATEGORIES = 1000
FEW_CATEGORIES = 10
"""Beyond, as many categories as a tenth of the population tell people apart."""
FEW_CODES = FEW_NAMES = 10
"""Most codes, or names, that a finding lists."""
MAX_TRIED = 6
"""ε that a finding names, the last ones."""
UNKNOWN = Fraction(1, 1000)
"""Share of the declared possibilities below which a filter is narrow though no number of rows is stated."""
ROUND_DIGITS = 2
YEARS = range(1800, 2201)
KNOWN = frozenset(map(Decimal, ("23", "365", "366", "999", "1440", "3600", "86400")))
"""Numbers that are bounds of something, though they are not round."""
NUMBER = re.compile(r"\d{1,20}")


class Severity(StrEnum):
    """Severity of a finding: `refused` ends it, `serious` wants an answer, a `notice` wants a look."""

    NOTICE = "notice"
    SERIOUS = "serious"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class PlanFinding:
    """Finding of a check; `about` fills the places of its words."""

    check: PlanCheck
    severity: Severity
    about: Mapping[str, str]
    detail: str = ""
    """Chosen sentence of the check, where it has several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A submitted plan with all that its checks look at."""

    plan: Plan
    dataset: Dataset
    population: Population
    price: Price
    account: Account
    policy: Policy
    published: Mapping[str, str]
    """Title of the last release of a statistic that was published before, under whatever id; by the statistic's id."""
    looks: Sequence[LookBefore]
    """At true values of this plan, or of the same cells, before it was submitted."""
    declared_after_look: bool
    """True if columns of the dataset were declared after a look at true values of it."""
    proposed: Mapping[str, bool]
    """Columns whose cells proposed how they are read; whether that was accepted after true values were previewed."""
    overlaps: Mapping[str, str]
    """Other populations with a table whose units may have another budget there: `open`, `waiting` or the `same`."""
    near: Sequence[Near]
    """Plans of the population, published or waiting, whose filter differs from this one's in one column."""
    tried: Sequence[Decimal]
    """The ε of the plans that published some of the same cells, oldest first; of this one last."""
    bounds: Mapping[str, PublishedBounds]
    """Range last published in a release of the same dataset, by column that a model is made of."""


def findings(case: Case) -> list[PlanFinding]:
    """Return everything that the checks found, gravest first."""
    found = [finding for look in CHECKS.values() for finding in look(case)]
    return sorted(found, key=lambda finding: -list(Severity).index(finding.severity))


def blocking(found: Sequence[PlanFinding], policy: Policy) -> list[PlanFinding]:
    """Return the findings with which a plan cannot be approved."""
    return [
        finding
        for finding in found
        if finding.severity is Severity.REFUSED
        or (finding.severity is Severity.SERIOUS and finding.check in policy.required)
    ]


def _epsilon(case: Case) -> Iterator[PlanFinding]:
    most = case.policy.epsilon_nano
    if most is not None and case.plan.epsilon_nano > most:
        asked, allowed = (decimal_text(Decimal(nano) / NANO) for nano in (case.plan.epsilon_nano, most))
        yield PlanFinding(PlanCheck.EPSILON, Severity.REFUSED, {"epsilon": asked, "most": allowed})


def _delta(case: Case) -> Iterator[PlanFinding]:
    most = case.policy.delta_atto
    if most is not None and case.plan.delta_atto > most:
        asked, allowed = (decimal_text(Decimal(atto) / ATTO) for atto in (case.plan.delta_atto, most))
        yield PlanFinding(PlanCheck.DELTA, Severity.REFUSED, {"delta": asked, "most": allowed})


def _delta_and_size(case: Case) -> Iterator[PlanFinding]:
    delta, limit = Decimal(case.plan.delta_atto) / ATTO, case.policy.delta_times_size
    if not delta or limit is None:
        return
    about = {"delta": decimal_text(delta), "unit": case.population.unit}
    if case.population.size is None:
        yield PlanFinding(PlanCheck.DELTA_AND_SIZE, Severity.NOTICE, about, "open")
    elif delta * case.population.size > limit:
        numbers = {"product": decimal_text((delta * case.population.size).normalize()), "most": decimal_text(limit)}
        yield PlanFinding(PlanCheck.DELTA_AND_SIZE, Severity.SERIOUS, {**about, **numbers})


def _unit(case: Case) -> Iterator[PlanFinding]:
    if case.policy.units and case.population.unit not in case.policy.units:
        about = {"unit": case.population.unit, "allowed": ", ".join(case.policy.units)}
        yield PlanFinding(PlanCheck.UNIT, Severity.REFUSED, about)


def _row_unit(case: Case) -> Iterator[PlanFinding]:
    if case.dataset.unit_column is not None:
        return
    if not case.policy.row_unit:
        yield PlanFinding(PlanCheck.ROW_UNIT, Severity.REFUSED, {"unit": case.population.unit}, "refused")
    for column in case.dataset.schema.updated(case.plan.schema):
        if column.type is ColumnType.TEXT or IDENTIFIER.search(column.name):
            yield PlanFinding(
                PlanCheck.ROW_UNIT, Severity.SERIOUS, {"unit": case.population.unit, "column": column.name}
            )


def _budget(case: Case) -> Iterator[PlanFinding]:
    if not case.account.covers(case.price.loss):
        yield PlanFinding(PlanCheck.BUDGET, Severity.REFUSED, {"population": case.population.name})


def _exact_bounds(case: Case) -> Iterator[PlanFinding]:
    schema = case.plan.schema
    said = schema.said()
    for name in schema.with_inputs(case.plan.used_columns()):
        column = schema[name]
        for end in (getattr(column, key) for key in ("lower", "upper") if key in said[name]):
            if end is not None and not _is_round(end, column):
                text = end.isoformat() if isinstance(end, date) else decimal_text(end)
                yield PlanFinding(PlanCheck.EXACT_BOUNDS, Severity.SERIOUS, {"column": name, "bound": text})


def _is_round(end: Decimal | date, column: Column) -> bool:
    """Return True if somebody would say a bound without looking at the table."""
    if isinstance(end, date):
        return end.day in (1, monthrange(end.year, end.month)[1])
    if abs(end) in KNOWN or (column.type is ColumnType.INTEGER and int(end) in YEARS):
        return True
    step = column.resolution or Decimal(1)
    return any(len(number.normalize().as_tuple().digits) <= ROUND_DIGITS for number in (end, end + step, end - step))


def _missing_codes(case: Case) -> Iterator[PlanFinding]:
    """Yield codes that are also values of the column, and filters, which never see a row with a code."""
    tested = {condition.column for condition in case.plan.where}
    for name in case.plan.schema.with_inputs(case.plan.used_columns()):
        column = case.plan.schema[name]
        within = [code for code in column.missing_codes or () if column.has_between(code)]
        if within:
            about = {"column": name, "codes": codes_told(within[:FEW_CODES])}
            yield PlanFinding(PlanCheck.MISSING_CODES, Severity.NOTICE, about, "within")
        if column.missing_codes and name in tested:
            yield PlanFinding(PlanCheck.MISSING_CODES, Severity.NOTICE, {"column": name}, "where")


def _counts(item: StatisticPrice) -> bool:
    """Return True if a statistic's cells are numbers of records that add up."""
    shown = item.statistic.presented
    return shown.has(Trait.ADDITIVE) and shown.error is Quantity.RECORDS


def _noisy_cells(case: Case) -> Iterator[PlanFinding]:
    if case.plan.expected is None:
        return
    for item in case.price.statistics:
        if _counts(item) and item.error95 and item.size > 1:
            each = case.plan.expected.rows / item.size
            if each < item.error95:
                about = {"statistic": item.id, "expected": significant(each), "error": significant(item.error95)}
                yield PlanFinding(PlanCheck.NOISY_CELLS, Severity.NOTICE, about)


def _narrow_filter(case: Case) -> Iterator[PlanFinding]:
    """Yield filters that leave few rows: alone, in the cells of a statistic, or beside another plan's filter."""
    left, rows = narrow.share(case.plan), _rows(case)
    fewest = case.policy.fewest_rows
    if rows is None:
        if left < UNKNOWN:
            yield PlanFinding(PlanCheck.NARROW_FILTER, Severity.SERIOUS, _narrow(left), "unknown")
    elif left < 1 and rows * left < fewest:
        yield PlanFinding(PlanCheck.NARROW_FILTER, Severity.SERIOUS, _narrow(left, rows))
    elif left < 1:
        for item in case.price.statistics:
            if item.size > 1 and rows * left < item.size:
                about = {"statistic": item.id, **_narrow(left / item.size, rows)}
                yield PlanFinding(PlanCheck.NARROW_FILTER, Severity.SERIOUS, about, "cells")
    for each in case.near:
        if each.share < UNKNOWN if rows is None else rows * each.share < fewest:
            about = {"title": each.title, "column": each.column, **_narrow(each.share, rows)}
            yield PlanFinding(PlanCheck.NARROW_FILTER, Severity.SERIOUS, about, "near" if rows else "near_unknown")


def _rows(case: Case) -> int | None:
    """Return the rows that somebody stated, or else the units, of which there are no more."""
    return case.population.size if case.plan.expected is None else case.plan.expected.rows


def _narrow(share: Fraction, rows: int | None = None) -> dict[str, str]:
    about = {"odds": str(round(1 / share)) if share else "∞"}
    return about if rows is None else {**about, "rows": str(rows), "left": significant(float(rows * share), 2)}


def _expected(case: Case) -> Iterator[PlanFinding]:
    open_ = [item.id for item in case.price.statistics if item.error95 is None]
    if case.plan.expected is None and open_:
        yield PlanFinding(PlanCheck.EXPECTED, Severity.NOTICE, {"statistics": ", ".join(open_)})


def _identifier_keys(case: Case) -> Iterator[PlanFinding]:
    for name in case.plan.used_columns():
        column = case.plan.schema[name]
        if column.type not in LISTED:
            continue
        size, count = case.population.size, len(column.categories)
        many = count > MANY_CATEGORIES or (size is not None and count > FEW_CATEGORIES and count * 10 > size)
        if many:
            yield PlanFinding(
                PlanCheck.IDENTIFIER_KEYS, Severity.SERIOUS, {"column": name, "count": str(count)}, "many"
            )
        elif name == case.dataset.unit_column or IDENTIFIER.search(name):
            yield PlanFinding(PlanCheck.IDENTIFIER_KEYS, Severity.SERIOUS, {"column": name})


def _published_before(case: Case) -> Iterator[PlanFinding]:
    for statistic, title in case.published.items():
        yield PlanFinding(PlanCheck.PUBLISHED_BEFORE, Severity.NOTICE, {"statistic": statistic, "title": title})


def _creeping(case: Case) -> Iterator[PlanFinding]:
    """Yield findings for the same cells again, each time with a larger ε."""
    times = len(case.tried)
    if times > 1 and all(before < after for before, after in pairwise(case.tried)):
        about = {"count": str(times), "epsilons": " → ".join(map(decimal_text, case.tried[-MAX_TRIED:]))}
        yield PlanFinding(PlanCheck.CREEPING, Severity.NOTICE if times == 2 else Severity.SERIOUS, about)


def _max_rows(case: Case) -> Iterator[PlanFinding]:
    """Yield a finding for so many rows of each unit that the noise for them hides what all expected rows could show."""
    most = case.plan.unit.max_rows
    if case.plan.expected is None or most == 1:
        return
    for item in case.price.statistics:
        if _counts(item) and item.error95 and item.error95 * item.size > case.plan.expected.rows:
            about = {"statistic": item.id, "most": str(most), "error": significant(item.error95)}
            rows = str(case.plan.expected.rows)
            yield PlanFinding(PlanCheck.MAX_ROWS, Severity.SERIOUS, {**about, "rows": rows})


def _discovered(case: Case) -> Iterator[PlanFinding]:
    for name in case.plan.schema.with_inputs(case.plan.used_columns()):
        if case.plan.schema[name].discover:
            yield PlanFinding(PlanCheck.DISCOVERED, Severity.SERIOUS, {"column": name})


def _free_text(case: Case) -> Iterator[PlanFinding]:
    for part, text in (("title", case.plan.title), ("description", case.plan.description)):
        numbers = [found for found in NUMBER.findall(text) if int(found) not in YEARS]
        if numbers:
            yield PlanFinding(PlanCheck.FREE_TEXT, Severity.NOTICE, {"numbers": ", ".join(numbers[:5])}, part)


def _after_preview(case: Case) -> Iterator[PlanFinding]:
    """Yield findings on choices after looks at true values of this plan; and on looks at others for the same cells."""
    own = [look for look in case.looks if look.own]
    ends = {(look.least_nano, look.most_nano) for look in own}
    if own:
        tried = [nano for both in ends for nano in both if nano is not None]
        low, high = (decimal_text(Decimal(nano) / NANO) for nano in (min(tried), max(tried)))
        about = {"count": str(len(own)), "low": low, "high": high}
        changed = [part for part in PARTS if any(part in look.changed for look in own)]
        swept = ["swept"] if len(ends) > case.policy.looks else []
        for detail in (*changed, *swept):
            yield PlanFinding(PlanCheck.AFTER_PREVIEW, Severity.SERIOUS, about, detail)
        if not changed and not swept:
            yield PlanFinding(PlanCheck.AFTER_PREVIEW, Severity.NOTICE, about, "looked")
    for title in dict.fromkeys(look.title for look in case.looks if look.title and not look.own):
        yield PlanFinding(PlanCheck.AFTER_PREVIEW, Severity.NOTICE, {"title": title}, "shared")
    if elsewhere := sum(not look.title for look in case.looks):
        yield PlanFinding(PlanCheck.AFTER_PREVIEW, Severity.NOTICE, {"count": str(elsewhere)}, "elsewhere")
    if case.declared_after_look:
        yield PlanFinding(PlanCheck.AFTER_PREVIEW, Severity.SERIOUS, {}, "schema")


def _reading_proposed(case: Case) -> Iterator[PlanFinding]:
    for severity, after, detail in ((Severity.SERIOUS, True, "after"), (Severity.NOTICE, False, "before")):
        names = [name for name, late in case.proposed.items() if late is after]
        if names:
            yield PlanFinding(PlanCheck.READING_PROPOSED, severity, {"columns": ", ".join(names)}, detail)


def _forbidden(case: Case) -> Iterator[PlanFinding]:
    for _, statistic, rule in forbidden(case.policy.forbidden, case.plan):
        yield PlanFinding(PlanCheck.FORBIDDEN, Severity.REFUSED, {"statistic": statistic.id, "reason": rule.reason})


def _overlaps(case: Case) -> Iterator[PlanFinding]:
    for state in sorted(set(case.overlaps.values())):
        names = [other for other, each in case.overlaps.items() if each == state]
        if names:
            others = ", ".join([*names[:FEW_NAMES], *(["…"] if len(names) > FEW_NAMES else [])])
            about = {"others": others, "unit": case.population.unit}
            yield PlanFinding(PlanCheck.OVERLAPS, Severity.SERIOUS, about, state)


def _wide_bounds(case: Case) -> Iterator[PlanFinding]:
    for about in model_checks.much_too_wide(case.plan, case.bounds):
        yield PlanFinding(PlanCheck.WIDE_BOUNDS, Severity.NOTICE, about)


def _model_cells(case: Case) -> Iterator[PlanFinding]:
    for about in model_checks.noisy_cells(case.price):
        yield PlanFinding(PlanCheck.MODEL_CELLS, Severity.NOTICE, about)


def _rare_outcome(case: Case) -> Iterator[PlanFinding]:
    for about in model_checks.rare_outcome(case.price):
        yield PlanFinding(PlanCheck.RARE_OUTCOME, Severity.SERIOUS, about)


def _untried_model(case: Case) -> Iterator[PlanFinding]:
    for about in model_checks.untried(case.plan):
        yield PlanFinding(PlanCheck.UNTRIED_MODEL, Severity.NOTICE, about)


CHECKS: Mapping[PlanCheck, Callable[[Case], Iterator[PlanFinding]]] = {
    PlanCheck.EPSILON: _epsilon,
    PlanCheck.DELTA: _delta,
    PlanCheck.DELTA_AND_SIZE: _delta_and_size,
    PlanCheck.UNIT: _unit,
    PlanCheck.ROW_UNIT: _row_unit,
    PlanCheck.BUDGET: _budget,
    PlanCheck.FORBIDDEN: _forbidden,
    PlanCheck.NARROW_FILTER: _narrow_filter,
    PlanCheck.AFTER_PREVIEW: _after_preview,
    PlanCheck.CREEPING: _creeping,
    PlanCheck.PUBLISHED_BEFORE: _published_before,
    PlanCheck.OVERLAPS: _overlaps,
    PlanCheck.DISCOVERED: _discovered,
    PlanCheck.IDENTIFIER_KEYS: _identifier_keys,
    PlanCheck.EXACT_BOUNDS: _exact_bounds,
    PlanCheck.READING_PROPOSED: _reading_proposed,
    PlanCheck.FREE_TEXT: _free_text,
    PlanCheck.MAX_ROWS: _max_rows,
    PlanCheck.RARE_OUTCOME: _rare_outcome,
    PlanCheck.MISSING_CODES: _missing_codes,
    PlanCheck.NOISY_CELLS: _noisy_cells,
    PlanCheck.EXPECTED: _expected,
    PlanCheck.WIDE_BOUNDS: _wide_bounds,
    PlanCheck.MODEL_CELLS: _model_cells,
    PlanCheck.UNTRIED_MODEL: _untried_model,
}
"""In the order in which what weighs the same is told: what may harm somebody before what may show little."""

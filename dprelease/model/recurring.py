"""Runs: one plan answered for each of a list of periods, under one charge for all of them.

A unit counts in at most k of the T editions, so a run loses k times what one edition loses; min(2k, T) times where a
unit's rows may become any others, since the periods before and after may be different ones. The proof is in
docs/privacy/runs.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from dprelease.model.calendar import days_of, period, stretches
from dprelease.model.column import Column
from dprelease.model.column_fields import ColumnType
from dprelease.model.condition import MAX_CONDITIONS, Condition
from dprelease.model.missing import End, OutsideAnswer
from dprelease.model.presentation import Trait
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.words import phrase, verbatim

if TYPE_CHECKING:
    from dprelease.model.plan import Plan

KEYS = ("column", "every", "first", "last", "at_most", "period")
EVERY = ("day", "week", "month", "quarter", "year")
EXAMPLES = {"day": "2026-01-31", "week": "2026-W05", "month": "2026-01", "quarter": "2026-Q1", "year": "2026"}
MOST_PERIODS = 600
ALL = "all"
EDITION_KEYS = ("edition", "reference_period")
"""Keys under `about` that a run fills for each edition."""


@dataclass(frozen=True, kw_only=True)
class Recurrence:
    """The run of a plan: which column says of a row in which period it is, the periods, and in how many a unit counts.

    `period` is that of one edition; empty in the plan of the run. Periods are facts of the calendar, known in advance.
    """

    column: str
    every: str
    first: str
    last: str
    at_most: int | None
    """Editions in which one unit counts, k; None for all of them."""
    period: str = ""

    @classmethod
    def read(cls, value: object, report: Report) -> Recurrence | None:
        """Read what stands under `run` in a plan; None with problems where it is none."""
        if value is None:
            return None
        before = len(report.problems)
        fields = report.mapping(value, "run", allowed=KEYS, required=KEYS[:5])
        every = report.choice(fields.get("every"), "run.every", EVERY) if "every" in fields else None
        names = {
            key: _name(fields[key], every, f"run.{key}", report)
            for key in ("first", "last", "period")
            if fields.get(key) is not None and every is not None
        }
        column = report.optional_text(fields, "column", "run", shortest=1)
        most = fields.get("at_most")
        if most != ALL and (type(most) is not int or most < 1):
            report.add("run.at_most", found=most, allowed=phrase("model.run_at_most"))
        if len(report.problems) > before or every is None:
            return None
        at_most = most if isinstance(most, int) else None
        found = cls(column=column, every=every, at_most=at_most, **names)
        found._check(report)
        return found if len(report.problems) == before else None

    def _check(self, report: Report) -> None:
        if self.days(self.last) < self.days(self.first):
            report.add("run.last", found=self.last, allowed=phrase("model.run_last", first=self.first))
            return
        if len(self.periods) > MOST_PERIODS:
            found = phrase("model.run_too_many", first=self.first, last=self.last)
            allowed, remedy = phrase("model.at_most", max_text=MOST_PERIODS), phrase("model.run_shorter")
            report.add("run.last", found=found, allowed=allowed, remedy=remedy)
            return
        if self.at_most is not None and self.at_most > len(self.periods):
            allowed = phrase("model.run_at_most_of", count=len(self.periods))
            report.add("run.at_most", found=self.at_most, allowed=allowed)
        if self.period and self.period not in self.periods:
            report.add("run.period", found=self.period, allowed=self.allowed)

    @property
    def allowed(self) -> Any:
        """Words for the periods that there are."""
        return phrase("model.run_a_period", first=self.first, last=self.last, example=EXAMPLES[self.every])

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file."""
        told = {"column": self.column, "every": self.every, "first": self.first, "last": self.last}
        return {
            **told,
            "at_most": ALL if self.at_most is None else self.at_most,
            **({"period": self.period} if self.period else {}),
        }

    def days(self, name: str) -> tuple[date, date]:
        """Return the first and last day of a period, by its name."""
        return days_of(name, self.every)

    @property
    def begin(self) -> date:
        """First day of the run."""
        return self.days(self.first)[0]

    @property
    def end(self) -> date:
        """Last day of the run."""
        return self.days(self.last)[1]

    @cached_property
    def periods(self) -> tuple[str, ...]:
        """Names of the periods in order; one more than are allowed where there are more."""
        found = stretches(self.begin, self.end, self.every)
        return tuple(each.name for each in islice(found, MOST_PERIODS + 1))

    @property
    def most(self) -> int:
        """Editions in which one unit counts: k."""
        return len(self.periods) if self.at_most is None else self.at_most

    def factor(self, neighbors: NeighboringRelation) -> int:
        """Return how many times the loss of one edition the run loses: k, or min(2k, T) under substitution."""
        if neighbors is NeighboringRelation.ADD_REMOVE:
            return self.most
        return min(2 * self.most, len(self.periods))

    def place(self, name: str) -> int:
        """Return the place of a period among those of the run, 0 for the first."""
        return self.periods.index(name)

    def is_ordered(self, unit_column: str | None) -> bool:
        """Return True if editions are to be read in the order of their periods: what a unit may still count in
        depends on the periods before."""
        return unit_column is not None and self.most < len(self.periods)

    def newest(self, today: date) -> str:
        """Return the last period whose last day is before a day; the first one where there is none."""
        past = [name for name in self.periods if self.days(name)[1] < today]
        return past[-1] if past else self.first


@dataclass(frozen=True)
class PeriodWindow:
    """Rows that an edition looks at: of a unit only where it has rows in at most k periods up to and with this one."""

    column: Column
    """The column of dates, from the first day of the run to the last day of this period."""
    firsts: tuple[int, ...]
    """Code of the first day of each period so far; the last is this one's."""
    at_most: int


def _name(value: object, every: str, path: str, report: Report) -> str:
    text = str(value) if isinstance(value, int | date) and not isinstance(value, bool) else value
    try:
        if isinstance(text, str):
            first, _ = days_of(text, every)
            return period(first, every)
    except (ValueError, OverflowError):
        pass
    report.add(path, found=value, allowed=phrase(f"model.run_name_of_{every}", example=EXAMPLES[every]))
    return ""


def check_run(plan: Plan, report: Report) -> None:
    """Add a problem where a plan's run contradicts the rest of it, as far as that shows without columns."""
    run = plan.run
    if run is None:
        return
    if plan.unit.column is None and 1 < run.most < len(run.periods):
        remedy = phrase("model.run_name_the_unit")
        report.add("run.at_most", found=run.most, allowed=phrase("model.run_row"), remedy=remedy)
    if plan.unit.column == run.column:
        report.add("run.column", found=run.column, allowed=phrase("model.run_date_column"))
    if plan.about.reference not in ("", run.column):
        report.add("about.reference.column", found=plan.about.reference, allowed=verbatim(run.column))
    for key in () if run.period else EDITION_KEYS:
        if getattr(plan.about, key):
            report.add(f"about.{key}", found=getattr(plan.about, key), allowed=phrase("model.run_says_edition"))
    for place, condition in enumerate(() if run.period else plan.where):
        if condition.column == run.column:
            report.add(f"where[{place}].column", found=run.column, allowed=phrase("model.run_other_condition"))
    if len(plan.where) == MAX_CONDITIONS and not run.period:
        report.add("where", found=len(plan.where), allowed=phrase("model.at_most", max_text=MAX_CONDITIONS - 1))
    for place, statistic in enumerate(plan.statistics):
        if statistic.presentation.has(Trait.ROWS_EXACT):
            report.add(f"statistics[{place}].kind", found=statistic.kind, allowed=phrase("model.run_no_survey"))
        if run.every == "day" and run.column in statistic.used_columns():
            report.add(f"statistics[{place}]", found=run.column, allowed=phrase("model.run_other_than_day"))


def dated(plan: Plan, column: Column | None, report: Report) -> Column | None:
    """Return the run's column of dates with the days of the run, or of its edition, as bounds.

    A row dated elsewhere, or without a readable date, has no value and so is in no edition.
    """
    run = plan.run
    assert run is not None
    if column is None or column.type is not ColumnType.DATE or column.made is not None:
        report.add("run.column", found=run.column, allowed=phrase("model.run_date_column"))
        return None
    if column.complete:
        found = phrase("model.run_counts_missing", column=run.column)
        report.add(f"columns.{run.column}.count_missing_as", found=found, allowed=phrase("model.run_no_date"))
        return None
    first, last = run.days(run.period) if run.period else (run.begin, run.end)
    return _between(column, first, last)


def _between(column: Column, first: date, last: date) -> Column:
    upper = max(last, first + timedelta(days=1))  # bounds differ; of one day, conditions leave out the other
    return replace(column, lower=first, upper=upper, outside=OutsideAnswer(End.MISSING, End.MISSING))


def edition(plan: Plan, name: str) -> Plan:
    """Return the plan of one edition of a complete plan with a run: its rows are those dated in the period."""
    run = plan.whole.run
    assert run is not None
    whole, (first, last) = plan.whole, run.days(name)
    days = Condition(run.column, (("at_least", first.isoformat()), ("at_most", last.isoformat())))
    about = replace(whole.about, edition=name, reference_period=f"{first.isoformat()}/{last.isoformat()}")
    return replace(
        whole,
        run=replace(run, period=name),
        about=about,
        schema=_with(whole.schema, _between(whole.schema[run.column], first, last)),
        where=(days, *whole.where),
    )


def whole(plan: Plan) -> Plan:
    """Return the run's plan of an edition's: the inverse of `edition`. Any other plan is itself."""
    run = plan.run
    if run is None or not run.period:
        return plan
    return replace(
        plan,
        run=replace(run, period=""),
        about=replace(plan.about, edition="", reference_period=""),
        schema=_with(plan.schema, _between(plan.schema[run.column], run.begin, run.end)),
        where=plan.where[1:],
    )


def _with(schema: Schema, column: Column) -> Schema:
    return schema.updated(Schema({column.name: column}))


def window(plan: Plan) -> PeriodWindow | None:
    """Return the window of an edition; None where it needs none: a row as unit has one date, or all may be in all."""
    run = plan.run
    if run is None or not run.period or not run.is_ordered(plan.unit.column):
        return None
    so_far = run.periods[: run.place(run.period) + 1]
    begin, end = run.begin, run.days(run.period)[1]
    column = _between(plan.schema[run.column], begin, end)
    firsts = tuple((run.days(name)[0] - begin).days for name in so_far)
    return PeriodWindow(column=column, firsts=firsts, at_most=run.most)


def shapes(plan: Plan) -> tuple[str, ...]:
    """Return the periods whose editions may cost or be measured differently: all where a statistic looks at the dates
    themselves, else the first, which stands for all."""
    run = plan.whole.run
    assert run is not None
    used = {name for statistic in plan.statistics for name in statistic.used_columns()}
    return run.periods if run.column in plan.schema.with_inputs(used) else run.periods[:1]


def attested(run: Recurrence, unit_column: str | None) -> str:
    """Return the code of what the office attests, so that no unit counts in more editions than k."""
    if run.most == len(run.periods):
        return "nothing"
    return "row" if unit_column is None else "unit"


def stated_run(plan: Plan) -> Mapping[str, Any]:
    """Return the facts of an edition's run that follow from its plan."""
    run = plan.run
    assert run is not None
    return {
        "period": run.period,
        "number": run.place(run.period) + 1,
        "periods": len(run.periods),
        "at_most": run.most,
        "factor": run.factor(plan.neighbors),
        "attested": attested(run, plan.unit.column),
    }

"""The changes of a plan against its base: one line each, with its effect, and what was remarked on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import streamlit as st

from dprelease.model.yaml_text import one_line
from dprelease.statements.display import shown
from dprelease.statistics.planning.price import Price
from dprelease.ui.data.row import Row
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import counted, day, planned
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review import talk
from dprelease.ui.words import known, say, say_html
from dprelease.words.sentences import Html
from dprelease.workspace.compared import Base, Comparison, Error, PlanChange
from dprelease.workspace.review import ReviewedPlan

MAX_LINES = 50
MINUS = "−"
ALMOST = 0.99


@dataclass(frozen=True, slots=True)
class Names:
    """The questions of statistics, of a plan and of what it is compared with."""

    prices: tuple[Price, ...]
    unit: str

    def of(self, statistic: str) -> str:
        """Return the question; empty where there is no such statistic."""
        for price in self.prices:
            for item in price.statistics:
                if item.id == statistic:
                    return planned(item, price.plan.schema, self.unit).text
        return ""


def diff(found: Comparison, bases: Sequence[Base], reviewed: ReviewedPlan, talked: talk.Talk) -> None:
    """Show what changed, the most lines that a page bears, and how many statistics did not."""
    assert found.base is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        changes, same = counted("review_changes", len(found.changes)), counted("review_unchanged", found.unchanged)
        since = say_html(
            f"review_since_{found.base.kind}", title=_title(found.base), by=found.base.by, on=day(found.base.at)
        )
        st.html(fill('<p class="dp-diff-head"><strong>{} {}</strong> <span>{}</span></p>', changes, since, same))
        _choice(found, bases)
    before = workspace().plans.price_of(found.base.record.id, actor=actor())
    told, names = set[str](), Names((reviewed.price, before), reviewed.population.unit)
    for place, line in enumerate(found.changes[:MAX_LINES]):
        remarks = [
            each for each in talked.remarks if each.id not in told and each.on in (line.on, line.statistic or line.on)
        ]
        told |= {each.id for each in remarks}
        with st.container(key=f"diff-{place}", gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", wrap=False):
                st.html(_line(line, names))
                talked.offer(line.on, names.of(line.statistic) or field(line.field))
            talked.said(remarks)
    if len(found.changes) > MAX_LINES:
        st.html(
            fill('<p class="dp-note">{}</p>', say_html("review_changes_more", count=len(found.changes) - MAX_LINES))
        )
    talked.said([each for each in talked.remarks if each.id not in told and each.is_open])


def _choice(found: Comparison, bases: Sequence[Base]) -> None:
    """Offer another base, where there are several."""
    if len(bases) < 2:
        return
    by_id = {base.record.id: base for base in bases}
    assert found.base is not None
    st.selectbox(
        say("review_base"),
        list(by_id),
        index=list(by_id).index(found.base.record.id) if found.base.record.id in by_id else 0,
        format_func=lambda plan_id: _named(by_id[plan_id]),
        key=f"review-base-{found.plan_id}",
        label_visibility="collapsed",
        width=280,
    )


def _named(base: Base) -> str:
    return say(f"review_base_{base.kind}", title=_title(base), by=base.by, on=day(base.at))


def _title(base: Base) -> str:
    return str(base.record.mapping.get("title") or base.record.dataset)


def _line(line: PlanChange, names: Names) -> Html:
    what = names.of(line.statistic) or _of_plan(line.field)
    small = (line.statistic, field(line.field)) if line.statistic else (_where(line.field),)
    return fill(
        '<div class="dp-diff"><div class="dp-diff-what"><strong>{}</strong><small>{}</small></div>'
        '<div class="dp-diff-values">{}</div><div class="dp-diff-effect">{}</div></div>',
        what,
        " · ".join(filter(None, small)),
        _values(line),
        joined(_effects(line, names)),
    )


def field(path: str) -> str:
    """Return a line of a plan in words, where there are some."""
    return known(f"review_field_{path.rpartition('.')[2]}", path)


def _of_plan(path: str) -> str:
    """Return the column that a line is of, or the line in words."""
    part, _, rest = path.partition(".")
    return rest.partition(".")[0] if part == "columns" else field(path)


def _where(path: str) -> str:
    part, _, rest = path.partition(".")
    if part != "columns":
        return ""
    return field(rest) if "." in rest else say("review_column")


def _values(line: PlanChange) -> Html:
    """Return the old and the new value, told apart by a sign, a word for screen readers, and colour beside these."""
    if line.statistic and not line.field:
        key = "review_added" if line.was is None else "review_removed"
        sign, tag = ("+", "ins") if line.was is None else (MINUS, "del")
        return fill("<{0}>{1} {2}</{0}>", tag, sign, say(key))
    before, after = (_column(line, each) or _written(each) for each in (line.was, line.now))
    was = fill("<del>{}{} {}</del>", _spoken("review_was"), MINUS, before)
    return fill("{}<ins>{}+ {}</ins>", was, _spoken("review_is"), after)


def _column(line: PlanChange, value: Any) -> str:
    """Return in words the declaration of a column that is there in one plan alone; empty of anything else."""
    part, _, name = line.field.partition(".")
    if part != "columns" or "." in name or not isinstance(value, Mapping):
        return ""
    return Row.of(name, value).brief()


def _spoken(key: str) -> Html:
    return fill('<span class="dp-hidden">{} </span>', say(key))


def _written(value: Any) -> str:
    if value is None:
        return say("change_absent")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return shown(value)
    if isinstance(value, list | tuple) and all(isinstance(each, str | int | float) for each in value):
        return ", ".join(map(str, value))
    return one_line(value)


def _effects(line: PlanChange, names: Names) -> list[Html]:
    found = []
    if line.sure is not None:
        was, now = map(_percent, line.sure)
        found.append(say_html("review_effect_sure", was=was, now=now))
    if line.error is not None:
        was, now = map(_error, line.error)
        of = "" if line.statistic else names.of(line.error_of)
        found.append(say_html("review_effect_error_of" if of else "review_effect_error", was=was, now=now, of=of))
    if line.numbers is not None:
        noisy = line.too_noisy or 0
        found.append(fill("{}", counted("review_effect_numbers", line.numbers)))
        if noisy:
            found.append(fill(' <b class="dp-warn">⚠ {}</b>', say("review_effect_noisy", count=shown(noisy))))
    return found


def _percent(part: float) -> str:
    """Return a bound of a probability in percent, rounded up and never quite to 100."""
    return shown(ceil(100 * part - 1e-9)) if part < ALMOST else f"> {round(100 * ALMOST)}"


def _error(error: Error) -> str:
    if error.relative is not None:
        return say("review_percent", percent=shown(100 * error.relative, 2))
    return "?" if error.absolute is None else shown(error.absolute, 2)

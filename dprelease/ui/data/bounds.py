"""Answers from the data about columns: bounds and values that were published, and plans that wait."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dprelease.codebook import compatible
from dprelease.codebook.ask import KINDS, SurveyItem, asked_by
from dprelease.model.column_fields import MAX_CATEGORIES, ColumnType
from dprelease.model.release import Estimates, Release
from dprelease.statements.display import shown
from dprelease.ui.data.asking import ask, publish
from dprelease.ui.data.row import Row
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted, day
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html, say_label
from dprelease.workspace import PlanRecord, PlanState

WAITING = (PlanState.SUBMITTED, PlanState.APPROVED)


@dataclass(frozen=True, slots=True)
class PublishedAnswer:
    """An answer that was published, noise and all: a public fact now."""

    asked: SurveyItem
    id: str
    column: str
    release: Release

    @property
    def on(self) -> str:
        """The day of publication."""
        return self.release.certificate.day

    @property
    def table(self) -> Estimates:
        return self.release.tables[self.id]

    @property
    def values(self) -> list[str]:
        """The categories that were found."""
        return [str(each.keys[self.column]) for each in self.table][:MAX_CATEGORIES]

    def row(self, now: Row) -> Row:
        """Return the column with what was found in the place of its own, and with a word on where that comes from."""
        wide = self.release.certificate.plan["columns"][self.column]
        if self.asked is SurveyItem.BOUNDS:
            lower, upper = self.table.value
            said = {"type": wide["type"], "lower": lower, "upper": upper, "resolution": wide["resolution"]}
        else:
            said = {"type": ColumnType.CATEGORY.value, "categories": self.values, "other": True}
        source = say(f"{self.asked}_source", release=self.release.id, on=self.on)
        return Row.of(self.column, {**compatible(now.mapping(), said), "description": now.description or source})


def find_bounds(work: Work) -> None:
    """Show what was found already, what waits, and a form that spends."""
    blocks.note("bounds_text")
    blocks.guide_link("describe-columns", "no-codebook")
    with kindly():
        _found(work)
        _waiting(work)
        ask(work)


def _found(work: Work) -> None:
    """Show published answers: bounds and values as proposals."""
    for place, found in enumerate(_published(work)):
        told = {"column": found.column, "release": found.release.id, "on": day(found.on)}
        if found.asked is SurveyItem.INSIDE:
            _say_inside(found, told)
        elif found.asked is SurveyItem.BOUNDS or found.values:
            _offer(work, found, told, place)
        else:
            box(say_html("values_none", **told), kind="notice")


def _offer(work: Work, found: PublishedAnswer, told: dict[str, str], place: int) -> None:
    """Show published bounds or values, with a button that takes them over."""
    now = work.sheet.rows[found.column]
    then = found.row(now)
    said = {"column": found.column, "lower": then.lower, "upper": then.upper}
    if found.asked is SurveyItem.VALUES:
        said = {"column": found.column, "values": counted("values", len(found.values))}
    box(say_html(f"{found.asked}_found", **told, **{key: said[key] for key in said if key != "column"}), kind="done")
    if (now.lower, now.upper, now.categories) == (then.lower, then.upper, then.categories):
        blocks.note(f"{found.asked}_taken")
    elif st.button(say_label(f"{found.asked}_take", **said), key=f"bounds-take-{place}"):
        work.change({found.column: then})
        session.flash(f"{found.asked}_done", column=found.column)
        st.rerun()


def _say_inside(found: PublishedAnswer, told: dict[str, str]) -> None:
    """Show the share of rows outside the bounds that were declared then."""
    (each,) = found.table
    statistics = found.release.certificate.plan["statistics"]
    (condition,) = next(item["where"] for item in statistics if item["id"] == found.id)
    parts = {"lower": shown(condition["at_least"]), "upper": shown(condition["at_most"])}
    ends = [1 - float(each.upper95 or 0), 1 - float(each.lower95 or 0)]
    shares = {"least": percent(ends[0]), "most": percent(ends[1])}
    box(say_html("inside_found", **told, **parts, **shares), kind="notice")


def percent(share: float) -> str:
    """Return a share of 1 in percent, to a tenth."""
    return shown(round(100 * min(max(share, 0), 1), 1))


def _published(work: Work) -> Iterator[PublishedAnswer]:
    """Yield published answers about this dataset's columns, the newest to each question."""
    for asked, kind in KINDS.items():
        seen = set()
        for release in workspace().releases.find(dataset=work.dataset.name, kind=kind, actor=actor()):
            for statistic in release.certificate.plan["statistics"]:
                column = _column(statistic) if asked_by(statistic) is asked else ""
                if column in work.sheet.rows and column not in seen:
                    seen.add(column)
                    yield PublishedAnswer(asked, statistic["id"], column, release)


def _column(statistic: dict[str, Any]) -> str:
    """Return the column that a question is about."""
    column = statistic.get("column") or statistic["where"][0]["column"]
    return str(column)


def _waiting(work: Work) -> None:
    """Show, in a team, questions that a reviewer has to see, or has approved."""
    if not session.in_team():
        return
    for record in workspace().plans.find(states=WAITING, dataset=work.dataset.name, actor=actor()):
        if record.dataset_version != work.dataset.version or not _asks(record):
            continue
        title = record.mapping["title"]
        if record.state is PlanState.SUBMITTED:
            box(say_html("bounds_waits", title=title, author=record.author, on=day(record.created)), kind="notice")
        elif record.state is PlanState.APPROVED and workspace().plans.lapse(record.id, actor=actor()) is None:
            box(say_html("bounds_approved", title=title), kind="done")
            if st.button(say_label("bounds_publish", title=title), key=f"bounds-{record.id}"):
                publish(record.id)


def _asks(record: PlanRecord) -> bool:
    return all(asked_by(each) is not None for each in record.mapping["statistics"])

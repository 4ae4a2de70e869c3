"""One's own plans that were submitted and are not published, wherever they were written: what each waits for."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.errors import InputError
from dprelease.model.population import Dataset
from dprelease.statements.display import shown
from dprelease.statistics import Plan
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import day, some
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review.decisions import returned
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.asking import ask
from dprelease.ui.workbench.draft import Draft, current, keep
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.progress import charged
from dprelease.ui.workbench.saving import PARAMETER, open_saved, restore, save
from dprelease.workspace import PlanRecord, PlanState, SavedDraft

MAX_CARDS = 10
UNPUBLISHED = tuple(state for state in PlanState if state is not PlanState.PUBLISHED)


def own_plans(*, but: PlanRecord | None = None) -> None:
    """Show plans newest first, each with the way to go on; nothing where there are none. `but`: one shown already."""
    found = [record for record in unpublished() if but is None or record.id != but.id]
    if not found:
        return
    blocks.heading("own_plans")
    cards(found[:MAX_CARDS])
    if len(found) > MAX_CARDS:
        blocks.note("own_plans_more", count=shown(len(found) - MAX_CARDS))


def cards(records: Sequence[PlanRecord]) -> None:
    """Show plans one below the other, each with what it waits for and one button."""
    begun = charged() if records else set()
    for record in records:
        with st.container(key=f"row-own-{record.id}"), kindly():
            _card(record, begun=record.id in begun)


def own_dialog(standing: DraftStatus) -> None:
    """Show every plan that one submitted and that is not published."""
    if not unpublished():
        blocks.note("own_none")
        return
    own_plans()


def unpublished() -> list[PlanRecord]:
    """Return unpublished plans, newest first; of returned ones of one title and dataset, only the last submitted."""
    records: dict[str, PlanRecord] = {}
    later: set[tuple[str, str]] = set()
    name = actor().name
    for record in reversed(_submitted(name)):
        subject = (record.dataset, title_of_plan(record))
        if record.state is not PlanState.PUBLISHED and not (record.state is PlanState.RETURNED and subject in later):
            records[record.id] = record
        later.add(subject)
    return list(records.values())


def _submitted(name: str) -> list[PlanRecord]:
    """Return a person's unpublished plans; where some were returned, all of those datasets, published ones too."""
    found = workspace().plans.find(states=UNPUBLISHED, author=name, actor=actor())
    datasets = {record.dataset for record in found if record.state is PlanState.RETURNED}
    others = [each for each in found if each.dataset not in datasets]
    of_these = [
        each for name_ in datasets for each in workspace().plans.find(dataset=name_, author=name, actor=actor())
    ]
    return sorted([*others, *of_these], key=lambda record: record.created)


def title_of_plan(record: PlanRecord) -> str:
    return str(record.mapping.get("title") or record.dataset)


def _card(record: PlanRecord, *, begun: bool) -> None:
    """Show what a plan waits for, and one button."""
    dataset = workspace().datasets.get(record.dataset, actor=actor())
    with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
        with st.container(gap="xxsmall"):
            blocks.subheading(title_of_plan(record))
            blocks.note("own_plan_meta", dataset=dataset.name, on=day(record.created))
            label = _state(record, dataset, begun=begun)
        pressed = st.button(say(label), key=f"own-{record.id}", width="content")
    if pressed:
        _take_up(record, dataset)
        if label != "own_change":
            ask("publish")
        saved = current().saved
        go("workbench", **({} if saved is None else {PARAMETER: saved.id}))


def _state(record: PlanRecord, dataset: Dataset, *, begun: bool) -> str:
    """Say how far a plan has come; return what the button is called that goes on with it."""
    ws = workspace()
    last = next(reversed(ws.plans.decisions(record.id, actor=actor())), None)
    if begun:
        box(say_html("publish_unfinished"), kind="warning")
        return "publish_finish"
    if record.state is PlanState.RETURNED and last is not None:
        returned(last)
        return "own_change"
    if dataset.version != record.dataset_version:
        box(say_html("own_stale", dataset=dataset.name), kind="warning")
        return "own_open"
    if not session.in_team():
        blocks.text("own_ready")
        return "own_publish"
    lapsed = ws.plans.lapse(record.id, actor=actor())
    if record.state is PlanState.SUBMITTED:
        blocks.text("own_waits")
    elif lapsed is not None:
        box(say_html("publish_lapsed", reason=lapsed), kind="warning")
    elif last is not None:
        box(say_html("publish_approved", name=last.actor, on=day(last.at)), kind="done")
        return "own_publish"
    return "own_open"


def _take_up(record: PlanRecord, dataset: Dataset) -> None:
    """Go on with a submitted plan: with the draft that it came of, where it is still there, else with a new one."""
    plan = Plan.parse(record.mapping)
    for saved in workspace().plans.drafts.find(actor=actor()):
        if _says(saved, record, dataset):
            open_saved(saved.id)
            _came_of(current(), record)
            return
    draft = Draft.from_plan(plan)
    # A submitted plan is complete with its columns: only what the dataset declares otherwise is the plan's own.
    declared = dataset.schema.columns
    draft.columns = {
        name: stated for name, stated in draft.columns.items() if plan.schema.columns[name] != declared.get(name)
    }
    keep(draft)
    _came_of(draft, record)
    if draft.columns:
        session.flash("own_columns", columns=some(list(draft.columns)), dataset=dataset.name)


def _came_of(draft: Draft, record: PlanRecord) -> None:
    """Note in the draft which plan it says."""
    draft.plan_id = record.id
    save(draft)


def _says(saved: SavedDraft, record: PlanRecord, dataset: Dataset) -> bool:
    """Return True if a draft is the plan that was submitted."""
    draft = restore(saved)
    if draft.dataset != record.dataset or not draft.statistics:
        return False
    ws = workspace()
    population = ws.populations.of(dataset.name, actor=actor())
    try:
        return ws.price(Plan.parse(draft.mapping(dataset, population)), actor=actor()).plan.hash == record.plan_hash
    except InputError:
        return False

"""The workbench itself: its head, the component, and what was done in either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

from dprelease.errors import InputError, Problem
from dprelease.model import families
from dprelease.model.population import Dataset, Population
from dprelease.statements.display import shown
from dprelease.ui.bench.component import bench
from dprelease.ui.bench.events import Events
from dprelease.ui.kit import budget
from dprelease.ui.kit.problems import box, kindly, on_script_error, show_problems
from dprelease.ui.kit.session import actor, flash, may, visit, workspace
from dprelease.ui.review.decisions import returned
from dprelease.ui.review.talk import Talk
from dprelease.ui.screens import link
from dprelease.ui.words import known, say, say_html
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.asking import Dialog, ask, once_more
from dprelease.ui.workbench.dialogs import asked
from dprelease.ui.workbench.draft import Draft, current
from dprelease.ui.workbench.draft_status import DraftStatus, standing, statistic_of
from dprelease.ui.workbench.drafts import staleness
from dprelease.ui.workbench.head import head
from dprelease.ui.workbench.looks import Seen
from dprelease.ui.workbench.proposals import proposals
from dprelease.ui.workbench.rows_dialog import open_questions
from dprelease.ui.workbench.saving import redo, save, undo
from dprelease.ui.workbench.shown import data, tables_of
from dprelease.ui.workbench.steps import coarsen, duplicate, move, remove
from dprelease.ui.workbench.submitted import returned_plan
from dprelease.workspace import PlanRecord

VIEW, TABLE = "workbench_view", "workbench_table"
TABLE_WIDTH = 400
QUICK = 200_000
"""Maximum expected rows counted before anything is shown; of more, the list is there at once."""


@st.fragment
def desk(dataset: Dataset, population: Population) -> None:
    """Show everything that changes while one works: it alone runs again, and saves what changed."""
    with kindly():
        draft = current()
        save(draft)  # also what came from elsewhere, so that what it was can be gone back to
        found = standing(draft, dataset, population)
        head(found)
        troubles(found)
        open_questions(found)
        if found.draft.statistics:
            _bench(found)
        else:
            proposals(found)
        asked(found)


def _bench(found: DraftStatus) -> None:
    """Show the component. What takes its time is begun once the list is on the screen."""
    view = st.session_state.get(VIEW, "beside")
    looks.held()  # lets go of what may not be seen any more
    seen = None if found.plan is None or found.mode is None else looks.seen(found.plan, found.mode)
    if seen is None and found.plan is not None and found.mode is not None and _is_quick(found):
        seen = looks.take(found.plan, found.mode)
    waits = found.plan is not None and found.mode is not None and seen is None
    name = None if seen is None else _table(found, seen)
    if seen is not None and name is not None:
        seen.shown(found.draft.ids()[found.draft.chosen or 0])
        seen.look.draw(name)
    progress = {"label": _counting(found), "share": 0.0} if waits else None
    bench(data(found, seen, name, view, progress), key=f"bench-{visit()}-{found.mode}", on_event=handle)
    if waits and found.plan is not None and found.mode is not None:
        looks.take(found.plan, found.mode)
        once_more()
    if seen is not None and name is not None and _prepared(seen, name):
        once_more()


def _table(found: DraftStatus, seen: Seen) -> str | None:
    """Return the table to open: the only one of the statistic looked at, or the one chosen of a family."""
    place = found.draft.chosen
    if place is None:
        return None
    names = tables_of(seen, found.draft.ids()[place])
    if len(names) < 2:
        return next(iter(names), None)
    asked, key = found.draft.statistics[place].mapping(""), f"bench-table-{found.draft.statistics[place].key}"
    parts = {name: _part(asked, name.partition(".")[2]) for name in names}
    chosen = st.selectbox(
        say("bench_table", count=shown(len(names))),
        names,
        key=key,
        format_func=parts.__getitem__,
        on_change=seen.once_more,
        width=TABLE_WIDTH,
    )
    st.session_state[TABLE] = chosen
    return chosen


def _part(asked: Mapping[str, Any], part: str) -> str:
    """Return the name of one table of several: by its columns, of a family; else by its own name."""
    own = families.parts(asked).get(part)
    if own is None:
        return known(f"part_{part}", part)
    return " × ".join(own["columns"]) if "columns" in own else say("bench_rows_report")


def _is_quick(found: DraftStatus) -> bool:
    return found.mode == "invented" or (found.draft.expected_rows or QUICK + 1) <= QUICK


def _counting(found: DraftStatus) -> str:
    return say("bench_making_up" if found.mode == "invented" else "bench_counting")


def _prepared(seen: Seen, name: str) -> bool:
    """Draw what cannot be scaled at every ε, unless it was; return True if something new is there."""
    opened = seen.look.open(name)
    if opened.law is not None or opened.ladder is not None:
        return False
    for _ in seen.look.prepare(name):
        pass
    return seen.look.open(name).ladder is not None


def handle(events: Events) -> None:
    """Take in what was done in the component, before it is shown again."""
    draft = current()
    try:
        for does in _wanted(draft, events):
            does()
    except InputError as error:
        flash("as_it_is", text=error)
    except Exception as error:  # noqa: BLE001 (a callback has no page around it)
        on_script_error(error)


def _wanted(draft: Draft, events: Events) -> Iterator[Any]:
    if events.look is not None:
        yield lambda: _moved(draft, events)
    if events.open is not None:
        yield lambda: _select(draft, str(events.open))
    if events.view is not None:
        yield lambda: _view(str(events.view))
    if events.draw is not None:
        yield lambda: _draw_anew(draft)
    if events.add:
        yield lambda: ask("add")
    if events.edit is not None:
        yield lambda: _edit(draft, str(events.edit))
    if events.duplicate is not None:
        yield lambda: duplicate(draft, _place(draft, str(events.duplicate)))
    if events.remove is not None:
        yield lambda: remove(draft, _place(draft, str(events.remove)))
    if events.move is not None:
        name, to = events.move
        yield lambda: move(draft, _place(draft, name), to)
    if events.coarsen is not None:
        statistic, key = events.coarsen
        yield lambda: coarsen(draft, _place(draft, statistic), key)
    if events.undo:
        yield lambda: undo(draft)
    if events.redo:
        yield lambda: redo(draft)


def _place(draft: Draft, name: str) -> int | None:
    ids = draft.ids()
    return ids.index(name) if name in ids else None


def _moved(draft: Draft, events: Events) -> None:
    """Save the draft where the slider came to rest, and tell the ledger what was swept."""
    look = events.look or {}
    draft.epsilon = _plain(float(look["epsilon"]))
    save(draft)
    seen = looks.held()
    if seen is not None:
        seen.sweep(look["epsilon"], look["least"], look["most"], look["looks"])


def _plain(epsilon: float) -> float | int:
    return int(epsilon) if epsilon == int(epsilon) else epsilon


def _select(draft: Draft, name: str) -> None:
    place = _place(draft, name)
    if place is not None:
        draft.selected = draft.statistics[place].key


def _edit(draft: Draft, name: str) -> None:
    _select(draft, name)
    ask("edit")


def _view(view: str) -> None:
    st.session_state[VIEW] = view
    seen = looks.held()
    if seen is not None:
        seen.once_more()


def _draw_anew(draft: Draft) -> None:
    seen = looks.held()
    if seen is None or draft.chosen is None:
        return
    names = tables_of(seen, draft.ids()[draft.chosen])
    chosen = st.session_state.get(TABLE)
    name = chosen if chosen in names else next(iter(names), None)
    if name is not None:
        seen.look.draw(name, anew=True)
        seen.once_more()


MENDED_IN: Mapping[str, Dialog] = {
    "plan_needs_epsilon": "meaning",
    "plan_needs_own_epsilon": "edit",
    "plan_needs_target": "edit",
}
"""Dialogs by the missing answer that each asks for."""


def troubles(standing: DraftStatus) -> None:
    """Show the problems above the component; nothing where there are none."""
    staleness(standing.draft)
    before = returned_plan(standing.draft, standing.dataset)
    if before is not None:
        _returned(before)
    if standing.missing in MENDED_IN:
        _missing(standing)
    elif standing.problems:
        _wrong(standing)
    elif standing.bench is not None and not standing.affordable:
        _over(standing)


def _returned(record: PlanRecord) -> None:
    """Show why a plan came back; what was said of it and of the versions before it, and a way to answer."""
    plans = workspace().plans
    last = next(reversed(plans.decisions(record.id, actor=actor())), None)
    if last is not None:
        returned(last)
    talk = Talk(record.id, plans.remarks(record.id, actor=actor()), may_review=False, may_answer=may("answer"))
    if talk.remarks:
        with st.expander(say("bench_talk", talk.open, count=shown(talk.open)), key="bench-talk"):
            talk.said(talk.remarks)


def _missing(standing: DraftStatus) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="bench-missing"):
        box(say_html(standing.missing, unit=standing.population.unit), kind="notice")
        if st.button(say("bench_answer"), key="bench-answer"):
            if MENDED_IN[standing.missing] == "edit":
                standing.draft.selected = next(
                    (item.key for item in standing.draft.statistics if item.unanswered), None
                )
            ask(MENDED_IN[standing.missing])


def _wrong(standing: DraftStatus) -> None:
    """Show the first problem, and the way to mend it; how many more there are is on the rows."""
    first: Problem = standing.problems[0]
    place = statistic_of(first)
    with st.container(key="bench-wrong"):
        show_problems([first])
        if st.button(say("bench_mend_it"), key="bench-mend"):
            if place is not None and place < len(standing.draft.statistics):
                standing.draft.selected = standing.draft.statistics[place].key
                ask("edit")
            else:
                ask("goals" if first.path.startswith("accept") else _dialog(first.path))


def _dialog(path: str) -> Dialog:
    if path.endswith(("epsilon", "delta")):
        return "meaning"
    return "title" if path.startswith(("title", "description", "about")) else "rows"


def _over(standing: DraftStatus) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="bench-over"):
        left = budget.left(standing.account)
        box(say_html("budget_over", population=standing.population.name, left=left))
        link("tables", say("bench_ask_cap"))

"""Drafts saved as one goes. The address says which one a tab works on: refresh, back and restart lose nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from dprelease.errors import InputError
from dprelease.statistics import Plan
from dprelease.ui.kit.session import DATASET, actor, flash, may, workspace
from dprelease.ui.workbench.draft import CriterionDraft, DerivedDraft, Draft, Saved, current, in_tab, keep
from dprelease.ui.workbench.statistic_draft import ConditionDraft, StatisticDraft
from dprelease.workspace import SavedDraft, StaleDraftError, sample

PARAMETER = "draft"
NEW = "new"
"""Parameter of the address that names the dataset of a new draft, until there is something in it."""


def resume() -> Draft:
    """Return the draft to go on with: a new one, or that in the address, else this tab's, else the last one saved."""
    wanted, fresh = st.query_params.get(PARAMETER), st.query_params.get(NEW)
    if fresh:
        is_it = in_tab() and current().saved is None and not current().statistics and current().dataset == fresh
        if not is_it:
            _begin_like_the_last(fresh)
    elif wanted and may("draft") and not (in_tab() and current().saved is not None and _id(current()) == wanted):
        try:
            keep(_read(workspace().plans.drafts.get(wanted, actor=actor())))
        except InputError:
            flash("draft_gone")
            st.query_params.pop(PARAMETER, None)
    elif not in_tab() and may("drafts"):
        last = next(iter(workspace().plans.drafts.find(actor=actor())), None)
        if last is not None:
            keep(_read(last))
    _address(current())
    return current()


def save(draft: Draft) -> bool:
    """Save what changed; not over what another tab saved meanwhile.

    Returns whether the rest of the page has to know: of a new draft, or of one that may not be saved any more.
    """
    before = draft.saved
    if draft.stale or not may("save_draft") or (before is None and not draft.started):
        return False
    body = _json(draft)
    if before is not None and body == before.body:
        return False
    if not draft.history.steps:
        draft.history.remember(_step(_json(Draft(dataset=draft.dataset))))
    ws, place = workspace(), {} if before is None else {"draft_id": before.id, "revision": before.revision}
    try:
        saved = ws.plans.drafts.save(body, name="" if before is None else before.name, **place, actor=actor())  # type: ignore[arg-type]
    except StaleDraftError:
        draft.stale = True
        return True
    except InputError:
        # It was deleted in another tab: what is on the screen is not lost for that.
        saved = ws.plans.drafts.save(body, name="" if before is None else before.name, actor=actor())
    draft.saved = _of(saved)
    draft.history.remember(_step(saved.body))
    _address(draft)
    return before is None or before.id != saved.id


def undo(draft: Draft) -> None:
    """Go on with what the draft said before."""
    _say(draft, draft.history.back())


def redo(draft: Draft) -> None:
    """Go on with what was undone last."""
    _say(draft, draft.history.forth())


def _say(draft: Draft, body: Mapping[str, Any] | None) -> None:
    if body is None:
        return
    place, other = draft.chosen, read(body)
    other.saved, other.stale, other.history = draft.saved, draft.stale, draft.history
    other.plan_id = draft.plan_id
    if place is not None and other.statistics:
        other.selected = other.statistics[min(place, len(other.statistics) - 1)].key
    keep(other)
    save(other)


def open_saved(draft_id: str) -> None:
    """Go on with another draft; the one in hand is saved already."""
    keep(_read(workspace().plans.drafts.get(draft_id, actor=actor())))
    _address(current())


def begin(dataset: str | None = None) -> None:
    """Begin an empty draft."""
    keep(Draft(dataset=dataset))
    st.query_params.pop(PARAMETER, None)


def _begin_like_the_last(dataset: str) -> None:
    """Begin a draft that counts rows as the dataset's last plan did; of the sample, with that one's statistics."""
    ws = workspace()
    found = next((each for each in ws.datasets.find(actor=actor()) if each.name == dataset), None)
    begin(None if found is None else found.name)
    if found is None:
        st.query_params.pop(NEW, None)
        return
    st.session_state[DATASET] = found.name
    last = next(reversed(ws.plans.find(dataset=found.name, latest=1, actor=actor())), None)
    if sample.is_of(found):
        keep(Draft.from_plan(sample.first_plan()))
    elif last is not None:
        like, draft = Draft.from_plan(Plan.parse(last.mapping)), current()
        draft.max_rows, draft.max_groups = like.max_rows, like.max_groups
        draft.expected_rows, draft.expected_units = like.expected_rows, like.expected_units


def keep_copy(draft: Draft) -> None:
    """Go on with what is on the screen as a draft of its own."""
    draft.saved, draft.stale = None, False
    save(draft)


def forget(draft_id: str) -> None:
    """Delete a draft; where it is the one in hand, an empty one takes its place."""
    workspace().plans.drafts.delete(draft_id, actor=actor())
    if in_tab() and _id(current()) == draft_id:
        begin(current().dataset)


def rename(draft_id: str, name: str) -> None:
    """Give a draft another name."""
    renamed = workspace().plans.drafts.rename(draft_id, name, actor=actor())
    if in_tab() and _id(current()) == draft_id and not current().stale:
        current().saved = _of(renamed)


def restore(saved: SavedDraft) -> Draft:
    """Return the draft that was saved, for looking at."""
    return read(saved.body)


def _read(saved: SavedDraft) -> Draft:
    draft = read(saved.body)
    draft.saved = _of(saved)
    draft.history.remember(_step(saved.body))
    return draft


def _step(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a draft that undo goes back to: submitting is no step."""
    return {name: value for name, value in body.items() if name != "plan_id"}


def _of(saved: SavedDraft) -> Saved:
    return Saved(saved.id, saved.name, saved.revision, saved.body, saved.changed)


def _id(draft: Draft) -> str | None:
    return None if draft.saved is None else draft.saved.id


def _json(draft: Draft) -> dict[str, object]:
    """Return a draft as it comes back from the workspace, so that the two can be compared."""
    found: dict[str, object] = json.loads(json.dumps(written(draft), default=str))
    return found


def _address(draft: Draft) -> None:
    """Write into the address which draft this tab works on."""
    if draft.saved is not None and st.query_params.get(PARAMETER) != draft.saved.id:
        st.query_params.pop(NEW, None)
        st.query_params[PARAMETER] = draft.saved.id


FIELDS = (
    "dataset",
    "title",
    "description",
    "about",
    "run",
    "epsilon",
    "delta",
    "max_rows",
    "max_groups",
    "expected_rows",
    "expected_units",
    "columns",
    "missing_codes",
    "texts",
    "public",
    "weights",
    "postprocess",
    "charts",
    "plan_id",
)
STATISTIC_FIELDS = ("kind", "id", "share", "weight", "epsilon", "target", "confidence")
CONDITIONS = "conditions"


def written(draft: Draft) -> dict[str, Any]:
    """Return a draft as JSON; `read` is the inverse."""
    places = {item.key: place for place, item in enumerate(draft.statistics)}
    return {
        **{name: getattr(draft, name) for name in FIELDS},
        "where": _lines(draft.where),
        "statistics": [
            {**{name: getattr(item, name) for name in STATISTIC_FIELDS}, "options": _options(item.options)}
            for item in draft.statistics
        ],
        "accept": [
            {"place": places[asked.statistic], "requirement": asked.requirement, "limit": asked.limit}
            for asked in draft.accept
        ],
        "derived": [{**each.told, "place": places[each.statistic]} for each in draft.derived],
        "lead": None if draft.lead is None else places.get(draft.lead),
    }


def read(body: Mapping[str, Any]) -> Draft:
    """Return the draft that was saved. What it does not state is as in a new one."""
    draft = Draft(**{name: body[name] for name in FIELDS if name in body})
    draft.where = _conditions(body.get("where", []))
    draft.statistics = [
        StatisticDraft(
            **{name: item[name] for name in STATISTIC_FIELDS if name in item},
            options={name: _value(value) for name, value in item.get("options", {}).items()},
        )
        for item in body.get("statistics", [])
    ]
    draft.accept = [
        CriterionDraft(draft.statistics[item["place"]].key, item["requirement"], item["limit"])
        for item in body.get("accept", [])
    ]
    draft.derived = [
        DerivedDraft(
            draft.statistics[each["place"]].key, {name: told for name, told in each.items() if name != "place"}
        )
        for each in body.get("derived", [])
    ]
    if (lead := body.get("lead")) is not None:
        draft.lead = draft.statistics[lead].key
    return draft


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {CONDITIONS: _lines(value)}
        if isinstance(value, list) and any(isinstance(item, ConditionDraft) for item in value)
        else value
        for name, value in options.items()
    }


def _value(value: Any) -> Any:
    return _conditions(value[CONDITIONS]) if isinstance(value, Mapping) and set(value) == {CONDITIONS} else value


def _lines(conditions: list[ConditionDraft]) -> list[dict[str, Any]]:
    """Return conditions, groups numbered from 0 in order: their own numbers are good for one run of the program."""
    groups: dict[int, int] = {}
    return [
        {
            "column": item.column,
            "test": item.test,
            "value": item.value,
            "group": groups.setdefault(item.group, len(groups)),
        }
        for item in conditions
    ]


def _conditions(saved: list[dict[str, Any]]) -> list[ConditionDraft]:
    groups: dict[Any, int] = {}
    found = []
    for line in saved:
        item = ConditionDraft(line["column"], line["test"], line["value"])
        item.group = groups.setdefault(line["group"], item.group)
        found.append(item)
    return found

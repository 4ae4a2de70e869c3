"""Operations on the list of statistics: copying, removing, moving, joining. Each is saved, and can be undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy

from dprelease.model.presentation import Trait
from dprelease.model.statistic import KINDS
from dprelease.statistics.planning.together import JointPricing
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.statistic_draft import StatisticDraft, next_key, statistic_draft

FEWEST_KEYS = 3
"""Fewest keys of a cross table that is one with a key less as well."""
NOT_SUMMED = ("max_rows_per_cell", "survey_weights", "margins", "shares", "categories")
"""Options with which the cells of a table with a key less are no sums of its own, or have other noise."""


def duplicate(draft: Draft, place: int | None) -> None:
    """Put a copy after a statistic, and go on with it."""
    if place is None:
        return
    copy = deepcopy(draft.statistics[place])
    copy.key, copy.id = next_key(), ""
    draft.statistics.insert(place + 1, copy)
    draft.selected = copy.key
    save(draft)


def remove(draft: Draft, place: int | None) -> None:
    """Take a statistic out; the next one is looked at."""
    if place is None:
        return
    draft.remove(draft.statistics[place])
    if draft.statistics:
        draft.selected = draft.statistics[min(place, len(draft.statistics) - 1)].key
    save(draft)


def move(draft: Draft, place: int | None, to: int) -> None:
    """Put a statistic at another place."""
    if place is None:
        return
    item = draft.statistics.pop(place)
    draft.statistics.insert(max(0, min(to, len(draft.statistics))), item)
    draft.selected = item.key
    save(draft)


def coarser(item: StatisticDraft) -> Sequence[str]:
    """Return the keys of which a cross table could do without one: its cells are then sums, with the same noise."""
    keys = item.options.get("columns") or ()
    summed = KINDS[item.kind].presentation.has(Trait.COUNTS_ROWS) and len(keys) >= FEWEST_KEYS
    return tuple(keys) if summed and not any(item.options.get(name) for name in NOT_SUMMED) else ()


def coarsen(draft: Draft, place: int | None, key: str) -> None:
    """Leave out one key of a cross table, with what was said of it."""
    if place is None or key not in coarser(draft.statistics[place]):
        return
    without_key(draft.statistics[place], key)
    save(draft)


def without_key(item: StatisticDraft, key: str) -> None:
    """Take a key out of a table, and out of every option that says something of it."""
    for name, value in item.options.items():
        if isinstance(value, Mapping):
            item.options[name] = {each: own for each, own in value.items() if each != key}
    item.options["columns"] = [each for each in item.options["columns"] if each != key]


def join(draft: Draft, found: JointPricing) -> None:
    """Put one statistic in the place of the tables that it gives."""
    gone = [item for item, name in zip(draft.statistics, draft.ids(), strict=True) if name in found.ids]
    place, item = draft.statistics.index(gone[0]), statistic_draft(found.asked)
    for each in gone:
        draft.remove(each)
    draft.statistics.insert(place, item)
    draft.selected = item.key
    save(draft)

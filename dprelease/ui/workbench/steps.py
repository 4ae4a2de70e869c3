"""Operations on the list of statistics: copying, removing, moving, joining. Each is saved, and can be undone."""

from __future__ import annotations

from copy import deepcopy

from dprelease.statistics.planning.together import JointPricing
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.statistic_draft import next_key, statistic_draft


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


def join(draft: Draft, found: JointPricing) -> None:
    """Put one statistic in the place of the tables that it gives."""
    gone = [item for item, name in zip(draft.statistics, draft.ids(), strict=True) if name in found.ids]
    place, item = draft.statistics.index(gone[0]), statistic_draft(found.asked)
    for each in gone:
        draft.remove(each)
    draft.statistics.insert(place, item)
    draft.selected = item.key
    save(draft)

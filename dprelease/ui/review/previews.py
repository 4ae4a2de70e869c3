"""What a reviewer sees of previews: that they were taken, and what the plan has otherwise since. Never a value."""

from __future__ import annotations

from dprelease.store.plans import PlanRecord
from dprelease.ui.kit import blocks
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review.findings import changes
from dprelease.ui.words import say
from dprelease.workspace.previews import SincePreview


def since_previews(record: PlanRecord, title: str) -> None:
    """What was changed since the last preview before the plan was submitted, and since the first one."""
    found = workspace().changes_since_preview(record.id, actor=actor())
    if not found:
        return
    blocks.label(say("since_previews"))
    _since("last", found[-1], title)
    if len(found) > 1 and found[0].changes != found[-1].changes:
        _since("first", found[0], title)


def _since(which: str, since: SincePreview, title: str) -> None:
    values = {"name": since.taken.actor, "on": day(since.taken.at)}
    if since.changes is None:
        blocks.note(f"since_{which}_unknown", **values)
    elif not since.changes:
        blocks.note(f"since_{which}_nothing", **values)
    else:
        blocks.note(f"since_{which}_changed", **values)
        changes(since.changes, say(f"since_{which}_caption", title=title))

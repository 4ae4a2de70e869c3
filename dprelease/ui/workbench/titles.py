"""Short names of a draft's statistics."""

from __future__ import annotations

from dprelease.ui.words import known, say
from dprelease.ui.workbench.statistic_draft import StatisticDraft


def kind_words(kind: str) -> str:
    """Return in words what a kind shows."""
    return known(f"kind_{kind}", kind)


def kind_name(kind: str) -> str:
    """Return the name of a kind, where room is short."""
    return known(f"name_{kind}", kind)


def title_of(item: StatisticDraft) -> str:
    """Return the short title of a statistic."""
    columns = [item.options[name] for name in ("column", "numerator", "denominator") if item.options.get(name)]
    columns += item.options.get("columns") or []
    values = {
        "kind": kind_name(item.kind),
        "columns": ", ".join(columns),
        "groups": ", ".join(item.options.get("by") or ()),
    }
    if values["groups"]:
        return say("card_title_by" if columns else "card_title_only_by", **values)
    return say("card_title" if columns else "card_title_alone", **values)

"""What a statistic of a draft is called, in short."""

from __future__ import annotations

from dprelease.ui.words import known, say
from dprelease.ui.workbench.statistic_draft import StatisticDraft


def kind_words(kind: str) -> str:
    """Tells what a kind shows, in words."""
    return known(f"kind_{kind}", kind)


def kind_name(kind: str) -> str:
    """Tells what a kind is called, where room is short."""
    return known(f"name_{kind}", kind)


def title_of(item: StatisticDraft) -> str:
    """Tells what a statistic is, in short."""
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

"""Shares that are drawn over other shares of the same rows, instead of over a key: true over false positives (ROC)."""

from __future__ import annotations

from dprelease.model.release import Estimates

AGAINST = "false_alarms"
"""The further column that a table's values are drawn over."""


def is_against(table: Estimates) -> bool:
    """Tells whether a table is drawn so: where each row has both shares, and they differ."""
    across = table.extra.get(AGAINST, ())
    return len(set(across)) > 1 and None not in (*across, *table.value)

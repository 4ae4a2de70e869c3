"""Rows of an edition of a run: of a unit only where it has rows in few enough periods up to this one."""

from __future__ import annotations

from dprelease.model.recurring import PeriodWindow

DAY = "turn_day"
"""Code of a row's date, counted from the first day of the run; NULL before it, and after the last day of the period."""


def in_turn(window: PeriodWindow, rows: str) -> str:
    """Return SQL of the rows of the last period of a window, of units that have rows in at most so many of its periods.

    Rows have an identifier `u`, by which units are told apart as for `max_rows`. Two rows in one period are one period.
    A unit's periods are counted before any other condition: one that a row meets today it may not have met before.
    """
    this = len(window.firsts) - 1
    steps = " ".join(f"WHEN {DAY} < {first} THEN {place}" for place, first in enumerate(window.firsts[1:]))
    place = f"CASE {steps} ELSE {this} END" if steps else "0"
    placed = f"SELECT *, {place} AS turn_place FROM {rows} WHERE u IS NOT NULL AND {DAY} IS NOT NULL"
    ranked = f"SELECT *, DENSE_RANK() OVER (PARTITION BY u ORDER BY turn_place) AS turn FROM ({placed}) AS placed"
    return f"SELECT * FROM ({ranked}) AS ranked WHERE turn_place = {this} AND turn <= {window.at_most}"

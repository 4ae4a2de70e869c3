"""Rows of an edition of a run: of a unit only where it has rows in few enough periods up to this one."""

from __future__ import annotations

from dprelease.model.recurring import PeriodWindow

DAY = "turn_day"
"""Code of a row's date, counted from the first day of the run; NULL before it, and after the last day of the period."""


def placed(window: PeriodWindow, turns: str) -> str:
    """Return SQL of units `u`, each with the places among the periods of a window in which it has rows, or NULL.

    `turns`: SQL of rows (u, turn_day). Two rows in one period are one period.
    """
    steps = " ".join(f"WHEN {DAY} < {first} THEN {place}" for place, first in enumerate(window.firsts[1:]))
    last = f"WHEN {DAY} IS NOT NULL THEN {len(window.firsts) - 1}"
    return f"SELECT DISTINCT u, CASE {steps} {last} END AS turn_place FROM {turns}"


def in_turn(window: PeriodWindow, rows: str, turns: str) -> str:
    """Return SQL of those `rows` of the last period of a window whose unit has rows in at most so many of its periods.

    Identifiers are told apart as for `max_rows`. A unit's periods are counted in all rows, whatever conditions they
    meet: one that a row meets today it may not have met before.
    """
    own = placed(window, f"({turns}) AS own WHERE u IN (SELECT u FROM {rows})")
    few = f"SELECT u FROM ({own}) AS placed GROUP BY u HAVING COUNT(turn_place) <= {window.at_most}"
    return f"SELECT * FROM {rows} WHERE u IN ({few})"


def lost(window: PeriodWindow, old: str, new: str, text_type: str) -> str:
    """Return SQL of one row: True if a unit has rows of a period in one table, and none of that period in another.

    `old`, `new`: SQL of rows (u, turn_day) of each. Identifiers are compared as texts: they may be stored differently.
    """
    one, other = (
        f"SELECT CAST(u AS {text_type}), turn_place FROM ({placed(window, f'({turns}) AS turns')}) AS placed"
        " WHERE u IS NOT NULL AND turn_place IS NOT NULL"
        for turns in (old, new)
    )
    return f"SELECT EXISTS ({one} EXCEPT {other})"

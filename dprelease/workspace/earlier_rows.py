"""Comparison of rows that are registered during a run with those before: a unit must not lose a period it counted in.

Of a run that keeps a unit to k of its periods the guarantee rests on rows that are only added (docs/privacy/runs.md).
"""

from __future__ import annotations

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset
from dprelease.model.recurring import window
from dprelease.model.schema import Schema
from dprelease.store import previews, runs
from dprelease.table import check_columns
from dprelease.words import phrase
from dprelease.workspace.proposed_readings import may_see
from dprelease.workspace.state import State
from dprelease.workspace.warehouses import is_elsewhere


def check_earlier_rows(state: State, dataset: Dataset, old: str, new: str, *, actor: Actor) -> None:
    """Raise InputError where a unit of the rows at one location has none at another, in a period that a run began.

    For whoever brings them: told to the ledger as a look, then rows are read, whatever comes of it. Nothing is compared
    where this workspace shows no true values, for a token that sees none, of rows on a server, and of deleted ones.
    """
    waiting = [each for each in runs.every_run(state.database) if each.needs_earlier_rows(dataset.name)]
    if not waiting or not old or is_elsewhere(old) or is_elsewhere(new) or not may_see(state, actor):
        return
    looked = [str(dataset.unit_column), *dict.fromkeys(each.recurrence.column for each in waiting)]
    previews.take_reading(state.database, looked, dataset, actor=actor)
    for run in waiting:
        periods = run.recurrence
        last = max(run.begun, key=periods.place)
        plan = Plan.parse(run.plan.mapping).edition(last)
        wanted = window(plan)
        assert wanted is not None
        before, after = state.table(old), state.table(new)
        for each in (before, after):
            check_columns(each, Schema({periods.column: wanted.column}), plan.unit)
        if state.engine.loses(before, after, wanted, plan.unit):
            found = phrase("workspace.rows_without_earlier", run=run.name, period=last)
            allowed = phrase("workspace.rows_with_earlier", first=periods.first)
            remedy = phrase("workspace.say_rows_removed", most=periods.most)
            raise InputError("rows", found=found, allowed=allowed, remedy=remedy)

"""The ordinary unit of an attack: how many rows it has, and which of its values somebody states. Reads no rows."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import streamlit as st

from dprelease.model.column import LISTED, Column, ColumnType
from dprelease.model.plan import Plan
from dprelease.model.population import Population
from dprelease.ui.words import say
from dprelease.workspace.attacks import column_of, stateable


def ordinary(plan: Plan, population: Population, prefix: str) -> tuple[int, dict[str, Any]]:
    """Shows what may be stated, and returns the rows, and values by column."""
    names = [each.name for each in stateable(plan)]
    rows, most = 1, plan.unit.max_rows
    if most > 1:
        label = say("attack_own_rows", unit=population.unit)
        rows = st.number_input(label, 1, most, 1, key=f"{prefix}-attack-rows", width=260)
    if not names:
        return rows, {}
    label = say("attack_own_values", unit=population.unit)
    chosen = st.multiselect(label, names, placeholder=say("attack_own_middle"), key=f"{prefix}-attack-columns")
    return rows, {name: _value(column_of(plan, name), f"{prefix}-attack-value-{name}") for name in chosen}


def _value(column: Column, key: str) -> Any:
    """One declared value; numbers go to the nearest of them."""
    steps = column.lattice.steps
    middle = column.value(steps // 2)
    if column.type in LISTED:
        return st.selectbox(column.name, column.labels, column.labels.index(str(middle)), key=key)
    if column.type is ColumnType.DATE:
        lower, at, upper = (date.fromisoformat(str(each)) for each in (column.value(0), middle, column.value(steps)))
        return st.date_input(column.name, at, lower, upper, key=key).isoformat()
    ends = [float(each) for each in (column.value(0), column.value(steps), middle, column.lattice.resolution)]
    low, high, at_first, step = map(int, ends) if all(each.is_integer() for each in ends) else ends
    number = st.number_input(column.name, low, high, at_first, step, key=key)
    place = round(Decimal(repr(number)) / column.lattice.resolution) - column.lattice.start
    return column.value(min(max(place, 0), steps))

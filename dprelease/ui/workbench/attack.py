"""The strongest adversary's knowledge of one unit from a plan, in figures and as a curve. Reads no rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import ROUND_UP, Decimal
from typing import Any

import streamlit as st

from dprelease.adversaries.plan import Adversary
from dprelease.model.column import LISTED, Column, ColumnType
from dprelease.model.plan import Plan
from dprelease.model.population import Population
from dprelease.model.privacy import NeighboringRelation
from dprelease.statements.display import shown
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say
from dprelease.workspace.attacks import AttackedPlan, column_of, stateable

AT = 0.01
"""The rate of false alarms at which hits are told."""


def attack(price: Price, population: Population, prefix: str) -> None:
    """Offer the attack; it is computed when it is asked for."""
    with st.expander(say("attack")):
        exchanged = population.neighbors is NeighboringRelation.SUBSTITUTE
        blocks.text("attack_what_substitute" if exchanged else "attack_what", unit=population.unit)
        if st.toggle(say("attack_show"), key=f"{prefix}-attack"):
            rows, person = ordinary(price.plan, population, prefix)
            _found(workspace().attack(price.plan, rows=rows, person=person, actor=actor()), population.unit)


def _found(attacked: AttackedPlan, unit: str) -> None:
    found = attacked.found
    blocks.text("attack_sentence", any=of_100(found.any.right), ordinary=of_100(found.ordinary.right), unit=unit)
    heads = [say("attack_who"), say("attack_right"), say("attack_hits")]
    rows = [
        (say(f"attack_{name}"), of_100(each.right), of_100(each.hits_at(AT)))
        for name, each in found.adversaries.items()
    ]
    blocks.table(say("attack_caption"), heads, rows, numbers=(1, 2), whole=True)
    _picture(found.adversaries)
    values = "; ".join(
        f"{name}: {shown(each) if isinstance(each, float) else each}" for name, each in attacked.person.items()
    )
    more = {"values": values} if values else {}
    key = "attack_note_stated" if values else "attack_note"
    blocks.note(key, unit=unit, rows=counted("attack_rows", attacked.rows), **more)
    if len(found.parts) > 1:
        heads = [say("attack_statistic"), say("attack_most"), say("attack_one")]
        alone = [
            (part.statistic, of_100((1 + part.worst) / 2), of_100((1 + part.ordinary) / 2)) for part in found.parts
        ]
        blocks.label(say("attack_parts"))
        blocks.table(say("attack_parts"), heads, alone, numbers=(1, 2))
    over = attacked.over_all
    if over is not None:
        cap, charged = (of_100((1 + each) / 2) for each in (over.cap, over.charged))
        blocks.note("attack_over_all", cap=cap, charged=charged, releases=shown(over.releases))


def _picture(adversaries: Mapping[str, Adversary]) -> None:
    """Show the curve. Its libraries take a moment to load the first time: all else should be on the page before."""
    from dprelease.ui.kit import charts
    from dprelease.ui.workbench.attack_chart import SLIM, WIDE, picture

    told = {name: of_100(each.hits_at(AT)) for name, each in adversaries.items()}
    words = say("attack_alt", bound=told["bound"], any=told["any"], ordinary=told["ordinary"])
    lines = tuple((name, each.hits) for name, each in adversaries.items())
    for room, width in (("wide", WIDE), ("slim", SLIM)):
        with st.container(key=f"attack-{room}"):
            charts.picture(picture(lines, words, width), words)


def of_100(part: float) -> str:
    """Return a share rounded up to a tenth, as bounds are; above 99.9 to a thousandth: not all is certain yet."""
    place = Decimal("0.001") if part > 0.999 else Decimal("0.1")
    return shown(float(Decimal(repr(100 * part)).quantize(place, rounding=ROUND_UP)))


def ordinary(plan: Plan, population: Population, prefix: str) -> tuple[int, dict[str, Any]]:
    """Show what may be stated, and return the rows, and values by column."""
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
    """Ask for one declared value; numbers go to the nearest of them."""
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

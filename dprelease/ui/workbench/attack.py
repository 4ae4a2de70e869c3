"""What the strongest adversary learns of one unit from a plan, in figures and as a curve. Reads no rows."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_UP, Decimal

import streamlit as st

from dprelease.charts.display import shown
from dprelease.lab.plan import Adversary
from dprelease.model.population import Population
from dprelease.model.privacy import NeighboringRelation
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say
from dprelease.ui.workbench.ordinary import ordinary
from dprelease.workspace.attacks import AttackedPlan

AT = 0.01
"""The rate of false alarms at which hits are told."""


def attack(price: Price, population: Population, prefix: str) -> None:
    """Offers it; it is computed when it is asked for."""
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
    """The curve. Its libraries take a moment to load the first time: all else should be on the page before."""
    from dprelease.ui.kit import charts
    from dprelease.ui.workbench.attack_chart import SLIM, WIDE, picture

    told = {name: of_100(each.hits_at(AT)) for name, each in adversaries.items()}
    words = say("attack_alt", bound=told["bound"], any=told["any"], ordinary=told["ordinary"])
    lines = tuple((name, each.hits) for name, each in adversaries.items())
    for room, width in (("wide", WIDE), ("slim", SLIM)):
        with st.container(key=f"attack-{room}"):
            charts.picture(picture(lines, words, width), words)


def of_100(part: float) -> str:
    """Rounded up to a tenth, as bounds are; above 99.9 to a thousandth: not all is certain yet."""
    place = Decimal("0.001") if part > 0.999 else Decimal("0.1")
    return shown(float(Decimal(repr(100 * part)).quantize(place, rounding=ROUND_UP)))

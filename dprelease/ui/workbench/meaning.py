"""What ε means here: for one unit and for several, beside what others published, and added up in other ways."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor

import streamlit as st

from dprelease.accounting.deployments import LOWER_QUARTILE, MEDIAN, PUBLISHED, UPPER_QUARTILE
from dprelease.accounting.meaning import Bound, Meaning
from dprelease.charts.display import exact, factor, shown
from dprelease.model.population import Population
from dprelease.model.privacy import NeighboringRelation
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, budget, fields
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say


def suspicion(price: Price, population: Population) -> None:
    """One sentence of it: how far a suspicion of one half may move; where none is bounded, the chance of an event."""
    found, _ = workspace().plans.meaning(price, actor=actor())
    key, half = (
        (f"meaning_belief_{population.neighbors.value}", found.beliefs)
        if found.beliefs
        else ("meaning_event", found.events)
    )
    blocks.text(key, before=_percent(half[-1].before, 0), most=_percent(half[-1].most, 0), unit=population.unit)


def meaning(price: Price, population: Population) -> None:
    """Odds, beliefs, groups, and a comparison."""
    found, groups = workspace().plans.meaning(price, actor=actor())
    unit = population.unit
    with st.expander(say("meaning", epsilon=exact(price.epsilon))):
        blocks.text("meaning_hidden", unit=unit, relation=budget.relation(population))
        _odds(found, unit)
        _beliefs(found, population)
        if population.neighbors is NeighboringRelation.ADD_REMOVE:
            blocks.note("meaning_exchange", unit=unit, epsilon=exact(groups[0].epsilon))
        heads = [say("meaning_units"), "ε", "δ"]
        rows = [(shown(group.units), exact(group.epsilon), exact(group.delta)) for group in groups]
        blocks.note("meaning_groups", unit=unit)
        blocks.table(say("meaning_groups_caption"), heads, rows, numbers=(0, 1, 2), whole=True)
        blocks.note(
            "meaning_deployments",
            below=round(found.part_below * len(PUBLISHED)),
            count=len(PUBLISHED),
            median=shown(MEDIAN),
            lower=shown(LOWER_QUARTILE, 3),
            upper=shown(UPPER_QUARTILE),
        )
        blocks.guide_link("epsilon")


def _odds(found: Meaning, unit: str) -> None:
    values = {"factor": factor(found.epsilon), "unit": unit}
    if found.delta:
        blocks.text("meaning_odds_delta", **values, delta=exact(found.delta))
    else:
        blocks.text("meaning_odds", **values)


def _beliefs(found: Meaning, population: Population) -> None:
    """Without δ, beliefs; with it, only the chances of events are bounded."""
    unit = population.unit
    if found.beliefs:
        heads = [say("meaning_before"), say("meaning_least"), say("meaning_most")]
        blocks.table(say("meaning_belief_caption"), heads, [_row(each) for each in found.beliefs], numbers=(0, 1, 2))
        blocks.note("meaning_belief_note", unit=unit)
    else:
        blocks.text("meaning_no_belief")
        heads = [say("meaning_without"), say("meaning_least"), say("meaning_most")]
        blocks.table(say("meaning_event_caption"), heads, [_row(each) for each in found.events], numbers=(0, 1, 2))
        blocks.note("meaning_event_note", unit=unit)


def _row(bound: Bound) -> tuple[str, str, str]:
    return _percent(bound.before, 0), _percent(bound.least, 1, floor), _percent(bound.most, 1, ceil)


def _percent(part: float, places: int, rounded: Callable[[float], int] = round) -> str:
    """A part of one in percent, with so many decimals."""
    whole = rounded(round(part * 100 * 10**places, 6))
    return say("percent", number=shown(whole / 10**places if places else whole))


DELTA = 1e-6
DIGITS = 5


def figures(price: Price, prefix: str) -> None:
    """Shows what the plan's mechanisms come to by other ways of adding them up, at a δ of the reader's choice."""
    with st.expander(say("figures")):
        blocks.note("figures_note")
        limits = {"min_value": 1e-12, "max_value": 0.1, "format": "%g", "width": 240}
        delta = fields.number(say("figures_delta"), f"{prefix}-figures-delta", DELTA, **limits)
        if not st.toggle(say("figures_show"), key=f"{prefix}-figures-show") or delta is None:
            return
        found = workspace().plans.figures(price.plan, delta, actor=actor())
        rows = [
            (say(f"figures_{name}"), shown(figure["epsilon"], DIGITS), exact(figure["delta"]))
            for name, figure in found["figures"].items()
        ]
        heads = [say(head) for head in ("figures_way", "price_loss", "event_delta")]
        blocks.table(say("figures"), heads, rows, numbers=(1, 2), whole=True)

"""The meaning of ε, and ways to choose it other than by dragging: typed, begun from a harm, or found from errors."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from math import ceil, floor

import streamlit as st

from dprelease.accounting.deployments import HARMS, LOWER_QUARTILE, MEDIAN, PUBLISHED, UPPER_QUARTILE
from dprelease.accounting.epsilon_explained import Bound, Meaning
from dprelease.model.encoding import plain
from dprelease.model.population import Population
from dprelease.model.privacy import NeighboringRelation
from dprelease.statements.display import exact, factor, shown
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, budget, fields
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, visit, workspace
from dprelease.ui.words import say, say_html, say_label
from dprelease.ui.workbench.asking import done
from dprelease.ui.workbench.attack import attack
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.draft_status import standing as standing_of
from dprelease.ui.workbench.prices import price_table, unit_of
from dprelease.ui.workbench.saving import save

MAX_DELTA = Decimal("0.001")


def meaning_dialog(standing: DraftStatus) -> None:
    """Show ε and δ typed exactly, what they mean, and where to begin."""
    draft, key = standing.draft, f"meaning-{visit()}-{standing.draft.generation}"
    _typed(standing, key)
    marks = {"median": shown(MEDIAN), "lower": shown(LOWER_QUARTILE, 3), "upper": shown(UPPER_QUARTILE)}
    blocks.note("epsilon_ruler", **marks)
    if draft.epsilon is not None and draft.epsilon > UPPER_QUARTILE:
        blocks.markup(say_html("epsilon_red", quartile=shown(UPPER_QUARTILE)), "dp-note dp-watermark")
    save(draft)
    after = standing_of(draft, standing.dataset, standing.population)
    price = None if after.bench is None else after.bench.price
    if price is not None:
        blocks.markup(budget.whole(price, standing.population))
    blocks.markup(budget.standing(standing.account), "dp-note")
    if price is not None:
        suspicion(price, standing.population)
    _begin_from_harm(draft, standing.population, key)
    if price is not None:
        _priced(standing, price, key)
    done()


def _priced(standing: DraftStatus, price: Price, key: str) -> None:
    """Show what needs a price: the way from errors, ε in figures, its adversaries, mechanisms, other sums."""
    from_errors(standing.draft, price, key)
    meaning(price, standing.population)
    attack(price, standing.population, key)
    with st.expander(say("price")):
        price_table(price)
        blocks.note("price_note")
    figures(price, key)


def _typed(standing: DraftStatus, key: str) -> None:
    """Show two fields, each with its problem beside it; a decimal comma is taken where it can be nothing else."""
    draft = standing.draft
    left, right = st.columns(2)
    with left:
        written = fields.text(
            say("plan_epsilon"), f"{key}-epsilon", _shown(draft.epsilon), help=say("plan_epsilon_help")
        )
        epsilon = _read(written, "ε", Decimal("1e-9"), Decimal(1000))
        if epsilon is not None or not written.strip():
            draft.epsilon = epsilon
    with right:
        written = fields.text(say("plan_delta"), f"{key}-delta", _shown(draft.delta), help=say("plan_delta_help"))
        delta = _read(written, "δ", Decimal(0), MAX_DELTA)
        if delta is not None or not written.strip():
            draft.delta = delta or 0


def _shown(number: float | int | None) -> str:
    return "" if number is None else fields.with_comma(exact(Decimal(str(number))))


def _read(written: str, symbol: str, least: Decimal, most: Decimal) -> float | int | None:
    """Return the number, or None with a sentence on what was written, what is allowed, and what may have been meant."""
    if not written.strip():
        return None
    typed = fields.decimal(written)
    if typed is not None and least <= typed <= most:
        return plain(typed)
    meant = fields.meant(written)
    values = {"symbol": symbol, "written": written, "least": exact(least), "most": exact(most)}
    box(say_html("bench_number_meant", meant=meant, **values) if meant else say_html("bench_number", **values))
    return None


def set_epsilon(draft: Draft, prefix: str, value: float | None) -> None:
    """Set the plan's ε, and what its field shows; from a callback, or before it is drawn."""
    draft.epsilon = fields.exact(value)
    fields.follow(f"{prefix}-epsilon", _shown(draft.epsilon))
    save(draft)


def _begin_from_harm(draft: Draft, population: Population, prefix: str) -> None:
    with st.expander(say("harm_begin")):
        key = f"{prefix}-harm"
        st.radio(
            say_label("harm_question", unit=population.unit),
            list(HARMS),
            index=None,
            key=key,
            format_func=lambda harm: say(f"harm_{harm}", epsilon=shown(HARMS[harm])),
            on_change=lambda: set_epsilon(draft, prefix, HARMS[st.session_state[key]]),
        )
        blocks.note("harm_note")


MOST = 5


def from_errors(draft: Draft, price: Price, prefix: str) -> None:
    """Ask for errors, say which ε they need, and offer to set it."""
    with st.expander(say("wanted")):
        blocks.note("wanted_note")
        priced = {item.id: item for item in price.statistics if item.error95}
        names = fields.some_of(
            say("wanted_which"), f"{prefix}-wanted", list(priced), [], max_selections=MOST, placeholder=say("choose")
        )
        errors = {}
        for name in names:
            unit = unit_of(priced[name], price.plan.schema)
            label = say_label("wanted_error_unit" if unit else "wanted_error", name=name, unit=unit)
            limits = {"min_value": 0.0, "format": "%g", "placeholder": f"{priced[name].error95:.3g}", "width": 320}
            errors[name] = fields.number(label, f"{prefix}-wanted-{name}", None, **limits)
        ready = bool(errors) and all(errors.values())
        if st.button(say("wanted_find"), key=f"{prefix}-wanted-find", disabled=not ready):
            with kindly(), st.spinner(say("wanted_finding")):
                draft.answer = (errors, workspace().plans.needed_epsilon(price.plan, errors, actor=actor()))
        if draft.answer is not None and draft.answer[0] == errors:
            needed = draft.answer[1]
            box(
                say_html("wanted_answer", epsilon=exact(needed), now=exact(price.plan.epsilon_nano / 10**9)),
                kind="done",
            )
            st.button(
                say("wanted_set", epsilon=exact(needed)),
                key=f"{prefix}-wanted-set",
                on_click=set_epsilon,
                args=(draft, prefix, float(needed)),
            )


def suspicion(price: Price, population: Population) -> None:
    """Show in a sentence how far a suspicion of one half may move; where none is bounded, the chance of an event."""
    found, _ = workspace().plans.meaning(price, actor=actor())
    key, half = (
        (f"meaning_belief_{population.neighbors.value}", found.beliefs)
        if found.beliefs
        else ("meaning_event", found.events)
    )
    blocks.text(key, before=_percent(half[-1].before, 0), most=_percent(half[-1].most, 0, ceil), unit=population.unit)


def meaning(price: Price, population: Population) -> None:
    """Show odds, beliefs, groups, and a comparison."""
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
    """Show beliefs without δ; with it, only the chances of events are bounded."""
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
    """Return a part of one in percent, with so many decimals."""
    whole = rounded(round(part * 100 * 10**places, 6))
    return say("percent", number=shown(whole / 10**places if places else whole))


DELTA = 1e-6
DIGITS = 5


def figures(price: Price, prefix: str) -> None:
    """Show the loss of the plan's mechanisms by other ways of composition, at a δ of the reader's choice."""
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

"""A bar for each budget: spent, promised to drafts and reviews, left."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal, InvalidOperation
from typing import Any

import streamlit as st

from dprelease.errors import InputError
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import NANO, Currency
from dprelease.statements.display import exact, shown
from dprelease.statistics import Plan
from dprelease.ui.desk.card import card
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.saving import restore
from dprelease.words.sentences import Html
from dprelease.workspace import Account, PlanState, SavedDraft

MOST = 4
MAX_PRICED = 10
"""Maximum submitted plans, and drafts in ρ, priced anew for their share of a budget: the last ones."""


def budgets() -> None:
    """Show the first budgets, those with something promised before the others."""
    populations = {each.name: each for each in workspace().populations.find(actor=actor())}
    if not populations:
        return
    promised = promises()
    names = sorted(populations, key=lambda name: name not in promised)
    with card("budgets"):
        for name in names[:MOST]:
            account = workspace().populations.budget(name, actor=actor())
            bar(account, populations[name].unit, promised.get(name, Decimal(0)))
        if len(names) > MOST:
            blocks.note("desk_more", count=shown(len(names) - MOST))
        if may("ledger"):
            link("budget", say("desk_ledger"))


def bar(account: Account, unit: str, promised: Decimal) -> None:
    """Show one budget, solid: spent; striped: promised."""
    rounded = account.rounded
    cap, used, left = (each.epsilon + each.rho for each in (rounded.cap, rounded.used, rounded.remaining))
    width, striped = (min(100.0, 100 * max(float(each), 0.0) / float(cap)) if cap else 0.0 for each in (used, promised))
    symbol = account.cap.symbol
    values = {"left": exact(left), "cap": exact(cap), "symbol": symbol}
    words = say("desk_bar", population=account.population, spent=exact(used), promised=exact(promised), **values)
    note = say_html("desk_promised", promised=exact(promised), symbol=symbol)
    if not promised:
        note = Html("") if used else say_html("desk_nothing_spent")
    st.html(
        fill(
            '<div class="dp-budget"><h3 class="dp-row-head">{name}<span class="dp-budget-left">{left}</span></h3>'
            '<div class="dp-gauge" role="img" aria-label="{words}"><i style="width:{width}%"></i>'
            '<b style="width:{striped}%"></b></div>'
            '<p class="dp-row-note dp-between"><span>{unit}</span><span>{note}</span></p></div>',
            name=account.population,
            left=say_html("desk_left", **{**values, "left": fill("<strong>{}</strong>", exact(left))}),
            words=words,
            width=f"{width:.2f}",
            striped=f"{min(striped, 100 - width):.2f}",
            unit=say_html("desk_per", unit=unit),
            note=note,
        )
    )


def promises() -> dict[str, Decimal]:
    """Return the cost of open drafts and of plans that are not published, by population."""
    ws, result = workspace(), defaultdict[str, Decimal](Decimal)
    datasets = {each.name: each for each in ws.datasets.find(actor=actor())}
    populations = {each.name: each for each in ws.populations.find(actor=actor())}
    waiting = ws.plans.find(states=(PlanState.SUBMITTED, PlanState.APPROVED), actor=actor())
    submitted = {(record.dataset, record.mapping.get("title")) for record in waiting}
    opened = {run.plan.id for run in ws.runs.find(actor=actor())} if may("runs") else set()
    for record in [each for each in waiting if each.id not in opened][-MAX_PRICED:]:
        loss = ws.plans.price_of(record.id, actor=actor()).loss
        result[datasets[record.dataset].population] += Decimal(loss.nano) / NANO
    in_rho = 0
    for saved in ws.plans.drafts.find(actor=actor()) if may("drafts") else []:
        dataset = datasets.get(str(saved.body.get("dataset")))
        asks = saved.body.get("statistics") and (dataset and dataset.name, saved.body.get("title")) not in submitted
        if dataset is None or not asks:
            continue
        population = populations[dataset.population]
        if population.currency is Currency.PURE:
            result[population.name] += _number(saved.body.get("epsilon"))
        elif in_rho < MAX_PRICED:
            in_rho += 1
            result[population.name] += _rho(saved, dataset, population)
    return {name: amount for name, amount in result.items() if amount}


def _rho(saved: SavedDraft, dataset: Dataset, population: Population) -> Decimal:
    """Return the loss of a draft as it is, in what its budget counts; 0 while it cannot be priced."""
    try:
        plan = Plan.parse(restore(saved).mapping(dataset, population))
        return Decimal(workspace().price(plan, actor=actor()).loss.nano) / NANO
    except InputError:
        return Decimal(0)


def _number(value: Any) -> Decimal:
    """Return a number typed in a draft; 0 where it is no positive number yet."""
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return Decimal(0)
    return found if found.is_finite() and found > 0 else Decimal(0)

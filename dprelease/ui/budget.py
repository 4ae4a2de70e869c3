"""ε in words: never without unit, relation, δ and what the population has spent. Sums come from the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dprelease.bundle.display import shown
from dprelease.bundle.words import Html
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import PrivacyLoss, decimal_text
from dprelease.ui.markup import fill
from dprelease.ui.words import say, say_html

if TYPE_CHECKING:
    from dprelease.statistics.price import Price
    from dprelease.store.account import Account


def loss(amount: PrivacyLoss) -> Html:
    """ε and δ."""
    words = say_html("loss", epsilon=decimal_text(amount.epsilon), delta=decimal_text(amount.delta))
    return fill('<span class="dp-keep">{}</span>', words)


def relation(population: Population) -> Html:
    """Which two tables are compared, in words."""
    return say_html(f"relation_{population.neighbors.value}", unit=population.unit)


def rows(count: int) -> str:
    """How many rows of a unit are used."""
    return say("rows_one") if count == 1 else say("rows_many", count=shown(count))


def whole(price: Price, population: Population) -> Html:
    """What a plan costs, with everything it needs beside it."""
    return say_html(
        "whole",
        epsilon=decimal_text(price.loss.epsilon),
        delta=decimal_text(price.loss.delta),
        unit=population.unit,
        relation=relation(population),
        rows=rows(price.plan.unit.max_rows),
    )


def unit_of(dataset: Dataset) -> Html:
    """What one unit is in a dataset."""
    if dataset.unit_column is None:
        return say_html("unit_row")
    return say_html("unit_column", column=dataset.unit_column)


def standing(account: Account) -> Html:
    """Spent, cap and left."""
    return say_html(
        "budget_now",
        population=account.population,
        spent=loss(account.spent),
        cap=loss(account.cap),
        left=loss(account.remaining),
    )


def outlook(now: Account, after: Account, price: Price) -> Html:
    """What would be left, or that it would be refused."""
    if not now.covers(price.loss):
        return say_html("budget_over", population=now.population, left=loss(now.remaining))
    return say_html("budget_after", left=loss(after.remaining))

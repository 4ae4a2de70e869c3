"""ε in words: never without unit, relation, δ and what the population has spent. Sums come from the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dprelease.bundle.guarantee import computed
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.statements.display import exact, shown
from dprelease.ui.kit.markup import fill
from dprelease.ui.words import say, say_html
from dprelease.words.sentences import Html

if TYPE_CHECKING:
    from dprelease.statistics.planning.price import Price
    from dprelease.workspace import Account


def loss(amount: PrivacyLoss, currency: Currency | None = None) -> Html:
    """Return a loss: ε and δ, or ρ and δ. Of nothing at all, `currency` says what it would be counted in."""
    delta = exact(amount.delta)
    if (currency or amount.currency) is Currency.ZCDP:
        words = say_html("loss_rho", rho=computed(amount.rho), delta=delta)
    else:
        words = say_html("loss", epsilon=exact(amount.epsilon), delta=delta)
    return fill('<span class="dp-keep">{}</span>', words)


def cap(account: Account) -> Html:
    """Return the cap of all releases together, or of those of a period."""
    words = _beside(account, account.rounded.cap, account.declared)
    return words if account.period is None else say_html("cap_period", cap=words, period=account.period)


def spent(account: Account) -> Html:
    """Return the budget spent so far; where there are periods, in this one and before it."""
    words = _beside(account, account.rounded.used, account.used_worth)
    if account.period is None:
        return words
    before = loss(account.before, account.currency)
    return say_html("spent_period", spent=words, period=account.period, before=before)


def left(account: Account) -> Html:
    """Return the remaining budget, in what the budget counts."""
    return loss(account.rounded.remaining, account.currency)


def _beside(account: Account, amount: PrivacyLoss, worth: PrivacyLoss) -> Html:
    """Return an amount of a budget; beside one in ρ, the ε and δ that it means."""
    words = loss(amount, account.currency)
    return words if account.currency is Currency.PURE else say_html("loss_worth", loss=words, worth=loss(worth))


def relation(population: Population) -> Html:
    """Return the neighbouring relation in words: the two tables that are compared."""
    return say_html(f"relation_{population.neighbors.value}", unit=population.unit)


def rows(count: int) -> str:
    """Return in words how many rows of a unit are used."""
    return say("rows", count, count=shown(count))


def whole(price: Price, population: Population) -> Html:
    """Return the cost of a plan, with everything it needs beside it."""
    about = {"unit": population.unit, "relation": relation(population), "rows": rows(price.plan.unit.max_rows)}
    if population.currency is Currency.ZCDP:
        asked = PrivacyLoss(epsilon_nano=price.plan.epsilon_nano, delta_atto=price.plan.delta_atto)
        counted = loss(price.loss, population.currency)
        return say_html("whole_rho", **_numbers(asked), counted=counted, **about)
    return say_html("whole", **_numbers(price.loss), **about)


def _numbers(amount: PrivacyLoss) -> dict[str, str]:
    return {"epsilon": exact(amount.epsilon), "delta": exact(amount.delta)}


def unit_of(dataset: Dataset) -> Html:
    """Return in words the unit of a dataset."""
    if dataset.unit_column is None:
        return say_html("unit_row")
    return say_html("unit_column", column=dataset.unit_column)


def standing(account: Account) -> Html:
    """Return spent, cap and left; where there are periods, also what was spent before this one."""
    return say_html(
        "budget_now" if account.period is None else "budget_now_period",
        population=account.population,
        spent=_beside(account, account.rounded.used, account.used_worth),
        cap=_beside(account, account.rounded.cap, account.declared),
        left=left(account),
        period=account.period,
        before=loss(account.before, account.currency),
    )


def outlook(now: Account, after: Account, price: Price) -> Html:
    """Return the budget that would be left, or that the plan would be refused."""
    if not now.covers(price.loss):
        return say_html("budget_over", population=now.population, left=left(now))
    return say_html("budget_after", left=left(after))

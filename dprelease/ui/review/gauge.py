"""The budget of a population as a bar: what is spent, what this plan would cost, what it would leave."""

from __future__ import annotations

import streamlit as st

from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.statements.display import exact
from dprelease.ui.kit import budget
from dprelease.ui.kit.markup import fill
from dprelease.ui.words import say, say_html
from dprelease.workspace import Account


def gauge(now: Account, loss: PrivacyLoss) -> None:
    """Show the budget as a bar, solid: spent; striped: this plan; and in words. Over the cap, it says by how much."""
    cap, used, cost = (max(each.nano, 0) for each in (now.cap, now.used, loss))
    whole, fits = max(cap, used + cost, 1), now.covers(loss)
    st.html(
        fill(
            '<div class="dp-meter{over}"><p><b>{name}</b><span>{left}</span></p><div class="dp-meter-bar" role="img" '
            'aria-label="{alt}"><i style="width:{used}%"></i><u style="width:{cost}%"></u></div>'
            "<p><span>{plan}</span><span>{outcome}</span></p></div>",
            over="" if fits else " dp-over",
            name=now.population,
            left=say_html("gauge_left", left=amount(now.rounded.remaining, now.currency), cap=budget.cap(now)),
            alt=say("gauge_alt", used=round(100 * used / whole), cost=round(100 * cost / whole)),
            used=round(100 * used / whole, 3),
            cost=round(100 * cost / whole, 3),
            plan=say_html("gauge_plan", cost=amount(loss, now.currency)),
            outcome=_outcome(now, loss) if fits else say_html("review_over", by=over(now, loss)),
        )
    )


def _outcome(now: Account, loss: PrivacyLoss) -> str:
    return say_html("gauge_after", left=amount(now.rounded.remaining - loss, now.currency))


def amount(loss: PrivacyLoss, currency: Currency) -> str:
    """Write ε, or ρ where the population counts in it, with its symbol."""
    return f"{'ρ' if currency is Currency.ZCDP else 'ε'} {number(loss, currency)}"


def number(loss: PrivacyLoss, currency: Currency) -> str:
    """Write ε or ρ without the symbol."""
    return exact(loss.rho if currency is Currency.ZCDP else loss.epsilon)


def over(now: Account, loss: PrivacyLoss) -> str:
    """Return the excess of a plan's cost over what is left: in ε or ρ, else in δ."""
    more = loss - now.remaining
    return amount(more, now.currency) if more.nano > 0 else f"δ {exact(more.delta)}"

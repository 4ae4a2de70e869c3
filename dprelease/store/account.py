"""Budget of a population: what it may spend, has spent and has left."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context
from typing import Any

from dprelease.accounting.rho_conversion import DIGITS, epsilon_at
from dprelease.model.privacy import NANO, Currency, PrivacyLoss, decimal_text, rho_delta
from dprelease.model.view import View, Viewed
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.registered import registered_within
from dprelease.words import phrase, quoted


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Account(Viewed):
    """A population's budget: its cap and what its charges have spent of it, both in its currency."""

    population: str
    currency: Currency
    declared: PrivacyLoss
    """The cap as it was registered: (ε, δ) in either currency."""
    cap: PrivacyLoss
    """Cap on all charges of the period: the declared cap; in zcdp its ρ, and half of its δ or none."""
    spent: PrivacyLoss
    """Loss of all charges ever."""
    charges: int
    period: str | None = None
    """For which the cap holds; None where it holds for all time."""
    before: PrivacyLoss = field(default_factory=PrivacyLoss)
    """Loss spent in earlier periods."""
    discovers: bool = True
    """Same field as in `Population`."""

    def view(self) -> View:
        amounts = (("cap", self.cap), ("spent", self.used), ("left", self.remaining))
        rows = [(str(phrase(f"store.view_{name}")), str(loss)) for name, loss in amounts]
        period = [] if self.period is None else [str(phrase("store.view_period", period=self.period))]
        told = str(phrase("store.view_budget", population=quoted(self.population), count=self.charges))
        return View(told, period, ("", self.currency.value), rows)

    @property
    def used(self) -> PrivacyLoss:
        """Loss that is spent of the cap: in this period."""
        return self.spent - self.before

    @property
    def remaining(self) -> PrivacyLoss:
        """Budget that is left; negative where a copy of the ledger had spent more than was left."""
        return self.cap - self.used

    @property
    def in_force(self) -> dict[str, Any]:
        """Facts that a charge states of the cap that it was held against."""
        cap = PrivacyLoss(
            epsilon_nano=self.declared.epsilon_nano, rho_nano=self.cap.rho_nano, delta_atto=self.declared.delta_atto
        )
        return {"cap": cap.to_mapping(), "period": self.period, "before": self.before.to_mapping()}

    def covers(self, loss: PrivacyLoss) -> bool:
        """Return True if a charge fits into what remains."""
        return loss.within(self.remaining)

    @property
    def rounded(self) -> Account:
        """The same for people: in zcdp, ρ in four digits of the cap, with used + left = cap.

        What is used is rounded up, but not above the cap where it is within; what is left so is rounded down.
        """
        if self.currency is Currency.PURE:
            return self
        step = 10 ** max(0, len(str(self.cap.rho_nano)) - DIGITS)
        cap, used = self.cap.rho_nano // step * step, -(-self.used.rho_nano // step) * step
        if self.remaining.rho_nano >= 0:
            used = min(used, cap)
        before = _ceiling(self.before.rho_nano)
        return replace(
            self,
            cap=replace(self.cap, rho_nano=cap),
            before=replace(self.before, rho_nano=before),
            spent=replace(self.spent, rho_nano=before + used),
        )

    @property
    def cap_text(self) -> str:
        return self._text(self.rounded.cap, self.declared)

    @property
    def spent_text(self) -> str:
        return self._text(self.rounded.spent, self.spent_worth)

    @property
    def used_text(self) -> str:
        return self._text(self.rounded.used, self.used_worth)

    @property
    def used_worth(self) -> PrivacyLoss:
        """The (ε, δ) that the releases of this period keep together; ε rounded up."""
        return self._worth(self.used)

    @property
    def remaining_text(self) -> str:
        """Writes it in what the budget counts: the ε of what is left of a ρ and the ε spent are no parts of a cap."""
        return loss_text(self.rounded.remaining, self.currency)

    @property
    def spent_worth(self) -> PrivacyLoss:
        """The (ε, δ) that the releases so far keep together; ε rounded up."""
        return self._worth(self.spent)

    def _worth(self, loss: PrivacyLoss) -> PrivacyLoss:
        """Return, in zcdp, ε of ρ at the declared δ's part for it, and δ: that part (if any ρ) and the loss's own δ."""
        if self.currency is Currency.PURE or loss.rho_nano <= 0:
            return loss
        at = rho_delta(self.declared.delta_atto, self.discovers)
        epsilon = epsilon_at(loss.rho_nano, at)
        return PrivacyLoss(epsilon_nano=int(epsilon * NANO), delta_atto=at + loss.delta_atto)

    def _text(self, loss: PrivacyLoss, worth: PrivacyLoss) -> str:
        if self.currency is Currency.PURE:
            return str(loss)
        return f"{loss_text(loss, self.currency)} ({worth})"


def loss_text(loss: PrivacyLoss, currency: Currency) -> str:
    """Return a loss as text, nothing at all too, which does not show what it is counted in."""
    if currency is Currency.PURE:
        return str(loss)
    return f"ρ = {decimal_text(loss.rho)}, δ = {decimal_text(loss.delta)}"


def _ceiling(nano: int) -> int:
    return int(Context(prec=DIGITS, rounding=ROUND_CEILING).create_decimal(nano))


def account(database: Database, population: str) -> Account:
    """Return the budget of a population. Raises InputError where there is no such population."""
    with database.reading() as connection:
        return account_within(connection, population)


def spent(database: Database, population: str) -> PrivacyLoss:
    """Return the sum of a population's charges. Raises InputError where there is no such population."""
    return account(database, population).spent


def account_within(connection: Connection, population: str) -> Account:
    registered = registered_within(connection, population)
    loss, charges = spent_before(connection, population)
    return Account(
        population=population,
        currency=registered.population.currency,
        declared=registered.population.cap,
        cap=registered.population.budget,
        spent=loss,
        charges=charges,
        period=registered.population.period,
        before=registered.before,
        discovers=registered.population.discovers,
    )


def spent_before(connection: Connection, population: str) -> tuple[PrivacyLoss, int]:
    row = connection.execute(
        "SELECT spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges FROM ledger"
        " WHERE population = ? ORDER BY seq DESC LIMIT 1",
        [population],
    ).fetchone()
    if row is None:
        return PrivacyLoss(), 0
    return PrivacyLoss(epsilon_nano=row[0], rho_nano=row[1], delta_atto=row[2]), row[3]

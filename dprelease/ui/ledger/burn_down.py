"""The use of a population's budget: a step line of what was spent, and one of what could be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import streamlit as st

from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.statements.display import exact, shown
from dprelease.ui.kit import blocks, budget
from dprelease.ui.kit.phrases import milliseconds, moment
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.ledger.burn_chart import Lines, picture
from dprelease.ui.words import known, say
from dprelease.workspace import EventKind

if TYPE_CHECKING:
    from dprelease.workspace import Account, LedgerEvent


MAX_CHARGES = 100
"""Maximum number of charges in one chart: the last ones."""
MAX_ROWS = 20
CAPS = (EventKind.POPULATION_CREATED, EventKind.CAP_RAISED, EventKind.PERIOD_OPENED)
SECOND = 1000


@dataclass(frozen=True, slots=True)
class Step:
    """A charge or a cap, with what was spent and allowed from then on."""

    event: LedgerEvent
    spent: PrivacyLoss
    """Loss of all charges ever."""
    cap: PrivacyLoss
    before: PrivacyLoss
    """Loss spent before the period."""
    period: str | None

    @property
    def used(self) -> PrivacyLoss:
        return self.spent - self.before

    @property
    def ceiling(self) -> int:
        """The most that all charges ever may come to, in nano: the cap, above what was spent before its period."""
        return (self.before + self.cap).nano


def steps(account: Account) -> list[Step]:
    """Return the caps of a population and the last of its charges, oldest first."""
    ws, name = workspace(), account.population
    caps = ws.ledger.events(name, kinds=CAPS, actor=actor())
    charges = ws.ledger.events(name, kinds=(EventKind.CHARGE,), limit=MAX_CHARGES, newest_first=True, actor=actor())
    found: list[Step] = []
    cap, before, period = PrivacyLoss(), PrivacyLoss(), None
    for event in sorted((*caps, *charges), key=lambda each: each.seq):
        assert event.spent is not None
        if event.kind in CAPS:
            cap = _cap(event.body)
        if event.kind == EventKind.PERIOD_OPENED:
            before, period = event.spent, str(event.body["period"])
        found.append(Step(event, event.spent, cap, before, period))
    # Where earlier charges are left out, the line begins at what was spent by then: no flat line says otherwise.
    if len(charges) < account.charges:
        first = next(place for place, step in enumerate(found) if step.event.kind == EventKind.CHARGE)
        found = found[first:]
    return found


def _cap(body: Mapping[str, Any]) -> PrivacyLoss:
    """Return the cap of an event in the currency that it is counted in: ρ where the event states one."""
    if "rho_nano" in body:
        return PrivacyLoss(rho_nano=body["rho_nano"], delta_atto=body["delta_atto"] // 2)
    return PrivacyLoss(epsilon_nano=body["epsilon_nano"], delta_atto=body["delta_atto"])


def chart(account: Account, found: Sequence[Step]) -> None:
    """Show the picture."""
    times = [milliseconds(step.event.at) for step in found]
    opened = [
        (when, step.period or "")
        for when, step in zip(times, found, strict=True)
        if step.event.kind == EventKind.PERIOD_OPENED
    ]
    symbol = "ε" if account.currency is Currency.PURE else "ρ"
    spent, most = (
        exact(amount.epsilon + amount.rho)
        for amount in (account.rounded.spent, account.rounded.before + account.rounded.cap)
    )
    lines = Lines(
        points=tuple((when, step.spent.nano, step.ceiling) for when, step in zip(times, found, strict=True)),
        opened=tuple(opened),
        periods=account.period is not None,
        first=found[0].event.at,
        end=max(int(datetime.now(UTC).timestamp() * 1000), times[-1] + SECOND),
        symbol=symbol,
        most=most,
    )
    values = {"spent": say("amount", symbol=symbol, amount=spent), "cap": say("amount", symbol=symbol, amount=most)}
    st.html(picture(lines, say("burn_alt", population=account.population, **values)))


def table(account: Account, found: Sequence[Step]) -> None:
    """Show the same numbers, newest first, of the last ones."""
    periods = account.period is not None
    heads = ["event_at", "event_what", "burn_amount", "burn_of_cap", "cap", *(["burn_ever"] if periods else [])]
    rows = [
        (
            moment(step.event.at),
            known(f"event_{step.event.kind}", step.event.kind),
            budget.loss(step.event.loss if step.event.kind == EventKind.CHARGE else step.cap, account.currency),
            budget.loss(step.used, account.currency),
            budget.loss(step.cap, account.currency),
            *([budget.loss(step.spent, account.currency)] if periods else []),
        )
        for step in found[: -MAX_ROWS - 1 : -1]
    ]
    blocks.table(say("burn_caption"), [say(head) for head in heads], rows)
    if len(found) > MAX_ROWS:
        blocks.note("list_last", shown=shown(MAX_ROWS), count=shown(len(found)))


def note(account: Account, found: Sequence[Step]) -> None:
    """Say that earlier charges are left out, where they are."""
    charges = sum(step.event.kind == EventKind.CHARGE for step in found)
    if charges < account.charges:
        blocks.note("burn_last", shown=shown(charges), count=shown(account.charges))

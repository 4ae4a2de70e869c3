"""The operations on populations: whose privacy is spent, what is left of their caps, and what was asked about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dprelease.accounting.rho_conversion import with_rho
from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import PrivacyLoss, read_delta, read_epsilon
from dprelease.model.report import Report
from dprelease.statistics.planning.price import Price
from dprelease.store import account, datasets, populations
from dprelease.store.account import Account
from dprelease.store.database import Database
from dprelease.store.populations import Request
from dprelease.words import phrase
from dprelease.workspace.operations import Find, Noun, read_text
from dprelease.workspace.overlaps import OverlapComparison, Pair, compare, pairs


class Populations(Noun):
    """Populations, their budgets, and the requests for them that wait for a second person."""

    _listed, _heads = "populations", ("population", "unit", "cap", "spent", "left")

    def _rows(self) -> list[tuple[str, ...]]:
        found = populations.every(self._state.database)
        accounts = ((account.account(self._state.database, each.name), each.unit) for each in found)
        return [(of.population, unit, of.cap_text, of.spent_text, of.remaining_text) for of, unit in accounts]

    def find(self, *, actor: Actor | None = None) -> list[Population]:
        """Return all populations."""
        self._act("populations", actor)
        return populations.every(self._state.database)

    def budget(self, population: str, *, actor: Actor | None = None) -> Account:
        """Return a population's cap, what is spent of it in how many charges, and what remains, in its currency."""
        self._act("budget", actor)
        return account.account(self._state.database, population)

    def budget_after(self, priced: Price, *, actor: Actor | None = None) -> Account:
        """Return the budget of a plan's population as it would be once the plan was published. Charges nothing."""
        self._act("budget_after", actor)
        dataset, _ = datasets.get(self._state.database, priced.plan.dataset)
        now = account.account(self._state.database, dataset.population)
        return replace(now, spent=now.spent + priced.loss, charges=now.charges + 1)

    def of(self, dataset: str, *, actor: Actor | None = None) -> Population:
        """Return the population of a dataset."""
        self._act("populations", actor)
        return populations.get(self._state.database, datasets.get(self._state.database, dataset)[0].population)

    def raise_cap(
        self, population: str, *, epsilon: Any, delta: Any = None, reason: str, actor: Actor | None = None
    ) -> Population:
        """Raise what all releases about a population may spend together; in a team, ask a second person for it."""
        acting = self._act("raise_cap", actor)
        wanted = self._with_cap(population, epsilon, delta)
        populations.raise_cap(self._state.database, wanted, reason=read_text(reason, "reason"), actor=acting)
        return populations.get(self._state.database, population)

    def open_period(
        self,
        population: str,
        name: str,
        *,
        epsilon: Any,
        delta: Any = None,
        reason: str = "",
        actor: Actor | None = None,
    ) -> Population:
        """Open a period with a cap of its own, such as a year; in a team, ask a second person for it.

        What was spent before stays in the sums, and on every certificate. No clock opens a period.
        """
        acting = self._act("open_period", actor)
        wanted = replace(self._with_cap(population, epsilon, delta), period=read_text(name, "period"))
        populations.open_period(self._state.database, wanted, reason=read_text(reason, "reason", least=0), actor=acting)
        return populations.get(self._state.database, population)

    def _with_cap(self, population: str, epsilon: Any, delta: Any) -> Population:
        now = populations.get(self._state.database, population)
        report = Report()
        cap = PrivacyLoss(
            epsilon_nano=read_epsilon(epsilon, "epsilon", report),
            delta_atto=now.cap.delta_atto if delta is None else read_delta(delta, "delta", report),
        )
        report.raise_any(InputError)
        return with_rho(replace(now, cap=cap))

    def attest_overlap(self, population: str, other: str, overlap: str, *, actor: Actor | None = None) -> None:
        """State whether two populations have the same units, some in common, or none.

        In a team, an administrator who is another person confirms that they have none.
        """
        acting = self._act("attest_overlap", actor)
        populations.attest_overlap(self._state.database, population, other, read_overlap(overlap, other), actor=acting)

    def overlaps(self, population: str, *, actor: Actor | None = None) -> dict[str, Overlap | None]:
        """Return the overlap of each other population with this one; None where nobody attested it."""
        self._act("overlaps", actor)
        return populations.overlaps(self._state.database, population)

    def open_overlaps(self, population: str, *, actor: Actor | None = None) -> list[str]:
        """Return the other populations with a table whose overlap with this one nobody attested, registered or not.

        Whoever registers a table is asked of them, whatever is in it: nothing is compared.
        """
        self._act("add_dataset", actor)
        found = populations.uncounted_overlaps(self._state.database, population)
        return [other for other, state in found.items() if state == "open"]

    def declare_earlier_releases(
        self, population: str, descriptions: Sequence[str], *, actor: Actor | None = None
    ) -> None:
        """State what was published about a population without a guarantee that is counted here."""
        acting = self._act("declare_earlier_releases", actor)
        texts = [read_text(each, "earlier_releases") for each in descriptions]
        populations.declare_earlier_releases(self._state.database, population, texts, actor=acting)

    def earlier_releases(self, population: str, *, actor: Actor | None = None) -> list[str]:
        """Return what was declared to be published without a guarantee that is counted here."""
        self._act("earlier_releases", actor)
        return populations.earlier_releases(self._state.database, population)

    def requests(self, *, actor: Actor | None = None) -> list[Request]:
        """Return what was asked of a second person, and what they decided."""
        self._act("requests", actor)
        return populations.requests(self._state.database)

    def approve_request(self, request: int, *, comment: str = "", actor: Actor | None = None) -> Request:
        """Carry out what somebody else asked for."""
        with self._telling(self._asked(request), actor, request=request):
            acting = self._act("approve_request", actor)
            return populations.decide(
                self._state.database,
                request,
                approve=True,
                comment=read_text(comment, "comment", least=0),
                actor=acting,
            )

    def pairs(self, *, actor: Actor | None = None) -> list[Pair]:
        """Return the populations with tables that are not attested to share units, two by two."""
        self._act("compare_rows", actor)
        return pairs(self._state)

    def compare_rows(self, population: str, other: str, *, actor: Actor | None = None) -> list[OverlapComparison]:
        """Compare, for an administrator alone, if rows of two populations are the same, or mostly of the same units.

        Coarse, and an event that says nothing of what was found; nothing that others are shown depends on it. It finds
        accidents: identifiers that are written otherwise are not the same.
        """
        acting = self._act("compare_rows", actor)
        return compare(self._state, population, other, actor=acting)

    def _asked(self, request: int) -> Find:
        def found() -> tuple[str, str]:
            asked = populations.request(self._state.database, request)
            return asked.population, asked.author

        return found

    def confirm_overlap(
        self, request: int, *, approve: bool = True, comment: str = "", actor: Actor | None = None
    ) -> Request:
        """Confirm that two populations have no unit in common, as somebody else attests, or return that."""
        with self._telling(self._asked(request), actor, request=request):
            acting = self._act("confirm_overlap", actor)
            text = read_text(comment, "comment", least=0 if approve else 1)
            return populations.decide(
                self._state.database, request, approve=approve, comment=text, actor=acting, overlap=True
            )

    def return_request(self, request: int, *, comment: str, actor: Actor | None = None) -> Request:
        """Decline what somebody else asked for, and say why."""
        acting = self._act("return_request", actor)
        return populations.decide(
            self._state.database, request, approve=False, comment=read_text(comment, "comment"), actor=acting
        )


def read_overlaps(database: Database, population: str, overlaps: Mapping[str, str]) -> dict[str, Overlap]:
    """Return what is attested with a table of a population, by other population.

    Raises InputError where that is the `same` units: they have one budget, so it is a table of the other population.
    """
    found = {other: read_overlap(overlap, other) for other, overlap in overlaps.items()}
    for other, overlap in found.items():
        populations.get(database, other)
        if other == population:
            raise InputError(f"overlaps.{other}", found=other, allowed=phrase("store.another_population"))
        if overlap is Overlap.SAME:
            raise InputError(
                f"overlaps.{other}",
                found=phrase("workspace.same_units_as", other=other),
                allowed=phrase("workspace.other_units_or_population", other=other),
                remedy=phrase("workspace.one_budget_for_same_units", other=other),
            )
    return found


def read_overlap(value: object, other: str) -> Overlap:
    """Return a stated overlap. Raises InputError."""
    report = Report()
    chosen = report.choice(value, f"overlaps.{other}", [each.value for each in Overlap])
    report.raise_any(InputError)
    return Overlap(chosen or "")

"""The operations of those who decide of plans: what a plan would change, what its checks find, who is to decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from dprelease.errors import InputError, InsufficientBudgetError, PlanError
from dprelease.model.actor import Actor, Role
from dprelease.model.difference import Change, changes
from dprelease.model.measured import comparable, fingerprint, measured_each
from dprelease.model.plan import Plan
from dprelease.model.policy import Policy
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.report import Report
from dprelease.statistics.planning.price import Price, price_of
from dprelease.store import account, datasets, people, plans, populations, previews, releases, submitted
from dprelease.store.account import Account, loss_text
from dprelease.store.plans import Delegation, PlanDecision, PlanRecord, PlanState
from dprelease.words import phrase
from dprelease.workspace.checks import Case, PlanFinding, blocking, findings
from dprelease.workspace.circumstances import proposed_readings
from dprelease.workspace.looks_before import LookBefore, looks_before
from dprelease.workspace.model_checks import PublishedBounds, columns
from dprelease.workspace.narrow import Filtered, Near, filtered, near
from dprelease.workspace.operations import MAX_TEXT, Operations, read_text
from dprelease.workspace.publish import load


@dataclass(frozen=True, kw_only=True)
class ReviewedPlan:
    """A submitted plan as a decision: what it is, costs and changes. Nothing in it was read off the rows."""

    record: PlanRecord
    dataset: Dataset
    population: Population
    price: Price
    now: Account
    after: Account
    """The budget once it was published."""
    against: PlanRecord | None
    """The plan of the same dataset that was approved last before it."""
    changes: Sequence[Change]
    """Against that one."""
    looks: Sequence[LookBefore]
    """At true values of it, before it was submitted."""
    findings: Sequence[PlanFinding]
    blocking: Sequence[PlanFinding]
    """The findings with which it cannot be approved."""
    policy: Policy

    @property
    def plan(self) -> Plan:
        return self.price.plan

    @property
    def filtered(self) -> Filtered | None:
        """Errors of the plan where the filter leaves as few of the expected rows as of what is declared."""
        return filtered(self.price)


class Review(Operations):
    """Facts that a reviewer needs to decide on a plan. Never a true value, never a preview."""

    def policy(self, *, actor: Actor | None = None) -> Policy:
        """Return what this workspace allows in a plan: its `policy.yaml`, or the ordinary one. Raises InputError."""
        self._act("policy", actor)
        return self._state.policy()

    def review(self, plan_id: str, *, actor: Actor | None = None) -> ReviewedPlan:
        """Return a submitted plan with its price, its changes against the last approved one, and its findings."""
        self._act("review", actor)
        return self._review(plan_id)

    def price_of(self, plan_id: str, *, actor: Actor | None = None) -> Price:
        """Return what a submitted plan costs."""
        self._act("price_of", actor)
        return self._record_price(plans.get(self._state.database, plan_id))

    def _record_price(self, record: PlanRecord) -> Price:
        with self._state.database.reading():
            dataset, _ = datasets.get(self._state.database, record.dataset)
            population = populations.get(self._state.database, dataset.population)
        return price_of(record.plan, population.currency, population.discovers)

    def _review(self, plan_id: str) -> ReviewedPlan:
        with self._state.database.reading():
            return self._reviewed(plan_id)

    def _reviewed(self, plan_id: str) -> ReviewedPlan:
        database = self._state.database
        record = plans.get(database, plan_id)
        dataset, _ = datasets.get(database, record.dataset)
        population = populations.get(database, dataset.population)
        priced, now = self._record_price(record), account.account(database, population.name)
        against = submitted.approved_last(database, record)
        others = submitted.of_population(database, population.name, other_than=record.id)
        policy, looks = self._state.policy(), looks_before(database, record, population.name)
        found = findings(
            Case(
                plan=priced.plan,
                dataset=dataset,
                population=population,
                price=priced,
                account=now,
                policy=policy,
                published=self._published(priced.plan),
                looks=looks,
                declared_after_look=self._declared_after_look(record, population),
                proposed=proposed_readings(self._state, record, priced.plan, dataset),
                overlaps=populations.uncounted_overlaps(database, population.name),
                near=self._near(record, priced.plan, others),
                tried=_tried(record, others),
                bounds=self._bounds(priced.plan),
            )
        )
        return ReviewedPlan(
            record=record,
            dataset=dataset,
            population=population,
            price=priced,
            now=now,
            after=replace(now, spent=now.spent + priced.loss, charges=now.charges + 1),
            against=against,
            changes=() if against is None else changes(against.mapping, record.mapping),
            looks=looks,
            findings=found,
            blocking=blocking(found, policy),
            policy=policy,
        )

    def _declared_after_look(self, record: PlanRecord, population: Population) -> bool:
        with self._state.database.reading() as connection:
            return previews.declared_after_look(connection, population.name, record.id, record.dataset, at="dataset")

    def _published(self, plan: Plan) -> dict[str, str]:
        """Return the title of the last release of each statistic that was published before, by its id."""
        known = zip(plan.statistics, measured_each(plan), strict=True)
        found = {each.id: submitted.published_last(self._state.database, own) for each, own in known}
        return {statistic: title for statistic, title in found.items() if title is not None}

    @staticmethod
    def _near(record: PlanRecord, plan: Plan, others: Sequence[PlanRecord]) -> list[Near]:
        """Return other plans of the population, waiting, approved or published, whose filter differs in one column."""
        found = []
        for other in others:
            if record.mapping.get("where") != other.mapping.get("where"):
                title = str(other.mapping.get("title") or other.dataset)
                found.append(near(plan, title, Plan.parse(other.mapping)))
        return [each for each in found if each is not None]

    def _bounds(self, plan: Plan) -> dict[str, PublishedBounds]:
        """Return the range that was published last, by column of a model."""
        found = {}
        for column in columns(plan):
            told = submitted.published_bounds(self._state.database, plan.dataset, column)
            release = None if told is None else load(self._state, releases.get(self._state.database, told[0]))
            if told is not None and release is not None and told[1] in release.tables:
                lower, upper = (Decimal(str(end)) for end in release.tables[told[1]].value)
                found[column] = PublishedBounds(lower, upper, told[2])
        return found

    def _check(self, plan_id: str) -> PrivacyLoss:
        """Return the loss of a plan, if it can be approved.

        Raises PlanError where a check stands against approving it, InsufficientBudgetError beyond the cap.
        """
        reviewed = self._review(plan_id)
        if not reviewed.now.covers(reviewed.price.loss):
            raise InsufficientBudgetError(
                reviewed.population.name,
                requested=loss_text(reviewed.price.loss, reviewed.population.currency),
                remaining=reviewed.now.remaining_text,
            )
        report = Report()
        for finding in reviewed.blocking:
            about = ", ".join(f"{name} {value}" for name, value in finding.about.items())
            report.add(
                f"policy.{finding.check}",
                found=about or finding.detail,
                allowed=phrase("workspace.plan_without_finding_policy"),
                remedy=phrase("workspace.page_review_says_what"),
            )
        report.raise_any(PlanError)
        return reviewed.price.loss

    def reviewers(self, *, actor: Actor | None = None) -> list[str]:
        """Return the people who were invited as reviewers, by name."""
        self._act("reviewers", actor)
        return [
            person.name
            for person in people.every(self._state.database)
            if person.disabled is None and Role.REVIEWER in person.roles
        ]

    def delegate(self, plan_id: str, to: str, *, comment: str = "", actor: Actor | None = None) -> None:
        """Ask another reviewer to decide on a plan; the request stays in the ledger. Whoever may decide still may."""
        acting = self._act("delegate", actor)
        person = people.get(self._state.database, to)
        if person.disabled or Role.REVIEWER not in person.roles or person.name == acting.name:
            raise InputError("to", found=to, allowed=phrase("workspace.name_another_person_who"))
        text = read_text(comment, "comment", least=0)
        plans.delegate(self._state.database, plan_id, Actor(to, person.roles), actor=acting, comment=text)

    def delegations(self, plan_id: str, *, actor: Actor | None = None) -> list[Delegation]:
        """Return who asked whom to decide on a plan, oldest first."""
        self._act("delegations", actor)
        return plans.delegations(self._state.database, plan_id)

    def decisions(self, plan_id: str, *, actor: Actor | None = None) -> list[PlanDecision]:
        """Return what reviewers decided of a plan, oldest first."""
        self._act("decisions", actor)
        return plans.decisions(self._state.database, plan_id)


def _tried(record: PlanRecord, others: Sequence[PlanRecord]) -> list[Decimal]:
    """Return the ε of plans that published some of the same cells, of any edition, oldest first, and of this one."""
    mine = _cells(record.mapping)
    told = (other.mapping for other in others if other.state is PlanState.PUBLISHED)
    alike = [mapping for mapping in told if mine & _cells(mapping)]
    return [Decimal(str(mapping["privacy"]["epsilon"])) for mapping in (*alike, record.mapping)]


def _cells(mapping: Mapping[str, Any]) -> set[str]:
    return {fingerprint(comparable(asked, mapping)) for asked in mapping["statistics"]}


def read_remarks(remarks: Mapping[str, str], statistics: Sequence[str]) -> dict[str, str]:
    """Return what is said of single statistics; empty remarks are none. Raises InputError."""
    report = Report()
    for name, text in remarks.items():
        report.choice(name, "remarks", statistics)
        report.text(text, f"remarks.{name}", longest=MAX_TEXT)
    report.raise_any(InputError)
    return {name: text.strip() for name, text in remarks.items() if text.strip()}

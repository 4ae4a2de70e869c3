"""The operations on plans: submitting and deciding them, and what helps to make and to judge one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dprelease.errors import PlanError
from dprelease.model.actor import OWNER, Actor
from dprelease.model.plan import Plan
from dprelease.statistics.planning import criteria
from dprelease.store import (
    datasets,
    drafts,
    ledger,
    plans,
    submitted,
)
from dprelease.store.drafts import DraftKind, SavedDraft
from dprelease.store.event import EventKind
from dprelease.store.facts import WorkspaceMode, mode
from dprelease.store.plans import PlanRecord, PlanState
from dprelease.words import Phrase, phrase
from dprelease.workspace.conversation import Conversation
from dprelease.workspace.operations import MAX_SHOWN, Noun, read_text
from dprelease.workspace.planning import Planning
from dprelease.workspace.previews import price_for
from dprelease.workspace.review import Review, read_remarks
from dprelease.workspace.state import State


class Drafts(Noun):
    """Drafts of plans and of columns. They promise nothing, are in no ledger, and nobody else sees them."""

    _listed, _heads = "drafts", ("draft", "changed")

    def _rows(self) -> list[tuple[str, ...]]:
        found = drafts.of_author(self._state.database, DraftKind.PLAN, OWNER.name)
        return [(each.name or each.id, each.changed) for each in found]

    def save(
        self,
        body: Mapping[str, Any],
        *,
        name: str = "",
        kind: str = "plan",
        draft_id: str | None = None,
        revision: int = 0,
        actor: Actor | None = None,
    ) -> SavedDraft:
        """Store a new draft; with `draft_id`, what was made of one since the `revision` that was read.

        `body`: any JSON; `kind`: plan or columns. Raises StaleDraftError where the draft was changed elsewhere since.
        """
        author, database = self._act("save_draft", actor).name, self._state.database
        if draft_id is None:
            return drafts.add(database, DraftKind(kind), body, name=name, author=author)
        return drafts.change(database, draft_id, body, name=name, revision=revision, author=author)

    def find(self, kind: str = "plan", *, actor: Actor | None = None) -> list[SavedDraft]:
        """Return one's own drafts, the last one changed first."""
        author = self._act("drafts", actor).name
        return drafts.of_author(self._state.database, DraftKind(kind), author)

    def get(self, draft_id: str, *, actor: Actor | None = None) -> SavedDraft:
        """Return one of one's own drafts. Raises InputError where there is none."""
        return drafts.get(self._state.database, draft_id, self._act("draft", actor).name)

    def rename(self, draft_id: str, name: str, *, actor: Actor | None = None) -> SavedDraft:
        """Give a draft another name."""
        author, database = self._act("rename_draft", actor).name, self._state.database
        old = drafts.get(database, draft_id, author)
        return drafts.change(database, draft_id, old.body, name=name, revision=old.revision, author=author)

    def duplicate(self, draft_id: str, name: str, *, actor: Actor | None = None) -> SavedDraft:
        """Return a copy with a name of its own."""
        author, database = self._act("duplicate_draft", actor).name, self._state.database
        old = drafts.get(database, draft_id, author)
        return drafts.add(database, old.kind, old.body, name=name, author=author)

    def delete(self, draft_id: str, *, actor: Actor | None = None) -> None:
        """Delete a draft for good."""
        drafts.delete(self._state.database, draft_id, self._act("delete_draft", actor).name)


class Plans(Review, Conversation, Planning, Noun):
    """Plans, from a draft to an approval."""

    _listed, _heads = "plans", ("plan", "title", "dataset", "state")

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.drafts = Drafts(state)

    def _rows(self) -> list[tuple[str, ...]]:
        found = submitted.find(self._state.database, latest=MAX_SHOWN)
        return [(each.id, str(each.mapping.get("title") or ""), each.dataset, each.state.value) for each in found]

    def _how_many(self) -> int:
        return ledger.count(self._state.database, kinds=[EventKind.PLAN_SUBMITTED])

    def find(
        self,
        *,
        states: Collection[PlanState] = (),
        dataset: str | None = None,
        plan_hash: str | None = None,
        author: str | None = None,
        latest: int | None = None,
        before: str | None = None,
        actor: Actor | None = None,
    ) -> list[PlanRecord]:
        """Return submitted plans in the order of submission, all or some.

        `latest`: only so many of the last ones. `before`: of those submitted before this plan.
        """
        self._act("plans", actor)
        return submitted.find(
            self._state.database,
            states=states,
            dataset=dataset,
            plan_hash=plan_hash,
            author=author,
            latest=latest,
            before=before,
        )

    def get(self, plan_id: str, *, actor: Actor | None = None) -> PlanRecord:
        """Return one submitted plan. Raises InputError where there is none."""
        self._act("plans", actor)
        return plans.get(self._state.database, plan_id)

    def submit(self, plan: Plan, *, follows: str | None = None, actor: Actor | None = None) -> str:
        """Hand in a plan, complete with its columns; return its id. The same plan for the same rows has one id.

        `follows`: the returned plan of which it is the next version. Where it is not said, that is the likeliest of the
        author's returned plans of the dataset, if one has a statistic in common with it.
        """
        acting = self._act("submit", actor)
        with self._state.database.reading():
            priced = price_for(self._state, plan)
            dataset, location = datasets.get(self._state.database, plan.dataset)
        check_period(plan, priced.plan)
        criteria.check(priced)
        self._state.rehearse(location, priced)
        return plans.add(self._state.database, priced.plan.whole, dataset.version, author=acting, follows=follows).id

    def approve(self, plan_id: str, *, comment: str = "", actor: Actor | None = None) -> PlanRecord:
        """Approve a submitted plan; in a team not one's own. In a solo workspace the owner may approve their own.

        An approval is for the plan at its price, and for the rows, columns, unit and cap as they are; when one of them
        changes, the plan needs another. In a team it is good for one release.
        """

        def found() -> tuple[str, str]:
            record = plans.get(self._state.database, plan_id)
            return datasets.get(self._state.database, record.dataset)[0].population, record.author

        with self._telling(found, actor, plan=plan_id):
            acting = self._act("approve", actor)
            loss = self._check(plan_id)
            return plans.approve(
                self._state.database, plan_id, loss, approver=acting, comment=read_text(comment, "comment", least=0)
            )

    def return_plan(
        self,
        plan_id: str,
        *,
        comment: str,
        remarks: Mapping[str, str] | None = None,
        actor: Actor | None = None,
    ) -> PlanRecord:
        """Return a plan to its author, who can change it and submit that. `remarks`: by statistic."""
        acting = self._act("return_plan", actor)
        text, record = read_text(comment, "comment"), plans.get(self._state.database, plan_id)
        said = read_remarks(remarks or {}, [statistic["id"] for statistic in record.mapping["statistics"]])
        return plans.return_(self._state.database, plan_id, reviewer=acting, comment=text, remarks=said)

    def lapse(self, plan_id: str, *, actor: Actor | None = None) -> Phrase | None:
        """Return why a plan has no approval that holds; None where it has one."""
        self._act("approval_lapse", actor)
        record = plans.get(self._state.database, plan_id)
        return plans.lapse(self._state.database, plan_id, self._record_price(record).loss)


def check_period(plan: Plan, priced: Plan) -> None:
    """Raise PlanError where a plan names a period of its run and is not what its run makes of that period: its first
    condition would be taken for the period's days.
    """
    run = plan.run
    if run is not None and run.period and priced.whole.edition(run.period) != priced:
        raise PlanError("run.period", found=run.period, allowed=phrase("model.run_says_edition"))


def ready(state: State, plan: Plan | str, *, anew: bool, actor: Actor | None) -> str:
    """Return the id of a plan about to be published: submitted and, where one person decides, approved on the way.

    An approval is left out where the plan is published and that is not to be done `anew`: its release is there. The
    plan may be given by its id, once it is submitted and approved.
    """
    if isinstance(plan, str):
        return plan
    noun = Plans(state)
    plan_id = noun.submit(plan, actor=actor)
    is_new = anew or plans.get(state.database, plan_id).state is not PlanState.PUBLISHED
    if is_new and mode(state.database) is WorkspaceMode.SOLO and noun.lapse(plan_id, actor=actor) is not None:
        noun.approve(plan_id, actor=actor)
    return plan_id

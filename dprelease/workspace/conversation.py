"""The operations by which reviewers and authors talk of a plan: what changed, and remarks until they are settled."""

from __future__ import annotations

from collections.abc import Iterator

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.report import nearest
from dprelease.statistics.planning.price import price_of
from dprelease.store import datasets, plans, populations, remarks, submitted
from dprelease.store.plans import PlanRecord
from dprelease.store.remarks import Remark
from dprelease.words import phrase
from dprelease.workspace.compared import Base, BaseKind, Comparison, compared
from dprelease.workspace.operations import Operations, read_text


class Conversation(Operations):
    """A plan's versions, and what is said of them. Never a true value."""

    def changes(self, plan_id: str, *, since: str | None = None, actor: Actor | None = None) -> Comparison:
        """Compare a submitted plan with its base: each change in a line, with its effect.

        The base is `since`, a plan of the same population; or, where nobody chooses, the version that this person
        returned, else the plan of the dataset approved last, else what another reviewer returned, else the plan of the
        population published last.
        """
        acting = self._act("changes", actor)
        with self._state.database.reading():
            record = plans.get(self._state.database, plan_id)
            bases = self._bases(record, acting.name)
            base = next((each for each in bases if since in (None, each.record.id)), None)
            if base is None and since is not None:
                base = self._chosen(record, since)
            if base is None:
                return Comparison(plan_id=plan_id, base=None)
            population = populations.get(self._state.database, self._population_of(record))
        before, after = (
            price_of(each.plan, population.currency, population.discovers) for each in (base.record, record)
        )
        return compared(plan_id, base, before, after)

    def bases(self, plan_id: str, *, actor: Actor | None = None) -> list[Base]:
        """Return the plans that a plan can be compared with, first the default one."""
        acting = self._act("bases", actor)
        with self._state.database.reading():
            found: dict[str, Base] = {}
            for base in self._bases(plans.get(self._state.database, plan_id), acting.name):
                found.setdefault(base.record.id, base)
        return list(found.values())

    def _bases(self, record: PlanRecord, name: str) -> Iterator[Base]:
        database = self._state.database
        returned = list(self._returned(record))
        yield from (base for base in returned if base.by == name)
        approved = submitted.approved_last(database, record)
        if approved is not None:
            at, by = approved.approved or "", approved.approver or ""
            yield Base(kind=BaseKind.APPROVED, record=approved, by=by, at=at)
        for base in returned:
            if base.by != name:
                yield Base(kind=BaseKind.RETURNED_BY_ANOTHER, record=base.record, by=base.by, at=base.at)
        published = submitted.published_of(database, self._population_of(record), record.id)
        if published is not None:
            yield Base(kind=BaseKind.PUBLISHED, record=published, by=published.author, at=published.created)

    def _returned(self, record: PlanRecord) -> Iterator[Base]:
        """Yield the versions before, the latest first, with who returned them last."""
        for version in remarks.versions(self._state.database, record.id)[1:]:
            last = plans.decisions(self._state.database, version.id)[-1]
            yield Base(kind=BaseKind.RETURNED, record=version, by=last.actor, at=last.at)

    def _chosen(self, record: PlanRecord, since: str) -> Base:
        base = plans.get(self._state.database, since)
        if self._population_of(base) != self._population_of(record):
            ids = [each.id for each in submitted.find(self._state.database, dataset=record.dataset)]
            raise InputError(
                "since", found=since, allowed=phrase("workspace.plan_same_population"), remedy=nearest(since, ids)
            )
        return Base(kind=BaseKind.CHOSEN, record=base, by="", at=base.created)

    def _population_of(self, record: PlanRecord) -> str:
        return datasets.get(self._state.database, record.dataset)[0].population

    def remarks(self, plan_id: str, *, actor: Actor | None = None) -> list[Remark]:
        """Return the remarks on a plan and on the versions before it, oldest first, settled or not."""
        self._act("remarks", actor)
        return remarks.remarks(self._state.database, plan_id)

    def versions(self, plan_id: str, *, actor: Actor | None = None) -> list[PlanRecord]:
        """Return the plan, the returned one that it follows, the one which that follows, and so on."""
        self._act("versions", actor)
        return remarks.versions(self._state.database, plan_id)

    def remark(self, plan_id: str, *, text: str, on: str = "", actor: Actor | None = None) -> Remark:
        """Say something of a plan without deciding. It stays with later versions until it is settled.

        `on`: a statistic by its id, a field of one as `ages.bins`, another line as `privacy.epsilon`; else the whole.
        """
        acting, said = self._act("remark", actor), read_text(text, "text")
        self._check_line(plan_id, on)
        return remarks.remark(self._state.database, plan_id, said, on=on, actor=acting)

    def _check_line(self, plan_id: str, on: str) -> None:
        """Raise InputError where neither the plan nor a version or base of it has such a line."""
        versions = [each.mapping for each in remarks.versions(self._state.database, plan_id)]
        approved = submitted.approved_last(self._state.database, plans.get(self._state.database, plan_id))
        written = [*versions, *([] if approved is None else [approved.mapping])]
        lines = [statistic["id"] for plan in written for statistic in plan["statistics"]]
        lines += [key for plan in written for key in plan]
        if on and on.partition(".")[0] not in lines:
            allowed = phrase("workspace.statistic_or_line", lines=", ".join(dict.fromkeys(lines)))
            raise InputError("on", found=on, allowed=allowed, remedy=nearest(on, lines))

    def answer(self, plan_id: str, remark_id: str, *, text: str, actor: Actor | None = None) -> Remark:
        """Answer an open remark. It stays open until a reviewer settles it."""
        acting, said = self._act("answer", actor), read_text(text, "text")
        return remarks.answer(self._state.database, plan_id, remark_id, said, actor=acting)

    def settle(self, plan_id: str, remark_id: str, *, actor: Actor | None = None) -> Remark:
        """Settle an open remark; in a team not the author of the plan."""
        acting = self._act("settle", actor)
        return remarks.settle(self._state.database, plan_id, remark_id, actor=acting)

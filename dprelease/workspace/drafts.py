"""The operations on drafts: saved as one goes, of use to their author alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.model.actor import OWNER, Actor
from dprelease.store import drafts
from dprelease.store.drafts import DraftKind, SavedDraft
from dprelease.workspace.operations import Noun


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
        """Stores a new draft; with `draft_id`, what was made of one since the `revision` that was read.

        `body`: any JSON; `kind`: plan or columns. Raises StaleDraftError where the draft was changed elsewhere since.
        """
        author, database = self._act("save_draft", actor).name, self._state.database
        if draft_id is None:
            return drafts.add(database, DraftKind(kind), body, name=name, author=author)
        return drafts.change(database, draft_id, body, name=name, revision=revision, author=author)

    def find(self, kind: str = "plan", *, actor: Actor | None = None) -> list[SavedDraft]:
        """One's own drafts, the last one changed first."""
        author = self._act("drafts", actor).name
        return drafts.of_author(self._state.database, DraftKind(kind), author)

    def get(self, draft_id: str, *, actor: Actor | None = None) -> SavedDraft:
        """One of one's own drafts. Raises InputError where there is none."""
        return drafts.get(self._state.database, draft_id, self._act("draft", actor).name)

    def rename(self, draft_id: str, name: str, *, actor: Actor | None = None) -> SavedDraft:
        """Gives a draft another name."""
        author, database = self._act("rename_draft", actor).name, self._state.database
        old = drafts.get(database, draft_id, author)
        return drafts.change(database, draft_id, old.body, name=name, revision=old.revision, author=author)

    def duplicate(self, draft_id: str, name: str, *, actor: Actor | None = None) -> SavedDraft:
        """A copy with a name of its own."""
        author, database = self._act("duplicate_draft", actor).name, self._state.database
        old = drafts.get(database, draft_id, author)
        return drafts.add(database, old.kind, old.body, name=name, author=author)

    def delete(self, draft_id: str, *, actor: Actor | None = None) -> None:
        """Deletes a draft for good."""
        drafts.delete(self._state.database, draft_id, self._act("delete_draft", actor).name)

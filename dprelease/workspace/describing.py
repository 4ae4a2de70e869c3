"""What a new declaration of columns means for what was made with the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.codebook import Codebook
from dprelease.codebook.labels import of_dictionary
from dprelease.model.actor import Actor
from dprelease.model.schema import Schema
from dprelease.store import datasets, previews, submitted
from dprelease.store.plans import PlanRecord, PlanState
from dprelease.table.dictionary import dictionary
from dprelease.workspace.operations import Operations


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependents:
    """Plans that stand on a dataset's declaration, by title, and whether its population was previewed.

    Submitted plans hold the declarations of their columns, and published ones stay as they are. An approval is bound
    to all columns of its dataset, and lapses.
    """

    changed: tuple[str, ...] = ()
    """Columns declared otherwise, for the first time, or no more."""
    approved: tuple[str, ...] = ()
    """Plans whose approval would lapse."""
    waiting: tuple[str, ...] = ()
    """Submitted plans that keep the declaration they were submitted with."""
    published: tuple[str, ...] = ()
    """Published plans that use a changed column."""
    previewed: bool = False
    """Whether true values were previewed: certificates of later plans say that columns were declared after it."""


class Describing(Operations):
    """Operations on the declaration of columns that change nothing."""

    def codebook(self, dataset: str, *, actor: Actor | None = None) -> Codebook | None:
        """What the file said of its columns that a dataset's table is of; None but for files of SPSS and Stata."""
        self._act("codebook", actor)
        _, location = datasets.get(self._state.database, dataset)
        path = None if self._state.home is None else self._state.home.tables / location
        if path is None or not location or not path.is_file():
            return None
        found = dictionary(path)
        return None if found is None else of_dictionary(dataset, found[0], by_label=found[1])

    def dependents(self, dataset: str, columns: Mapping[str, Any], *, actor: Actor | None = None) -> Dependents:
        """What stands on the registered declaration, where another is about to take its place. Reads no rows.

        Raises SchemaError where the other one is not usable.
        """
        self._act("dependents", actor)
        database = self._state.database
        found, _ = datasets.get(database, dataset)
        before = found.schema.to_mapping()
        after = Schema.parse(columns).to_mapping() if columns else {}
        changed = tuple(name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name))
        if not changed:
            return Dependents()
        records = submitted.find(database, dataset=dataset)
        with database.reading() as connection:
            previewed = previews.any_before(connection, found.population)
        return Dependents(
            changed=changed,
            approved=_titles(records, PlanState.APPROVED),
            waiting=_titles(records, PlanState.SUBMITTED),
            published=_titles([record for record in records if _uses(record, changed)], PlanState.PUBLISHED),
            previewed=previewed,
        )


def _uses(record: PlanRecord, names: tuple[str, ...]) -> bool:
    return not set(names).isdisjoint(record.mapping.get("columns", {}))


def _titles(records: list[PlanRecord], state: PlanState) -> tuple[str, ...]:
    titles = [record.mapping.get("title") or record.id for record in records if record.state is state]
    return tuple(dict.fromkeys(titles))

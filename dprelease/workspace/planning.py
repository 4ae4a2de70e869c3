"""The operations that help to make a plan. They read what is declared, never a row."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from dprelease.accounting.meaning import Meaning, meaning
from dprelease.accounting.worth import together
from dprelease.model.actor import Actor
from dprelease.model.certificate import Group
from dprelease.model.plan import Plan
from dprelease.statistics.planning import criteria
from dprelease.statistics.planning.codebook import codebook
from dprelease.statistics.planning.criteria import Outlook
from dprelease.statistics.planning.needed import needed_epsilon
from dprelease.statistics.planning.price import Price
from dprelease.store import datasets, populations
from dprelease.verdict.certificate import GROUPS
from dprelease.workspace.drafts import Drafts


class Planning(Drafts):
    """What ε means, what is needed for an error, and a plan for a whole codebook."""

    def meaning(self, priced: Price, *, actor: Actor | None = None) -> tuple[Meaning, tuple[Group, ...]]:
        """What a plan's guarantee means for one unit, and for units that belong together."""
        self._act("meaning", actor)
        at = priced.plan.delta_atto // 2
        groups = (together(priced.loss, priced.currency, at, size) for size in GROUPS)
        return meaning(float(priced.epsilon), float(priced.delta)), tuple(groups)

    def foreseen(self, priced: Price, *, actor: Actor | None = None) -> list[Outlook]:
        """Whether the criteria of a plan can be expected to hold."""
        self._act("foreseen", actor)
        return criteria.foreseen(priced)

    def needed_epsilon(self, plan: Plan, errors: Mapping[str, float], *, actor: Actor | None = None) -> Decimal:
        """The smallest ε of a plan at which each named statistic's expected error is at most as stated.

        Raises PlanError where there is none, or where an error needs `expected`.
        """
        self._act("needed_epsilon", actor)
        dataset, _ = datasets.get(self._state.database, plan.dataset)
        population = populations.get(self._state.database, dataset.population)
        dataset.check(plan, population)
        return needed_epsilon(dataset.completed(plan), dataset.schema, population.currency, errors)

    def codebook_statistics(self, dataset: str, *, actor: Actor | None = None) -> list[dict[str, Any]]:
        """Statistics for every declared column of a dataset, as in a plan file."""
        self._act("codebook_statistics", actor)
        found, _ = datasets.get(self._state.database, dataset)
        return codebook(found.schema, leaving_out=[found.unit_column] if found.unit_column else [])

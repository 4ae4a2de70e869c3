"""The state of the draft in hand: its price at every ε, or what is missing or wrong; and the state of its budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dprelease.errors import InputError, Problem
from dprelease.model.population import Dataset, Population
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.draft import Draft
from dprelease.workspace import Account
from dprelease.workspace.bench import PriceLadder

STATISTIC = re.compile(r"statistics\[([0-9]+)\]")


@dataclass(frozen=True, kw_only=True)
class DraftStatus:
    """A draft, whom it is about, and what it comes to."""

    draft: Draft
    dataset: Dataset
    population: Population
    account: Account
    mode: looks.Mode | None
    """Preview mode; None where nothing may be looked at."""
    plan: Plan | None = None
    bench: PriceLadder | None = None
    problems: Sequence[Problem] = ()
    missing: str = ""
    """Answer needed before anything can be priced: a key of words, or nothing."""

    @property
    def schema(self) -> Schema:
        return self.draft.schema(self.dataset)

    @property
    def affordable(self) -> bool:
        """True if the population has as much left."""
        return self.bench is not None and self.account.covers(self.bench.price.loss)

    def of(self, place: int) -> list[Problem]:
        """Return the problems of one statistic."""
        return [problem for problem in self.problems if statistic_of(problem) == place]


def standing(draft: Draft, dataset: Dataset, population: Population) -> DraftStatus:
    """Return the status of a draft, with prices from declared facts alone."""
    account = workspace().populations.budget(population.name, actor=actor())
    mode = looks.mode(dataset)
    about = {"draft": draft, "dataset": dataset, "population": population, "account": account, "mode": mode}
    missing = missing_of(draft, dataset)
    if missing:
        return DraftStatus(**about, missing=missing)  # type: ignore[arg-type]
    try:
        plan = Plan.parse(draft.mapping(dataset, population))
        return DraftStatus(**about, plan=plan, bench=priced(plan, mode))  # type: ignore[arg-type]
    except InputError as error:
        return DraftStatus(**about, problems=error.problems)  # type: ignore[arg-type]


def priced(plan: Plan, mode: looks.Mode | None) -> PriceLadder:
    """Return the prices of a plan at every ε: those of what is looked at, where it is looked at."""
    seen = looks.seen(plan, mode) if mode is not None else None
    return seen.look.bench if seen is not None else workspace().plans.bench(plan, actor=actor())


def missing_of(draft: Draft, dataset: Dataset) -> str:
    """Return the answer needed before a draft can be priced: a key of words, or nothing."""
    if draft.epsilon is None:
        return "plan_needs_epsilon"
    if dataset.unit_column is not None and draft.max_rows is None:
        return "plan_needs_max_rows"
    unanswered = next((item.unanswered for item in draft.statistics if item.unanswered), "")
    return unanswered or ("" if draft.statistics else "plan_needs_statistics")


def statistic_of(problem: Problem) -> int | None:
    """Return the place of the statistic that a problem is about."""
    match = STATISTIC.match(problem.path)
    return int(match[1]) if match else None

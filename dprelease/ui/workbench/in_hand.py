"""The plan in hand, where it is complete."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.errors import InputError
from dprelease.model.population import Dataset, Population
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import say
from dprelease.ui.workbench.draft import has_work
from dprelease.ui.workbench.saving import resume


@dataclass(frozen=True, slots=True, kw_only=True)
class InHand:
    """A priced plan with whom it is about."""

    price: Price
    dataset: Dataset
    population: Population

    @property
    def plan(self) -> Plan:
        return self.price.plan

    @property
    def title(self) -> str:
        return self.plan.title or self.plan.dataset


def in_hand(page: str) -> InHand | None:
    """The plan to go on with: see `resume`; without one, or an incomplete one, says so."""
    ws, draft = workspace(), resume()
    datasets = {item.name: item for item in ws.datasets.find(actor=actor())}
    if not has_work() or draft.dataset not in datasets:
        blocks.text(f"{page}_no_plan")
        link("plan", say("go_plan"))
        return None
    dataset = datasets[draft.dataset]
    population = ws.populations.of(dataset.name, actor=actor())
    try:
        price = ws.price(Plan.parse(draft.mapping(dataset, population)), actor=actor())
    except InputError:
        blocks.text(f"{page}_bad_plan")
        link("plan", say("go_draft"))
        return None
    return InHand(price=price, dataset=dataset, population=population)

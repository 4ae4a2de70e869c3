"""A draft without a statistic: what its declared columns propose, each one click from the list."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.errors import InputError
from dprelease.model.population import Dataset
from dprelease.statements.display import margin, shown
from dprelease.statistics import Plan
from dprelease.statistics.planning.check import FIRST, check_of, checked, first_check
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import planned
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.asking import ask
from dprelease.ui.workbench.draft import Draft, current
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.saving import begin, save
from dprelease.ui.workbench.statistic_draft import StatisticDraft, grouped, statistic_draft
from dprelease.ui.workbench.titles import title_of
from dprelease.words.sentences import isolated
from dprelease.workspace.bench import PriceLadder

MOST = 5


def proposed(draft: Draft, dataset: Dataset) -> list[StatisticDraft]:
    """Return a statistic for each declared column that the draft lacks, and a check of how many have a value.

    No row is read.
    """
    there = {(item.kind, item.options.get("column")) for item in draft.statistics}
    found = workspace().plans.codebook(dataset.name, actor=actor())
    new = [grouped(item, dataset.schema) for item in found if (item["kind"], item.get("column")) not in there]
    check = check_of([*(item.mapping(item.id) for item in draft.statistics), *new], dataset.schema)
    return [statistic_draft({**item, "id": ""}) for item in (*new, *([check] if check else []))]


def proposals(standing: DraftStatus) -> None:
    """Show the first few as rows, with what each would err, and a button for all."""
    draft = standing.draft
    if "true" not in looks.modes():
        _check(standing)
    found = proposed(draft, standing.dataset)
    first = found[:MOST]
    bench = would_cost(standing, first)
    blocks.heading("bench_proposed")
    blocks.note("bench_proposed_note" if draft.expected_rows else "bench_proposed_unpriced")
    for place, item in enumerate(first):
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"ghost-{place}"):
            st.html(fill('<p class="dp-ghost"><b>{}</b> <small>{}</small></p>', *_said(standing, item, place, bench)))
            st.button(say("bench_add_it"), key=f"ghost-add-{place}", on_click=_add, args=(draft, [item]))
    with st.container(horizontal=True):
        if len(found) > 1:
            label = say("bench_add_all", len(found), count=shown(len(found)))
            st.button(label, key="ghost-all", type="primary", on_click=_add, args=(draft, found))
        if st.button(say("bench_add_other"), key="ghost-other"):
            ask("add")


def _check(standing: DraftStatus) -> None:
    """Offer, where nobody sees true values, a plan of its own that tells how well the table is read, for a small ε."""
    dataset = standing.dataset
    names = checked(dataset.schema)
    if not names:
        return
    with st.container(border=True, key="check-first"):
        blocks.text("bench_check_note", epsilon=shown(FIRST))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            key, column = f"check-column-{dataset.name}", names[0]
            if len(names) > 1:
                column = st.selectbox(say("bench_check_column"), names, key=key) or column
            label = say("bench_check_first")
            st.button(label, key="check-begin", on_click=_begin_check, args=(standing, column))


def _begin_check(standing: DraftStatus, column: str) -> None:
    """Go on with a new draft; the one in hand is kept."""
    before, dataset = standing.draft, standing.dataset
    save(before)
    begin(dataset.name)
    draft = current()
    draft.title, draft.epsilon = say("bench_check_title", dataset=dataset.name), FIRST
    draft.max_rows = before.max_rows
    _add(draft, [statistic_draft({**item, "id": ""}) for item in first_check(column, dataset.schema)])


def would_cost(standing: DraftStatus, items: list[StatisticDraft]) -> PriceLadder | None:
    """Return the prices of a plan of these statistics, where there is one."""
    ids = [f"s{place}" for place in range(len(items))]
    mapping: dict[str, Any] = standing.draft.mapping(standing.dataset, standing.population)
    mapping["statistics"] = [item.mapping(name) for item, name in zip(items, ids, strict=True)]
    mapping.pop("accept", None)
    try:
        return workspace().plans.bench(Plan.parse(mapping), actor=actor())
    except InputError:
        return None


def expected(bench: PriceLadder, name: str) -> str:
    """Return the expected error of a statistic at the plan's ε, in percent; empty where that is not known."""
    error = bench.errors[name][bench.ladder.index(bench.epsilon)]
    return "" if error is None else say("bench_about", error=margin(100 * error))


def _said(standing: DraftStatus, item: StatisticDraft, place: int, bench: PriceLadder | None) -> tuple[Any, str]:
    if bench is None:
        return isolated(title_of(item)), ""
    priced = bench.price[f"s{place}"]
    question = planned(priced, bench.price.plan.schema, standing.population.unit)
    return isolated(question.name), expected(bench, f"s{place}")


def _add(draft: Draft, items: list[StatisticDraft]) -> None:
    draft.statistics += items
    draft.selected = draft.statistics[0].key
    save(draft)

"""One population in the ledger: its budget step by step, what was refused and looked at, its overlaps, its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from dprelease.model.population import Population
from dprelease.model.privacy import PrivacyLoss
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, budget
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import counted, day_format, moment
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.ledger import burn_down
from dprelease.ui.words import say
from dprelease.words.sentences import Html
from dprelease.workspace import FIRST_LOOKS, EventKind

if TYPE_CHECKING:
    from dprelease.workspace import Account, LedgerEvent

A_LIST = 20
A_HASH = 12
"""Characters of a hash that tell plans apart."""


def detail(account: Account) -> None:
    """Show the budget step by step, what was refused and looked at, and what was published earlier."""
    steps, name = burn_down.steps(account), account.population
    refused, looks = (
        workspace().ledger.count(name, kinds=kinds, actor=actor())
        for kinds in ((EventKind.SPEND_REFUSED,), FIRST_LOOKS)
    )
    blocks.subheading(name)
    blocks.numbers(
        [
            ("ledger_releases", shown(account.charges)),
            ("ledger_refused", shown(refused)),
            ("ledger_looks", shown(looks)),
        ]
    )
    with st.expander(say("burn_table")):
        burn_down.note(account, steps)
        burn_down.table(account, steps)
    if refused:
        with st.expander(say("refused_list", count=shown(refused))):
            _refused(account, refused)
    if looks:
        with st.expander(say("looks_list", count=shown(looks))):
            _looks(name, looks)
    _earlier(name)


def report(name: str) -> None:
    """Show the way to the audit report of these days, to print or as a file."""
    blocks.subheading(say("report_of", population=name))
    blocks.note("report_note")
    with st.container(horizontal=True):
        since, until = (
            st.date_input(say(f"report_{end}"), value=None, format=day_format(), width=180, key=f"report-{end}-{name}")
            for end in ("since", "until")
        )
    chosen = {key: day.isoformat() for key, day in (("since", since), ("until", until)) if day is not None}
    query = f"?{urlencode(chosen)}" if chosen else ""
    blocks.links(
        [
            blocks.anchor(f"/reports/{name}{query}", say("report_open")),
            blocks.anchor(f"/reports/{name}/report.pdf{query}", say("report_file"), download=True),
        ]
    )


def _refused(account: Account, count: int) -> None:
    """Show the last attempts that did not fit."""
    found = _last(account.population, EventKind.SPEND_REFUSED)
    rows = [
        (
            moment(event.at),
            event.actor,
            event.body.get("plan", ""),
            *(
                budget.loss(PrivacyLoss(**event.body[amount]), account.currency)
                for amount in ("requested", "remaining")
            ),
        )
        for event in found
    ]
    heads = ("event_at", "event_who", "list_plan", "refused_asked", "refused_left")
    _listed("ledger_refused", heads, rows, count)


def _looks(population: str, count: int) -> None:
    """Show the last looks at true values, or at how cells are read: of no plan then."""
    found = _last(population, *FIRST_LOOKS)
    rows = [
        (moment(event.at), event.actor, event.body["dataset"], event.body.get("plan_hash", "")[:A_HASH])
        for event in found
    ]
    _listed("ledger_looks", ("event_at", "event_who", "dataset", "list_plan"), rows, count)


def _last(population: str, *kinds: EventKind) -> list[LedgerEvent]:
    return workspace().ledger.events(population, kinds=kinds, limit=A_LIST, newest_first=True, actor=actor())


def _listed(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str | Html]], count: int) -> None:
    blocks.table(say(caption), [say(head) for head in heads], rows)
    if count > len(rows):
        blocks.note("list_last", shown=shown(len(rows)), count=shown(count))


def overlaps(name: str, populations: dict[str, Population]) -> None:
    """Show the populations that share units, and what those have spent."""
    blocks.subheading(say("overlaps_of", population=name))
    found = workspace().populations.overlaps(name, actor=actor())
    if not found:
        blocks.note("overlaps_none")
        return
    rows = [
        (
            other,
            populations[other].unit,
            say(f"overlap_{'open' if overlap is None else overlap.value}"),
            budget.spent(workspace().populations.budget(other, actor=actor())),
        )
        for other, overlap in found.items()
    ]
    heads = [say(head) for head in ("population", "unit", "overlap", "spent")]
    blocks.table(say("overlaps_of", population=name), heads, rows)
    unattested = sum(overlap is None for overlap in found.values())
    if unattested:
        blocks.markup(fill("{}", counted("overlaps_open", unattested)), "dp-note")


def _earlier(name: str) -> None:
    """Show earlier publications about the same units without a guarantee."""
    blocks.subheading(say("earlier"))
    declared = workspace().populations.earlier_releases(name, actor=actor())
    if declared:
        blocks.listed(declared)
    else:
        blocks.note("earlier_none")

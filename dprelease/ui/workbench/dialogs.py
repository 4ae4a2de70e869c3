"""The dialogs of the workbench. Each is drawn of the draft as it is when something in it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dprelease.statements.display import shown
from dprelease.statistics import Plan
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.reading_report import may_read, reading_asked, reading_list
from dprelease.ui.kit.session import actor, flash, visit, workspace
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench import looks
from dprelease.ui.workbench.add_dialog import add_dialog
from dprelease.ui.workbench.asking import Dialog, taken
from dprelease.ui.workbench.attack import of_100
from dprelease.ui.workbench.beside_dialog import beside_dialog
from dprelease.ui.workbench.compare import compare_dialog
from dprelease.ui.workbench.draft import Draft, as_yaml, current, keep
from dprelease.ui.workbench.draft_status import DraftStatus, standing
from dprelease.ui.workbench.drafts import delete_dialog, drafts_dialog
from dprelease.ui.workbench.edit_dialog import edit_dialog
from dprelease.ui.workbench.goals_dialog import goals_dialog
from dprelease.ui.workbench.meaning_dialog import meaning_dialog
from dprelease.ui.workbench.own_plans import own_dialog
from dprelease.ui.workbench.publication import steps
from dprelease.ui.workbench.rows_dialog import rows_dialog
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.sources import sources_dialog
from dprelease.ui.workbench.summary import InHand, summary
from dprelease.ui.workbench.title_dialog import title_dialog
from dprelease.workspace.exact_tables import GivenAway


def exact_dialog(standing: DraftStatus) -> None:
    """Show the small cells that could be found again, by table and rule, beside what the plan's noise allows."""
    seen = looks.held()
    if seen is None or seen.mode != "true" or standing.bench is None:
        blocks.note("bench_sources_first")
        return
    with st.spinner(say("exact_computing")):
        found = seen.look.exact_tables()
    blocks.text("exact_what")
    box(say_html("exact_warning"), kind="warning")
    small = [each for each in found if each.hidden]
    if small:
        _table(small)
    else:
        blocks.text("exact_none")
    right = workspace().attack(standing.bench.price.plan, actor=actor()).found.any.right
    blocks.text("exact_instead", any=of_100(right), unit=standing.population.unit)


def _table(small: Sequence[GivenAway]) -> None:
    heads = [say(f"exact_{name}") for name in ("table", "rule", "hidden", "found", "near")]
    rows = [
        (
            each.table,
            say(f"exact_rule_{each.rule.replace('-', '_')}"),
            shown(each.hidden),
            shown(each.found),
            shown(each.near),
        )
        for each in small
    ]
    blocks.table(say("exact_caption"), heads, rows, numbers=(2, 3, 4))
    blocks.note("exact_note")


LONG = 20
"""Maximum number of statistics of a plan that is written out before it is asked for."""


def file_dialog(standing: DraftStatus) -> None:
    """Replace the draft in hand by an uploaded or edited plan, under its name, once that has a price."""
    draft, key = standing.draft, f"file-{visit()}-{standing.draft.generation}"
    blocks.note("plan_file_note")
    file = st.file_uploader(say("plan_upload"), type=["yaml", "yml", "json"], key=f"{key}-file")
    brought = file.getvalue() if file is not None else None
    edited, apply = "", False
    if len(draft.statistics) <= LONG or st.toggle(say("plan_text_show"), key=f"{key}-show"):
        text = as_yaml(draft.mapping(standing.dataset, standing.population))
        edited = st.text_area(say("plan_text"), text, height=320, key=f"{key}-text-{hash(text)}")
        with st.container(horizontal=True):
            apply = st.button(say("plan_apply"), key=f"{key}-apply")
            st.download_button(
                say("plan_download"), text, file_name="plan.yaml", mime="application/yaml", on_click="ignore"
            )
    if apply or brought is not None:
        with kindly():
            plan = Plan.parse_text(edited if brought is None else brought)
            workspace().price(plan, actor=actor())
            _replace(draft, Draft.from_plan(plan))
            flash("plan_applied")
            st.rerun()


def _replace(draft: Draft, read: Draft) -> None:
    """Replace the draft in hand by the one read, under its name; it can be undone."""
    read.saved, read.history = draft.saved, draft.history
    keep(read)
    save(read)


def publish_dialog(standing: DraftStatus) -> None:
    """Show the dialog for the plan as it stands."""
    if standing.bench is None:
        blocks.text("publish_bad_plan")
        return
    price = standing.bench.price
    hand = InHand(price=price, dataset=standing.dataset, population=standing.population)
    summary(hand)
    _reading(standing)
    steps(hand)


def _reading(standing: DraftStatus) -> None:
    """Show how cells are read, before submission or publication: of the look at true values, or when asked for."""
    if not may_read():
        return
    blocks.heading("reading_cells")
    seen = looks.held()
    report = seen.look.reading if seen is not None and seen.mode == "true" else None
    if report is None:
        reading_asked(standing.dataset.name, key="publish-reading")
    else:
        reading_list(report)


DIALOGS: Mapping[Dialog, Callable[[DraftStatus], None]] = {
    "add": add_dialog,
    "edit": edit_dialog,
    "title": title_dialog,
    "rows": rows_dialog,
    "meaning": meaning_dialog,
    "goals": goals_dialog,
    "compare": compare_dialog,
    "sources": sources_dialog,
    "exact": exact_dialog,
    "beside": beside_dialog,
    "file": file_dialog,
    "drafts": drafts_dialog,
    "own": own_dialog,
    "delete": delete_dialog,
    "publish": publish_dialog,
}

WIDE = ("compare", "sources", "exact", "beside", "edit")


def asked(found: DraftStatus) -> None:
    """Open the dialog asked for, once. Streamlit keeps it open until it is closed, and runs it alone."""
    name = taken()
    if name is None:
        return

    def inside() -> None:
        with kindly():
            DIALOGS[name](standing(current(), found.dataset, found.population))

    st.dialog(say(f"bench_more_{name}"), width="large" if name in WIDE else "medium", on_dismiss="rerun")(inside)()

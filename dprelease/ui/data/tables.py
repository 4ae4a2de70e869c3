"""The registered datasets: where each table is, until when, on what terms; and the button that deletes one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.bundle.display import shown
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.population import Dataset
from dprelease.model.privacy import MAX_ROWS
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.budget import unit_of
from dprelease.ui.kit.fields import begin
from dprelease.ui.kit.phrases import day, day_format
from dprelease.ui.kit.problems import act, box, kindly
from dprelease.ui.words import say, say_html, say_label
from dprelease.workspace.datasets import Kept

MOST_LISTED = 10
UNITS = ((10**9, "size_gb"), (10**6, "size_mb"), (0, "size_kb"))


def datasets_table(datasets: Sequence[Dataset]) -> None:
    """All of them, or those that are looked for where there are many; rows are counted nowhere."""
    chosen = datasets if len(datasets) <= MOST_LISTED else _searched(datasets)
    keys = ("dataset", "population", "dataset_unit", "rows_used", "columns_declared", "kept_until")
    rows = []
    for item in chosen[:MOST_LISTED]:
        terms = session.workspace().datasets.terms(item.name, actor=session.actor())
        kept = session.workspace().datasets.kept(item.name, actor=session.actor())
        used = say("rows_of_plan") if terms.max_rows is None else shown(terms.max_rows)
        rows.append(
            (
                item.name,
                item.population,
                unit_of(item),
                "1" if item.unit_column is None else used,
                shown(len(item.schema.columns)),
                _until(terms, kept),
            )
        )
    blocks.table(say("datasets"), [say(key) for key in keys], rows, numbers=(3, 4))
    if len(chosen) > MOST_LISTED:
        blocks.note("datasets_more", count=shown(len(chosen) - MOST_LISTED))


def _searched(datasets: Sequence[Dataset]) -> Sequence[Dataset]:
    """Those whose name or population holds every word that is typed."""
    words = st.text_input(say("datasets_search"), key="datasets-search", max_chars=200, width=400).casefold().split()
    return [each for each in datasets if all(word in f"{each.name} {each.population}".casefold() for word in words)]


def keep_or_delete(datasets: Sequence[Dataset]) -> None:
    """One dataset's terms, and the deletion of its table, with its name typed to confirm."""
    names = {item.name: item for item in datasets}
    name = st.selectbox(say("kept_which"), list(names), index=None, placeholder=say("choose"), key="kept-dataset")
    if name is None:
        blocks.guide_link("bring-data", "where-the-table-is-kept")
        return
    kept = session.workspace().datasets.kept(name, actor=session.actor())
    terms = session.workspace().datasets.terms(name, actor=session.actor())
    blocks.facts(
        [
            ("kept_where", _where(kept)),
            ("kept_size", "–" if kept.size is None else _size(kept.size)),
            ("kept_until", _until(terms, kept)),
            ("kept_who", say("kept_who_text")),
        ]
    )
    _change(names[name], terms)
    if not kept.deleted:
        _delete(name)
    blocks.guide_link("bring-data", "where-the-table-is-kept")


def _change(dataset: Dataset, terms: DatasetTerms) -> None:
    with st.form(f"terms-{dataset.name}", border=False):
        left, right = st.columns(2)
        max_rows = None
        with left:
            if dataset.unit_column is not None:
                max_rows = st.number_input(
                    say("terms_max_rows"),
                    value=None,
                    min_value=1,
                    max_value=MAX_ROWS,
                    step=1,
                    key=begin(f"terms-rows-{dataset.name}", terms.max_rows),
                    help=say("dataset_max_rows_help"),
                )
        delete_on = right.date_input(
            say("terms_delete_on"),
            value=None,
            format=day_format(),
            key=begin(f"terms-until-{dataset.name}", terms.delete_on),
            min_value="today",
            help=say("terms_delete_on_help"),
        )
        pressed = st.form_submit_button(say("terms_save"))
    if pressed:
        with kindly():
            workspace, actor = session.workspace(), session.actor()
            workspace.datasets.set_terms(dataset.name, max_rows=max_rows, delete_on=delete_on, actor=actor)
            session.flash("terms_saved", name=dataset.name)
            st.rerun()


def _delete(name: str) -> None:
    blocks.subheading(say("delete_title"))
    blocks.note("delete_note")
    typed = st.text_input(say_label("delete_confirm", name=name), key=f"delete-{name}-{session.visit()}")
    if st.button(say("delete_button")):
        if typed.strip() != name:
            box(say_html("delete_not_confirmed", name=name))
            return
        act("table_deleted", lambda: session.workspace().datasets.delete_table(name, actor=session.actor()), name=name)


def _until(terms: DatasetTerms, kept: Kept) -> str:
    if kept.deleted:
        return say("kept_deleted")
    return say("kept_open") if terms.delete_on is None else day(terms.delete_on.isoformat())


def _where(kept: Kept) -> str:
    if kept.deleted:
        return say("kept_nowhere")
    return say("kept_elsewhere") if kept.folder is None else kept.folder


def _size(size: int) -> str:
    """Rounded: it says how large a file is, not how many rows there are."""
    least, key = next(each for each in UNITS if size >= each[0])
    return say(key, size=shown(max(1, round(size / max(least, 1000)))))

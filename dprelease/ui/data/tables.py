"""The registered datasets: what comes next for each, where its table is, until when; the button that deletes one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.population import Dataset
from dprelease.model.privacy import MAX_ROWS
from dprelease.statements.display import shown
from dprelease.ui.data.purpose import PURPOSES, ROWS
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.budget import left, unit_of
from dprelease.ui.kit.fields import begin
from dprelease.ui.kit.markup import dotted, fill
from dprelease.ui.kit.phrases import counted, day, day_format
from dprelease.ui.kit.problems import act, box, kindly
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_html, say_label
from dprelease.words.sentences import isolated
from dprelease.workspace.datasets import StoredRows

MAX_LISTED = 10
UNITS = ((10**9, "size_gb"), (10**6, "size_mb"), (0, "size_kb"))


def datasets_list(datasets: Sequence[Dataset]) -> None:
    """Show all datasets, or those that are looked for where there are many; rows are counted nowhere."""
    chosen = datasets if len(datasets) <= MAX_LISTED else _searched(datasets)
    for item in chosen[:MAX_LISTED]:
        _card(item)
    if len(chosen) > MAX_LISTED:
        blocks.note("datasets_more", count=shown(len(chosen) - MAX_LISTED))


def _card(item: Dataset) -> None:
    """Show one dataset: what it is about, how far its columns are, what is left to spend, and what comes next."""
    workspace, actor = session.workspace(), session.actor()
    kept = workspace.datasets.kept(item.name, actor=actor)
    account = workspace.populations.budget(item.population, actor=actor)
    declared = len(item.schema.columns)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"dataset-{item.name}"):
        facts = [
            say_html("card_about", population=item.population, left=left(account)),
            unit_of(item),
            counted("card_columns", declared),
            _until(workspace.datasets.terms(item.name, actor=actor), kept),
        ]
        st.html(
            fill('<p class="dp-card-name">{}</p><p class="dp-note">{}</p>', isolated(item.name), dotted(facts)),
        )
        if kept.deleted:
            _bring(item, ROWS, primary=True)
        elif not declared:
            _button("card_settle", item, "tables", dataset=item.name)
        else:
            _button("card_release", item, "workbench", new=item.name)
        with st.popover(say("more"), key=f"more-{item.name}"):
            if declared:
                _button("card_columns_open", item, "tables", primary=False, dataset=item.name)
            for why in PURPOSES:
                _bring(item, why, primary=False)


def _bring(item: Dataset, why: str, *, primary: bool) -> None:
    _button(f"card_{why}", item, "tables", primary=primary, **{why: item.name})


def _button(key: str, item: Dataset, page: str, *, primary: bool = True, **query: str) -> None:
    """Show the button that opens a page for a dataset."""
    if st.button(say(key), key=f"{key}-{item.name}", type="primary" if primary else "tertiary"):
        st.session_state[session.DATASET] = item.name
        go(page, **query)


def _searched(datasets: Sequence[Dataset]) -> Sequence[Dataset]:
    """Return the datasets whose name or population holds every word that is typed."""
    words = st.text_input(say("datasets_search"), key="datasets-search", max_chars=200, width=400).casefold().split()
    return [each for each in datasets if all(word in f"{each.name} {each.population}".casefold() for word in words)]


def keep_or_delete(datasets: Sequence[Dataset]) -> None:
    """Show one dataset's terms, and the deletion of its table, with its name typed to confirm."""
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
    _analysts(names[name])
    if not kept.deleted:
        _delete(name)
    blocks.guide_link("bring-data", "where-the-table-is-kept")


def _change(dataset: Dataset, terms: DatasetTerms) -> None:
    with st.form(f"terms-{dataset.name}", border=False):
        first, second = st.columns(2)
        max_rows = None
        with first:
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
        delete_on = second.date_input(
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


def _analysts(dataset: Dataset) -> None:
    blocks.subheading(say("analysts_title"))
    blocks.note("analysts_open" if dataset.analysts else "analysts_closed")
    if st.button(say("analysts_close" if dataset.analysts else "analysts_admit")):
        act(
            "analysts_saved",
            lambda: session.workspace().datasets.open_to_analysts(
                dataset.name, is_open=not dataset.analysts, actor=session.actor()
            ),
            name=dataset.name,
        )


def _delete(name: str) -> None:
    blocks.subheading(say("delete_title"))
    blocks.note("delete_note")
    typed = st.text_input(say_label("delete_confirm", name=name), key=f"delete-{name}-{session.visit()}")
    if st.button(say("delete_button")):
        if typed.strip() != name:
            box(say_html("delete_not_confirmed", name=name))
            return
        act("table_deleted", lambda: session.workspace().datasets.delete_table(name, actor=session.actor()), name=name)


def _until(terms: DatasetTerms, kept: StoredRows) -> str:
    if kept.deleted:
        return say("kept_deleted")
    return say("kept_open") if terms.delete_on is None else day(terms.delete_on.isoformat())


def _where(kept: StoredRows) -> str:
    if kept.deleted:
        return say("kept_nowhere")
    return say("kept_elsewhere") if kept.folder is None else kept.folder


def _size(size: int) -> str:
    """Return a size, rounded: it says how large a file is, not how many rows there are."""
    least, key = next(each for each in UNITS if size >= each[0])
    return say(key, size=shown(max(1, round(size / max(least, 1000)))))

"""The form that registers a dataset: whom it is about, whose privacy a row is, and how long the table is kept."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.codebook.codes import read_line
from dprelease.errors import InputError, Problem
from dprelease.model.population import Population
from dprelease.model.privacy import MAX_ROWS
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.guide import guide_link
from dprelease.ui.kit.phrases import day_format
from dprelease.ui.kit.problems import kindly
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_label
from dprelease.workspace.uploads import Upload

ROW, COLUMN = "row", "column"


def register(upload: Upload, populations: Sequence[Population]) -> None:
    """Asks what an upload is about, with nothing assumed; registers or deletes it."""
    blocks.subheading(say("dataset_about"))
    left, right = st.columns(2)
    with left:
        name = st.text_input(
            say("dataset_name"), help=say("dataset_name_help"), placeholder="visits", key=f"{upload.id}-name"
        )
    with right:
        population = st.selectbox(
            say("dataset_population"),
            populations,
            index=None,
            format_func=lambda item: item.name,
            placeholder=say("choose"),
            help=say("dataset_population_help"),
            key=f"{upload.id}-population",
        )
    who, column, max_rows, nobody = (None, None, None, "") if population is None else _unit(upload, population)
    with st.columns(2)[0]:
        delete_on = st.date_input(
            say("terms_delete_on"),
            value=None,
            min_value="today",
            format=day_format(),
            help=say("terms_delete_on_help"),
            key=f"{upload.id}-until",
        )
    guide_link("bring-data", "one-person-several-rows")
    with st.container(horizontal=True):
        pressed = st.button(say("dataset_save"), type="primary")
        discard = st.button(say("dataset_discard"), type="tertiary")
    if pressed:
        with kindly():
            _check(population, who, column, max_rows)
            added = session.workspace().add_dataset(
                name.strip(),
                upload,
                population=None if population is None else population.name,
                unit_column=column,
                unit_codes=read_line(nobody),
                max_rows=max_rows,
                delete_on=delete_on,
                actor=session.actor(),
            )
            st.session_state[session.DATASET] = added.name
            session.flash("dataset_saved", name=added.name)
            go("columns")
    if discard:
        with kindly():
            session.workspace().discard_upload(upload.id, actor=session.actor())
            session.flash("dataset_discarded", filename=upload.filename)
            st.rerun()


def _unit(upload: Upload, population: Population) -> tuple[str | None, str | None, int | None, str]:
    """Can one have several rows? Which column says whose? How many are used? Blank until somebody answers."""
    who = st.radio(
        say_label("dataset_who", unit=population.unit),
        [COLUMN, ROW],
        index=None,
        format_func=lambda answer: say_label(f"dataset_who_{answer}", unit=population.unit),
        help=say("dataset_who_help"),
        key=f"{upload.id}-who",
    )
    if who != COLUMN:
        return who, None, None, ""
    left, right, last = st.columns(3)
    with left:
        column = st.selectbox(
            say_label("dataset_column", unit=population.unit),
            upload.columns,
            index=None,
            placeholder=say("choose"),
            help=say("dataset_column_help"),
            key=f"{upload.id}-column",
        )
    with right:
        max_rows = st.number_input(
            say_label("dataset_max_rows", unit=population.unit),
            value=None,
            min_value=1,
            max_value=MAX_ROWS,
            step=1,
            help=say("dataset_max_rows_help"),
            key=f"{upload.id}-max-rows",
        )
    with last:
        nobody = st.text_input(
            say("dataset_unit_codes"), help=say("dataset_unit_codes_help"), key=f"{upload.id}-unit-codes"
        )
    return who, column, max_rows, nobody.strip()


def _check(population: Population | None, who: str | None, column: str | None, max_rows: int | None) -> None:
    """The unit is never assumed: every question must have been answered."""
    asked = [
        ("dataset_population", population is not None, "answer_population"),
        ("dataset_who", population is None or who is not None, "answer_who"),
        ("dataset_column", who != COLUMN or column is not None, "answer_column"),
        ("dataset_max_rows", who != COLUMN or max_rows is not None, "answer_max_rows"),
    ]
    unit = population.unit if population else ""
    open_questions = [
        Problem(say(key, unit=unit), say("nothing"), say("a_choice"), say(remedy))
        for key, answered, remedy in asked
        if not answered
    ]
    if open_questions:
        raise InputError.from_problems(open_questions)

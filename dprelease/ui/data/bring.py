"""Bringing a table: from this computer, in a large file, or from a folder of the server; and what it is about."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.codebook.codes import read_line
from dprelease.errors import InputError, Problem
from dprelease.model.population import Population
from dprelease.model.privacy import MAX_ROWS
from dprelease.ui.data.reading_form import correct_reading
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import day_format
from dprelease.ui.kit.problems import act, kindly
from dprelease.ui.screens import go
from dprelease.ui.words import as_label, say, say_label
from dprelease.words import phrase
from dprelease.words.language import language
from dprelease.workspace.readings import Task
from dprelease.workspace.staging import Upload

TYPES = ["csv", "tsv", "txt", "xlsx", "sav", "zsav", "por", "dta", "jsonl", "ndjson", "parquet"]
QUICK = 1.0
"""Seconds that a page waits for a small file before it shows how far its reading is."""
OFTEN = 0.7
"""Seconds between two looks."""
CHUNK = 2**20


def bring_table(populations: Sequence[Population]) -> None:
    """Takes a file, shows how it is read, then asks what it is about."""
    tasks = session.workspace().datasets.uploads.readings(actor=session.actor())
    for task in tasks:
        if not task.runs:
            _say_why(task)
    running = [task for task in tasks if task.runs]
    if running:
        _reading(tuple(task.id for task in running))
        return
    waiting = session.workspace().datasets.uploads.find(actor=session.actor())
    if not waiting:
        _take_file()
        return
    if len(waiting) > 1:
        blocks.note("waiting_more", count=len(waiting) - 1)
    correct_reading(waiting[0])
    register(waiting[0], populations)


def _say_why(task: Task) -> None:
    """Once; nothing is left of a file that could not be read."""
    session.workspace().datasets.uploads.dismiss(task.id, actor=session.actor())
    with kindly():
        if task.error is not None:
            raise task.error


@st.fragment(run_every=OFTEN)
def _reading(ids: tuple[str, ...]) -> None:
    """How far it is. The page can be left: the server goes on, and whoever comes back finds it here."""
    running = [
        task
        for task in session.workspace().datasets.uploads.readings(actor=session.actor())
        if task.id in ids and task.runs
    ]
    if not running:
        st.rerun()
    for task in running:
        st.progress(task.fraction, text=say_label("reading", filename=task.filename))
        if st.button(say("reading_stop"), key=f"stop-{task.id}", type="tertiary"):
            session.workspace().datasets.uploads.discard(task.id, actor=session.actor())
            st.rerun()
    blocks.note("reading_leave")


def _take_file() -> None:
    file = st.file_uploader(say("upload"), type=TYPES, help=say("upload_help"), key=f"file-{session.visit()}")
    staged = st.session_state.setdefault(session.UPLOADED, set())
    if file is not None and file.file_id not in staged:
        staged.add(file.file_id)
        with kindly():
            actor = session.actor()
            with session.workspace().datasets.uploads.receive(file.name, expected=file.size, actor=actor) as arriving:
                while chunk := file.read(CHUNK):
                    arriving.write(chunk)
            _wait(arriving.id)
    st.markdown(f"[{as_label(say('upload_large'))}](/upload?lang={language()})")
    offered = session.workspace().datasets.uploads.importable(actor=session.actor())
    if offered:
        _import(offered)
    blocks.guide_link("bring-data")


def _import(offered: Sequence[str]) -> None:
    path = st.selectbox(
        say("server_file"), offered, index=None, placeholder=say("choose"), help=say("server_file_help"), key="import"
    )
    if st.button(say("server_file_button"), disabled=path is None) and path is not None:
        with kindly():
            _wait(session.workspace().datasets.uploads.import_file(path, actor=session.actor()))


def _wait(upload_id: str) -> None:
    """Small files are read at once: then nothing needs to be shown meanwhile."""
    for task in session.workspace().datasets.uploads.readings(actor=session.actor()):
        if task.id == upload_id:
            task.ended.wait(QUICK)
    st.rerun()


ROW, COLUMN = "row", "column"


def register(upload: Upload, populations: Sequence[Population]) -> None:
    """Asks what an upload is about, with nothing assumed; registers or deletes it."""
    blocks.subheading(say("dataset_about"))
    left, right = st.columns(2)
    name = left.text_input(
        say("dataset_name"), help=say("dataset_name_help"), placeholder="visits", key=f"{upload.id}-name"
    )
    population = right.selectbox(
        say("dataset_population"),
        populations,
        index=None,
        format_func=lambda item: item.name,
        placeholder=say("choose"),
        help=say("dataset_population_help"),
        key=f"{upload.id}-population",
    )
    who, column, max_rows, nobody = (None, None, None, "") if population is None else _unit(upload, population)
    delete_on = st.columns(2)[0].date_input(
        say("terms_delete_on"),
        value=None,
        min_value="today",
        format=day_format(),
        help=say("terms_delete_on_help"),
        key=f"{upload.id}-until",
    )
    blocks.guide_link("bring-data", "one-person-several-rows")
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
        act(
            "dataset_discarded",
            lambda: session.workspace().datasets.uploads.discard(upload.id, actor=session.actor()),
            filename=upload.filename,
        )


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
    column = left.selectbox(
        say_label("dataset_column", unit=population.unit),
        upload.columns,
        index=None,
        placeholder=say("choose"),
        help=say("dataset_column_help"),
        key=f"{upload.id}-column",
    )
    max_rows = right.number_input(
        say_label("dataset_max_rows", unit=population.unit),
        value=None,
        min_value=1,
        max_value=MAX_ROWS,
        step=1,
        help=say("dataset_max_rows_help"),
        key=f"{upload.id}-max-rows",
    )
    nobody = last.text_input(
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
        Problem(say(key, unit=unit), phrase("ui.nothing"), phrase("ui.a_choice"), phrase(f"ui.{remedy}"))
        for key, answered, remedy in asked
        if not answered
    ]
    if open_questions:
        raise InputError.from_problems(open_questions)

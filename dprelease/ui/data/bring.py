"""Bringing a table: from this computer, of any size, or from a folder of the server; it stays in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dprelease.model.population import Dataset, Population
from dprelease.ui.bench.drop import drop
from dprelease.ui.data.populations import add_population
from dprelease.ui.data.purpose import ROWS, proposed_name, purpose, say_purpose
from dprelease.ui.data.reading_form import correct_reading
from dprelease.ui.data.registration import discard, register, replace_rows
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.words import say, say_html, say_label
from dprelease.workspace.readings import Task
from dprelease.workspace.staging import Upload

TYPES = ["csv", "tsv", "txt", "xlsx", "sav", "zsav", "por", "dta", "sas7bdat", "jsonl", "ndjson", "parquet"]
QUICK = 1.0
"""Seconds that a page waits for a small file before it shows how far its reading is."""
OFTEN = 0.7
"""Seconds between two looks."""


def is_under_way() -> bool:
    """Return True if a file is being read, or was and waits: then the page begins with it."""
    uploads = session.workspace().datasets.uploads
    return bool(uploads.readings(actor=session.actor()) or uploads.find(actor=session.actor()))


def bring_table(populations: Sequence[Population], asked: int) -> None:
    """Take a file, show how it is read, then ask what it is about. `asked`: populations that wait for a decision."""
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
        say_purpose()
        take_file(st.rerun)
        offered = session.workspace().datasets.uploads.importable(actor=session.actor())
        if offered:
            _import(offered)
        blocks.guide_link("bring-data")
        return
    if len(waiting) > 1:
        blocks.note("waiting_more", count=len(waiting) - 1)
    upload = waiting[0]
    why, former = purpose()
    if former is not None:
        _read_like(upload, former)
    if not correct_reading(upload):
        discard(upload)
        return
    say_purpose()
    if former is not None:
        _warn(upload, former)
    if why == ROWS and former is not None:
        replace_rows(upload, former)
    elif populations:
        register(upload, populations, asked, after=former)
    else:
        blocks.subheading(say("population_first"))
        add_population(populations, asked, proposal=proposed_name(upload.filename))


def _read_like(upload: Upload, former: Dataset) -> None:
    """Read rows of a dataset as its first ones were, once; what cannot be read so is said."""
    key = f"{upload.id}-like-{former.name}"
    if key in st.session_state:
        return
    st.session_state[key] = True
    with kindly():
        uploads = session.workspace().datasets.uploads
        task = uploads.read_like(upload.id, former.name, actor=session.actor())
        if task is not None:
            task.ended.wait(QUICK)
            if task.error is None:
                st.rerun()


def _warn(upload: Upload, former: Dataset) -> None:
    """Warn that another layout is an event; in the same one, list how the file alone would be read otherwise."""
    datasets, actor = session.workspace().datasets, session.actor()
    layout = datasets.layout(former.name, actor=actor)
    if layout is None:
        return
    if upload.detected.reading != layout:
        box(say_html("layout_changes", dataset=former.name), kind="warning")
        return
    blocks.note("layout_kept", dataset=former.name)
    warned = datasets.unlike(former.name, upload, actor=actor)
    if warned:
        blocks.listed([str(each) for each in warned])


def _say_why(task: Task) -> None:
    """Say once why a file could not be read; nothing is left of it."""
    session.workspace().datasets.uploads.dismiss(task.id, actor=session.actor())
    with kindly():
        if task.error is not None:
            raise task.error


@st.fragment(run_every=OFTEN)
def _reading(ids: tuple[str, ...]) -> None:
    """Show the progress of reading. The page can be left: the server goes on, and whoever comes back finds it here."""
    running = [
        task
        for task in session.workspace().datasets.uploads.readings(actor=session.actor())
        if task.id in ids and task.runs
    ]
    if not running:
        st.rerun()
    for task in running:
        percent = round(100 * task.fraction)
        st.progress(task.fraction, text=say_label("reading", filename=task.filename, percent=percent))
        if st.button(say("reading_stop"), key=f"stop-{task.id}", type="tertiary"):
            session.workspace().datasets.uploads.discard(task.id, actor=session.actor())
            st.rerun()
    blocks.note("reading_leave")


def take_file(then: Callable[[], object]) -> None:
    """Take a file from this computer. `then`: what is done once it has arrived, and is read or being read."""
    label = say("upload")
    blocks.label(label)
    arrived = drop(label, TYPES, after=_after(), key=f"file-{session.visit()}")
    blocks.note("upload_help")
    if arrived is not None:
        with kindly():
            _wait(arrived)
            then()


def _after() -> str | None:
    """Return the dataset that the file is rows of: it is read as that one's first file was."""
    former = purpose()[1]
    return None if former is None else former.name


def _import(offered: Sequence[str]) -> None:
    path = st.selectbox(
        say("server_file"), offered, index=None, placeholder=say("choose"), help=say("server_file_help"), key="import"
    )
    if st.button(say("server_file_button"), disabled=path is None) and path is not None:
        with kindly():
            _wait(session.workspace().datasets.uploads.import_file(path, after=_after(), actor=session.actor()))
            st.rerun()


def _wait(upload_id: str) -> None:
    """Wait for small files, which are read at once: then nothing needs to be shown meanwhile."""
    for task in session.workspace().datasets.uploads.readings(actor=session.actor()):
        if task.id == upload_id:
            task.ended.wait(QUICK)

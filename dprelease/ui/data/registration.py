"""The registration of a table: its name, its units, and how many rows one of them may have. Then it is a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dprelease.codebook.codes import read_line
from dprelease.codebook.edition import compare
from dprelease.errors import InputError, Problem
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.made import KEY as MADE
from dprelease.model.made import Function
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import MAX_ROWS
from dprelease.model.schema import Schema
from dprelease.ui.data.populations import add_population, ask_overlaps, attested, just_added
from dprelease.ui.data.purpose import next_name, proposed_name
from dprelease.ui.data.terminal import by_terminal
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.choice import usual_rows
from dprelease.ui.kit.fields import in_pairs
from dprelease.ui.kit.phrases import counted, day_format, some
from dprelease.ui.kit.problems import act, kindly
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_label
from dprelease.words import phrase
from dprelease.workspace.staging import Upload

ROW, COLUMN = "row", "column"
OTHERS = ""
"""The answer that a table is about people who are not registered yet."""


def register(upload: Upload, populations: Sequence[Population], asked: int, *, after: Dataset | None = None) -> None:
    """Ask what an upload is about; register or delete it.

    `asked`: how many requests wait for a second person. `after`: the dataset that it is the next edition of.
    """
    blocks.subheading(say("dataset_about"))
    actor = session.actor()
    taken = [each.name for each in session.workspace().datasets.find(actor=actor)]
    name = proposed_name(upload.filename, taken) if after is None else next_name(after.name, taken)
    key = f"{upload.id}-{after.name if after else ''}"
    left, right = st.columns(2)
    name = left.text_input(say("dataset_name"), name, help=say("dataset_name_help"), key=f"{key}-name")
    by_name, choice = {each.name: each for each in populations}, f"{key}-population"
    fresh = just_added()
    if fresh in by_name:
        st.session_state[choice] = fresh
    elif choice not in st.session_state:
        st.session_state[choice] = after.population if after else next(iter(by_name)) if len(by_name) == 1 else None
    chosen = right.selectbox(
        say("dataset_population"),
        [*by_name, OTHERS],
        index=None,
        format_func=lambda each: each or say("dataset_population_others"),
        placeholder=say("choose"),
        help=say("dataset_population_help"),
        key=choice,
    )
    if chosen == OTHERS:
        add_population(populations, asked, proposal=name)
        discard(upload)
        return
    population = None if chosen is None else by_name[chosen]
    who, column, max_rows, nobody = (
        (None, None, None, "") if population is None else _unit(upload, population, key, after)
    )
    others = [] if population is None else session.workspace().populations.open_overlaps(population.name, actor=actor)
    if others:
        blocks.label(say("population_others"))
    overlaps = ask_overlaps(others, key=f"{key}-{population.name if population else ''}", blank=True)
    if others:
        blocks.note("dataset_others_note")
    columns = None if after is None else carried(after, upload.columns, key)
    with st.expander(say("more")):
        delete_on = st.date_input(
            say("terms_delete_on"),
            value=None,
            min_value="today",
            format=day_format(),
            help=say("terms_delete_on_help"),
            key=f"{key}-until",
            width=300,
        )
    blocks.guide_link("bring-data", "one-person-several-rows")
    with st.container(horizontal=True):
        pressed = st.button(say("dataset_save"), type="primary")
        discard(upload)
    if population is not None and (who == ROW or column is not None):
        with kindly():
            shown = Dataset(
                name=name.strip(),
                population=population.name,
                unit_column=column,
                unit_codes=tuple(map(str, read_line(nobody))),
                schema=Schema.parse(columns) if columns else Schema({}),
                version="",
            )
            terms = DatasetTerms(max_rows=max_rows, delete_on=delete_on)
            by_terminal("terminal_note_file", shown, upload.detected.reading, terms, upload.filename, overlaps)
    if pressed:
        with kindly():
            _check(population, who, column, max_rows, every_overlap=len(overlaps) == len(others))
            added = session.workspace().add_dataset(
                name.strip(),
                upload,
                population=None if population is None else population.name,
                unit_column=column,
                unit_codes=read_line(nobody),
                columns=columns,
                reading=upload.detected.reading if upload.said else None,
                after=None if after is None else after.name,
                max_rows=max_rows,
                delete_on=delete_on,
                overlaps=attested(overlaps),
                actor=actor,
            )
            st.session_state[session.DATASET] = added.name
            session.flash("dataset_next" if added.schema.columns else "dataset_saved", name=added.name)
            go("tables", dataset=added.name)


def replace_rows(upload: Upload, dataset: Dataset) -> None:
    """Put an upload's rows in the place of a dataset's."""
    blocks.note("rows_text")
    actor, removed = session.actor(), False
    runs = [each for each in session.workspace().runs.find(actor=actor) if each.needs_earlier_rows(dataset.name)]
    if runs:
        blocks.note("rows_compared", runs=some([each.name for each in runs]))
        removed = st.checkbox(say("rows_removed"), help=say("rows_removed_help"), key=f"{upload.id}-removed")
    with st.container(horizontal=True):
        pressed = st.button(say("rows_save", dataset=dataset.name), type="primary")
        discard(upload)
    if pressed:
        with kindly():
            reading = upload.detected.reading if upload.said else None
            datasets = session.workspace().datasets
            datasets.replace_rows(dataset.name, upload, reading=reading, removed=removed, actor=actor)
            session.flash("rows_done", dataset=dataset.name)
            go("tables")


def discard(upload: Upload) -> None:
    """Delete the file, where somebody wants that."""
    if st.button(say("dataset_discard"), type="tertiary", key=f"{upload.id}-discard"):
        act(
            "dataset_discarded",
            lambda: session.workspace().datasets.uploads.discard(upload.id, actor=session.actor()),
            filename=upload.filename,
        )


def _unit(
    upload: Upload, population: Population, key: str, after: Dataset | None
) -> tuple[str | None, str | None, int | None, str]:
    """Ask: Can one have several rows? Which column says whose? How many are used? Blank until somebody answers."""
    before = None if after is None else COLUMN if after.unit_column else ROW
    who = st.radio(
        say_label("dataset_who", unit=population.unit),
        [COLUMN, ROW],
        index=None if before is None else [COLUMN, ROW].index(before),
        format_func=lambda answer: say_label(f"dataset_who_{answer}", unit=population.unit),
        help=say("dataset_who_help"),
        key=f"{key}-who",
    )
    if who != COLUMN:
        return who, None, None, ""
    left, right, last = st.columns(3)
    known = after.unit_column if after else None
    column = left.selectbox(
        say_label("dataset_column", unit=population.unit),
        upload.columns,
        index=upload.columns.index(known) if known in upload.columns else None,
        placeholder=say("choose"),
        help=say("dataset_column_help"),
        key=f"{key}-column",
    )
    max_rows = right.number_input(
        say_label("dataset_max_rows", unit=population.unit),
        value=usual_rows(after.name) if after else None,
        min_value=1,
        max_value=MAX_ROWS,
        step=1,
        help=say("dataset_max_rows_help"),
        key=f"{key}-max-rows",
    )
    nobody = last.text_input(say("dataset_unit_codes"), help=say("dataset_unit_codes_help"), key=f"{key}-unit-codes")
    return who, column, max_rows, nobody.strip()


def _check(
    population: Population | None, who: str | None, column: str | None, max_rows: int | None, *, every_overlap: bool
) -> None:
    """Check that every question was answered: the unit is never assumed."""
    asked = [
        ("dataset_population", population is not None, "answer_population"),
        ("dataset_who", population is None or who is not None, "answer_who"),
        ("dataset_column", who != COLUMN or column is not None, "answer_column"),
        ("dataset_max_rows", who != COLUMN or max_rows is not None, "answer_max_rows"),
        ("population_others", every_overlap, "answer_others"),
    ]
    unit = population.unit if population else ""
    open_questions = [
        Problem(say(key, unit=unit), phrase("ui.nothing"), phrase("ui.a_choice"), phrase(f"ui.{remedy}"))
        for key, answered, remedy in asked
        if not answered
    ]
    if open_questions:
        raise InputError.from_problems(open_questions)


NOT_RENAMED = ""


def carried(after: Dataset, columns: Sequence[str], key: str) -> dict[str, Any]:
    """Ask which columns were renamed; return the declaration of the edition before, under the names of this one."""
    before = after.schema.said()
    stored = [column.name for column in after.schema if column.made is None]
    found = compare(stored, [name for name in columns if name != after.unit_column or name in before])
    if not found.gone:
        return before
    if found.same:
        blocks.text("edition_same", columns=counted("columns", len(found.same)))
    names = {name: name for name in found.same}
    for place, name in zip(in_pairs(len(found.proposed)), found.proposed, strict=True):
        with place:
            chosen = st.selectbox(
                say_label("edition_renamed", name=name),
                [found.proposed[name], *(each for each in found.new if each != found.proposed[name]), NOT_RENAMED],
                format_func=lambda each: each or say("edition_not_renamed"),
                key=f"{key}-renamed-{name}",
            )
        if chosen and chosen not in names.values():
            names[name] = chosen
    made = _made_of(after.schema, set(names))
    lost = [name for name in before if name not in names and name not in made]
    if lost:
        blocks.note("edition_gone", columns=some(lost))
    fresh = [name for name in found.new if name not in names.values()]
    if fresh:
        blocks.note("edition_new", columns=some(fresh))
    kept = {name: said for name, said in before.items() if name not in lost}
    return {names.get(name, name): _following(said, after.schema[name].made, names) for name, said in kept.items()}


def _following(said: Mapping[str, Any], made: Function | None, names: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a declaration of the edition before; of a made column, by the new names of what it is made of."""
    return said if made is None else {**said, MADE: {type(made).KEY: made.renamed(names).to_value()}}


def _made_of(schema: Schema, names: set[str]) -> set[str]:
    """Return the made columns that can be made of some columns, or of others that can."""
    made = [column for column in schema if column.made is not None]
    found = set(names)
    for _ in made:
        found |= {column.name for column in made if column.made is not None and found.issuperset(column.made.inputs)}
    return found - names

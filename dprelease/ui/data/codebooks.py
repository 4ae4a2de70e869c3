"""Taking over what is written down elsewhere: a codebook file, or another dataset's declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dprelease.codebook import EXTENSIONS, Codebook, Note, described, propose, read, sample
from dprelease.codebook.apart import CATALOGUE as CATALOGUE_OF_SAS
from dprelease.codebook.table_schema import of_columns
from dprelease.ui.data.code_list import code_list
from dprelease.ui.data.row import Row
from dprelease.ui.data.settled_list import SettledColumns, settle
from dprelease.ui.data.settling import is_whole
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted, some
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.words import say, say_html

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from dprelease.codebook import Proposals

OWN, FILE, CATALOGUE, DATASET, SAMPLE, CODES = "own", "file", "catalogue", "dataset", "sample", "codes"
CODEBOOK = "codebook"
MEGABYTES = 200


def take_over(work: Work) -> None:
    """Ask for a source, show what would change, and change what is accepted."""
    blocks.note("import_text")
    blocks.guide_link("describe-columns", "codebooks")
    workspace, actor = session.workspace(), session.actor()
    own = workspace.datasets.codebook(work.dataset.name, actor=actor)
    others = {each.name: each.schema for each in workspace.datasets.find(actor=actor) if each.schema.columns}
    others.pop(work.dataset.name, None)
    database = workspace.datasets.kept(work.dataset.name, actor=actor).has_catalogue
    sources = [
        *([OWN] if own else []),
        FILE,
        *([CATALOGUE] if database else []),
        *([DATASET] if others else []),
        SAMPLE,
        CODES,
    ]
    source = st.radio(
        say("import_from"),
        sources,
        format_func=lambda each: say(f"import_from_{each}"),
        horizontal=True,
        key=f"import-{work.dataset.name}-from",
    )
    with kindly():
        if source == OWN:
            work.hold((OWN,), own)
        elif source == FILE:
            _file(work)
        elif source == CODES:
            code_list(work)
        elif source == SAMPLE:
            _sample(work)
        elif source == CATALOGUE:
            _catalogue(work)
        else:
            name = st.selectbox(say("import_dataset"), list(others), index=None, placeholder=say("choose"))
            work.hold((DATASET, name), None if name is None else of_columns(name, others[name].to_mapping()))
    if work.book is not None:
        _proposals(work, work.book)


def _file(work: Work) -> None:
    """Read a codebook once, and again where another table of it is asked for, or its labels."""
    key = f"import-{work.dataset.name}-{session.visit()}"
    kinds = [*EXTENSIONS, CATALOGUE_OF_SAS]
    file = st.file_uploader(
        say("import_file"), type=kinds, help=say("import_file_help"), key=key, max_upload_size=MEGABYTES
    )
    if file is None:
        work.hold(None, None)
        return
    if not (isinstance(work.book_key, tuple) and work.book_key[:2] == (FILE, file.file_id)):
        _read(work, file, None, False)
    resource, book = None, work.book
    if book is not None and book.resources:
        resource = st.selectbox(say("import_resource"), book.resources, key=f"{key}-resource")
    by_label = False
    if book is not None and not {Note.LABELS, Note.BY_LABEL}.isdisjoint(book.notes):
        by_label = st.checkbox(say("import_by_label"), help=say("import_by_label_help"), key=f"{key}-by-label")
    if book is not None:
        _read(work, file, resource, by_label)


def _sample(work: Work) -> None:
    """Offer a public file with the same columns, once somebody attests that it is one."""
    key = f"sample-{work.dataset.name}-{session.visit()}"
    blocks.note("sample_text")
    public = st.checkbox(say("sample_public"), key=f"{key}-public")
    kinds = list(sample.EXTENSIONS)
    file = st.file_uploader(say("sample_file"), type=kinds, key=f"{key}-file", max_upload_size=MEGABYTES)
    if file is None or not public:
        work.hold(None, None)
    elif work.book_key != (SAMPLE, file.file_id):
        work.hold(None, None)
        work.hold((SAMPLE, file.file_id), sample.read_sample(file.name, file.getvalue(), public=public))


def _catalogue(work: Work) -> None:
    """Offer the database's own description, once somebody vouches for it."""
    public = st.checkbox(say("catalogue_public"), help=say("catalogue_public_help"), key=f"{work.dataset.name}-public")
    if not public:
        work.hold(None, None)
    elif work.book_key != (CATALOGUE,):
        work.hold(None, None)
        name, actor = work.dataset.name, session.actor()
        work.hold((CATALOGUE,), session.workspace().datasets.catalogue(name, public=True, actor=actor))


def _read(work: Work, file: UploadedFile, resource: str | None, by_label: bool) -> None:
    key = (FILE, file.file_id, resource, by_label)
    if work.book_key != key:
        work.hold(None, None)
        with st.spinner(say("import_reading")):
            if file.name.lower().endswith(f".{CATALOGUE_OF_SAS}"):
                given = (file.name, file.getvalue())
                found = session.workspace().datasets.codebook(work.dataset.name, catalogue=given, actor=session.actor())
                work.hold(key, found)
            else:
                work.hold(key, read(file.name, file.getvalue(), resource=resource, by_label=by_label))


def _proposals(work: Work, book: Codebook) -> None:
    now = {name: row.mapping() for name, row in work.sheet.rows.items()}
    taken = settle(
        f"import-{work.dataset.name}-{work.book_key}",
        book.bounds,
        described(book, work.names),
        missing={entry.name: entry.declared.get("missing_codes", ()) for entry in book.entries},
    )
    if taken.bounds.asked is not None:
        return
    found = propose(_decided(book, taken), work.names, now)
    _say_found(book, found)
    if not found.changes:
        return
    import pandas

    every = st.checkbox(say("import_every"), True, key=f"import-{work.dataset.name}-every")
    then = {each.name: row_of(each.name, each.then) for each in found.changes}
    frame = pandas.DataFrame(
        {
            "take": [every and name != work.dataset.unit_column for name in then],  # an identifier is not published
            "name": list(then),
            "now": [work.sheet.rows[name].brief() or say("import_nothing") for name in then],
            "then": [row.brief() for row in then.values()],
        }
    )
    config = st.column_config
    chosen = st.data_editor(
        frame,
        key=f"import-{work.dataset.name}-{work.book_key}-{every}-{work.grid}",
        hide_index=True,
        disabled=["name", "now", "then"],
        column_config={
            "take": config.CheckboxColumn(say("import_take"), width=70),
            "name": config.TextColumn(say("column_name"), pinned=True, width=130),
            "now": config.TextColumn(say("import_now"), width=300),
            "then": config.TextColumn(say("import_then"), width=420),
        },
        alt=say("import_table"),
    )
    chosen_names = [str(name) for name in chosen["name"][chosen["take"]]]
    label = say("import_apply", columns=counted("columns", len(chosen_names)))
    if st.button(label, type="primary", disabled=not (chosen_names and taken.is_ready)):
        done = work.change({name: then[name] for name in chosen_names})
        session.flash("import_done", columns=counted("columns", done), source=book.source)
        st.rerun()


def _decided(book: Codebook, taken: SettledColumns) -> Codebook:
    """Return the codebook with what was said of its bounds: what stands for no answer is a code."""
    settled = book.without(taken.left).settled(taken.bounds)
    entries = []
    for entry in settled.entries:
        codes = [*entry.declared.get("missing_codes", ())]
        code = taken.codes.get(entry.name)
        new = [*codes, code] if code is not None and code not in map(str, codes) else codes
        entries.append(replace(entry, declared={**entry.declared, "missing_codes": new}) if new else entry)
    return replace(settled, entries=tuple(entries))


def row_of(name: str, declared: Mapping[str, Any]) -> Row:
    """Return the line of a codebook: in use where nothing lacks, else to be settled."""
    row = replace(Row.of(name, declared), source=CODEBOOK)
    return replace(row, use=row.use and is_whole(row))


def _say_found(book: Codebook, found: Proposals) -> None:
    """Show what the codebook says of this table, what not, and what of it is left out."""
    if not found.changes:
        box(say_html("import_none", source=book.source, same=counted("columns", found.same)), kind="notice")
        return
    blocks.text("import_found", source=book.source, changes=counted("columns", len(found.changes)))
    lines = [say(f"codebook_note_{note.value}", columns=some(names)) for note, names in book.notes.items()]
    if found.unknown:
        lines.append(say("import_unknown", columns=some(found.unknown)))
    if found.silent and len(book.entries) > 1:  # a code list is about one column
        lines.append(say("import_silent", columns=some(found.silent)))
    if lines:
        blocks.listed(lines)

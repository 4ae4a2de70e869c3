"""A column's values by a code list: a ready one, or a file of an office's own with its source and version."""

from __future__ import annotations

import streamlit as st

from dprelease.codebook.codefile import EXTENSIONS, of_codes, read_codes
from dprelease.codebook.ready import NAMES, ready
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.words import say
from dprelease.words.language import language

OWN = "own"
SUBDIVISIONS = "subdivisions"
MEGABYTES = 20


def code_list(work: Work) -> None:
    """Ask for a column and a list; what it says waits to be taken over."""
    key = f"codes-{work.dataset.name}-{session.visit()}"
    left, right = st.columns(2)
    names = [name for name in work.names if name != work.dataset.unit_column]
    column = left.selectbox(say("codes_column"), names, index=None, placeholder=say("choose"), key=f"{key}-column")
    chosen = right.selectbox(
        say("codes_list"),
        [*NAMES, OWN],
        index=None,
        format_func=lambda each: say(f"codes_{each}"),
        placeholder=say("choose"),
        key=f"{key}-list",
    )
    if chosen == OWN:
        _own(work, column, key)
    elif column and chosen:
        _ready(work, column, chosen, key)
    else:
        work.hold(None, None)


def _ready(work: Work, column: str, name: str, key: str) -> None:
    if name == SUBDIVISIONS:
        countries = sorted({code.partition("-")[0] for code in ready(SUBDIVISIONS).codes})
        called = ready("countries").codes
        country = st.selectbox(
            say("codes_country"),
            countries,
            index=None,
            format_func=lambda each: f"{called[each][language()]} ({each})",
            placeholder=say("choose"),
            key=f"{key}-country",
        )
        if country is None:
            work.hold(None, None)
            return
        name = f"{SUBDIVISIONS}_{country.lower()}"
    chosen = ready(name)
    origin = chosen.origin
    blocks.note("codes_origin", standard=chosen.standard, source=origin.source, version=origin.version)
    blocks.note("codes_licence", licence=origin.licence, digest=origin.digest)
    work.hold((OWN, column, name), of_codes(column, chosen))


def _own(work: Work, column: str | None, key: str) -> None:
    """Ask for a file, and whose it is: the declaration says both, with the file's digest."""
    blocks.note("codes_own_text")
    file = st.file_uploader(say("codes_file"), type=list(EXTENSIONS), key=f"{key}-file", max_upload_size=MEGABYTES)
    left, right = st.columns(2)
    source = left.text_input(say("codes_source"), placeholder=say("codes_source_example"), key=f"{key}-source")
    version = right.text_input(say("codes_version"), placeholder="2016", key=f"{key}-version")
    if not (file and column and source.strip() and version.strip()):
        work.hold(None, None)
        return
    held = (OWN, column, file.file_id, source, version)
    if work.book_key != held:
        work.hold(None, None)
        work.hold(held, of_codes(column, read_codes(file.name, file.getvalue(), source=source, version=version)))

"""How a file was read, as fields: detected, to be corrected before anything is registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from dprelease.model.reading import DECIMALS, DELIMITERS, ENCODINGS, MAX_HEADER, Dates, Reading
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.fields import begin
from dprelease.ui.kit.phrases import some
from dprelease.ui.kit.problems import kindly
from dprelease.ui.words import say
from dprelease.workspace.staging import Upload

QUICK = 1.0
NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", ".": "point"}


def correct_reading(upload: Upload) -> None:
    """What was detected, and a way to read the file otherwise. Names of columns are shown, never a cell."""
    reading = upload.detected.reading
    pairs = [("waiting_file", upload.filename), ("waiting_format", say(f"format_{reading.format}"))]
    blocks.facts([*pairs, ("waiting_count", len(upload.columns)), ("waiting_columns", some(upload.columns))])
    if len(reading.to_mapping()) == 1:
        return
    blocks.subheading(say("reading_title"))
    blocks.note("reading_note")
    with st.form(f"{upload.id}-reading", border=False):
        chosen = _fields(upload, reading)
        pressed = st.form_submit_button(say("read_again"))
    blocks.guide_link("bring-data", "how-a-file-is-read")
    if pressed:
        with kindly():
            task = session.workspace().datasets.uploads.read_again(
                upload.id, replace(reading, **chosen), actor=session.actor()
            )
            session.flash("read_again_done", filename=upload.filename)
            task.ended.wait(QUICK)
            if task.error is not None:
                session.take_flash()
            st.rerun()


def _fields(upload: Upload, reading: Reading) -> dict[str, Any]:
    """A field for each part that the format asks for; two beside each other."""
    found: dict[str, Any] = {}
    parts = [part for part in FIELDS if reading.asks(part) and (part != "labels" or upload.detected.labelled)]
    columns = st.columns(2)
    for place, part in enumerate(parts):
        with columns[place % 2]:
            found[part] = FIELDS[part](upload, f"{upload.id}-{part}", getattr(reading, part))
    return found


def _delimiter(_: Upload, key: str, now: str) -> str:
    return _one("delimiter", key, DELIMITERS, now)


def _decimal(_: Upload, key: str, now: str) -> str:
    return _one("decimal", key, DECIMALS, now)


def _one(part: str, key: str, options: tuple[str, ...], now: str) -> str:
    return st.selectbox(
        say(f"reading_{part}"),
        options,
        key=begin(key, now),
        format_func=lambda sign: say(f"sign_{NAMES[sign]}"),
        help=say(f"reading_{part}_help"),
    )


def _encoding(_: Upload, key: str, now: str) -> str:
    return st.selectbox(say("reading_encoding"), ENCODINGS, key=begin(key, now), help=say("reading_encoding_help"))


def _dates(_: Upload, key: str, now: Dates) -> Dates:
    chosen = st.selectbox(
        say("reading_dates"),
        [each.value for each in Dates],
        key=begin(key, now.value),
        format_func=lambda each: say(f"dates_{each}"),
        help=say("reading_dates_help"),
    )
    return Dates(chosen)


def _header(_: Upload, key: str, now: int) -> int:
    return st.number_input(
        say("reading_header"), 0, MAX_HEADER, step=1, key=begin(key, now), help=say("reading_header_help")
    )


def _sheet(upload: Upload, key: str, now: str) -> str:
    return st.selectbox(
        say("reading_sheet"), upload.detected.sheets, key=begin(key, now), help=say("reading_sheet_help")
    )


def _labels(_: Upload, key: str, now: bool) -> bool:
    return st.checkbox(say("reading_labels"), key=begin(key, now), help=say("reading_labels_help"))


def _columns(upload: Upload, key: str, now: tuple[str, ...]) -> tuple[str, ...]:
    begin(key, list(now))
    st.session_state[key] = [name for name in st.session_state[key] if name in upload.columns]
    chosen = st.multiselect(
        say("reading_columns"),
        upload.columns,
        key=key,
        placeholder=say("reading_columns_all"),
        help=say("reading_columns_help"),
    )
    return tuple(chosen)


FIELDS: Mapping[str, Callable[[Upload, str, Any], Any]] = {
    "sheet": _sheet,
    "delimiter": _delimiter,
    "header": _header,
    "encoding": _encoding,
    "decimal": _decimal,
    "dates": _dates,
    "columns": _columns,
    "labels": _labels,
}

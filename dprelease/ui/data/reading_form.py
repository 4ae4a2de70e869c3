"""The reading of a file, as fields: detected, to be corrected before anything is registered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.reading import DELIMITERS, ENCODINGS, MAX_HEADER, Reading
from dprelease.model.row_rules import RowRules
from dprelease.ui.data.reading_questions import SIGNS, ask, forget
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.fields import begin
from dprelease.ui.kit.phrases import counted, some
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.words import say, say_html, say_label
from dprelease.workspace.staging import Upload

QUICK = 1.0
SIGN = ";"
"""Sign between the words of rows that are left out."""
PARTS = ("sheet", "delimiter", "header", "encoding", "labels", "names", "units", "skip")
LAYOUT = ("sheet", "delimiter", "header", "encoding")
"""Parts of a reading that decide which cells hold the names."""
OPTIONS = {"delimiter": DELIMITERS, "encoding": ENCODINGS}


def correct_reading(upload: Upload) -> bool:
    """Ask what the file does not settle; then show how it was read, and a way to read it otherwise.

    False where nothing is read yet. Names of columns are shown; cells only where a question needs them.
    """
    reading = upload.detected.reading
    pairs = [("waiting_file", upload.filename), ("waiting_format", say(f"format_{reading.format}"))]
    if upload.detected.asks:
        blocks.facts(pairs)
        with kindly():
            settled = ask(upload)
            if settled is not None:
                _read_again(upload, settled.reading)
        return False
    sheets = upload.detected.sheets
    more = [("reading_sheet", reading.sheet)] if reading.sheet and len(sheets) > 1 else []
    more += [("reading_header", str(reading.header))] if reading.asks("header") and reading.header != 1 else []
    more += [("reading_units", say("ask_units_true"))] if reading.units else []
    more += [("reading_skip", some([rule_in_words(rule) for rule in reading.skip.to_texts()]))] if reading.skip else []
    blocks.facts([*pairs, *more, ("waiting_columns", some(upload.columns))])
    if len(reading.to_mapping()) == 1:
        return True
    _offer(upload, reading)
    with st.expander(say("reading_title"), expanded=upload.mended):
        blocks.note("reading_note")
        with st.form(f"{upload.id}-reading", border=False):
            chosen = _fields(upload, reading)
            pressed = st.form_submit_button(say("read_again"))
        blocks.guide_link("bring-data", "how-a-file-is-read")
    if pressed:
        _read_again(upload, _said(upload, reading, chosen))
    return True


def _offer(upload: Upload, reading: Reading) -> None:
    """Offer other readings, each with a button: undo a mended header, take over names, leave out rows."""
    if upload.mended:
        box(say_html("reading_mended"), kind="warning")
        if st.button(say("reading_no_names"), key=f"{upload.id}-no-names"):
            _read_again(upload, replace(reading, header=0, names=(), units=False))
    if upload.detected.formulas:
        box(say_html("reading_formulas", columns=counted("columns", upload.detected.formulas)), kind="warning")
    bands = upload.detected.bands
    if bands and reading.names != bands:
        blocks.text("reading_bands", names=some(bands))
        if st.button(say("reading_bands_take"), key=f"{upload.id}-bands"):
            _read_again(upload, replace(reading, names=bands))
    shown = session.workspace().plans.preview_policy is PreviewPolicy.TRUE
    for each in upload.left_out if shown else ():
        blocks.text("reading_rule", rule=rule_in_words(each.rule), rows=counted("rows", each.rows))
        if st.button(say_label("reading_rule_take", rule=rule_in_words(each.rule)), key=f"{upload.id}-{each.rule}"):
            _read_again(upload, replace(reading, skip=RowRules.parse([*reading.skip.to_texts(), each.rule])))


def rule_in_words(rule: str) -> str:
    """Say which rows a rule leaves out."""
    name, _, rest = rule.partition(":")
    return say(f"rule_{name}", rest=rest)


def _said(upload: Upload, reading: Reading, chosen: dict[str, Any]) -> Reading:
    """Return the reading of the fields. Names that nobody changed are forgotten where other rows or cells are read."""
    then = replace(reading, **chosen)
    elsewhere = any(getattr(then, part) != getattr(reading, part) for part in LAYOUT)
    if chosen.get("names") == upload.columns:
        return replace(then, names=() if elsewhere else reading.names)
    return then


def _read_again(upload: Upload, reading: Reading) -> None:
    with kindly():
        actor = session.actor()
        task = session.workspace().datasets.uploads.read_again(upload.id, reading, actor=actor)
        session.flash("read_again_done", filename=upload.filename)
        task.ended.wait(QUICK)
        if task.error is not None:
            session.take_flash()
            forget(upload)
        else:
            st.session_state.pop(f"{upload.id}-names", None)
            st.session_state.pop(f"{upload.id}-header", None)
        st.rerun()


def _fields(upload: Upload, reading: Reading) -> dict[str, Any]:
    """Draw a field for each part that the format asks for; two beside each other."""
    parts = [part for part in PARTS if reading.asks(part) and (part != "labels" or upload.detected.labelled)]
    found, columns = {}, st.columns(2)
    for place, part in enumerate(parts):
        with columns[place % 2]:
            found[part] = _field(upload, part, getattr(reading, part))
    return found


def _field(upload: Upload, part: str, now: Any) -> Any:
    """Draw the field for one part of the reading."""
    key = begin(f"{upload.id}-{part}", _initial(upload, part, now))
    asked: dict[str, Any] = {"label": say(f"reading_{part}"), "help": say(f"reading_{part}_help"), "key": key}
    if part == "header":
        return st.number_input(min_value=0, max_value=MAX_HEADER, step=1, **asked)
    if part in ("labels", "units"):
        return st.checkbox(**asked)
    if part == "skip":
        rules = dict.fromkeys([*st.session_state[key], "empty", "note:1"])
        chosen = st.multiselect(options=list(rules), format_func=rule_in_words, placeholder=say("choose"), **asked)
        typed = begin(f"{key}-words", SIGN.join(now.words))
        words = st.text_input(say("reading_words"), help=say("reading_words_help"), key=typed)
        return replace(RowRules.parse(chosen), words=tuple(filter(None, map(str.strip, words.split(SIGN)))))
    if part == "names":
        return tuple(line.strip() for line in st.text_area(height=150, **asked).splitlines())
    if part == "sheet":
        return st.selectbox(options=[each.name for each in upload.detected.sheets], **asked)
    return st.selectbox(options=OPTIONS[part], format_func=_option, **asked)


def _initial(upload: Upload, part: str, now: Any) -> Any:
    """Return the first value of a field."""
    if part == "skip":
        return list(replace(now, words=()).to_texts())
    return "\n".join(upload.columns) if part == "names" else now


def _option(option: str) -> str:
    """Return a sign in words; the name of an encoding as it is."""
    return say(f"sign_{SIGNS[option]}") if option in SIGNS else option

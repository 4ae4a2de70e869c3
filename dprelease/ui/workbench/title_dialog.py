"""Title and description of the release, what its readers call columns and codes, and whether it has charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from dprelease.codebook import EXTENSIONS, read, texts_of
from dprelease.model.texts import MOST_LANGUAGES
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, visit, workspace
from dprelease.ui.words import say
from dprelease.ui.workbench.asking import done
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.standing import Standing
from dprelease.words.language import LANGUAGES, language

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

PAUSE = "500ms"
"""After so long without a key what is typed is saved, also where the field is not left."""
MEGABYTES = 50


def title_dialog(standing: Standing) -> None:
    """Reads them into the draft."""
    draft = standing.draft
    key = f"title-{visit()}-{draft.generation}"
    draft.title = fields.text(
        say("plan_name"), f"{key}-title", draft.title, placeholder=say("plan_name_example"), max_chars=200, live=PAUSE
    )
    draft.description = (
        st.text_area(say("bench_description"), key=fields.begin(f"{key}-text", draft.description), max_chars=2000) or ""
    )
    _labels(standing, f"{key}-labels")
    draft.charts = fields.flag(say("plan_charts"), f"{key}-charts", draft.charts, help=say("plan_charts_help"))
    save(draft)
    done()


def _labels(standing: Standing, key: str) -> None:
    """Takes the labels of a codebook, and says of how many columns there are some."""
    file = st.file_uploader(
        say("plan_labels"), type=list(EXTENSIONS), help=say("plan_labels_help"), key=key, max_upload_size=MEGABYTES
    )
    if file is not None:
        codes = list(LANGUAGES)
        named = LANGUAGES.__getitem__
        own = codes.index(language())
        label = say("plan_labels_language")
        spoken = st.radio(label, codes, own, format_func=named, horizontal=True, key=f"{key}-language")
        with kindly():
            _take(standing, file, spoken, f"{key}-taken")
    _own_labels(standing, key)
    texts = standing.draft.texts
    if columns := texts.get("columns"):
        told = counted("columns", len(columns))
        blocks.note("plan_labelled", columns=told, languages=", ".join(texts["languages"]))


def _own_labels(standing: Standing, key: str) -> None:
    """Takes what the file of the table itself calls its columns and codes."""
    book = workspace().datasets.codebook(standing.draft.dataset, actor=actor()) if standing.draft.dataset else None
    if book is not None and st.button(say("plan_labels_own"), key=f"{key}-own"):
        found = texts_of(book, [column.name for column in standing.schema], language())
        standing.draft.texts = _joined(standing.draft.texts, found)
        if not found:
            blocks.note("plan_labels_none")


def _take(standing: Standing, file: UploadedFile, spoken: str, key: str) -> None:
    """Reads a codebook once for each language that it is said to be in."""
    if st.session_state.get(key) == (file.file_id, spoken):
        return
    found = texts_of(read(file.name, file.getvalue()), [column.name for column in standing.schema], spoken)
    standing.draft.texts = _joined(standing.draft.texts, found)
    st.session_state[key] = (file.file_id, spoken)
    if not found:
        blocks.note("plan_labels_none")


def _joined(now: Mapping[str, Any], found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a codebook says in the place of what was said of columns and codes; the rest of it stays."""
    if not found:
        return now
    languages = dict.fromkeys([*found["languages"], *now.get("languages", ())])
    return {**now, **found, "languages": list(languages)[:MOST_LANGUAGES]}

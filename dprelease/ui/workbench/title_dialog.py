"""Title and description of the release, what its readers call columns and codes, and whether it has charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from dprelease.codebook import EXTENSIONS, read, texts_of
from dprelease.model.texts import GENDERS, LONGEST_WORD, MAX_LANGUAGES
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, visit, workspace
from dprelease.ui.words import say
from dprelease.ui.workbench.asking import done
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.recurring import recurring
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.series_fields import series_fields
from dprelease.words.language import ENGLISH, LANGUAGES, language

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

PAUSE = "500ms"
"""Pause without a key after which what is typed is saved, also where the field is not left."""
MEGABYTES = 50


def title_dialog(standing: DraftStatus) -> None:
    """Ask for the title and other texts, and read them into the draft."""
    draft = standing.draft
    key = f"title-{visit()}-{draft.generation}"
    draft.title = fields.text(
        say("plan_name"), f"{key}-title", draft.title, placeholder=say("plan_name_example"), max_chars=200, live=PAUSE
    )
    draft.description = (
        st.text_area(say("bench_description"), key=fields.begin(f"{key}-text", draft.description), max_chars=2000) or ""
    )
    draft.run = recurring(standing, f"{key}-run")
    draft.texts = _record(draft.texts, f"{key}-record-{language()}")
    _labels(standing, f"{key}-labels")
    named = dict(zip((item.key for item in draft.statistics), draft.ids(), strict=True))
    draft.lead = fields.one_of(
        say("plan_lead"),
        f"{key}-lead",
        [*named],
        draft.lead,
        format_func=named.__getitem__,
        placeholder=say("plan_lead_strongest"),
        help=say("plan_lead_help"),
    )
    draft.about = series_fields(draft.about, standing.schema, f"{key}-about", PAUSE)
    draft.charts = fields.flag(say("plan_charts"), f"{key}-charts", draft.charts, help=say("plan_charts_help"))
    save(draft)
    done()


def _record(now: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return texts with the word for a record in the spoken language, of which both numbers are typed or neither.

    Where the language has genders, one is asked for: the first one that none is declared of is that of the fallback.
    """
    spoken, words = language(), now.get("record", {})
    typed = {
        number: fields.text(
            say(f"plan_record_{number}"),
            f"{key}-{number}",
            words.get(number, {}).get(spoken, ""),
            placeholder=say(f"plan_record_{number}_example"),
            max_chars=LONGEST_WORD,
            live=PAUSE,
        ).strip()
        for number in ("one", "many")
    }
    if spoken != ENGLISH and all(typed.values()):
        own = words.get("gender", {}).get(spoken, "m")
        label = say("plan_record_gender")
        named = {letter: say(f"plan_record_gender_{letter}") for letter in GENDERS}
        typed["gender"] = fields.one_of(label, f"{key}-gender", GENDERS, own, format_func=named.__getitem__) or own
    if any(typed.values()) and not all(typed.values()):
        blocks.note("plan_record_both")
        return now
    said = {part: {**words.get(part, {}), **({spoken: text} if text else {})} for part, text in typed.items()}
    if not any(typed.values()):
        said = {part: {code: text for code, text in own.items() if code != spoken} for part, own in words.items()}
    kept = {part: own for part, own in (words | said).items() if own}
    languages = list(dict.fromkeys([*now.get("languages", ()), *([spoken] if typed["one"] else [])]))
    others = {part: own for part, own in now.items() if part not in ("languages", "record")}
    return {"languages": languages, **({"record": kept} if kept else {}), **others} if kept or others else {}


def _labels(standing: DraftStatus, key: str) -> None:
    """Take the labels of a codebook, and say of how many columns there are some."""
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


def _own_labels(standing: DraftStatus, key: str) -> None:
    """Take what the file of the table itself calls its columns and codes."""
    book = workspace().datasets.codebook(standing.draft.dataset, actor=actor()) if standing.draft.dataset else None
    if book is not None and st.button(say("plan_labels_own"), key=f"{key}-own"):
        found = texts_of(book, [column.name for column in standing.schema], language())
        standing.draft.texts = _joined(standing.draft.texts, found)
        if not found:
            blocks.note("plan_labels_none")


def _take(standing: DraftStatus, file: UploadedFile, spoken: str, key: str) -> None:
    """Read a codebook once for each language that it is said to be in."""
    if st.session_state.get(key) == (file.file_id, spoken):
        return
    found = texts_of(read(file.name, file.getvalue()), [column.name for column in standing.schema], spoken)
    standing.draft.texts = _joined(standing.draft.texts, found)
    st.session_state[key] = (file.file_id, spoken)
    if not found:
        blocks.note("plan_labels_none")


def _joined(now: Mapping[str, Any], found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replace what was said of columns and codes by what a codebook says of them; the rest stays."""
    if not found:
        return now
    languages = dict.fromkeys([*found["languages"], *now.get("languages", ())])
    return {**now, **found, "languages": list(languages)[:MAX_LANGUAGES]}

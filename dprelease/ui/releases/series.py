"""Form for a series: its title, how often it comes and when next, on its public page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.errors import InputError
from dprelease.portal.series_record import BY_LANGUAGE, FREQUENCIES, SeriesRecord
from dprelease.ui.kit.problems import act
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.words import say
from dprelease.words.language import LANGUAGES

LONG = ("description", "revisions")


def series_form() -> None:
    """Show what public pages say of a series, to be changed; the whole of it is signed anew."""
    if not may("set_series"):
        return
    with st.expander(say("series_form")):
        name = st.text_input(say("series_name"), key="series-name").strip()
        try:
            own = workspace().releases.series(name, actor=actor())
        except InputError:  # a workspace in memory has no public pages
            return
        with st.form("series", border=False):
            stated: dict[str, Any] = {key: _texts(own, key) for key in BY_LANGUAGE}
            stated["frequency"] = st.selectbox(
                say("series_frequency"),
                ("", *FREQUENCIES),
                ("", *FREQUENCIES).index(own.frequency),
                format_func=lambda each: say(f"series_{each or 'unstated'}"),
                key=f"series-frequency-{name}",
            )
            for key in ("next", "contact"):
                stated[key] = st.text_input(say(f"series_{key}"), getattr(own, key), key=f"series-{key}-{name}").strip()
            if st.form_submit_button(say("series_save")):
                wanted = {key: value for key, value in stated.items() if value}
                act("series_saved", lambda: workspace().releases.set_series(name, wanted, actor=actor()))


def _texts(own: SeriesRecord, key: str) -> dict[str, str]:
    words: dict[str, str] = getattr(own, key)
    field = st.text_area if key in LONG else st.text_input
    label = say(f"series_{key}")
    texts = {
        code: field(f"{label} ({called})", words.get(code, ""), key=f"series-{key}-{code}-{own.name}").strip()
        for code, called in LANGUAGES.items()
    }
    return {code: text for code, text in texts.items() if text}

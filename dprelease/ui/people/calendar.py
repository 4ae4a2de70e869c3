"""Form for the calendar of releases on public pages, for administrators."""

from __future__ import annotations

import streamlit as st

from dprelease.model.calendar_entry import EVERY, TO_COME, CalendarEntry
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import act
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.words import say
from dprelease.words.language import LANGUAGES, language


def calendar() -> None:
    """Show what is to come, to be added to, moved and cancelled. Sealed releases enter by themselves."""
    if not may("set_calendar"):
        return
    found = workspace().calendar.find(actor=actor())
    with st.expander(say("calendar_title")):
        if found:
            heads = [say(f"calendar_{head}") for head in ("when", "what", "state")]
            rows = [(each.when, _title(each), say(f"calendar_{each.state}")) for each in found]
            blocks.table(say("calendar_title"), heads, rows)
        _add()
        coming = {each.uid: each for each in found if each.state in TO_COME and not each.sealed}
        if coming:
            _change(coming)


def _title(entry: CalendarEntry) -> str:
    return entry.title.get(language()) or next(iter(entry.title.values()), "") or say("calendar_untitled")


def _add() -> None:
    with st.form("calendar-add", border=False, clear_on_submit=False):
        title = {code: st.text_input(f"{say('calendar_what')} ({name})").strip() for code, name in LANGUAGES.items()}
        when = st.text_input(say("calendar_when"), placeholder="2027-06", help=say("calendar_when_help")).strip()
        series = st.text_input(say("calendar_series"), help=say("calendar_series_help")).strip()
        ways = {each: say(f"calendar_every_{each}") for each in ("", *EVERY)}
        every = st.selectbox(say("calendar_every"), list(ways), format_func=lambda each: ways[each])
        confirmed = st.checkbox(say("calendar_certain"))
        if st.form_submit_button(say("calendar_add")):
            words = {code: text for code, text in title.items() if text}
            own = workspace().calendar
            act(
                "calendar_saved",
                lambda: own.add(words, when, series=series, every=every, confirmed=confirmed, actor=actor()),
            )


def _change(coming: dict[str, CalendarEntry]) -> None:
    with st.form("calendar-change", border=False):
        names = {uid: f"{each.when} {_title(each)}" for uid, each in coming.items()}
        uid = st.selectbox(say("calendar_line"), list(names), format_func=lambda each: names[each])
        when = st.text_input(say("calendar_when_new"), help=say("calendar_when_help")).strip()
        reason = st.text_input(say("calendar_reason")).strip()
        with st.container(horizontal=True):
            move = st.form_submit_button(say("calendar_move"))
            cancel = st.form_submit_button(say("calendar_cancel"))
    if move:
        act("calendar_saved", lambda: workspace().calendar.move(uid, when, reason=reason, actor=actor()))
    elif cancel:
        act("calendar_saved", lambda: workspace().calendar.cancel(uid, reason, actor=actor()))

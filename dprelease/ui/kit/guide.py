"""Links to the guide, which this server serves itself. They open beside the page, so that nothing on it is lost."""

from __future__ import annotations

import streamlit as st

from dprelease.model.language import language
from dprelease.ui.words import as_label, say
from dprelease.workspace import guide


def guide_link(page: str, section: str = "") -> None:
    """A link to a page of `docs/guide/`, by its name without `.md`; `section`: the id of a heading in it."""
    headings = guide.sections(page, language())
    title = headings.get(section) or next(iter(headings.values()), "")
    label = as_label(say("guide_page", title=title) if title else say("guide"))
    place = f"#{section}" if section else ""
    st.markdown(f"[{label}](/guide/{page}?lang={language()}{place})")

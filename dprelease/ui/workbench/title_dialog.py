"""Title and description of the release, and whether it has charts."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.kit import fields
from dprelease.ui.kit.session import visit
from dprelease.ui.words import say
from dprelease.ui.workbench.asking import done
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.standing import Standing

PAUSE = "500ms"
"""After so long without a key what is typed is saved, also where the field is not left."""


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
    draft.charts = fields.flag(say("plan_charts"), f"{key}-charts", draft.charts, help=say("plan_charts_help"))
    save(draft)
    done()

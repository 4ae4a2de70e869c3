"""The dialogs of the workbench. Each is drawn of the draft as it is when something in it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from dprelease.ui.kit.problems import kindly
from dprelease.ui.words import say
from dprelease.ui.workbench.add_dialog import add_dialog
from dprelease.ui.workbench.asking import Dialog, taken
from dprelease.ui.workbench.beside_dialog import beside_dialog
from dprelease.ui.workbench.compare import compare_dialog
from dprelease.ui.workbench.draft import current
from dprelease.ui.workbench.drafts import delete_dialog, drafts_dialog
from dprelease.ui.workbench.edit_dialog import edit_dialog
from dprelease.ui.workbench.exact import exact_dialog
from dprelease.ui.workbench.goals_dialog import goals_dialog
from dprelease.ui.workbench.meaning_dialog import meaning_dialog
from dprelease.ui.workbench.own_plans import own_dialog
from dprelease.ui.workbench.plan_file import file_dialog
from dprelease.ui.workbench.publish_dialog import publish_dialog
from dprelease.ui.workbench.rows_dialog import rows_dialog
from dprelease.ui.workbench.sources import sources_dialog
from dprelease.ui.workbench.standing import Standing, standing
from dprelease.ui.workbench.title_dialog import title_dialog

DIALOGS: Mapping[Dialog, Callable[[Standing], None]] = {
    "add": add_dialog,
    "edit": edit_dialog,
    "title": title_dialog,
    "rows": rows_dialog,
    "meaning": meaning_dialog,
    "goals": goals_dialog,
    "compare": compare_dialog,
    "sources": sources_dialog,
    "exact": exact_dialog,
    "beside": beside_dialog,
    "file": file_dialog,
    "drafts": drafts_dialog,
    "own": own_dialog,
    "delete": delete_dialog,
    "publish": publish_dialog,
}

WIDE = ("compare", "sources", "exact", "beside", "edit")


def asked(found: Standing) -> None:
    """Opens what was asked for, once. Streamlit keeps it open until it is closed, and runs it alone."""
    name = taken()
    if name is None:
        return

    def inside() -> None:
        with kindly():
            DIALOGS[name](standing(current(), found.dataset, found.population))

    st.dialog(say(f"bench_more_{name}"), width="large" if name in WIDE else "medium", on_dismiss="rerun")(inside)()

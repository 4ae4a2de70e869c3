"""The preview policy of this workspace: the administrator's decision."""

from __future__ import annotations

import streamlit as st

from dprelease.model.preview_policy import PreviewPolicy
from dprelease.ui.kit import session
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.words import say
from dprelease.ui.workbench import looks


def preview_policy() -> None:
    """Show a choice with its consequences, for those who may decide."""
    if not may("set_preview_policy"):
        return
    now = workspace().plans.preview_policy
    with st.expander(say("policy_previews")):
        options = [each.value for each in PreviewPolicy]
        chosen = st.radio(
            say("policy_previews_ask"),
            options,
            index=options.index(now.value),
            format_func=lambda each: say(f"previews_{each}"),
            captions=[say(f"previews_{each}_help") for each in options],
            key=f"policy-{session.visit()}-{now.value}",
        )
        if st.button(say("policy_save"), disabled=chosen == now.value):
            with kindly():
                looks.forget()
                workspace().plans.set_preview_policy(chosen, actor=actor())
                session.flash("policy_saved", policy=say(f"previews_{chosen}"))
                st.rerun()

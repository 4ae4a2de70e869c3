"""The people of the workspace, for its administrators."""

from __future__ import annotations

import streamlit as st

from dprelease.model.actor import OWNER, Role
from dprelease.store.people import Person
from dprelease.ui import blocks, session
from dprelease.ui.problems import box, kindly
from dprelease.ui.session import actor, workspace
from dprelease.ui.words import say, say_html, say_label

ROLES = [role.value for role in Role]


def everybody() -> list[Person]:
    """A table of all people, who are returned."""
    found = workspace().people(actor=actor())
    heads = [say(head) for head in ("person", "person_roles", "person_signs_in", "person_state")]
    rows = [
        (
            each.name,
            ", ".join(say(f"role_{role}") for role in sorted(each.roles)),
            say("way_provider" if each.subject else "way_password" if each.has_password else "way_link"),
            say("person_disabled" if each.disabled else "person_active"),
        )
        for each in found
    ]
    blocks.table(say("people_all"), heads, rows)
    return found


def invite() -> None:
    """Makes a link that signs somebody in."""
    blocks.heading("invite_add")
    blocks.note("invite_note")
    with st.form("invite", border=False):
        left, right = st.columns(2)
        with left:
            name = st.text_input(say("invite_name"), help=say("invite_name_help"), placeholder="ana", max_chars=60)
        with right:
            roles = st.multiselect(
                say("invite_roles"),
                ROLES,
                format_func=lambda role: say(f"role_{role}"),
                help=say("invite_roles_help"),
                placeholder=say("choose"),
            )
        pressed = st.form_submit_button(say("invite_save"), type="primary")
    if pressed:
        with kindly():
            token = workspace().invite(name.strip(), roles, actor=actor())
            box(say_html("invite_done", name=name.strip()), kind="done")
            blocks.code(f"{session.address()}/sign-in?token={token}")


def change(found: list[Person]) -> None:
    """Other roles for somebody, or none any more."""
    blocks.heading("roles_change")
    others = {each.name: each for each in found if each.name != OWNER.name and each.disabled is None}
    if not others:
        blocks.text("people_nobody")
        return
    left, right = st.columns(2)
    with left:
        name = st.selectbox(say("roles_person"), list(others), index=None, placeholder=say("choose"), key="person")
    if name is None:
        return
    with right:
        roles = st.multiselect(
            say("invite_roles"),
            ROLES,
            sorted(others[name].roles),
            format_func=lambda role: say(f"role_{role}"),
            key=f"roles-{name}",
        )
    if st.button(say("roles_save")):
        with kindly():
            workspace().set_roles(name, roles, actor=actor())
            session.flash("roles_saved", name=name)
            st.rerun()
    typed = st.text_input(say_label("disable_confirm", name=name), key=f"disable-{name}")
    if st.button(say("disable")):
        if typed.strip() != name:
            box(say_html("disable_mismatch"))
            return
        with kindly():
            workspace().disable_person(name, actor=actor())
            session.flash("disabled", name=name)
            st.rerun()

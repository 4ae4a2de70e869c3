"""The people of the workspace, for its administrators."""

from __future__ import annotations

from collections import Counter

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.model.actor import OWNER, Role
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.problems import act, box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html, say_label
from dprelease.workspace import Person

ROLES = [role.value for role in Role]


def everybody() -> list[Person]:
    """Show a table of all people, and return them."""
    found = workspace().people.find(actor=actor())
    failed = Counter[str]()
    for each in workspace().people.sign_in_failures(actor=actor()):
        failed[each.name] += each.count
    heads = [say(head) for head in ("person", "person_roles", "person_signs_in", "person_state", "person_failed")]
    rows = [
        (
            person.name,
            ", ".join(say(f"role_{role}") for role in sorted(person.roles)),
            say(_way(person)),
            say("person_disabled" if person.disabled else "person_active"),
            shown(failed[person.name]),
        )
        for person in found
    ]
    blocks.table(say("people_all"), heads, rows, numbers=(4,))
    if failed[""]:
        blocks.note("people_failed", count=shown(failed[""]))
    return found


def _way(person: Person) -> str:
    if person.subject is not None:
        return "way_provider"
    by_password = "person_password_and_code" if person.has_second_factor else "way_password"
    return by_password if person.has_password else "way_link"


def invite() -> None:
    """Make a link that signs somebody in."""
    blocks.heading("invite_add")
    blocks.note("invite_note")
    with st.form("invite", border=False):
        left, right = st.columns(2)
        name = left.text_input(say("invite_name"), help=say("invite_name_help"), placeholder="ana", max_chars=60)
        roles = right.multiselect(
            say("invite_roles"),
            ROLES,
            format_func=lambda role: say(f"role_{role}"),
            help=say("invite_roles_help"),
            placeholder=say("choose"),
        )
        pressed = st.form_submit_button(say("invite_save"), type="primary")
    if pressed:
        with kindly():
            token = workspace().people.invite(name.strip(), roles, actor=actor())
            _link("invite_done", name.strip(), token)


def _link(said: str, name: str, token: str) -> None:
    box(say_html(said, name=name), kind="done")
    blocks.code(f"{session.address()}/sign-in?token={token}")


def change(found: list[Person]) -> None:
    """Offer other roles for somebody, or none any more."""
    blocks.heading("roles_change")
    others = {each.name: each for each in found if each.name != OWNER.name}
    if not others:
        blocks.text("people_nobody")
        return
    left, right = st.columns(2)
    name = left.selectbox(say("roles_person"), list(others), index=None, placeholder=say("choose"), key="person")
    if name is not None and others[name].disabled:
        _enable(name)
    elif name is not None:
        _roles(others[name], right)
        _reset(others[name])
        _disable(name)


def _roles(person: Person, place: DeltaGenerator) -> None:
    roles = place.multiselect(
        say("invite_roles"),
        ROLES,
        sorted(person.roles),
        format_func=lambda role: say(f"role_{role}"),
        key=f"roles-{person.name}",
    )
    if st.button(say("roles_save")):
        act("roles_saved", lambda: workspace().people.set_roles(person.name, roles, actor=actor()), name=person.name)


def _reset(person: Person) -> None:
    """Offer a new link for somebody who cannot sign in any more."""
    if person.subject is not None:
        return
    blocks.note("reset_note", name=person.name)
    if st.button(say("reset"), key=f"reset-{person.name}"):
        with kindly():
            _link("reset_done", person.name, workspace().people.reset(person.name, actor=actor()))


def _enable(name: str) -> None:
    blocks.note("enable_note", name=name)
    if st.button(say("enable"), key=f"enable-{name}"):
        act("enabled", lambda: workspace().people.enable(name, actor=actor()), name=name)


def _disable(name: str) -> None:
    typed = st.text_input(say_label("disable_confirm", name=name), key=f"disable-{name}")
    if st.button(say("disable")):
        if typed.strip() != name:
            box(say_html("disable_mismatch"))
            return
        act("disabled", lambda: workspace().people.disable(name, actor=actor()), name=name)

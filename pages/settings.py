"""Settings: one's own account; for administrators the people who may sign in here, the policy and the office."""

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import actor, may
from dprelease.ui.people.account import history, password, sessions, tokens
from dprelease.ui.people.calendar import calendar
from dprelease.ui.people.office import office as stated
from dprelease.ui.people.overlaps import overlaps
from dprelease.ui.people.people import change, everybody, invite
from dprelease.ui.people.second_factor import required, second_factor
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.policy import preview_policy


def account() -> None:
    """Show how one signs in, where one is signed in, and tokens for programs."""
    roles = ", ".join(say(f"role_{role}") for role in sorted(actor().roles))
    blocks.markup(say_html("account_roles", name=fill("{}", actor().name), roles=roles))
    password()
    second_factor()
    sessions()
    tokens()
    history()


def people() -> None:
    """Show the people who may sign in here, and how they and their roles change."""
    found = everybody()
    invite()
    change(found)


def policy() -> None:
    """Show what holds for all: a second factor, previews, and tables that are said to share nobody."""
    overlaps()
    required()
    preview_policy()


def office() -> None:
    """Show what public pages say of the office, and what it is to publish."""
    stated()
    calendar()


TABS = {"account": account, "people": people, "policy": policy, "office": office}
"""What each tab shows; all but the first are an administrator's."""

with blocks.screen("settings"):
    keys = list(TABS) if may("people") else ["account"]
    labels = {key: say(f"settings_{key}") for key in keys}
    wanted = labels.get(st.query_params.get("tab", ""), labels["account"])
    for key, place in zip(keys, st.tabs(list(labels.values()), default=wanted), strict=True):
        with place:
            TABS[key]()

"""The session: its user, its workspace, and what this browser tab remembers between pages."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import streamlit as st

from dprelease.model.actor import PUBLIC, Actor
from dprelease.model.cookie import cookie_name
from dprelease.workspace import Workspace, WorkspaceMode
from dprelease.workspace.access import PERMISSIONS
from dprelease.workspace.process import current

AGAIN = "/sign-in/provider?again=1"
"""Address at which somebody shows an identity provider anew who they are."""
ASKED = "asked_anew"
"""Session key: how somebody is to show anew who they are."""
PUT_AWAY = "news_put_away"
"""Session key: true if this visitor put the lasting notice of a reset away."""
PAGE = "page"
VISIT = "visit"
FLASH = "flash"
DRAFT = "draft"
PREVIEW = "preview"
MODE = "preview_mode"
"""Session key of the preview mode: true values or a look-alike."""
ARMED = "publish_again_armed"
WATCHED = "publication_watched"
"""The plan whose publication this tab began, or found under way."""
DIALOG = "dialog_asked"
"""Session key of the workbench dialog to be opened."""
DATASET = "last_dataset"
PREPARED = "prepared_second_factor"
CODES = "recovery_codes"
REVIEWED = "review_open"
"""The plan or request that a reviewer has open."""
DECIDED = "review_decided"
"""Session key of decisions since the page was opened: titles and results."""
REVIEW_DIALOG = "review_dialog"
"""Session key of the open dialog on the page for reviewers."""
TOAST = "review_toast"
BROKEN = "ledger_problem"
"""Session key of the last check's finding in the ledger; kept until the next one."""

LEFT_BEHIND = (ASKED, PUT_AWAY, PREVIEW, MODE, ARMED, WATCHED, PREPARED, CODES, REVIEWED, DECIDED, REVIEW_DIALOG, TOAST)
"""Session keys forgotten as soon as another page is opened: previews hold true values, and secrets are shown once."""


@runtime_checkable
class Leaving(Protocol):
    """An object that has something to say before it is forgotten."""

    def leave(self) -> None: ...


def workspace() -> Workspace:
    """Return the one workspace of this server."""
    return current()


def address() -> str:
    """Return the address by which the browser calls this server."""
    host = st.context.headers.get("Host", "")
    return f"{'https' if is_encrypted() else 'http'}://{host}"


def is_encrypted() -> bool:
    """Return True if the browser calls this server by https."""
    return str(st.context.url or "").startswith("https:")


def cookies() -> dict[str, str]:
    """Return what the browser sent when it opened this tab."""
    return st.context.cookies.to_dict()


def accepted() -> str:
    """Return the languages that the browser asks for."""
    return st.context.headers.get("Accept-Language", "")


def actor() -> Actor:
    """Return the current actor, asked anew each time: a session may have ended since the page was drawn."""
    token = cookies().get(cookie_name(encrypted=is_encrypted()))
    return (workspace().people.session_actor(token) if token else None) or PUBLIC


def may(operation: str) -> bool:
    """Return True if an operation is to be offered. The operation itself decides; this only keeps pages short."""
    allowed = PERMISSIONS[operation]
    return not allowed or bool(allowed & actor().roles)


def in_team() -> bool:
    """Return True if a decision takes two people."""
    return workspace().mode is WorkspaceMode.TEAM


def is_own(author: str) -> bool:
    """Return True if somebody else must decide, since this actor asked for it."""
    return in_team() and actor().name == author


def arrive(page: str) -> None:
    """Note which page is open; on another one than before, what may not be carried along is dropped."""
    if st.session_state.get(PAGE) != page:
        st.session_state[PAGE] = page
        st.session_state[VISIT] = visit() + 1
        leave()


def leave() -> None:
    """Drop what may not be carried along, which may have something to say first."""
    for name in LEFT_BEHIND:
        left = st.session_state.pop(name, None)
        if isinstance(left, Leaving):
            left.leave()


def visit() -> int:
    """Return the count of page openings: widgets keyed by it begin from what is kept, not from what they showed."""
    count: int = st.session_state.get(VISIT, 0)
    return count


def flash(key: str, **values: Any) -> None:
    """Keep a message for the next run of the page."""
    st.session_state[FLASH] = (key, values)


def take_flash() -> tuple[str, dict[str, Any]] | None:
    """Return the kept message, once."""
    message: tuple[str, dict[str, Any]] | None = st.session_state.pop(FLASH, None)
    return message

"""What the pages and the HTTP routes of one server process share: the workspace, and the name of its cookie."""

from __future__ import annotations

import os
from functools import cache

from dprelease.workspace.workspace import Workspace

VARIABLE = "DPRELEASE_HOME"
HOME = "data/workspace"
COOKIE = "dprelease_session"
"""Holds the token of a session."""


@cache
def current() -> Workspace:
    """The workspace in $DPRELEASE_HOME (default: data/workspace), opened once."""
    return Workspace.open(os.environ.get(VARIABLE) or HOME)

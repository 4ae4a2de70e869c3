"""Shared state of the pages and HTTP routes of one server process: the workspace, and the name of its cookie."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from dprelease.model.cookie import COOKIE as COOKIE
from dprelease.workspace.home import PRIVATE_MODE, Home
from dprelease.workspace.workspace import Workspace

VARIABLE = "DPRELEASE_HOME"
HOME = "data/workspace"


@cache
def current() -> Workspace:
    """Return the workspace in $DPRELEASE_HOME (default: data/workspace), opened once. Raises InputError if none."""
    return Workspace.open(os.environ.get(VARIABLE) or HOME)


def keep_private() -> None:
    """Let this process and its children put temporary files into the workspace's private part, and nowhere else.

    What a browser sends is spooled by the server's libraries before any of our code sees it: rows, in the clear. Where
    there is no workspace yet, nothing that is sent is taken.
    """
    home = Home(Path(os.environ.get(VARIABLE) or HOME).resolve())
    if home.database.is_file():
        home.own_spill.mkdir(parents=True, exist_ok=True, mode=PRIVATE_MODE)
        os.environ["TMPDIR"] = tempfile.tempdir = str(home.own_spill)

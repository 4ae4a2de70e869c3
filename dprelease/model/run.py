"""Which run of which process made something that is unfinished, so that what an ended one left can be removed."""

from __future__ import annotations

import os
import secrets

_RUN = secrets.token_hex(8)
"""Tells this process from an ended one that had the same number, as in a container that was started again."""


def mark() -> str:
    """This process and its run, for a file's name; without a full stop."""
    return f"{os.getpid()}-{_RUN}"


def lasts(text: str) -> bool:
    """Tells whether the process that made a mark still runs. A text that is no mark was made by none."""
    process, _, run = text.partition("-")
    if not (process.isascii() and process.isdecimal() and len(process) < 10):
        return False
    return run == _RUN if int(process) == os.getpid() else _runs(int(process))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

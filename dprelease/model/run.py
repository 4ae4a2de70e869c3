"""Mark of the process and run that made an unfinished thing, so that remains of ended ones can be removed."""

from __future__ import annotations

import os
import secrets

_RUN = secrets.token_hex(8)
"""Random id of this run, unlike that of an ended process with the same number, as in a container started again."""
WINDOWS = os.name == "nt"


def mark() -> str:
    """Return this process and its run, for a file's name; without a full stop."""
    return f"{os.getpid()}-{_RUN}"


def lasts(text: str) -> bool:
    """Return True if the process that made a mark still runs. A text that is no mark was made by none."""
    process, _, run = text.partition("-")
    if not (process.isascii() and process.isdecimal() and len(process) < 10):
        return False
    return run == _RUN if int(process) == os.getpid() else _runs(int(process))


def _runs(process: int) -> bool:
    if WINDOWS:  # there a signal 0 asks nothing: it interrupts
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

"""Job of the server: it makes releases public when their hour has come."""

from __future__ import annotations

import logging
import time
from threading import Thread

from dprelease.errors import DPReleaseError

LOG = logging.getLogger(__name__)


def keep_hours() -> None:
    """Look at the clock in a thread of its own, as long as the server runs: each second near an hour, else rarely."""
    Thread(target=_look, name="hours of releases", daemon=True).start()


def _look() -> None:
    said = ""
    while True:
        failed, seconds = _once()
        if failed and failed != said:
            LOG.error("releases that are due could not be opened (%s)", failed)
        said = failed
        time.sleep(seconds)


def _once() -> tuple[str, float]:
    """Open what is due; return the kind of what went wrong, empty for nothing, and the seconds until the next look."""
    from dprelease.workspace.process import current

    try:
        return "", current().embargoes.keep()
    except (DPReleaseError, OSError) as error:
        return type(error).__name__, RETRY


RETRY = 5.0
"""Seconds until the next try."""

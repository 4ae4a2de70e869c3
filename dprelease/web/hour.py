"""Job of the server: it makes releases public when their hour has come."""

from __future__ import annotations

import logging
import time
from threading import Thread

from dprelease.errors import DPReleaseError
from dprelease.workspace.process import current

LOG = logging.getLogger(__name__)


def keep_hours() -> None:
    """Look at the clock in a thread of its own, as long as the server runs: each second near an hour, else rarely."""
    Thread(target=_look, name="hours of releases", daemon=True).start()


def _look() -> None:
    while True:
        time.sleep(_once())


def _once() -> float:
    """Open what is due; return the seconds until the next look. What fails is tried again, and logged without a word
    of anybody's.
    """
    try:
        return current().embargoes.keep()
    except (DPReleaseError, OSError) as error:
        LOG.error("releases that are due could not be opened (%s)", type(error).__name__)
        return RETRY


RETRY = 5.0
"""Seconds until the next try."""

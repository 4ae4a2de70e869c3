"""Progress of long work: one line on the error stream, where that is a terminal, written anew each second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from dprelease.model.progress import heard
from dprelease.words import phrase
from dprelease.words.language import language, speaking

CLEARED = "\r\x1b[K"
"""Begins the line again and empties it."""


@contextmanager
def told(quiet: bool) -> Iterator[None]:
    """Show each step that is reached with the seconds since, unless `quiet` or where nobody looks on."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    steps: list[tuple[str, float]] = []
    done = threading.Event()
    token = heard.set(lambda step: steps.append((step, time.monotonic())))
    shown = threading.Thread(target=_show, args=(steps, done, language()), daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()
        heard.reset(token)


def _show(steps: list[tuple[str, float]], done: threading.Event, spoken: str) -> None:
    with speaking(spoken):
        while not done.wait(1):
            if steps:
                step, since = steps[-1]
                line = phrase("cli.progress", step=phrase(f"cli.step_{step}"), seconds=int(time.monotonic() - since))
                sys.stderr.write(f"{CLEARED}{line}")
                sys.stderr.flush()
    if steps:
        sys.stderr.write(CLEARED)
        sys.stderr.flush()

"""What another process says. It is read as it comes: nobody looks again and again whether it is there."""

from __future__ import annotations

import re
from subprocess import Popen
from threading import Thread, Timer
from typing import IO

SECONDS = 300.0
"""After which a process that says nothing is killed, and the test fails."""


def heard(process: Popen[str], pattern: str) -> str:
    """Returns what a process has said by the end of the line that has this; what it says later is read and dropped."""
    output, said = process.stdout, ""
    assert output is not None
    killer = Timer(SECONDS, process.kill)
    killer.start()
    try:
        while not re.search(pattern, said):
            line = output.readline()
            assert line, f"it ended without {pattern}: {said}"
            said += line
    finally:
        killer.cancel()
    Thread(target=_drop, args=(output,), daemon=True).start()
    return said


def _drop(output: IO[str]) -> None:
    """Reads until the process ends, so that it never waits for a reader."""
    with output:
        for _ in output:
            pass

"""What a peer has used so far: this process, and every process that it has started, such as Spark's."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PARENT, TIMES = 1, slice(11, 15)
"""Where /proc/PID/stat has them, behind the process's name: user and system time, and those of children that ended."""


def processor() -> float:
    """Seconds of processor time."""
    ticks = sum(int(field) for fields in _started().values() for field in fields[TIMES])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def peak_mb() -> float:
    """The most memory that each process has held, added up."""
    held = 0
    for process in (os.getpid(), *_started()):
        with suppress(OSError):
            lines = Path(f"/proc/{process}/status").read_text().splitlines()
            held += next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
    return held / 1000


def _started() -> dict[int, list[str]]:
    """The processes below this one, with what /proc/PID/stat says of them."""
    every = dict(_running())
    found = {os.getpid()}
    while more := {process for process, fields in every.items() if int(fields[PARENT]) in found} - found:
        found |= more
    return {process: every[process] for process in found - {os.getpid()}}


def _running() -> Iterator[tuple[int, list[str]]]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may have ended meanwhile
            yield int(path.parent.name), path.read_text().rpartition(")")[2].split()

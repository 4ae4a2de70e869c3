"""Where tests write; and what stands at the end of a run: the faults that were injected, and what was lost by them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30


def pytest_configure() -> None:
    """Temporary folders stand in memory where there is room: a ledger waits for its disk at every event."""
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test in Chromium that fails is tried once more, and counted: on a busy machine a page may come too late."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tests record `fault` as a list: what it was, how often it was injected, how many losses were found."""
    rows = [
        [str(cell) for cell in value]
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
        if name == "fault" and isinstance(value, list | tuple)
    ]
    if not rows:
        return
    rows = [["fault", "injected", "losses found"], *sorted(rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    terminalreporter.section("faults")
    for fault, injected, losses in rows:
        terminalreporter.line(f"{fault:{widths[0]}}  {injected:>{widths[1]}}  {losses:>{widths[2]}}")

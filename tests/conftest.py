"""What stands at the end of a run: the faults that were injected, and what was lost by them."""

from __future__ import annotations

import pytest


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

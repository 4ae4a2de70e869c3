"""benchmarks/ledger.py runs, and finds every figure; how fast this machine is is no test's business."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import ledger


@pytest.mark.full
def test_a_small_ledger_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = ledger.measure(tmp_path, 10_000, 20)
    assert all(value >= 0 for value in figures.values())
    for name in ("append, p99 ratio", "verification", "first checkpoint", "the newest 100 events"):
        assert figures[name] > 0
    assert len(capsys.readouterr().out.splitlines()) >= 15

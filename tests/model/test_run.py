"""Whether a process still runs is asked without a signal on Windows, where that would interrupt it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from dprelease.bundle import signing
from dprelease.bundle.write import put
from dprelease.model import run


def never(*given: object) -> NoReturn:
    raise AssertionError(given)


def test_on_windows_nothing_is_signalled_and_no_folder_is_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "WINDOWS", True)
    monkeypatch.setattr(signing, "WINDOWS", True)
    monkeypatch.setattr(os, "kill", never)
    monkeypatch.delattr(os, "fchmod")
    assert run.lasts(run.mark())
    assert run.lasts("1-another")
    put(tmp_path / "file", b"bytes")
    monkeypatch.setattr(os, "open", never)
    signing.sync_folder(tmp_path)
    assert (tmp_path / "file").read_bytes() == b"bytes"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644

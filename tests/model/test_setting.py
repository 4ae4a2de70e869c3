"""Whole numbers in the environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dprelease.errors import InputError
from dprelease.model.setting import MOST, whole_number

pytestmark = pytest.mark.quick

NAME = "DPRELEASE_SORT_MB"


@pytest.mark.parametrize("text", ["x", "0", "-1", "1.5", "1e3", "٣", str(MOST + 1), "9" * 5000])
def test_what_is_no_number_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, text)
    with pytest.raises(InputError, match=rf"\${NAME}.*allowed: a whole number from 1 to {MOST}. Unset it for 7."):
        whole_number(NAME, 7)


@pytest.mark.parametrize(("text", "number"), [("", 7), (" 12 ", 12), (str(MOST), MOST)])
def test_a_number_or_nothing_is_taken(text: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, text)
    assert whole_number(NAME, 7) == number


@pytest.mark.full
def test_a_command_tells_it_in_one_line() -> None:
    command = [sys.executable, "-m", "dprelease", "dataset", "list", "--home", "nowhere"]
    done = subprocess.run(command, env={**os.environ, NAME: "x"}, capture_output=True, text=True, check=False)
    assert (done.returncode != 0, done.stderr.count("\n")) == (True, 1)
    assert done.stderr.startswith(f"dprelease: ${NAME}: found 'x'")

"""What tests share is made once, also for processes that ask at the same moment, and anew where its builder changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import made as making
from tests.made import made

pytestmark = pytest.mark.quick

BUILDER = """
import os, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests import made as making
making.SHELVES = Path({shelves!r})

def build(folder):
    (folder / "text").write_text({text!r})
    with open({told!r}, "a") as told:
        told.write("made\\n")

print(making.made(build))
"""


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "builder.py"
    path.write_text(
        BUILDER.format(root=str(making.ROOT), shelves=str(tmp_path / "made"), text=text, told=str(tmp_path / "told"))
    )
    return path


@pytest.mark.full
def test_processes_that_ask_at_once_share_one_and_a_changed_builder_makes_another(tmp_path: Path) -> None:
    first = script(tmp_path, "one")
    asking = [subprocess.Popen([sys.executable, first], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    (folder,) = {process.communicate()[0].strip() for process in asking}
    assert (tmp_path / "told").read_text() == "made\n"
    assert (Path(folder) / "text").read_text() == "one"
    again = subprocess.run([sys.executable, script(tmp_path, "two")], capture_output=True, text=True, check=True)
    assert (Path(again.stdout.strip()) / "text").read_text() == "two"


def test_what_fails_half_way_is_not_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_shelf", lambda: tmp_path)
    failing = True

    def build(folder: Path) -> None:
        (folder / "half").write_text("")
        if failing:
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        made(build)
    failing = False
    assert [path.name for path in made(build).iterdir()] == ["half"]

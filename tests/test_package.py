"""The package as a whole."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dprelease

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[1]


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == dprelease.__version__


def test_importing_it_loads_no_library() -> None:
    script = "import sys, dprelease; print({name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() in ("{'dprelease', '__main__'}", "{'__main__', 'dprelease'}")


def test_every_public_name_can_be_imported_and_is_documented() -> None:
    for name in dprelease.__all__:
        assert getattr(dprelease, name).__doc__


def test_no_built_file_is_kept_with_the_project() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        return  # an unpacked source distribution: nothing is tracked
    assert [name for name in listed.stdout.split() if name.endswith((".whl", ".tar.gz", ".egg"))] == []

"""`make release` in a repository of its own: what it refuses, and what it makes of a commit."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

import dprelease
from tests.supply.release import UNRELEASED, versions

ROOT = Path(__file__).resolve().parents[2]
VERSION = dprelease.__version__
DAY = "2026-01-02"
LOG = f"# Changelog\n\n## [Unreleased]\n\n## [{VERSION}] - {DAY}\n\n- This.\n"
CITED = f"cff-version: 1.2.0\nversion: {VERSION}\ndate-released: {DAY}\n"
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no Git on this machine")


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Change")


def release(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.supply.release"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with every file of this one, ready to be released."""
    folder = tmp_path_factory.mktemp("repository")
    for name in git(ROOT, "ls-files", "-co", "--exclude-standard").splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    (folder / "CHANGELOG.md").write_text(LOG)
    (folder / "CITATION.cff").write_text(CITED)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with what is checked, and nothing that could be built."""
    (tmp_path / "dprelease" / "model").mkdir(parents=True)
    (tmp_path / "tests" / "supply").mkdir(parents=True)
    own = ("tests/__init__.py", "tests/supply/__init__.py", "tests/supply/release.py")
    for name in ("pyproject.toml", "dprelease/model/version.py", ".gitignore", *own):
        shutil.copyfile(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(LOG)
    (tmp_path / "CITATION.cff").write_text(CITED)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def test_the_version_is_the_same_wherever_it_stands() -> None:
    found = versions(ROOT)
    dated = found.pop("the newest dated heading of CHANGELOG.md")
    assert set(found.values()) == {VERSION}
    log = (ROOT / "CHANGELOG.md").read_text()
    begun = UNRELEASED.search(log)
    assert begun
    assert dated in (VERSION, "nothing") or begun[1].strip(), "a version is dated when it is released, or has changes"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("pyproject.toml", f'version = "{VERSION}"', 'version = "9.9.9"', "pyproject.toml says 9.9.9"),
        ("dprelease/model/version.py", VERSION, "9.9.8", "version.py says 9.9.8"),
        ("CITATION.cff", f"version: {VERSION}", "version: 9.9.7", "CITATION.cff says 9.9.7"),
        ("CHANGELOG.md", f"[{VERSION}] -", "[9.9.6] -", "heading of CHANGELOG.md says 9.9.6"),
        ("CHANGELOG.md", f" - {DAY}", "", "heading of CHANGELOG.md says nothing"),
        ("CHANGELOG.md", "[Unreleased]\n", "[Unreleased]\n\n- That.\n", "changes under Unreleased"),
        ("CITATION.cff", DAY, "2026-01-03", "CITATION.cff says 2026-01-03, CHANGELOG.md 2026-01-02"),
    ],
)
def test_what_does_not_agree_is_refused(small: Path, name: str, old: str, new: str, told: str) -> None:
    text = (small / name).read_text()
    assert old in text
    (small / name).write_text(text.replace(old, new, 1))
    commit(small)
    done = release(small)
    assert (done.returncode, done.stdout) == (1, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 2, "nothing else is"
    assert not (small / "dist").exists()


@pytest.mark.parametrize("name", ["CITATION.cff", "dprelease/forgotten.py"])
def test_a_tree_that_is_not_clean_is_refused(small: Path, name: str) -> None:
    with (small / name).open("a") as file:
        file.write("\n# later\n")
    done = release(small)
    assert done.returncode == 1
    assert f"The tree is not clean: commit or remove {name}." in done.stderr


@pytest.mark.full
def test_a_release_is_made_of_the_commit_alone(whole: Path) -> None:
    (whole / "build" / "lib" / "dprelease").mkdir(parents=True)
    (whole / "build" / "lib" / "dprelease" / "removed.py").write_text("an earlier build left it")
    (whole / "data" / "workspace").mkdir(parents=True)
    (whole / "data" / "workspace" / "rows.csv").write_text("1,2\n")
    tracked = set(git(whole, "ls-files").splitlines())
    done = release(whole)
    assert done.returncode == 0, done.stderr
    assert git(whole, "rev-parse", "HEAD").strip() in done.stdout
    out = whole / "dist"
    stem = f"dprelease-{VERSION}"
    reader = f"dprelease_reader-{VERSION}-py3-none-any.whl"
    names = {f"{stem}.tar.gz", f"{stem}-py3-none-any.whl", f"{stem}.cdx.json", reader}
    assert {path.name for path in out.iterdir()} == names | {"SHA256SUMS"}
    sums = dict(line.split("  ")[::-1] for line in (out / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in names}
    with tarfile.open(out / f"{stem}.tar.gz") as archive:
        held = {member.name.removeprefix(f"{stem}/") for member in archive if member.isfile()}
    assert {name for name in held ^ tracked if not re.match(r"PKG-INFO|setup\.cfg|dprelease\.egg-info/", name)} == set()
    with ZipFile(out / f"{stem}-py3-none-any.whl") as wheel:
        assert {name for name in tracked if name.startswith("dprelease/")} <= set(wheel.namelist())
        assert not [name for name in wheel.namelist() if name.endswith(("removed.py", "rows.csv"))]
    bill = json.loads((out / f"{stem}.cdx.json").read_text())
    assert bill["metadata"]["component"]["version"] == VERSION
    assert {"duckdb", "opendp", "streamlit"} <= {each["name"] for each in bill["components"]}

"""Makes what a release consists of, from a clean copy of the commit: `make release`.

Two wheels (one of the reader), a source distribution, a bill of materials and checksums in dist/. Nothing is uploaded:
what is left to do is printed. Refused where the tree is not clean, or where version and day do not agree everywhere.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

DATED = re.compile(r"^## \[([^\]]+)\] - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
UNRELEASED = re.compile(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
VERSION = re.compile(r'^VERSION = "([^"]+)"$', re.MULTILINE)
REFUSED = 1
READER = "import sys; from pathlib import Path; from tests.supply.reader import build; build(Path(sys.argv[1]))"
SDIST = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"


def versions(root: Path) -> dict[str, str]:
    """What each place says that the version is."""
    dated = DATED.search((root / "CHANGELOG.md").read_text())
    stated = VERSION.search((root / "dprelease" / "model" / "version.py").read_text())
    return {
        "pyproject.toml": tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"],
        "dprelease/model/version.py": stated[1] if stated else "nothing",
        "CITATION.cff": str(citation(root).get("version", "nothing")),
        "the newest dated heading of CHANGELOG.md": dated[1] if dated else "nothing",
    }


def citation(root: Path) -> dict[str, object]:
    """The fields of CITATION.cff."""
    return dict(yaml.safe_load((root / "CITATION.cff").read_text()))


def problems(root: Path) -> Iterator[str]:
    """Why the commit that is checked out cannot be released, a sentence each."""
    if changed := git(root, "status", "--porcelain"):
        yield f"The tree is not clean: commit or remove {', '.join(line[3:] for line in changed.splitlines()[:5])}."
    found = versions(root)
    if len(set(found.values())) > 1:
        yield f"The version differs: {', '.join(f'{place} says {version}' for place, version in found.items())}."
    log = (root / "CHANGELOG.md").read_text()
    rest, dated = UNRELEASED.search(log), DATED.search(log)
    if rest and rest[1].strip():
        yield "CHANGELOG.md has changes under Unreleased: move them below a heading with version and day."
    day = str(citation(root).get("date-released", "nothing"))
    if dated and day != dated[2]:
        yield f"The day differs: CITATION.cff says {day}, CHANGELOG.md {dated[2]}."


def git(root: Path, *words: str) -> str:
    """What Git prints. Raises CalledProcessError."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.rstrip()


def build(root: Path, out: Path) -> list[Path]:
    """Writes the files into a folder, whole or not at all; the wheel is built from the source distribution."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": git(root, "log", "-1", "--format=%ct")}
    with TemporaryDirectory() as place:
        copy, made = Path(place) / "copy", Path(place) / "made"
        copy.mkdir()
        made.mkdir()
        git(root, "archive", "--output", f"{place}/copy.tar", "HEAD")
        with tarfile.open(f"{place}/copy.tar") as archive:
            archive.extractall(copy, filter="data")

        def run(*words: str | Path) -> None:
            done = subprocess.run(words, cwd=copy, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(done.stderr or done.stdout)

        run(sys.executable, "-c", SDIST, made)
        (source,) = made.glob("*.tar.gz")
        offline = ("--no-deps", "--no-build-isolation", "--no-index")
        run(sys.executable, "-m", "pip", "wheel", "--quiet", *offline, "--wheel-dir", made, source)
        run(sys.executable, "-c", READER, made)
        bill = made / f"{source.name.removesuffix('.tar.gz')}.cdx.json"
        cyclonedx = Path(sys.executable).with_name("cyclonedx-py")
        stated = ("--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON", "-o", bill)
        run(cyclonedx, "requirements", "requirements.txt", *stated)
        sums = "".join(
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(made.iterdir())
        )
        (made / "SHA256SUMS").write_text(sums)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made, out)
    return sorted(out.iterdir())


def main(root: Path) -> int:
    """Checks, builds, and says what comes next."""
    if found := list(problems(root)):
        print("Not released:", *found, sep="\n  ", file=sys.stderr)
        return REFUSED
    version, commit = versions(root)["pyproject.toml"], git(root, "rev-parse", "HEAD")
    for path in build(root, root / "dist"):
        print(path.relative_to(root))
    print(f"""
Built from {commit}. Nothing was uploaded. Next:
  1. Try the wheel in an empty environment: dprelease demo, dprelease serve, dprelease verify of an earlier release.
  2. git tag --sign v{version} --message "dprelease {version}" {commit}
  3. Hand out the files of dist/ together, SHA256SUMS too, and push the tag.""")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))

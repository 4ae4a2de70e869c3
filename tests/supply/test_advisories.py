"""Pinned packages beside a local folder of advisories, and the bill of materials made of the lock."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.supply.advisories import FOUND, UNUSABLE, advisories, main, matches, pins

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).with_name("advisories")
RANGE, LISTED = "TEST-2026-1", "PYSEC-0000-1"


@pytest.mark.parametrize(
    ("package", "version", "found"),
    [
        ("some-package", "1.0", RANGE),
        ("some-package", "1.9", ""),
        ("some-package", "2.0rc1", ""),
        ("some-package", "2.0", RANGE),
        ("some-package", "2.9", RANGE),
        ("some-package", "2.10", RANGE),
        ("some-package", "2.10.1", ""),
        ("some-package", "3.0", ""),
        ("other", "1.0", ""),
        ("other", "3.0", LISTED),
        ("other", "3.1", ""),
        ("other", "4.2", LISTED),
        ("other", "4.2.1", ""),
        ("unknown", "1.0", ""),
    ],
)
def test_a_version_is_compared_as_versions_are(package: str, version: str, found: str) -> None:
    told = [each.advisory for each in matches({package: version}, advisories(FOLDER))]
    assert [each.partition(",")[0] for each in told] == ([found] if found else [])


def test_every_pin_of_the_lock_is_read() -> None:
    lock = (ROOT / "requirements.txt").read_text()
    pinned = pins([ROOT / "requirements.txt"])
    assert len(pinned) == len(re.findall(r"^\S+==", lock, re.MULTILINE)) > 60
    assert pinned["h11"].startswith("0.")


def test_what_fits_is_told_and_ends_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text("Some.Package[extra]==2.1 ; python_version < '4' \\\n    --hash=sha256:00\nother==3.1 \\\n")
    assert main([str(FOLDER), str(lock)]) == FOUND
    told = capsys.readouterr().out
    assert told.startswith("some-package 2.1: TEST-2026-1, CVE-0000-0001, mended in 1.9, 2.10.1. Invented")
    assert told.endswith("2 packages of lock.txt, 2 advisories up to 2026-11-03: 1 fit.\n")
    lock.write_text("other==3.1\n")
    assert main([str(FOLDER), str(lock)]) == 0


@pytest.mark.parametrize("content", ["{", "[]", '{"x": 1}', None])
def test_a_folder_that_tells_nothing_is_no_good_news(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "broken.json").write_text(content)
    assert main([str(tmp_path), str(ROOT / "requirements.txt")]) == UNUSABLE
    assert capsys.readouterr().err.startswith("advisories: ")


@pytest.mark.full
def test_the_bill_of_materials_names_every_pin_with_its_hashes(tmp_path: Path) -> None:
    (recipe,) = re.findall(r"^\t(\$\(BIN\)/cyclonedx-py .*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    out = tmp_path / "sbom.json"
    words = recipe.replace("$(SBOM)", str(out)).split()
    command = [str(Path(sys.executable).with_name("cyclonedx-py")), *words[1:]]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    bill = json.loads(out.read_text())
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "dprelease")
    listed = {each["name"]: each for each in bill["components"]}
    pinned = pins([ROOT / "requirements.txt"])
    assert {name: each["version"] for name, each in listed.items()} == pinned
    assert all(each["externalReferences"][0]["hashes"] for each in listed.values())

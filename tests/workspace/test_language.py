"""What is published does not tell in which language somebody worked."""

from __future__ import annotations

from pathlib import Path

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.words.language import speaking
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan


def test_a_release_published_in_spanish_has_the_bytes_that_everyone_computes(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    with speaking("es"):
        workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
        release = workspace.publish(approved(workspace, plan()))
        written = release.write(tmp_path / "es")
        verdict = dprelease.verify(written, key=workspace.public_key)
    again = release.write(tmp_path / "en")
    names = sorted(path.relative_to(written) for path in written.rglob("*") if path.is_file())
    assert names
    assert all((written / name).read_bytes() == (again / name).read_bytes() for name in names)
    assert "How many records are there?" in (written / "index.html").read_text()
    assert dprelease.verify(again, key=workspace.public_key).words == verdict.words
    assert "One person wrote, approved and published this release (solo workspace)." in caveats(release.certificate)

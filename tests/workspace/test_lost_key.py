"""A signing key that is gone: said, and never replaced by another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dprelease.errors import IntegrityError
from dprelease.workspace import Workspace
from tests.verdict.forging import COUNT, FRAME, written


@pytest.mark.parametrize("rotated", [False, True])
def test_a_workspace_that_signed_makes_no_other_first_key(tmp_path: Path, rotated: bool) -> None:
    workspace = Workspace.create(tmp_path / "home")
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    written(workspace, COUNT, tmp_path / "written")
    first = workspace.public_key
    if rotated:
        workspace.ledger.rotate_key()
    path = tmp_path / "home" / "private" / "keys" / "signing.pem"
    path.unlink()
    with pytest.raises(IntegrityError, match=first):
        Workspace.open(tmp_path / "home")
    assert not path.exists()

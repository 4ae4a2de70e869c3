"""Three workspaces that publish the sum of a round, for tests of what becomes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dprelease
from tests.extras.federation.test_federations import NAMES, finished, joined, plan, workspace


def sites(folder: Path, **terms: Any) -> list[dprelease.Workspace]:
    return [workspace(folder / name, number, **terms) for number, name in enumerate(NAMES)]


def round_of(folder: Path, wanted: dprelease.Plan | None = None) -> tuple[list[dprelease.Workspace], Path]:
    """The sites and the folder of a round whose sum all signed."""
    made, shared = sites(folder), folder / "shared"
    joined(made, shared)
    finished(made, shared, wanted)
    return made, shared


def publish(made: list[dprelease.Workspace], shared: Path, wanted: dprelease.Plan | None = None) -> str:
    """Publishes at every site, as often as it takes; returns the id of the release."""
    told = None
    for _ in range(3):
        for each in made:
            told = each.federations.publish(shared, wanted or plan())
    assert told is not None
    assert told.release is not None
    return told.release.id


def files(bundle: Path) -> dict[str, bytes]:
    return {path.relative_to(bundle).as_posix(): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}

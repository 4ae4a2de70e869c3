"""Places to publish, and what is interrupted there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.made import made
from tests.trust import faults
from tests.trust.faults import Scene
from tests.trust.world import plan, publish, solo

MEMORY = Path("/dev/shm")


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is such a disk. Kill -9 takes nothing from a file that was written to either."""
    if not MEMORY.is_dir():
        yield tmp_path
        return
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A plan that waits to be published."""
    return Scene.make(tmp_path_factory.mktemp("scene"))


@pytest.fixture(scope="session")
def steps(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What its publication does, step by step, when nothing goes wrong."""
    copied = scene.copy(tmp_path_factory.mktemp("steps"))
    run = faults.publish(copied, drawn=False).finish()
    assert faults.left_behind(copied, run) == []
    return run.steps


@pytest.fixture(scope="session")
def _published() -> Path:
    return made(_publish)


def _publish(folder: Path) -> None:
    workspace = solo(folder)
    workspace.preview(plan(0.1, "A look"), draws=1)
    workspace.preview(plan(0.2, "Another look"), draws=1)
    publish(workspace)


@pytest.fixture
def home(_published: Path, quick: Path) -> Path:
    """A workspace with two previews, and one release for half of its budget."""
    return Path(shutil.copytree(_published, quick / "home"))

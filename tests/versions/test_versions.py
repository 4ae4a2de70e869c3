"""What each version since 0.2.0 wrote is still read: its bundle verifies, its workspace opens and goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import dprelease
from dprelease.errors import IntegrityError
from dprelease.store.migrations import STEPS
from dprelease.words import catalogue, versions
from tests.supply.release import DATED
from tests.trust.world import plan
from tests.versions.make import HERE, hashes, make, told

KEPT = sorted(path.name for path in HERE.iterdir() if re.fullmatch(r"\d+\.\d+\.\d+", path.name))
TODAY = "this one"


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make` would keep of the version that is being worked on."""
    out = tmp_path_factory.mktemp("versions") / TODAY
    make(out)
    return out


@pytest.fixture(params=[*KEPT, TODAY])
def kept(request: pytest.FixtureRequest) -> Path:
    if request.param == TODAY:
        folder = request.getfixturevalue("today")
        assert isinstance(folder, Path)
        return folder
    return HERE / str(request.param)


def facts(kept: Path) -> dict[str, Any]:
    return dict(json.loads((kept / "facts.json").read_text()))


def unpacked(kept: Path, home: Path) -> Path:
    with ZipFile(kept / "workspace.zip") as archive:
        archive.extractall(home)
    return home


def test_every_version_that_was_released_is_kept() -> None:
    log = (HERE.parents[1] / "CHANGELOG.md").read_text()
    assert {version for version, _ in DATED.findall(log)} == set(KEPT)


def test_what_its_bundles_say_is_kept_and_never_edited() -> None:
    assert set(versions()) == set(KEPT)
    for version in KEPT:
        assert hashes(catalogue.KEPT / version) == json.loads((HERE / version / "words.json").read_text())


def test_its_bundle_of_every_kind_verifies(kept: Path) -> None:
    checks = {check.code for check in dprelease.verify(kept / "kinds.zip").checks}
    assert {"check.page", "check.charts", "check.formats", "check.tables", "check.sensitivity"} <= checks


def test_a_labelled_bundle_of_before_there_were_labels_on_pages_verifies() -> None:
    """Its page and charts have codes and names of columns, as 0.5.0 wrote them."""
    assert {"check.page", "check.charts"} <= {
        check.code for check in dprelease.verify(HERE / "0.5.0" / "labelled.zip").checks
    }


def test_its_bundle_verifies(kept: Path, tmp_path: Path) -> None:
    stated = facts(kept)
    assert dprelease.verify(kept / "bundle.zip", key=stated["key"]).release.id == stated["bundle"]
    with ZipFile(kept / "bundle.zip") as archive:
        archive.extractall(tmp_path)
    table = next((tmp_path / "tables").glob("*.csv"))
    table.write_bytes(table.read_bytes() + b"\n")
    with pytest.raises(IntegrityError):
        dprelease.verify(tmp_path, key=stated["key"])


def test_its_workspace_opens_and_tells_the_same(kept: Path, tmp_path: Path) -> None:
    home, stated = unpacked(kept, tmp_path / "home"), facts(kept)
    workspace = dprelease.Workspace.open(home)
    assert told(workspace) == {name: value for name, value in stated.items() if name != "bundle"}
    assert workspace.ledger.verify(actor=workspace.people.get("maria")) == stated["events"]
    layouts = [path.name for path in home.glob("ledger-layout-*.db")]
    assert len(layouts) <= 1
    assert len(STEPS) > 1 or not layouts
    for release in stated["releases"]:
        assert dprelease.verify(home / "public" / release).release.id == release


def test_its_workspace_goes_on(kept: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(unpacked(kept, tmp_path / "home"))
    maria, jonas = workspace.people.get("maria"), workspace.people.get("jonas")
    resumed = workspace.releases.resume(actor=maria)
    assert (len(resumed.finished), resumed.failed) == (1, {})
    plan_id = workspace.plans.submit(plan(0.25, "Later"), actor=maria)
    workspace.plans.approve(plan_id, actor=jonas)
    release = workspace.publish(plan_id, actor=maria)
    assert dprelease.verify(tmp_path / "home" / "public" / release.id, key=facts(kept)["key"]).release.id == release.id
    assert workspace.ledger.verify(actor=maria) == workspace.ledger.count(actor=maria)

"""A plan with `charts: false`: its bundle has tables and a page, no pictures, and says so in its certificate."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from starlette.testclient import TestClient

import dprelease
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError, PlanError
from dprelease.web.alone import application
from tests.bundle.test_read import resigned
from tests.pages.conftest import PLAN

ASKED: dict[str, Any] = {
    **PLAN,
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "charts": False,
    "statistics": [{"id": "n", "kind": "count"}, {"id": "ages", "kind": "histogram", "column": "age", "bins": 5}],
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path_factory.mktemp("plain") / "home")
    columns = {"age": {"type": "integer", "lower": 0, "upper": 100}}
    made.add_dataset("small", pa.table({"age": range(60)}), epsilon=3, columns=columns)
    made.publish(made.plans.approve(made.plans.submit(dprelease.Plan.parse(ASKED))).id)
    return made


def bundle(workspace: dprelease.Workspace) -> Path:
    return workspace.releases.folder / workspace.releases.find()[0].id


def signing(workspace: dprelease.Workspace) -> SigningKey:
    """Its publisher's key: what else is wrong with a forged bundle shows."""
    return workspace._state.keys.current


def test_no_picture_is_drawn_and_all_else_is_there_and_holds(workspace: dprelease.Workspace) -> None:
    folder = bundle(workspace)
    assert not (folder / "charts").exists()
    page = (folder / "index.html").read_text()
    assert "<img" not in page
    assert "charts/" not in page
    assert "sdmx/ages.csv" in page
    codes = {check.code for check in dprelease.verify(folder).checks}
    assert {"check.page", "check.tables", "check.formats"} <= codes
    assert "check.charts" not in codes


def test_a_picture_on_such_a_page_is_refused(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bundle(workspace), tmp_path / "copy"))
    html = (folder / "index.html").read_text()
    image = '<img data-chart="ages" alt="" width="1" height="1" src="data:image/svg+xml;base64,PHN2Zy8+">'
    resigned(
        folder, {"index.html": html.replace('<p class="q">', f'{image}<p class="q">', 1).encode()}, signing(workspace)
    )
    with pytest.raises(IntegrityError, match="more or fewer pictures"):
        dprelease.verify(folder)


@pytest.mark.parametrize("language", ["", "es/"])
def test_the_portal_shows_its_tables(workspace: dprelease.Workspace, language: str) -> None:
    name = bundle(workspace).name
    client = TestClient(application(workspace.releases.folder), base_url="http://127.0.0.1:8501")
    page = client.get(f"/public/{language}release/{name}/")
    assert page.status_code == 200
    assert 'class="chart"' not in page.text
    assert ".svg" not in page.text
    assert "sdmx/ages.csv" in page.text
    assert client.get(f"/public/{language}release/{name}/chart-ages.svg").status_code == 404


@pytest.mark.full
def test_a_site_has_none_either(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    workspace.releases.write_site(tmp_path / "site")
    drawn = [path for path in (tmp_path / "site").rglob("*.svg") if path.parent.name != "lab"]
    assert drawn == [], "but those of invented worlds"


def test_a_plan_says_it_only_where_it_is_so() -> None:
    plan = dprelease.Plan.parse(ASKED)
    assert dprelease.Plan.parse(plan.to_mapping()) == plan
    assert "charts" not in dprelease.Plan.parse({**ASKED, "charts": True}).to_mapping()
    with pytest.raises(PlanError, match="charts"):
        dprelease.Plan.parse({**ASKED, "charts": "no"})

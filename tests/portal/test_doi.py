"""A DOI: the draft that an office hands in, and where it is cited once the office has said that it is registered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease import cli
from dprelease.errors import InputError
from dprelease.portal.cite import citations
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.source import PublicFolder
from tests.web import series
from tests.web.series import plan
from tests.workspace.test_publish import approved

PORTAL = "https://statistics.example/public"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[str]]:
    """Two releases of a series, of which the second takes the place of the first."""
    folder = tmp_path_factory.mktemp("doi")
    workspace = dprelease.Workspace.create(folder / "home")
    (folder / "v.csv").write_text("region,age\n" + "north,30\n" * 300 + "south,61\n" * 90)
    workspace.add_dataset("v2025", folder / "v.csv", columns=series.columns(), epsilon=10)
    first = workspace.publish(approved(workspace, plan("v2025", "2025", "Visits 2025"))).id
    second = approved(workspace, plan("v2025", "2025 corrected", "Visits 2025", epsilon=2))
    return workspace, [first, workspace.publish(second, supersedes=first).id]


def draft(workspace: Any, release_id: str) -> dict[str, Any]:
    found: dict[str, Any] = workspace.releases.doi_draft(release_id, address=PORTAL)["data"]
    assert found["type"] == "dois"
    return dict(found["attributes"])


def test_without_a_prefix_there_is_none(made: tuple[Any, list[str]]) -> None:
    for ask in (made[0].releases.doi_draft, made[0].releases.register_doi):
        with pytest.raises(InputError, match="a prefix of DOIs"):
            ask(made[1][0])


def test_draft_and_registration(made: tuple[Any, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    workspace, (first, second) = made
    workspace.releases.set_office({"name": {"en": "Office"}, "doi_prefix": "10.5072"})
    own = f"10.5072/dpr.{second.rpartition('-')[2]}"
    found = draft(workspace, second)
    assert (found["doi"], found["url"]) == (own, f"{PORTAL}/release/{second}/")
    assert {"Issued", "Available", "Coverage"} == {each["dateType"] for each in found["dates"]}
    related = {each["relationType"]: each["relatedIdentifier"] for each in found["relatedIdentifiers"]}
    assert related == {
        "IsNewVersionOf": f"10.5072/dpr.{first.rpartition('-')[2]}",
        "IsPartOf": f"{PORTAL}/series/{series.NAME}/",
    }
    assert {each["relationType"] for each in draft(workspace, first)["relatedIdentifiers"]} == {
        "IsPreviousVersionOf",
        "IsPartOf",
    }
    shelf = BundleIndex(PublicFolder(Path(workspace.releases.folder)))
    page = Portal(shelf).release(shelf.bundle(second), PORTAL)
    assert "doi.org" not in page, "nothing says that it is registered"
    with pytest.raises(InputError, match="a DOI such as"):
        workspace.releases.register_doi(second, "10.5072/ x")
    home = str(Path(workspace.releases.folder).parent)
    capsys.readouterr()
    assert cli.main(["doi", second, "--json", "--home", home]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["attributes"]["doi"] == own
    assert cli.main(["doi", second, "--registered", "--home", home]) == 0
    workspace.releases.register_doi(second, f"https://doi.org/{own}")
    assert [each.kind for each in workspace.releases.notices(second)] == ["doi"], "said twice, it is one notice"
    shelf = BundleIndex(PublicFolder(Path(workspace.releases.folder)))
    bundle = shelf.bundle(second)
    page = Portal(shelf).release(bundle, PORTAL)
    assert f'<a href="https://doi.org/{own}"' in page
    assert f'name="citation_doi" content="{own}"' in page
    assert f'"identifier":"https://doi.org/{own}"' in page
    assert "Replaced" not in page
    assert "Corrected" not in page, "a DOI says nothing against it"
    assert shelf.said(bundle).status == "current"
    cited = citations(bundle, PORTAL, shelf.said(bundle).doi)
    assert cited["apa"].endswith(f"https://doi.org/{own}")
    assert f"doi = {{{own}}}" in cited["bibtex"]
    verdict = dprelease.verify(workspace.releases.bundle(second), pictures=False)
    assert [check.values["doi"] for check in verdict.checks if check.code == "check.doi"] == [own]
    assert not verdict.remarks

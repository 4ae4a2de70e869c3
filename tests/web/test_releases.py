"""What the public may fetch."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pandas
import pytest
from starlette.testclient import TestClient

from dprelease.model.stated import as_json
from dprelease.verdict.verify import verify
from dprelease.workspace import Workspace

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


@pytest.fixture
def bundle(workspace: Workspace) -> Path:
    (release,) = workspace.releases.find()
    return workspace.releases.bundle(release.id)


def test_releases_are_listed(workspace: Workspace, client: TestClient) -> None:
    (listed,) = client.get("/api/releases").json()["releases"]
    (release,) = workspace.releases.find()
    assert listed["id"] == release.id
    assert listed["guarantee"] == as_json(release.certificate.guarantee)
    for address in (listed["certificate"], listed["page"], listed["bundle"], *listed["tables"].values()):
        assert client.get(address).status_code == 200


def test_a_certificate_is_the_file(bundle: Path, client: TestClient) -> None:
    answer = client.get(f"/api/releases/{bundle.name}")
    assert answer.content == (bundle / "release.json").read_bytes()
    assert answer.headers["content-type"] == "application/json"


def test_tables_are_the_files_and_pandas_reads_them(workspace: Workspace, bundle: Path, client: TestClient) -> None:
    release = workspace.releases.get(bundle.name)
    for name in release.tables:
        answer = client.get(f"/api/releases/{bundle.name}/tables/{name}.csv")
        assert answer.content == (bundle / "tables" / f"{name}.csv").read_bytes()
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert answer.headers["content-disposition"] == f'attachment; filename="{bundle.name}-{name}.csv"'
        frame = pandas.read_csv(BytesIO(answer.content))
        expected = release.estimates[name]
        assert list(frame.columns) == [*expected.columns, "grade"]
        assert frame["value"].tolist() == expected["value"].tolist()


def test_every_file_of_a_bundle_is_there_by_its_listed_path(bundle: Path, client: TestClient) -> None:
    for path in (path for path in bundle.rglob("*") if path.is_file()):
        answer = client.get(f"/r/{bundle.name}/{path.relative_to(bundle).as_posix()}")
        assert (answer.status_code, answer.content) == (200, path.read_bytes())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("", "text/html; charset=utf-8"),
        ("index.html", "text/html; charset=utf-8"),
        ("release.json", "application/json"),
        ("charts/ages.svg", "image/svg+xml"),
        ("SHA256SUMS", "text/plain; charset=utf-8"),
        ("SHA256SUMS.sig", "application/octet-stream"),
    ],
)
def test_files_say_what_they_are(name: str, kind: str, bundle: Path, client: TestClient) -> None:
    assert client.get(f"/r/{bundle.name}/{name}").headers["content-type"] == kind


def test_the_page_has_a_slash_so_that_its_links_work(bundle: Path, client: TestClient) -> None:
    answer = client.get(f"/r/{bundle.name}")
    assert (answer.status_code, answer.headers["location"]) == (308, f"/r/{bundle.name}/")


def test_a_bundle_is_one_zip_file_that_verifies(
    workspace: Workspace, bundle: Path, client: TestClient, tmp_path: Path
) -> None:
    answers = [client.get(f"/api/releases/{bundle.name}/bundle.zip") for _ in range(2)]
    assert answers[0].content == answers[1].content
    path = tmp_path / "bundle.zip"
    path.write_bytes(answers[0].content)
    assert verify(path, key=workspace.public_key).signer_known
    with zipfile.ZipFile(path) as archive:
        names = {name.removeprefix(f"{bundle.name}/") for name in archive.namelist()}
    files = {item.relative_to(bundle).as_posix() for item in bundle.rglob("*") if item.is_file()}
    assert names == files | {"checkpoint.json"}, "what was said of it since is beside it"


@pytest.mark.parametrize(
    "address",
    [
        "/r/{id}/../../ledger.db",
        "/r/{id}/..%2f..%2fledger.db",
        "/r/{id}/%2e%2e/%2e%2e/ledger.db",
        "/r/{id}/tables/../../../private/keys/signing.pem",
        "/r/{id}//etc/passwd",
        "/r/{id}/tables",
        "/r/{id}/tables/",
        "/r/{id}/tables/ages.csv/",
        "/r/{id}/tables/AGES.csv",
        "/r/{id}/index.html%00",
        "/r/..%2fprivate/keys/signing.pem",
        "/r/../private/keys/signing.pem",
        "/r/nothing/index.html",
        "/r/nothing/",
        "/api/releases/{id}/tables/..%2frelease.csv",
        "/api/releases/{id}/tables/..%2f..%2f..%2fledger.csv",
        "/api/releases/..%2f..%2fledger.db",
        "/api/releases/nothing",
        "/api/releases/nothing/bundle.zip",
        "/api/releases/{id}/tables/nothing.csv",
    ],
)
def test_nothing_but_what_is_listed_is_served(address: str, bundle: Path, client: TestClient) -> None:
    answer = client.get(address.format(id=bundle.name))
    assert answer.status_code in (400, 404) or answer.headers["content-type"].startswith("text/html")
    for secret in (b"SQLite format 3", b"PRIVATE KEY", b"root:"):
        assert secret not in answer.content
    if answer.status_code == 200:
        assert b"Streamlit" in answer.content, "only the dashboard's own page may answer here"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("address", ["/api", "/api/", "/api/nothing", "/api/releases/x/y/z", "/api/ledger"])
def test_unknown_api_addresses_answer_404_in_json(method: str, address: str, client: TestClient) -> None:
    answer = client.request(method, address)
    assert answer.status_code == 404
    assert json.loads(answer.content)["error"] == "not_found"


def test_a_file_that_the_bundle_does_not_list_is_not_served(bundle: Path, client: TestClient) -> None:
    stray = bundle / "stray.txt"
    stray.write_text("not listed")
    try:
        assert client.get(f"/r/{bundle.name}/stray.txt").status_code == 404
    finally:
        stray.unlink()


def test_a_plan_that_was_not_published_is_not_there(workspace: Workspace, client: TestClient) -> None:
    listed = client.get("/api/releases").json()["releases"]
    assert len(listed) == len(workspace.releases.find())
    for record in workspace.plans.find():
        assert client.get(f"/api/releases/{record.id}").status_code == 404

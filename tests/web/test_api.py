"""The public interface as programs use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pandas
import pytest
from hypothesis import HealthCheck, given, settings, strategies
from starlette.applications import Starlette
from starlette.testclient import TestClient

import app
from benchmarks.http import load
from dprelease.web.api import OPERATIONS, openapi, routes
from dprelease.web.public import of_this_process
from dprelease.web.served import ASK, FOREVER
from dprelease.workspace import Workspace
from tests.web.listening import listening

if TYPE_CHECKING:  # it takes more than a second to load
    import schemathesis

ROOT = Path(__file__).resolve().parents[2]
TABLE = "/api/releases/{id}/tables/ages"
CELLS = "/api/releases/{id}/tables/{table}"


@pytest.fixture
def bundle(workspace: Workspace) -> Path:
    (release_id,) = workspace.releases.ids()
    return workspace.releases.bundle(release_id)


@pytest.fixture
def ages(bundle: Path) -> str:
    """The address of one table, without its ending."""
    return TABLE.format(id=bundle.name)


@pytest.fixture
def address(workspace: Workspace, server: TestClient) -> Iterator[str]:
    """The whole server on a port of this machine; `server` has started what can be started once in a process."""
    with listening(app.app) as found:
        yield found


@pytest.fixture
def description(workspace: Workspace) -> schemathesis.BaseSchema:
    """Of the interface alone: the dashboard cannot be started twice in a process."""
    import schemathesis

    alone = Starlette(routes=routes(of_this_process))
    return schemathesis.openapi.from_asgi("/api/openapi.json", alone)


class TestItsDescription:
    @pytest.mark.one_in(9)
    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    @pytest.mark.parametrize("path", [operation.path for operation in OPERATIONS])
    def test_any_request_is_answered_as_described(
        self, path: str, method: str, description: schemathesis.BaseSchema, bundle: Path
    ) -> None:
        """Half of the requests are about what is published. What a table has its description cannot know: asked for
        any column or code, it refuses as it says."""
        from schemathesis.specs.openapi.checks import positive_data_acceptance

        known = {"id": "patients-2025" if "populations" in path else bundle.name, "table": "ages"}
        statuses = set()

        @given(case=description[path][method].as_strategy(), real=strategies.booleans())
        @settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        def check(case: schemathesis.Case, real: bool) -> None:
            if real:
                case.path_parameters = {name: known[name] for name in case.path_parameters or {}}
            if path == CELLS and real and 200 not in statuses:
                case.query = {}  # all cells, first
            but = [positive_data_acceptance] if path == CELLS else []
            statuses.add(case.call_and_validate(excluded_checks=but).status_code)

        check()
        assert 200 in statuses

    def test_it_describes_every_address_that_there_is(self, client: TestClient) -> None:
        paths = client.get("/api/openapi.json").json()["paths"]
        assert set(paths) == {operation.path for operation in OPERATIONS}

    def test_the_document_names_every_address(self) -> None:
        text = (ROOT / "docs" / "api.md").read_text()
        for operation in (*OPERATIONS, openapi):
            assert f"`{operation.path}`" in text


def test_pandas_reads_a_table_from_its_address(address: str, ages: str, workspace: Workspace, bundle: Path) -> None:
    expected = workspace.releases.get(bundle.name).estimates["ages"]
    found = pandas.read_csv(f"{address}{ages}.csv")
    pandas.testing.assert_frame_equal(found.drop(columns="grade"), expected, check_dtype=False)
    whole = pandas.read_parquet(BytesIO(pandas.io.common.urlopen(f"{address}{ages}.parquet").read()))
    assert whole["grade"].tolist() == found["grade"].tolist()
    assert whole["value"].tolist() == expected["value"].tolist()


def test_a_table_has_a_margin_a_scale_and_a_grade_for_each_estimate(client: TestClient, ages: str) -> None:
    found = client.get(f"{ages}.json").json()
    assert found["columns"][-6:] == ["margin95", "noise_scale", "status", "grade", "rounded", "annotation"]
    stated = found["mechanisms"][0]["scale"]
    for row in found["rows"]:
        assert row["margin95"] == (row["upper95"] - row["lower95"]) / 2
        assert row["noise_scale"] == [stated]
        told = (row["status"], row["annotation"])
        assert told == (("A", "noise") if row["grade"] == "A" else (row["status"], "noise; wide interval"))
        assert row["status"] == {"C": "U"}.get(row["grade"], row["grade"])
        assert abs(row["rounded"] - row["value"]) <= row["margin95"] / 4
    assert {"epsilon", "delta", "unit", "neighbors"} <= found["guarantee"].keys()
    assert found["cumulative"]["releases"] == 1


def test_what_never_changes_is_kept_for_ever_and_the_rest_is_asked_again(client: TestClient, bundle: Path) -> None:
    base = f"/api/releases/{bundle.name}"
    for address in (base, f"{base}/tables/ages.csv", f"/r/{bundle.name}/", f"/r/{bundle.name}/SHA256SUMS"):
        assert client.get(address).headers["cache-control"] == FOREVER
    for address in ("/api/releases", "/api/checkpoint", f"{base}/notices", f"{base}/bundle.zip"):
        assert client.get(address).headers["cache-control"] == ASK
    assert client.get("/api/nothing").headers["cache-control"] == "no-store"


def test_a_copy_is_confirmed_by_its_etag(client: TestClient, ages: str) -> None:
    tag = client.get(f"{ages}.csv").headers["etag"]
    for condition in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = client.get(f"{ages}.csv", headers={"if-none-match": condition})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get(f"{ages}.csv", headers={"if-none-match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    ("wanted", "part"), [("bytes=0-9", slice(0, 10)), ("bytes=5-", slice(5, None)), ("bytes=-7", slice(-7, None))]
)
def test_a_part_is_answered(wanted: str, part: slice, client: TestClient, ages: str) -> None:
    whole = client.get(f"{ages}.csv")
    answer = client.get(f"{ages}.csv", headers={"range": wanted})
    assert (answer.status_code, answer.content) == (206, whole.content[part])
    first, last, size = map(int, re.findall("[0-9]+", answer.headers["content-range"]))
    assert whole.content[first : last + 1] == answer.content
    assert size == len(whole.content)
    stale = client.get(f"{ages}.csv", headers={"range": wanted, "if-range": '"older"'})
    assert (stale.status_code, stale.content) == (200, whole.content)


def test_a_part_that_is_not_there(client: TestClient, ages: str) -> None:
    size = len(client.get(f"{ages}.csv").content)
    answer = client.get(f"{ages}.csv", headers={"range": f"bytes={size}-"})
    assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{size}")
    for odd in ("bytes=", "bytes=9-3", "rows=1-2", "bytes=0-1,3-4"):
        assert client.get(f"{ages}.csv", headers={"range": odd}).status_code == 200


def test_the_headers_come_alone(client: TestClient, ages: str) -> None:
    whole, head = client.get(f"{ages}.csv"), client.head(f"{ages}.csv")
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(whole.content)))
    assert head.headers["etag"] == whole.headers["etag"]


def test_pages_of_other_sites_may_read_and_do_nothing_else(client: TestClient, ages: str) -> None:
    elsewhere = {"origin": "https://elsewhere.example"}
    answer = client.get(f"{ages}.csv", headers=elsewhere)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers
    asked = client.options(f"{ages}.csv", headers={**elsewhere, "access-control-request-method": "GET"})
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert "access-control-allow-origin" not in client.get("/sign-in", headers=elsewhere).headers


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_written(method: str, client: TestClient, ages: str) -> None:
    answer = client.request(method, f"{ages}.csv")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    assert answer.json()["error"] == "not_allowed"


def test_releases_are_found(client: TestClient, workspace: Workspace) -> None:
    def found(**query: str) -> int:
        return len(client.get("/api/releases", params=query).json()["releases"])

    assert found() == found(q="HOSPITAL visits") == found(population="patients-2025") == found(q="hóspital") == 1
    assert found(q="hospital beds") == found(population="others") == found(topic="health") == 0
    assert found(since="2000-01-01", until="2999-01-01") == 1
    assert found(until="2000-01-01") == found(since="2999-01-01") == found(publisher="nobody") == 0


def test_a_budget_is_what_the_checkpoint_says(client: TestClient, workspace: Workspace) -> None:
    found = client.get("/api/populations/patients-2025/budget").json()
    signed = client.get("/api/checkpoint").json()
    account = workspace.populations.budget("patients-2025")
    assert found["spent"] == {"epsilon": float(account.spent.epsilon), "delta": 0, "rho": None}
    assert found["remaining"]["epsilon"] == float(account.remaining.epsilon)
    assert (found["unit"], found["neighbors"], found["releases"]) == ("person", "add_remove", 1)
    assert found["checkpoint"]["root"] == signed["checkpoint"]["root"]
    assert signed["signer"] == workspace.public_key
    assert client.get("/api/populations/nobody/budget").status_code == 404


def test_a_changed_file_is_not_served(client: TestClient, bundle: Path, workspace: Workspace) -> None:
    table = bundle / "tables" / "visits.csv"
    honest = table.read_bytes()
    table.write_bytes(honest.replace(b"2", b"3"))
    try:
        answer = client.get(f"/api/releases/{bundle.name}/tables/visits.csv")
        assert (answer.status_code, answer.json()["error"]) == (500, "damaged")
        assert client.get(f"/r/{bundle.name}/tables/visits.csv").status_code == 500
    finally:
        table.write_bytes(honest)
    assert client.get(f"/api/releases/{bundle.name}/tables/visits.csv").content == honest


def test_it_holds_a_load(address: str, ages: str, bundle: Path) -> None:
    expected = (bundle / "tables" / "ages.csv").read_bytes()
    found = load(int(address.rpartition(":")[2]), f"{ages}.csv", expected, clients=20, seconds=1)
    assert found.rate > 100, "benchmarks/http.py asks for 300 where nothing else runs"

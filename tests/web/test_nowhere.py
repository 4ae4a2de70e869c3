"""What is not there answers 404, whatever stands in the address: never an error of ours, nor the dashboard's page."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import streamlit
from starlette.testclient import TestClient

from dprelease.web import portal
from dprelease.web.limits import RateLimit

QUOTED = ("%0d%0aX:1", "%0a", "%00", "%7f", "..%2f..%2f", "%2e%2e")
PLACES = ("/v/{}/a/b", "/v/a/{}/b", "/v/a/b/{}", "/public/v/{}/a/b", "/series/{}/latest", "/series/{}", "/embed/{}/x")
MORE = ("/public/lab/{}", "/r/{}", "/r/x/{}", "/sign-in/{}", "/settings/{}", "/federation/{}")


@pytest.mark.parametrize("place", [*PLACES, *MORE])
def test_line_ends_and_dots_in_an_address_are_404(
    client: TestClient, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        for quoted in QUOTED:
            answer = client.get(place.format(quoted))
            assert (answer.status_code, "location" in answer.headers) == (404, False), quoted
    assert not caplog.records, "a stranger fills no log"


@pytest.mark.parametrize(
    "address",
    ["/static/nope.js", "/static", "/static/index.html", "/_stcore/metrics;x", "/_stcore/nope", "/favicon.png/x"],
)
def test_what_streamlit_does_not_have_is_404(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, b"<script" in answer.content) == (404, False)


def test_what_its_pages_fetch_is_there(client: TestClient) -> None:
    folder = Path(streamlit.__file__).parent / "static"
    files = [path.relative_to(folder).as_posix() for path in sorted((folder / "static").rglob("*.*"))]
    kinds = {path.rpartition(".")[2]: path for path in files}
    assert {"js", "css", "woff2"} <= kinds.keys()
    for address in (*kinds.values(), "_stcore/health", "_stcore/host-config", "favicon.png", "settings"):
        assert client.get(f"/{address}").status_code == 200, address


@pytest.mark.parametrize("address", ["/public/x", "/v/a/b/c", "/r/x", "/embed/x/y", "/series/x"])
def test_what_is_only_read_refuses_to_be_written(client: TestClient, address: str) -> None:
    answer = client.post(address)
    assert (answer.status_code, answer.json()["error"]) == (405, "not_allowed")


def test_a_missing_part_of_the_interface_is_said_in_json(client: TestClient) -> None:
    assert client.get("/api/%0a").json()["error"] == "not_found"


def test_the_lab_is_computed_for_one_address_a_few_times_a_minute(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portal, "LABS_ASKED", RateLimit(2, 60))
    assert [client.get("/public/lab/").status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/public/").status_code == 200

"""While rows arrive from a browser, no file of them is open outside of the workspace."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

import dprelease
from dprelease.model.actor import Actor, Role
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import Server, serve
from tests.trust import world
from tests.trust.socket import opened

ROWS = b"age,sex\n" + b"31,F\n" * 800_000
BOUNDARY = "sdfghj"
PATIENCE = 300.0


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where this machine keeps temporary files."""
    folder: Path = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        yield folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, elsewhere: Path) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("spool") / "home"
    world.solo(home)
    yield from serve(home)


def targets(process: Path) -> Iterator[str]:
    with suppress(OSError):  # it has ended
        for descriptor in (process / "fd").iterdir():
            with suppress(OSError):  # it was closed
                yield os.readlink(descriptor).removesuffix(" (deleted)")


def open_files(home: Path) -> set[Path]:
    """What processes that have this workspace open have open: files that were unlinked, too."""
    found: set[Path] = set()
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and process.name != str(os.getpid()):
            links = {Path(target) for target in targets(process)}
            if any(path.is_relative_to(home) for path in links):
                found |= links
    return found


def half_sent(server: Server, path: str, headers: dict[str, str], body: bytes) -> Iterator[HTTPConnection]:
    """A request of which three quarters are sent; the rest goes when this goes on."""
    with closing(HTTPConnection(urlsplit(server.base).netloc, timeout=300)) as connection:
        method = "POST" if path.startswith("/upload") else "PUT"
        connection.putrequest(method, path)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders()
        cut = len(body) * 3 // 4
        connection.send(body[:cut])
        yield connection
        connection.send(body[cut:])
        yield connection


def watched(server: Server, elsewhere: Path, request: Iterator[HTTPConnection], least: int) -> int:
    """The answer's status; while it is sent, nothing is open elsewhere and something is below private."""
    private = server.home / "private"
    next(request)
    inside: list[Path] = []
    deadline = time.monotonic() + PATIENCE
    while not inside and time.monotonic() < deadline:
        files = open_files(server.home)
        assert [path for path in files if path.is_relative_to(elsewhere)] == []
        inside = [path for path in files if path.is_relative_to(private) and path.suffix != ".pem"]
        time.sleep(0.05)
    assert len(inside) >= least, "what arrives is spooled below private"
    status = next(request).getresponse().status
    assert list(elsewhere.rglob("*")) == []
    return status


def signed_in(server: Server, name: str) -> str:
    """The session of a curator."""
    workspace = dprelease.Workspace.open(server.home)
    return workspace.people.sign_in(workspace.people.sign_in_link(Actor(name, frozenset({Role.CURATOR}))))


def upload(server: Server, session: str, rows: bytes) -> tuple[dict[str, str], bytes]:
    """Headers and body by which a page of the dashboard sends a file."""
    with urlopen(f"{server.base}/_stcore/health", timeout=300) as answer:
        xsrf = str(answer.headers["Set-Cookie"]).split(";")[0].partition("=")[2]
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n'
    headers = {
        "Cookie": f"{COOKIE}={session}; _streamlit_xsrf={xsrf}",
        "X-Xsrftoken": xsrf,
        "Origin": server.base,
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
    }
    return headers, head.encode() + rows + f"\r\n--{BOUNDARY}--\r\n".encode()


def test_what_arrives_at_the_dashboard_is_spooled_in_the_workspace(server: Server, elsewhere: Path) -> None:
    session = signed_in(server, "ana")
    with opened(server.base, session) as tab:
        request = half_sent(server, f"/_stcore/upload_file/{tab.id}/f", *upload(server, session, ROWS))
        assert watched(server, elsewhere, request, least=1) == 204


def test_nobody_puts_a_file_into_the_tab_of_another(server: Server) -> None:
    """A tab's id is no secret: it stands in the addresses of its files, which a proxy may log."""
    ana, bob = (signed_in(server, name) for name in ("ana", "bob"))

    def sent(method: str, tab: str, session: str, **more: str) -> int:
        headers, body = upload(server, session, b"a,b\n1,2\n")
        with closing(HTTPConnection(urlsplit(server.base).netloc, timeout=300)) as connection:
            connection.request(method, f"/_stcore/upload_file/{tab}/f", body, {**headers, **more})
            return connection.getresponse().status

    with opened(server.base, ana) as tab:
        for method in ("PUT", "DELETE"):
            assert sent(method, tab.id, bob) == 403
            assert sent(method, tab.id, ana, Origin="http://localhost:9999") == 403
            assert sent(method, tab.id, ana, Origin="null") == 403
            assert sent(method, "made-up", ana) == 403
            assert sent(method, tab.id, ana) == 204


def test_what_is_sent_to_the_page_of_large_files_lies_in_the_workspace(server: Server, elsewhere: Path) -> None:
    workspace = dprelease.Workspace.open(server.home)
    session = workspace.people.sign_in(workspace.people.sign_in_link(Actor("ana", frozenset({Role.CURATOR}))))
    headers = {"Cookie": f"{COOKIE}={session}", "Origin": server.base, "Sec-Fetch-Site": "same-origin"}
    assert watched(server, elsewhere, half_sent(server, "/upload?name=t.csv", headers, ROWS), least=1) == 201
    deadline = time.monotonic() + PATIENCE
    while not workspace.datasets.uploads.find() and time.monotonic() < deadline:
        assert [path for path in open_files(server.home) if path.is_relative_to(elsewhere)] == []
    assert len(workspace.datasets.uploads.find()) == 1
    assert list(elsewhere.rglob("*")) == []


def test_more_than_was_announced_is_not_stored(server: Server) -> None:
    """A request may announce ten bytes and then send in chunks: it ends where the ten do."""
    workspace = dprelease.Workspace.open(server.home)
    session = workspace.people.sign_in(workspace.people.sign_in_link(Actor("ana", frozenset({Role.CURATOR}))))
    uploads, stored = server.home / "private" / "uploads", 0
    before = set(uploads.glob("*/raw")), set(uploads.iterdir())
    with closing(HTTPConnection(urlsplit(server.base).netloc, timeout=300)) as connection:
        connection.putrequest("POST", "/upload?name=t.csv")
        sent = {"Cookie": f"{COOKIE}={session}", "Origin": server.base, "Sec-Fetch-Site": "same-origin"}
        for name, value in {**sent, "Content-Length": "10", "Transfer-Encoding": "chunked"}.items():
            connection.putheader(name, value)
        connection.endheaders()
        with suppress(OSError):  # the server may end the connection
            for _ in range(30):
                connection.send(b"100000\r\n" + b"x" * 2**20 + b"\r\n")
                for path in set(uploads.glob("*/raw")) - before[0]:
                    with suppress(FileNotFoundError):
                        stored = max(stored, path.stat().st_size)
            connection.send(b"0\r\n\r\n")
            assert connection.getresponse().status in (400, 422)
    assert stored <= 10
    assert set(uploads.iterdir()) == before[1]

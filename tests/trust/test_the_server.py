"""Promises 14 to 20 on the real server, from outside: its websocket, its addresses, its folders and its logs."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import dprelease
from benchmarks.http import free_port
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.store import sessions as store_sessions
from dprelease.ui.screens import SCREENS
from dprelease.ui.words import WORDS
from dprelease.workspace.access import PERMISSIONS
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import serve
from tests.trust import world
from tests.trust.socket import opened

ROOT = Path(__file__).resolve().parents[2]
SECRET, FILED, PASSWORD = "Zq7Xwabcd", "zq7xw-hidden", "Zq7Xw horse battery staple"
"""A cell of the table; the name of what only those who are signed in may know; a password."""
REFUSED = (WORDS["no_access"], WORDS["no_role"])


@dataclass
class Running:
    """A server with its workspace and the sessions of somebody of each role."""

    base: str
    link: str
    workspace: dprelease.Workspace
    log: Path
    sessions: dict[str, str]

    def ask(self, path: str, method: str = "GET", data: bytes | None = None, **headers: str) -> tuple[int, Any, bytes]:
        request = Request(self.base + path, data, {name.replace("_", "-"): value for name, value in headers.items()})
        request.method = method
        try:
            with urlopen(request, timeout=300) as answer:
                return answer.status, answer.headers, answer.read()
        except HTTPError as error:
            with error:
                return error.code, error.headers, error.read()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("served")
    workspace = dprelease.Workspace.create(folder / "home")
    rows = world.people().assign(note=SECRET)
    workspace.add_dataset(FILED, rows, columns=world.COLUMNS, epsilon=3, unit="person")
    world.publish(workspace, title="Public", dataset=FILED)
    workspace.plans.submit(world.plan(0.25, FILED, dataset=FILED))
    sessions = {}
    for role in Role:
        actor = Actor(role.value, frozenset({role}))
        workspace.people.sign_in(workspace.people.invite(role.value, [role.value]))
        if role is Role.ADMINISTRATOR:
            workspace.people.set_password(PASSWORD, actor=actor)
        for state in ("", " revoked"):
            sessions[role + state] = workspace.people.sign_in(workspace.people.sign_in_link(actor))
        workspace.people.sign_out(sessions[f"{role} revoked"])
    running = serve(folder / "home")
    found = next(running)
    yield Running(found.base, found.link, workspace, folder / "home.log", sessions)
    running.close()


class TestTheWebsocketIsADoorToo:
    """A raw websocket asks for every page by its hash, presses its buttons, types into its fields and asks for its
    fragments: as each role, signed out, with a session that was revoked, and with one that is revoked meanwhile."""

    CLOSED = tuple(screen for screen in SCREENS if PERMISSIONS[screen.operation])

    def test_a_page_is_shown_to_whom_it_is_for(self, server: Running) -> None:
        told = {}
        for who in ("", *Role, "curator revoked"):
            with opened(server.base, server.sessions.get(who, "")) as tab:
                for screen in self.CLOSED:
                    shown = tab.run(screen.key)
                    assert SECRET not in shown
                    told[who, screen.key] = not any(words in shown for words in REFUSED)
                    if not told[who, screen.key]:
                        assert FILED not in shown, (who, screen.key)
        for (who, key), shown in told.items():
            allowed = PERMISSIONS[next(each.operation for each in self.CLOSED if each.key == key)]
            assert shown == (who in {role.value for role in allowed}), (who, key)

    def test_nothing_works_any_more_once_a_session_is_revoked(self, server: Running) -> None:
        """Buttons, forms and fragments of a page that was opened before."""
        everybody = Actor("ana", frozenset(Role))
        server.workspace.people.sign_in(server.workspace.people.sign_in_link(everybody))
        pressed = 0
        for screen in self.CLOSED:
            session = server.workspace.people.sign_in(server.workspace.people.sign_in_link(everybody))
            with opened(server.base, session) as tab:
                tab.run(screen.key)
                buttons, fields = tab.widgets("button"), tab.widgets("text_input", "text_area", "number_input")
                fragments = tab.fragments()
                server.workspace.people.sign_out(session)
                before = self._state(server)
                # Fragments first: Streamlit forgets them, and answers nothing, once a whole page was run.
                for fragment in fragments:
                    assert FILED not in tab.run(screen.key, pressed=buttons, fragment=fragment), (screen.key, fragment)
                for button in buttons:
                    shown = tab.run(screen.key, pressed=[button], typed=fields)
                    assert FILED not in shown, (screen.key, button)
                assert self._state(server) == before, screen.key
                pressed += len(buttons) + len(fragments)
        assert pressed > 10, "the pages had something to press"
        log = server.log.read_text()
        assert "ValueError at" in log, "words were typed where a number belongs"
        assert "mallory" not in log

    @staticmethod
    def _state(server: Running) -> tuple[int, set[str]]:
        assert server.workspace.home is not None
        files = {str(path) for path in server.workspace.home.rglob("*") if "ledger.db" not in path.name}
        return server.workspace.ledger.count(actor=OWNER), {each for each in files if "spill" not in each}

    def test_another_site_gets_no_websocket(self, server: Running) -> None:
        with pytest.raises(Exception, match=r"40[03]|reject"), opened(server.base, Origin="https://evil.example"):
            pass

    def test_another_port_of_this_machine_gets_none(self, server: Running) -> None:
        """With a cookie that a browser would send there too: ports are one site."""
        port = server.base.rpartition(":")[2]
        own = f"127.0.0.1:{port}"
        for origin in ("http://localhost:9999", "http://127.0.0.1:9999", f"https://{own}", f"http://localhost:{port}"):
            with (
                pytest.raises(Exception, match=r"40[03]|reject"),
                opened(server.base, server.sessions["curator"], Origin=origin),
            ):
                pass

    def test_a_tab_is_given_back_to_its_own_browser_alone(self, server: Running) -> None:
        owner = server.workspace.people.sign_in(server.workspace.people.sign_in_link())
        with opened(server.base, owner) as tab:
            for thief in ("", server.sessions["reviewer"], server.sessions["curator"]):
                sent = {"X-Dprelease-Visitor": "x"}
                with opened(server.base, thief, again=tab.id, **sent) as other:
                    assert other.id != tab.id
            tab.run("datasets")  # it is still connected
            closed = tab.id
        with opened(server.base, server.sessions["curator"], again=closed) as other:
            assert other.id != closed
        with opened(server.base, owner, again=closed) as again:
            assert again.id == closed
        assert closed not in server.log.read_text()


class TestSessionsAreOurOwn:
    """Random, stored as hashes, in a cookie that no script reads, ended by this server; a link works once; the server
    listens on this machine alone."""

    def test_a_link_works_once_and_its_session_is_stored_as_a_hash(self, server: Running) -> None:
        ana = Actor("ana", frozenset(Role))
        link = server.workspace.people.sign_in_link(ana)
        assert self._first(server, link, "GET")[0] == 200, "a page with a button"
        status, headers = self._first(server, link)
        assert status == 303
        flags = {part.strip().lower() for part in headers["set-cookie"].split(";")}
        assert {"httponly", "samesite=lax", "path=/"} <= flags
        assert self._first(server, link)[0] == 403
        token = headers["set-cookie"].partition("=")[2].partition(";")[0]
        assert len(token) >= 43, "256 bits"
        assert server.workspace.people.session_actor(token) == ana
        home = server.workspace.home
        assert home is not None
        assert token.encode() not in b"".join(path.read_bytes() for path in home.glob("ledger.db*"))
        later = datetime.now(UTC) + store_sessions.SESSION_LIFETIME
        assert store_sessions.actor_of(server.workspace._state.database, token, now=later) is None
        server.workspace.people.revoke_session(server.workspace.people.sessions("ana")[0].id, of="ana")
        assert server.workspace.people.session_actor(token) is None

    @staticmethod
    def _first(server: Running, link: str, method: str = "POST") -> tuple[int, Any]:
        """The answer itself, not where it leads."""
        connection = HTTPConnection(server.base.removeprefix("http://"), timeout=300)
        if method == "GET":
            connection.request("GET", f"/sign-in?token={link}")
        else:
            form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": server.base}
            connection.request("POST", "/sign-in", f"token={link}", form)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.headers

    @pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="Linux tells who listens where")
    def test_it_listens_on_this_machine_alone(self, server: Running) -> None:
        port = f":{int(server.base.rpartition(':')[2]):04X}"
        lines = [
            line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()
        ]
        listening = {line[1] for line in lines if line[1].endswith(port) and line[3] == "0A"}
        assert listening == {f"0100007F{port}"}


class TestSideDoorsAreClosed:
    """Metrics, the interface for programs, another way to sign in; uploads by strangers."""

    @pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/interact", "/auth/login", "/oauth2callback"])
    def test_what_is_not_used_is_not_there(self, path: str, server: Running) -> None:
        status, headers, body = server.ask(path)
        assert (status, json.loads(body)["error"]) == (404, "not_found")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]

    @pytest.mark.parametrize("who", ["", "reviewer", "administrator", "curator revoked"])
    def test_only_curators_send_streamlit_a_file(self, who: str, server: Running) -> None:
        cookie = f"{COOKIE}={server.sessions.get(who, '')}"
        status, _, _ = server.ask("/_stcore/upload_file/x/y", "PUT", b"x", cookie=cookie)
        assert status == 403

    @pytest.mark.parametrize("path", ["/wp-login.php", "/.env", "/planx", "/admin/", "/.git/config", "/plan%2e"])
    def test_what_is_not_there_is_404(self, path: str, server: Running) -> None:
        status, headers, body = server.ask(path)
        assert (status, b"<script" in body) == (404, False)
        assert "frame-ancestors 'none'" in headers["content-security-policy"]

    def test_every_page_is_there(self, server: Running) -> None:
        for screen in SCREENS:
            assert server.ask(f"/{'' if screen.key == 'home' else screen.key}")[0] == 200

    def test_a_head_that_does_not_end_is_not_waited_for(self, server: Running) -> None:
        """Of heads that are begun, one of which a letter is sent now and then, and of a form."""
        host, port = server.base.removeprefix("http://").split(":")
        with ExitStack() as stack:
            slow = [stack.enter_context(socket.create_connection((host, int(port)), timeout=300)) for _ in range(20)]
            for each in slow:
                each.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            kept = stack.enter_context(socket.create_connection((host, int(port)), timeout=300))
            kept.sendall(f"GET /robots.txt HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            assert b"200" in kept.recv(65_536)
            form = stack.enter_context(socket.create_connection((host, int(port)), timeout=300))
            form.sendall(f"POST /sign-in HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\nname=".encode())
            kept.sendall(b"GET / HTTP/1.1\r\nX-Second: ")
            for each in (*slow, kept, form):
                assert self._ends(each), "the server hung up"
        assert server.ask("/robots.txt")[0] == 200

    @staticmethod
    def _ends(connection: socket.socket) -> bool:
        try:
            connection.sendall(b"x")
            while data := connection.recv(65_536):
                assert b" 200 " not in data
        except ConnectionError:
            return True
        return True

    def test_an_unknown_address_of_the_interface_is_404(self, server: Running) -> None:
        assert server.ask("/api/nothing/../../private")[0] == 404
        assert server.ask("/r/../ledger.db")[0] in (400, 404)
        assert server.ask("/media/x")[0] == 404

    def test_telemetry_and_details_are_off(self) -> None:
        import streamlit

        assert streamlit.get_option("browser.gatherUsageStats") is False
        assert streamlit.get_option("client.showErrorDetails") == "none"


class TestNothingConfidentialIsInAnyLog:
    """Folders are 0700, keys 0600; the log of the whole run holds no cell, password, token or session, and neither does
    the ledger or any address; runs last in this file."""

    def test_folders_and_keys_are_closed(self, server: Running) -> None:
        home = server.workspace.home
        assert home is not None
        for path in [home / "private", *(home / "private").rglob("*")]:
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
        assert not stat.S_IMODE((home / "ledger.db").stat().st_mode) & 0o077

    def test_open_folders_are_closed_at_the_start(self, tmp_path: Path) -> None:
        world.publish(world.solo(tmp_path / "home"))
        private, key = tmp_path / "home" / "private", next((tmp_path / "home" / "private" / "keys").iterdir())
        for path in (private, key, key.parent, tmp_path / "home" / "ledger.db"):
            path.chmod(0o777 if path.is_dir() else 0o666)
        dprelease.Workspace.open(tmp_path / "home")
        for path in (private, key, key.parent, tmp_path / "home" / "ledger.db"):
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path

    def test_the_whole_run(self, server: Running) -> None:
        for path in ("/sign-in?token=Zq7Xwtoken", "/", f"/reports/{FILED}", "/api/releases/Zq7Xwnothing"):
            server.ask(path)
        form = {"content_type": "application/x-www-form-urlencoded"}
        server.ask("/sign-in", "POST", f"name=administrator&password={PASSWORD}x".encode(), **form)
        server.ask("/sign-in", "POST", f"name={PASSWORD}&password=x".encode(), **form)
        server.ask("/upload?name=t.csv", "POST", SECRET.encode(), cookie=f"{COOKIE}={server.sessions['curator']}")
        log = server.log.read_text().replace(server.link, "")  # the link is for the terminal: it works once
        events = "\n".join(str(event) for event in server.workspace.ledger.events(actor=OWNER))
        for hidden in (SECRET, "Zq7Xw", "mallory", *server.sessions.values()):
            assert hidden not in log
            assert hidden not in events


class TestThePublicPortalNeedsNothingPrivate:
    """As a process of its own it starts, answers and verifies where there is no private folder, no ledger, no key."""

    def test_without_a_private_folder(self, server: Running, tmp_path: Path) -> None:
        assert server.workspace.home is not None
        public = Path(shutil.copytree(server.workspace.home / "public", tmp_path / "public"))
        port = free_port()
        command = [sys.executable, "-m", "dprelease", "portal", "--public", str(public), "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"HOME": str(tmp_path)}, stderr=subprocess.PIPE)
        try:
            deadline = time.monotonic() + 300
            while True:
                try:
                    found = json.loads(urlopen(f"http://127.0.0.1:{port}/api/releases", timeout=300).read())
                    break
                except OSError:
                    assert process.poll() is None
                    assert time.monotonic() < deadline
                    time.sleep(0.2)
            assert [each["title"] for each in found["releases"]] == ["Public"]
            opened_files = [os.readlink(each) for each in Path(f"/proc/{process.pid}/fd").iterdir()]
            assert not [each for each in opened_files if re.search(r"ledger\.db|/private/|\.pem$", each)]
            assert sorted(path.name for path in tmp_path.iterdir()) == ["public"], "it makes no folder"
        finally:
            process.terminate()
            process.communicate()


class TestAnAddressIsNotMadeUp:
    """Limits are by address; runs last, for it uses them up."""

    def test_a_visitor_does_not_say_where_it_comes_from(self, server: Running) -> None:
        """No proxy was named: every try counts for the address that it really comes from."""
        form = {"content_type": "application/x-www-form-urlencoded"}
        codes = [
            server.ask("/sign-in", "POST", b"name=x&password=y", x_forwarded_for=f"192.0.2.{number}", **form)[0]
            for number in range(12)
        ]
        assert 429 in codes

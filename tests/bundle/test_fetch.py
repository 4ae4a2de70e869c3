"""Bundles from web addresses: those of honest servers, and what hostile ones try."""

from __future__ import annotations

import socket
import zipfile
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from dprelease.bundle import container, fetch
from dprelease.bundle.fetch import fetch_files, is_address
from dprelease.bundle.read import read
from dprelease.errors import InputError, IntegrityError
from tests.bundle.releases import snapshot
from tests.bundle.servers import body, redirect, replying, serving_folder


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"0" * 65536)


def dripping(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"0")


def silent(handler: BaseHTTPRequestHandler) -> None:
    handler.rfile.read(1)  # until the other side gives up


@pytest.mark.parametrize("end", ["", "/", "/index.html", "/?from=mail#check"])
def test_a_folder_on_a_web_server_is_read_like_the_folder(written: Path, end: str) -> None:
    with serving_folder(written.parent) as address:
        bundle = read(f"{address}/{written.name}{end}")
    assert bundle.contents == snapshot(written)
    assert bundle.release == read(written).release


def test_a_zip_file_on_a_web_server_is_read_like_its_folder(written: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w") as archive:
        for name, data in snapshot(written).items():
            archive.writestr(f"{written.name}/{name}", data)
    packed = (tmp_path / "bundle.zip").read_bytes()
    with replying({"/get?id=1": body(packed), "/moved": redirect("/get?id=1")}) as address:
        for path in ("/get?id=1", "/moved"):
            assert read(f"{address}{path}").contents == snapshot(written)


def test_a_folder_without_a_page_of_its_own_is_read(written: Path) -> None:
    replies = {f"/b/{name}": body(data) for name, data in snapshot(written).items()}
    with replying(replies) as address:
        assert read(f"{address}/b").contents == snapshot(written)


def test_a_timestamp_is_fetched_where_there_is_one(written: Path) -> None:
    replies = {f"/b/{name}": body(data) for name, data in snapshot(written).items()}
    with replying(replies | {"/b/SHA256SUMS.tsr": body(b"\x30\x00")}) as address:
        assert read(f"{address}/b").contents["SHA256SUMS.tsr"] == b"\x30\x00"
    with replying(replies | {"/b/SHA256SUMS.tsr": body(b"<!doctype html><p>No such page")}) as address:
        assert "SHA256SUMS.tsr" not in read(f"{address}/b").contents


def test_a_changed_file_on_a_web_server_is_named(written: Path) -> None:
    replies = {f"/b/{name}": body(data) for name, data in snapshot(written).items()}
    with (
        replying(replies | {"/b/tables/n.csv": body(b"value\n1\n")}) as address,
        pytest.raises(IntegrityError, match=r"tables/n\.csv"),
    ):
        read(f"{address}/b")


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "tables/../../x", "a b", "a?b", "a#b", "http://other/x", "x/y/z", "é"]
)
def test_a_list_with_names_that_lead_elsewhere_is_refused(name: str) -> None:
    asked: list[str] = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        body(f"{'0' * 64}  {name}\n".encode())(handler)

    replies = {"/b/": reply, "/b/SHA256SUMS": reply}
    with replying(replies) as address, pytest.raises(IntegrityError, match="does not belong"):
        fetch_files(f"{address}/b/")
    assert asked == ["/b/", "/b/SHA256SUMS"]


@pytest.mark.parametrize("listing", [b"", b"<html>", b"\xff\xfe", b"0" * 64, b"PK\x03"])
def test_a_list_that_is_none_is_refused(listing: bytes) -> None:
    with replying({"/b/SHA256SUMS": body(listing)}) as address, pytest.raises(IntegrityError, match="not a list"):
        fetch_files(f"{address}/b")


def test_a_list_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MAX_FILES", 10)
    listing = "".join(f"{'0' * 64}  f{number}\n" for number in range(11)).encode()
    with replying({"/b/SHA256SUMS": body(listing)}) as address, pytest.raises(IntegrityError, match="more than 10"):
        fetch_files(f"{address}/b")


@pytest.mark.parametrize("path", ["/b/SHA256SUMS", "/b/SHA256SUMS.sig", "/b/f", "/b/SHA256SUMS.tsr"])
def test_an_endless_file_is_cut_off(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(container, "MAX_BYTES", 10**6)
    honest = {
        "/b/SHA256SUMS": body(f"{'0' * 64}  f\n".encode()),
        "/b/SHA256SUMS.sig": body(b"0" * 64),
        "/b/f": body(b"f"),
    }
    with replying(honest | {path: endless}) as address, pytest.raises(IntegrityError, match="more bytes"):
        fetch_files(f"{address}/b")


def test_an_endless_zip_file_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MAX_BYTES", 10**6)

    def packed(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b"PK\x03\x04")
        while True:
            handler.wfile.write(b"0" * 65536)

    with replying({"/b": packed}) as address, pytest.raises(IntegrityError, match="more bytes"):
        fetch_files(f"{address}/b")


def test_a_zip_file_that_is_none_is_refused() -> None:
    with replying({"/b": body(b"PK\x03\x04 and so on")}) as address, pytest.raises(IntegrityError, match="whole zip"):
        fetch_files(f"{address}/b")


def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "SILENCE", 0.1)
    with replying({"/b": silent}) as address, pytest.raises(InputError, match="in time"):
        fetch_files(f"{address}/b")


def test_a_server_that_says_little_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute passes from one look at the clock to the next."""
    monkeypatch.setattr(fetch, "time", SimpleNamespace(monotonic=count(0, 60).__next__))
    with replying({"/b/SHA256SUMS": dripping}) as address, pytest.raises(InputError, match="in time"):
        fetch_files(f"{address}/b")


@pytest.mark.parametrize("status", [401, 404, 500, 503])
def test_what_the_server_says_is_passed_on(status: int) -> None:
    replies = {path: body(b"", status) for path in ("/b", "/b/", "/b/SHA256SUMS")}
    with replying(replies) as address, pytest.raises(InputError, match=f"says {status}"):
        fetch_files(f"{address}/b")


def test_a_missing_file_is_named(written: Path) -> None:
    replies = {f"/b/{name}": body(data) for name, data in snapshot(written).items() if name != "tables/n.csv"}
    with replying(replies) as address, pytest.raises(InputError, match=r"tables/n\.csv.*404"):
        fetch_files(f"{address}/b")


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "javascript:x"])
def test_redirects_lead_to_web_addresses_only(to: str) -> None:
    with replying({"/b": redirect(to)}) as address, pytest.raises(IntegrityError, match="no web address"):
        fetch_files(f"{address}/b")


def test_redirects_without_end_are_refused() -> None:
    replies = {"/b": redirect("/c"), "/c": redirect("/b")}
    with replying(replies) as address, pytest.raises(IntegrityError, match="without end"):
        fetch_files(f"{address}/b")


def test_nothing_of_a_redirect_but_its_target_is_read(written: Path) -> None:
    """Its body may be endless."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", "/b/")
        handler.end_headers()
        while True:
            handler.wfile.write(b"0" * 65536)

    replies = {f"/b/{name}": body(data) for name, data in snapshot(written).items()}
    with replying(replies | {"/moved": reply}) as address:
        assert read(f"{address}/moved").contents == snapshot(written)


@pytest.mark.parametrize("answer", [b"", b"\x00" * 100, b"SSH-2.0-x\r\n", b"HTTP/1.1 abc\r\n\r\n"])
def test_what_is_no_web_server_is_refused_in_words(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = Thread(target=serve)
        thread.start()
        try:
            with pytest.raises((InputError, IntegrityError)):
                fetch.fetch(f"http://127.0.0.1:{listener.getsockname()[1]}/b", 100)
        finally:
            thread.join()


@pytest.mark.parametrize("chunk", [b"zzz\r\n", b"5\r\nab", b"-1\r\n", b"ffffffffffffffff\r\nab"])
def test_a_body_in_broken_chunks_is_refused_in_words(chunk: bytes) -> None:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.protocol_version = "HTTP/1.1"
        body(chunk, **{"Transfer-Encoding": "chunked", "Connection": "close"})(handler)

    with replying({"/b": reply}) as address, pytest.raises(InputError):
        fetch.fetch(f"{address}/b", 100)


@pytest.mark.parametrize(
    "address",
    [
        "http://",
        "http:///x",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:x/",
        "http://[::1",
        "http://a b/",
        "http://127.0.0.1:1/\x00",
        "http://127.0.0.1:1/é",
        "http://" + "a" * 70 + "/",
        "http://127.0.0.1:1/",
    ],
)
def test_an_address_that_cannot_be_reached_is_refused_in_words(address: str) -> None:
    with pytest.raises(InputError):
        fetch_files(address)


def test_what_is_a_web_address() -> None:
    assert is_address("http://x")
    assert is_address("HTTPS://x/y.zip")
    for path in ("bundle.zip", "/http://x", "file:///x", "ftp://x", "http:/x", Path("http://x")):
        assert not is_address(path)


def test_one_file_is_read_by_path_or_address(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"12345")
    with serving_folder(tmp_path) as address:
        for source in (tmp_path / "f", str(tmp_path / "f"), f"{address}/f"):
            assert fetch.fetch(source, 5) == b"12345"
            with pytest.raises((InputError, IntegrityError)):
                fetch.fetch(source, 4)
    for wrong in (tmp_path, tmp_path / "none", "a\0b"):
        with pytest.raises(InputError):
            fetch.fetch(wrong, 5)

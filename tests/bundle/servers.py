"""Web servers on this machine, for as long as a test needs one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import patch

Reply = Callable[[BaseHTTPRequestHandler], None]


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what these tests are about."""


@contextmanager
def serving(handler: Any) -> Iterator[str]:
    """The address of a server on this machine, which no proxy stands before."""
    with patch.dict(os.environ, no_proxy="*"), Quiet(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving_folder(folder: Path) -> Iterator[str]:
    with serving(partial(Files, directory=str(folder))) as address:
        yield address


@contextmanager
def hiding(folder: Path, hidden: str, status: int | None) -> Iterator[str]:
    """A server of a folder that says `status` (None: a page, with 200) where an address has this piece of text."""

    class Handler(Files):
        def do_GET(self) -> None:
            if hidden not in self.path:
                super().do_GET()
            elif status is None:
                body(b"<!doctype html><p>Welcome")(self)
            else:
                self.send_error(status)

    with serving(partial(Handler, directory=str(folder))) as address:
        yield address


@contextmanager
def replying(replies: dict[str, Reply]) -> Iterator[str]:
    """A server that answers each path as it likes, and 404 for others."""
    missing: Reply = lambda handler: handler.send_error(404)  # noqa: E731

    class Handler(Files):
        def do_GET(self) -> None:
            replies.get(self.path, missing)(self)

    with serving(Handler) as address:
        yield address


def body(data: bytes, status: int = 200, **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    return reply


def redirect(to: str) -> Reply:
    return body(b"", 302, Location=to)

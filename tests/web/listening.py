"""An ASGI app on a port of this machine, for what asks over a socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from benchmarks.http import free_port


@contextmanager
def listening(application: Any) -> Iterator[str]:
    """Its address. Nothing is started with it (ASGI's lifespan): a dashboard can be started once in a process."""
    port = free_port()
    served = uvicorn.Server(uvicorn.Config(application, port=port, log_level="error", ws="none", lifespan="off"))
    thread = threading.Thread(target=served.run)
    thread.start()
    while not served.started:
        assert thread.is_alive()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        served.should_exit = True
        thread.join()

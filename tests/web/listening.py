"""An ASGI app on a port of this machine, for what asks over a socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


@contextmanager
def listening(application: Any) -> Iterator[str]:
    """Its address. Nothing is started with it (ASGI's lifespan): a dashboard can be started once in a process."""
    served = uvicorn.Server(uvicorn.Config(application, log_level="error", ws="none", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as door:  # who comes before it has started waits there
        thread = threading.Thread(target=served.run, args=([door],))
        thread.start()
        try:
            yield "http://{}:{}".format(*door.getsockname())
        finally:
            served.should_exit = True
            thread.join()

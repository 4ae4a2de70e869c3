"""What the tests of web prepare, for those of this room."""

from __future__ import annotations

from tests.web.conftest import (
    client,
    home,
    server,
    workspace,
)

__all__ = [
    "client",
    "home",
    "server",
    "workspace",
]

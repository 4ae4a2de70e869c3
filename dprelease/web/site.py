"""Everything this room adds to the dashboard's server."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from dprelease.web.guard import Guard
from dprelease.web.identity import ROUTES as IDENTITY
from dprelease.web.releases import ROUTES as RELEASES

LOCAL = ("localhost", "127.0.0.1", "::1")


def routes() -> list[BaseRoute]:
    """The plain HTTP routes, before Streamlit's own."""
    return [*IDENTITY, *RELEASES]


def middleware(hosts: Sequence[str] = LOCAL) -> list[Middleware]:
    """What stands before every route, Streamlit's too."""
    return [Middleware(Guard, hosts=tuple(hosts) or LOCAL)]

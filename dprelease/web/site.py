"""Everything this room adds to the dashboard's server."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route

from dprelease.registry import added, load
from dprelease.web import api, former, portal, releases
from dprelease.web.closed import Closed, Whose
from dprelease.web.guard import LOCAL, Guard
from dprelease.web.guide import ROUTES as GUIDE
from dprelease.web.identity import ROUTES as IDENTITY
from dprelease.web.identity import is_signed_in
from dprelease.web.language import ROUTES as LANGUAGE
from dprelease.web.oidc import ROUTES as OIDC
from dprelease.web.own import ROUTES as OWN
from dprelease.web.provider import configured
from dprelease.web.public import PublicMiddleware, of_this_process
from dprelease.web.reports import ROUTES as REPORTS
from dprelease.web.uploads import ROUTES as UPLOADS
from dprelease.web.well_known import ROUTES as WELL_KNOWN

PUBLIC = ("/api", "/r", portal.PREFIX, portal.SHORT, portal.SERIES_SHORT, portal.EMBED)
"""Answered before the dashboard, without a session."""


def routes() -> list[BaseRoute]:
    """Return the HTTP routes before Streamlit's own. Raises InputError where the identity provider's settings are
    wrong: that is told at the start, and not to whoever signs in first."""
    configured()
    rooms = [route for place in added("routes").values() for route in load(place)]
    return [*IDENTITY, *OIDC, *LANGUAGE, *GUIDE, *UPLOADS, *former.ROUTES, *REPORTS, *OWN, *rooms, *WELL_KNOWN]


def no_tab(tab: str, visitor: str) -> bool:
    """Return False: where there is no dashboard, no tab is anybody's."""
    return False


def middleware(hosts: Sequence[str] = LOCAL, *, pages: Sequence[str] = (), whose: Whose = no_tab) -> list[Middleware]:
    """Return what stands before every route, Streamlit's too. `pages`: the names of the dashboard's pages; `whose`:
    tells whether a tab of it is a visitor's."""
    public = [*api.routes(of_this_process), *releases.routes(of_this_process), *portal.routes(of_this_process)]
    home = f"{portal.PREFIX}/"
    beside = Middleware(PublicMiddleware, routes=public, prefixes=PUBLIC, home=home, known=is_signed_in)
    own = {route.path for route in routes() if isinstance(route, Route)}
    known = {*PUBLIC, *(f"/{page}" for page in pages), *(path for path in own if "{" not in path)}
    folders = {*PUBLIC, *(path.partition("/{")[0] for path in own if "{" in path)}
    closed = Middleware(Closed, known=sorted(known), folders=sorted(folders), whose=whose)
    return [Middleware(Guard, hosts=tuple(hosts) or LOCAL), closed, beside]

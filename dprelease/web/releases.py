"""Bundles as they lie on disk, index.html first: what a reader opens and links to."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from dprelease.bundle.listing import TIMESTAMP
from dprelease.errors import InputError, IntegrityError
from dprelease.web.api import listed_file
from dprelease.web.bundles import media_type
from dprelease.web.notice import notice
from dprelease.web.public import Look, Window
from dprelease.web.served import ASK, Served, answer


def file(window: Window, release_id: str, name: str) -> Served:
    """One file of a bundle, kept once it was read. Raises InputError where the bundle does not list it."""
    bundle = window.shelf.bundle(release_id)
    if name == TIMESTAMP and bundle.timestamp is not None:
        return Served.of(bundle.timestamp, media_type(name), cache=ASK)
    return window.kept.make((release_id, "file", name), lambda: listed_file(bundle, name))


def routes(look: Look) -> list[BaseRoute]:
    """Every address below /r."""

    async def page(request: Request) -> Response:
        release_id, name = request.path_params["id"], request.path_params["path"] or "index.html"
        window = look()
        try:
            kept = window.kept.get((release_id, "file", name))
            if kept is None:
                kept = await run_in_threadpool(file, window, release_id, name)
            return answer(request, kept)
        except InputError:
            return notice("missing_title", "missing_text", status=404)
        except IntegrityError:
            return notice("damaged_title", "damaged", status=500)

    return [Route("/r/{id}", into_folder), Route("/r/{id}/{path:path}", page)]


async def into_folder(request: Request) -> Response:
    """The page's relative links need the slash at the end."""
    return RedirectResponse(f"/r/{request.path_params['id']}/", status_code=308)

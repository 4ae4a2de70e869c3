"""What the public may fetch: the list of releases, certificates, tables and bundles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from dprelease.errors import InputError
from dprelease.model.actor import PUBLIC
from dprelease.model.release import Release
from dprelease.web.bundles import listed, media_type, zipped
from dprelease.web.notice import notice
from dprelease.web.words import say
from dprelease.workspace.process import current

Handler = Callable[[Request], Response]
ANY = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def in_json(handler: Handler) -> Handler:
    """Answers 404 in JSON where what was asked for is not published."""

    @wraps(handler)
    def answer(request: Request) -> Response:
        try:
            return handler(request)
        except InputError:
            return missing(request)

    return answer


def missing(request: Request) -> Response:
    """404 in JSON."""
    return JSONResponse({"error": "not_found", "message": say("not_found")}, status_code=404)


@in_json
def catalogue(request: Request) -> Response:
    """All published releases, newest first."""
    return JSONResponse({"releases": [_summary(release) for release in current().releases(actor=PUBLIC)]})


def _summary(release: Release) -> Mapping[str, Any]:
    facts, base = release.certificate, f"/api/releases/{release.id}"
    return {
        "id": release.id,
        "title": facts["title"],
        "published": facts["published"],
        "population": facts["population"]["name"],
        "guarantee": facts["guarantee"],
        "cumulative": facts["cumulative"],
        "certificate": base,
        "page": f"/r/{release.id}/",
        "bundle": f"{base}/bundle.zip",
        "tables": {name: f"{base}/tables/{name}.csv" for name in release.tables},
    }


@in_json
def certificate(request: Request) -> Response:
    """The bytes of release.json."""
    return _file(request.path_params["id"], "release.json")


@in_json
def notices(request: Request) -> Response:
    """What was said of a release since it was published: signed statements, oldest first."""
    release = current().release(request.path_params["id"], actor=PUBLIC)
    return JSONResponse({"notices": [each.statement for each in current().notices(release.id, actor=PUBLIC)]})


@in_json
def table(request: Request) -> Response:
    """The bytes of one CSV file."""
    release_id, name = request.path_params["id"], request.path_params["table"]
    return _file(release_id, f"tables/{name}.csv", save_as=f"{release_id}-{name}.csv")


@in_json
def bundle(request: Request) -> Response:
    """All files of a bundle in one zip file."""
    release_id = request.path_params["id"]
    headers = {"Content-Disposition": f'attachment; filename="{release_id}.zip"'}
    return Response(zipped(release_id), media_type="application/zip", headers=headers)


def page(request: Request) -> Response:
    """The bundle as it lies on disk, index.html first."""
    try:
        return _file(request.path_params["id"], request.path_params["path"] or "index.html")
    except InputError:
        return notice("missing_title", "missing_text", status=404)


def into_folder(request: Request) -> Response:
    """The page's relative links need the slash at the end."""
    return RedirectResponse(f"/r/{request.path_params['id']}/", status_code=308)


def _file(release_id: str, name: str, *, save_as: str = "") -> Response:
    path = listed(release_id).get(name)
    if path is None:
        raise InputError("file", found=name, allowed="a file that the bundle lists")
    headers = {"Content-Disposition": f'attachment; filename="{save_as}"'} if save_as else {}
    return Response(path.read_bytes(), media_type=media_type(name), headers=headers)


ROUTES: list[BaseRoute] = [
    Route("/api/releases", catalogue),
    Route("/api/releases/{id}", certificate),
    Route("/api/releases/{id}/bundle.zip", bundle),
    Route("/api/releases/{id}/notices", notices),
    Route("/api/releases/{id}/tables/{table}.csv", table),
    Route("/api", missing, methods=ANY),
    Route("/api/{rest:path}", missing, methods=ANY),
    Route("/r/{id}", into_folder),
    Route("/r/{id}/{path:path}", page),
]

"""Every release at its address for whoever is signed in, and before its hour for the few who may see it then."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dprelease.bundle import guarantee
from dprelease.bundle.described import withheld
from dprelease.bundle.page.place import OwnStrip
from dprelease.errors import AccessError, InputError, IntegrityError
from dprelease.model.actor import PUBLIC, Actor
from dprelease.model.certificate import Certificate
from dprelease.portal.pages import spoken_folder, strip_html
from dprelease.portal.shelf import Bundle
from dprelease.web import portal
from dprelease.web.identity import visitor
from dprelease.web.language import spoken
from dprelease.web.notice import notice
from dprelease.web.public import of_this_process
from dprelease.web.served import media_type
from dprelease.web.words import say
from dprelease.words import phrase
from dprelease.words.language import speaking
from dprelease.workspace import LedgerEvent
from dprelease.workspace.access import authorise
from dprelease.workspace.process import current

PREFIX = "/own/release"
PRIVATE = {"Cache-Control": "private, no-store", "X-Robots-Tag": "noindex"}
PAGE = "index.html"
ACTS = (("correct", "add_erratum"), ("replace", "supersede"))
"""Forms about a release in the dashboard, each with its operation."""
INLINE = re.compile(rb"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
BODY = re.compile(rb"<body[^>]*>")
MARK = (
    '<text x="50%" y="50%" text-anchor="middle" font-family="sans-serif" font-size="22" font-weight="600"'
    ' fill="#B3460B" fill-opacity="0.55" transform-origin="center" transform="rotate(-12)">{}</text></svg>'
)


def release(request: Request) -> Response:
    """Return the page of a release with what only its makers are told; before its hour, any file of it.

    A file of a published release, and whoever is not signed in, is sent to the public address, whether there is such
    a release or not. 404 for a release before its hour, as for one that never was, to whoever may not see it.
    """
    release_id, name = request.path_params["id"], request.path_params["path"] or PAGE
    actor = visitor(request)
    with speaking(spoken(request.scope)):
        if actor == PUBLIC:
            return _onwards(release_id, name)
        try:
            folder = _embargoed(release_id, actor)
            if folder is not None:
                return _marked_file(folder, name, current().embargoes.due(release_id, actor=actor), actor)
            if name != PAGE:
                return _onwards(release_id, name)
            return _page(request, release_id, actor)
        except AccessError:
            return notice("no_access_title", "no_access_text", status=403, headers=PRIVATE)
        except IntegrityError:
            return notice("damaged_title", "damaged", status=500, headers=PRIVATE)
        except (InputError, OSError, ValueError):
            return notice("missing_title", "missing_text", status=404, headers=PRIVATE)


def _onwards(release_id: str, name: str) -> Response:
    """Send a browser to the public page, or to a file beside it."""
    file = "" if name == PAGE else quote(name)
    address = f"{portal.PREFIX}/{spoken_folder()}release/{quote(release_id, safe='')}/{file}"
    return RedirectResponse(address, status_code=302, headers=PRIVATE)


def _embargoed(release_id: str, actor: Actor) -> Path | None:
    """Return the folder of a release before its hour, for whoever may see it; else None."""
    try:
        return current().embargoes.see(release_id, actor=actor)
    except InputError:
        return None


def _page(request: Request, release_id: str, actor: Actor) -> Response:
    """Return the public page of a release with the strip above it. Raises InputError where there is none."""
    window = of_this_process()
    bundle = window.shelf.bundle(release_id)
    base = str(request.base_url.replace(path=f"{portal.PREFIX}/"))
    strip = strip_of(bundle.certificate, actor)
    return Response(window.portal.release(bundle, base.rstrip("/"), strip), media_type="text/html", headers=PRIVATE)


def strip_of(certificate: Certificate, actor: Actor, embargo: str = "") -> OwnStrip:
    """Return what stands above a release for somebody. `embargo`: words on the hour that it waits for."""
    links: list[tuple[str, str]] = [("/", "own_desk")]
    approval: dict[str, Any] = {}
    if not embargo:
        links += [(_place(certificate.id, act), f"own_{act}") for act, operation in ACTS if _may(operation, actor)]
        if any(each.output == "rows" for each in certificate.statistics) and not withheld(certificate):
            links.append((_place(certificate.id, "beside"), "own_beside"))
    if _may("ledger", actor):
        links.append((f"/budget?{urlencode({'event': certificate.ledger.seq})}", "own_entry"))
        approval = _approval(certificate.ledger.seq, actor)
    if not embargo:
        links.append((f"{portal.PREFIX}/{spoken_folder()}release/{certificate.id}/", "own_public"))
    told = guarantee.in_text(certificate)
    return OwnStrip(guarantee=told, embargo=embargo, links=links, **approval)


def _place(release_id: str, act: str) -> str:
    return f"/releases?{urlencode({'release': release_id, 'do': act})}"


def _may(operation: str, actor: Actor) -> bool:
    try:
        authorise(operation, actor)
    except AccessError:
        return False
    return True


def _event(seq: int, actor: Actor) -> LedgerEvent | None:
    """Return an event by its number; None where a restored ledger has it no more."""
    found = current().ledger.events(limit=1, offset=seq - 1, actor=actor)
    return found[0] if found and found[0].seq == seq else None


def _approval(seq: int, actor: Actor) -> dict[str, Any]:
    """Return who approved what was charged for by an event, on which day, and if nobody else was asked."""
    charge = _event(seq, actor)
    if charge is not None and "charge" in charge.body:  # an edition of a run: the run was charged
        charge = _event(charge.body["charge"], actor)
    approval = None if charge is None or "approval" not in charge.body else _event(charge.body["approval"], actor)
    if charge is None or approval is None:
        return {}
    return {"approver": approval.actor, "approved": approval.at, "alone": not charge.body.get("two_people")}


def _marked_file(folder: Path, name: str, due: str, actor: Actor) -> Response:
    """Return a file of a release before its hour, with words on that hour on pages, pictures and names of files."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise InputError("file", found=name, allowed=phrase("web.file_bundle_lists"))
    data, words, headers = path.read_bytes(), say("embargoed_until", due=due), dict(PRIVATE)
    if name.endswith(".html"):
        above = strip_html(strip_of(Bundle.open(folder.name, folder).certificate, actor, words)).encode()
        data = INLINE.sub(lambda found: _inline(found[1], words), data)
        data = BODY.sub(lambda found: found[0] + above, data, count=1)
    elif name.endswith(".svg"):
        data = _marked(data, words)
    else:
        headers["Content-Disposition"] = f'attachment; filename="EMBARGOED-{path.name}"'
    return Response(data, media_type=media_type(name), headers=headers)


def _inline(encoded: bytes, words: str) -> bytes:
    return b"data:image/svg+xml;base64," + b64encode(_marked(b64decode(encoded), words))


def _marked(svg: bytes, words: str) -> bytes:
    """Return a picture with words across it."""
    before, _, after = svg.rpartition(b"</svg>")
    return before + MARK.format(escape(words)).encode() + after


ROUTES = [Route(f"{PREFIX}/{{id}}/{{path:path}}", release, methods=["GET"])]

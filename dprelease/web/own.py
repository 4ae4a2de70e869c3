"""Releases before their hour, for the few who may see them: every page and picture says until when it is embargoed."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from html import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dprelease.errors import AccessError, InputError
from dprelease.web.identity import visitor
from dprelease.web.language import spoken
from dprelease.web.notice import notice
from dprelease.web.served import media_type
from dprelease.web.words import say
from dprelease.words import phrase
from dprelease.words.language import speaking
from dprelease.workspace.process import current

PREFIX = "/own/release"
PRIVATE = {"Cache-Control": "no-store"}
INLINE = re.compile(rb"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
BODY = re.compile(rb"<body[^>]*>")
BAR = (
    '<p role="note" style="position:sticky;top:0;z-index:9;margin:0;padding:8px 16px;background:#FDF1E7;color:#14201F;'
    'border-bottom:3px solid #B3460B;font-weight:600">{}</p>'
)
MARK = (
    '<text x="50%" y="50%" text-anchor="middle" font-family="sans-serif" font-size="22" font-weight="600"'
    ' fill="#B3460B" fill-opacity="0.55" transform-origin="center" transform="rotate(-12)">{}</text></svg>'
)


def release(request: Request) -> Response:
    """Return a file of a release, or its page. 404 as for a release that never was, to whoever may not see it."""
    release_id, name = request.path_params["id"], request.path_params["path"] or "index.html"
    try:
        folder = current().embargoes.see(release_id, actor=visitor(request))
        due = current().embargoes.due(release_id, actor=visitor(request))
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            raise InputError("file", found=name, allowed=phrase("web.file_bundle_lists"))
        data = path.read_bytes()
    except AccessError:
        return notice("no_access_title", "no_access_text", status=403)
    except (InputError, OSError, ValueError):
        return notice("missing_title", "missing_text", status=404)
    with speaking(spoken(request.scope)):
        words = say("embargoed_until", due=due)
    headers = dict(PRIVATE)
    if name.endswith(".html"):
        data = INLINE.sub(lambda found: _inline(found[1], words), data)
        data = BODY.sub(lambda found: found[0] + BAR.format(escape(words)).encode(), data, count=1)
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

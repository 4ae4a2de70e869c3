"""The guide as plain pages: Markdown from `docs/guide/`, rendered without any markup of its own."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from dprelease.web.notice import STYLE, notice
from dprelease.web.words import say
from dprelease.words.language import ENGLISH, LANGUAGES, language, speaking
from dprelease.workspace import guide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

START = "start"
"""The page that /guide opens."""
READING = (
    "main{max-width:44rem;margin:3rem auto 4rem}h2{font-size:1.3rem;margin:2rem 0 .5rem}h3{font-size:1.1rem}"
    "p,li,td{color:var(--ink)}nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:0 0 1.5rem}"
    "img{max-width:100%;height:auto;border:1px solid var(--muted)}pre{overflow-x:auto;padding:.75rem 1rem;"
    "border:1px solid var(--muted);border-radius:.375rem}code{font-size:.92em}.scroll{overflow-x:auto}"
    "table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.375rem 1.25rem .375rem 0;"
    "border-bottom:1px solid var(--muted)}"
    "@media(max-width:40rem){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    "table,tbody,tr,td{display:block}td{padding:.125rem 0;border:0;overflow-wrap:anywhere}"
    "tr{padding:.375rem 0;border-bottom:1px solid var(--muted)}}"
)
PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title} · {product}</title>'
    "<style>{style}</style></head><body><main><nav>{links}</nav>{content}</main></body></html>"
)
DOCUMENT = re.compile(r"(?:\.\./)*(?:guide/)?(?:[a-z]{2}/)?([a-z0-9][a-z0-9-]*)\.md(#.*)?")
PICTURE = re.compile(r"(?:\.\./)*images/([a-z0-9][a-z0-9-]*\.png)")


def page(request: Request) -> Response:
    """Return one page in the language asked for by `?lang=`; where it is not translated, in English."""
    asked = request.query_params.get("lang", language())
    name, spoken = request.path_params["page"], asked if asked in LANGUAGES else ENGLISH
    found = guide.text(name, spoken)
    with speaking(spoken):
        if found is None:
            return notice("missing_title", "missing_text", status=404)
        links = ['<a href="/">{}</a>'.format(escape(say("home")))]
        if name != START and guide.text(START, spoken):
            links.append(f'<a href="/guide/{START}?lang={spoken}">{escape(say("guide"))}</a>')
        links += [
            f'<a href="/guide/{name}?lang={code}" lang="{code}" hreflang="{code}">{escape(own)}</a>'
            for code, own in LANGUAGES.items()
            if code != found[1] and (other := guide.text(name, code)) and other[1] == code
        ]
        html = PAGE.format(
            language=found[1],
            title=escape(next(iter(guide.sections(name, spoken).values()), name)),
            product=say("product"),
            style=STYLE + READING,
            links="".join(links),
            content=rendered(found[0], spoken, list(guide.sections(name, spoken))),
        )
    return HTMLResponse(html)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def rendered(text: str, spoken: str, ids: Sequence[str] = ()) -> str:
    """Markdown as HTML: links between documents lead to this server's pages, headings have their ids, in order."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    waiting = iter(ids)
    for token in tokens:
        if token.type == "heading_open" and (own := next(waiting, None)):
            token.attrSet("id", own)
        for child in token.children or ():
            _lead(child, spoken)
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    html = html.replace("<pre>", '<pre tabindex="0">')
    return html.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace("</table>", "</table></div>")


def _lead(token: Token, spoken: str) -> None:
    if token.type == "link_open" and (found := DOCUMENT.fullmatch(str(token.attrGet("href")))):
        token.attrSet("href", f"/guide/{found[1]}?lang={spoken}{found[2] or ''}")
    if token.type == "image" and (found := PICTURE.fullmatch(str(token.attrGet("src")))):
        token.attrSet("src", f"/guide/images/{found[1]}")


def picture(request: Request) -> Response:
    """Return a picture of the guide."""
    path = guide.picture(request.path_params["name"])
    return notice("missing_title", "missing_text", status=404) if path is None else FileResponse(path)


def start(request: Request) -> Response:
    """Return the first page, in the language asked for."""
    asked = request.query_params.get("lang", language())
    return RedirectResponse(f"/guide/{START}?lang={asked if asked in LANGUAGES else ENGLISH}")


ROUTES = [Route("/guide", start), Route("/guide/images/{name}.png", picture), Route("/guide/{page}", page)]

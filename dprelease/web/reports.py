"""Audit reports for those who are signed in: a page to print, and a PDF file."""

from __future__ import annotations

from datetime import date

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from dprelease.errors import AccessError, InputError
from dprelease.web.identity import visitor
from dprelease.web.language import spoken
from dprelease.web.notice import notice
from dprelease.words.language import speaking
from dprelease.workspace.process import current

PDF = "report.pdf"
PRIVATE = {"Cache-Control": "no-store"}


def report(request: Request) -> Response:
    """`/reports/{population}` as a page, with `/report.pdf` at its end as a file; `?since=` and `?until=` are days."""
    workspace, population = current(), request.path_params["population"]
    actor = visitor(request)
    try:
        since, until = (_day(request.query_params.get(name, "")) for name in ("since", "until"))
        with speaking(spoken(request.scope)):
            document = workspace.ledger.audit_report(population, since=since, until=until, actor=actor)
            if request.path_params.get("form") == PDF:
                name = f'attachment; filename="{population}.pdf"'
                headers = {**PRIVATE, "Content-Disposition": name}
                return Response(document.pdf(), media_type="application/pdf", headers=headers)
            return HTMLResponse(document.html(), headers=PRIVATE)
    except AccessError:
        return notice("no_access_title", "no_access_text", status=403)
    except (InputError, ValueError):
        return notice("missing_title", "missing_text", status=404)


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


ROUTES = [
    Route("/reports/{population}", report, methods=["GET"]),
    Route("/reports/{population}/{form:str}", report, methods=["GET"]),
]

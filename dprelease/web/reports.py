"""Audit reports, and events of the ledger as a file, for those who are signed in."""

from __future__ import annotations

from datetime import date

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from dprelease.errors import AccessError, InputError
from dprelease.web.identity import visitor
from dprelease.web.language import spoken
from dprelease.web.notice import notice
from dprelease.words.language import speaking
from dprelease.workspace import EventKind
from dprelease.workspace.process import current

PDF = "report.pdf"
EVENTS = "/reports/-/events.csv"
"""No population has this name."""
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


def events(request: Request) -> Response:
    """The events that are looked for as a CSV file: `?population=`, `?kind=` (repeated), `?person=`, `?text=`, days."""
    asked = request.query_params
    try:
        lines = current().ledger.csv(
            asked.get("population"),
            kinds=[EventKind(kind) for kind in asked.getlist("kind")],
            person=asked.get("person"),
            since=_day(asked.get("since", "")),
            until=_day(asked.get("until", "")),
            text=asked.get("text", ""),
            actor=visitor(request),
        )
    except AccessError:
        return notice("no_access_title", "no_access_text", status=403)
    except ValueError:
        return notice("missing_title", "missing_text", status=404)
    headers = {**PRIVATE, "Content-Disposition": 'attachment; filename="ledger.csv"'}
    return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=headers)


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


ROUTES = [
    Route(EVENTS, events, methods=["GET"]),
    Route("/reports/{population}", report, methods=["GET"]),
    Route("/reports/{population}/{form:str}", report, methods=["GET"]),
]

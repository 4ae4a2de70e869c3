"""Commands for requests: what somebody of a team asked for, and a second person decides."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, if_open, is_team, open_workspace, positive
from dprelease.words import Figure, Phrase, phrase

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.store.populations import Request
    from dprelease.workspace import Workspace


def add(commands: Any) -> None:
    requests = add_group(commands, "request", phrase("cli.what_waits_second_person"))
    add_command(requests, "list", _list, phrase("cli.list_requests_what_was"))
    approve = add_command(requests, "approve", _approve, phrase("cli.carry_out_what_somebody"))
    approve.add_argument("request", type=positive, metavar="N", help=str(phrase("cli.request_number")))
    approve.add_argument("--comment", default="", metavar="TEXT")
    declined = add_command(requests, "return", _return, phrase("cli.decline_what_somebody_else"))
    declined.add_argument("request", type=positive, metavar="N", help=str(phrase("cli.request_number")))
    declined.add_argument("--comment", required=True, metavar="TEXT")


def asked(workspace: Workspace, actor: Actor | None, kind: str, population: str) -> Request | None:
    """Return what was asked of a second person just now; None where nobody needs to decide any more."""
    if actor is None or not is_team(workspace):
        return None
    waiting = [
        request
        for request in workspace.populations.requests(actor=actor)
        if (request.kind, request.population, request.author, request.state) == (kind, population, actor.name, "open")
    ]
    return waiting[-1] if waiting else None


def told(request: Request) -> Phrase:
    """Return the message that a request's author reads."""
    approve = f"dprelease request approve {request.id} --as NAME"
    return phrase("cli.request_waits", number=request.id, wanted=_wanted(request), approve=approve)


def _wanted(request: Request) -> Phrase:
    from dprelease.model.privacy import PrivacyLoss

    if request.kind == "overlap":
        return phrase("cli.wanted_overlap", population=request.population, other=request.body["other"])
    body = request.body["population"] if request.kind == "population" else request.body
    cap = PrivacyLoss(epsilon_nano=body["epsilon_nano"], delta_atto=body["delta_atto"])
    if request.kind == "population":
        return phrase("cli.wanted_population", population=request.population, cap=Figure(cap))
    if request.kind == "period":
        return phrase("cli.wanted_period", period=body["period"], population=request.population, cap=Figure(cap))
    return phrase("cli.wanted_cap", population=request.population, cap=Figure(cap))


def _list(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    requests = workspace.populations.requests(actor=actor)
    lines = []
    for request in requests:
        state = str(phrase(f"cli.state_{request.state}"))
        lines.append(f"{request.id:6} {state:9} {request.created[:10]} {request.author:12} {_wanted(request)}")
        reason = request.body.get("reason")
        lines += [f"       {phrase('cli.because', reason=reason)}"] if reason else []
        if request.decided_by is not None:
            comment = f": {request.comment}" if request.comment else ""
            decided = phrase(f"cli.decided_{request.state}", by=request.decided_by)
            lines.append(f"       {decided}{comment}")
    return [asdict(request) for request in requests], "\n".join(lines) or phrase("cli.no_request")


def _is_overlap(workspace: Workspace, number: int, actor: Actor | None) -> bool:
    found = if_open(lambda: workspace.populations.requests(actor=actor)) or ()
    return any(request.id == number and request.kind == "overlap" for request in found)


def _approve(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if _is_overlap(workspace, options.request, actor):
        request = workspace.populations.confirm_overlap(options.request, comment=options.comment, actor=actor)
    else:
        request = workspace.populations.approve_request(options.request, comment=options.comment, actor=actor)
    return asdict(request), phrase("cli.request_approved", number=request.id, wanted=_wanted(request))


def _return(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if _is_overlap(workspace, options.request, actor):
        said = {"approve": False, "comment": options.comment}
        request = workspace.populations.confirm_overlap(options.request, **said, actor=actor)
    else:
        request = workspace.populations.return_request(options.request, comment=options.comment, actor=actor)
    return asdict(request), phrase(
        "cli.request_returned", number=request.id, author=request.author, wanted=_wanted(request)
    )

"""Commands for runs: charge all editions of a plan at once, and publish each when its period is over."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dprelease.cli import embargoes
from dprelease.cli.command import Answer, add_command, add_group, figure, open_workspace
from dprelease.cli.plans import add_plan_command, load_plan
from dprelease.model.calendar import GIVEN_UP
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.model.release import Release
    from dprelease.store.runs import OpenedRun


def add(commands: Any) -> None:
    run = add_group(commands, "run", phrase("cli.runs"))
    add_plan_command(run, "open", _open, phrase("cli.run_open"))
    edition = add_command(run, "edition", _edition, phrase("cli.run_edition"))
    edition.add_argument("run_name", metavar="RUN")
    edition.add_argument("--period", metavar="PERIOD", help=str(phrase("cli.run_period")))
    embargoes.add_hour(edition)
    abandon = add_command(run, "abandon", _abandon, phrase("cli.run_abandon"))
    abandon.add_argument("run_name", metavar="RUN")
    abandon.add_argument("period", metavar="PERIOD")
    end = add_command(run, "end", _end, phrase("cli.run_end"))
    end.add_argument("run_name", metavar="RUN")
    for each in (abandon, end):
        each.add_argument("--reason", required=True, choices=GIVEN_UP, help=str(phrase("cli.run_reason")))
    add_command(run, "show", _show, phrase("cli.run_show")).add_argument("run_name", metavar="RUN")
    add_command(run, "list", _list, phrase("cli.run_list"))


def _open(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.runs.open(load_plan(options), actor=actor))


def _edition(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found: Any = workspace.runs.publish(options.run_name, options.period, actor=actor, **embargoes.sealing(options))
    if options.due is not None or not hasattr(found, "certificate"):
        return embargoes.sealed(found, options.due or found.due)
    release: Release = found
    path = workspace.releases.bundle(release.id, actor=actor)
    run = release.certificate.edition_of
    assert run is not None
    lines = [
        phrase("cli.run_published", release=release.id, number=run.number, periods=run.periods),
        phrase("cli.bundle_in", path=path),
        phrase("cli.check_it", command=f"dprelease verify {path} --key {workspace.public_key}"),
    ]
    told = {"release": release.id, "run": run.name, "period": run.period, "bundle": str(path)}
    return {**told, "certificate": release.certificate.to_mapping()}, "\n".join(map(str, lines))


def _abandon(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.runs.abandon(options.run_name, options.period, options.reason, actor=actor))


def _end(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.runs.end(options.run_name, options.reason, actor=actor))


def _show(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.runs.get(options.run_name, actor=actor))


def _list(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = [_told(each) for each in workspace.runs.find(actor=actor)]
    lines = [str(words) for _, words in found] or [str(phrase("cli.run_none"))]
    return [facts for facts, _ in found], "\n".join(lines)


def _told(run: OpenedRun) -> tuple[dict[str, Any], str]:
    recurring, closed = run.recurrence, list(run.closed)
    published = [each.period for each in run.editions if each.state == "published"]
    factor, periods, most = run.facts["factor"], len(recurring.periods), recurring.most
    loss = figure(run.charge.loss)
    lines = [
        phrase("cli.run_is", name=run.name, first=recurring.first, last=recurring.last, periods=periods, most=most),
        phrase("cli.run_charged", loss=loss, factor=factor, periods=periods),
        phrase("cli.run_states", published=len(published), left=len(run.open_periods)),
    ]
    if closed:
        lines.append(phrase("cli.run_closed", periods=", ".join(closed)))
    if run.ended:
        lines.append(phrase("cli.run_has_ended"))
    if run.is_ordered:
        lines.append(phrase("cli.run_drop_out", most=most, periods=periods))
    facts = {
        "run": run.name,
        "plan": run.plan.id,
        "charge": run.charge.seq,
        **run.charge.loss.to_mapping(),
        "factor": factor,
        "periods": periods,
        "at_most": most,
        "published": published,
        "closed": closed,
        "next": next(iter(run.open_periods), None),
        "ended": run.ended,
    }
    return facts, "\n".join(map(str, lines))

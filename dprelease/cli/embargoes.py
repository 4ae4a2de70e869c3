"""Commands for releases that wait for their hour: sealed now, opened then, moved or cancelled with a reason."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace
from dprelease.cli.plans import load_plan
from dprelease.errors import InputError
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.workspace import Workspace
    from dprelease.workspace.embargo import EmbargoedRelease


def add(releases: Any) -> None:
    group = add_group(releases, "embargo", phrase("cli.embargoes"))
    add_command(group, "list", _list, phrase("cli.list_embargoes"))
    move = _changing(group, "move", _move, "cli.move_embargo")
    move.add_argument("due", metavar="INSTANT", help=str(phrase("model.instant")))
    _changing(group, "now", _open_now, "cli.open_embargo_now")
    _changing(group, "cancel", _cancel, "cli.cancel_embargo")


def _changing(group: Any, name: str, run: Any, words: str) -> argparse.ArgumentParser:
    added = add_command(group, name, run, phrase(words))
    added.add_argument("release", metavar="ID")
    added.add_argument("--reason", required=True, metavar="TEXT")
    return added


def publish(workspace: Workspace, actor: Actor | None, options: argparse.Namespace) -> Answer:
    """Seal a plan until its hour; without one, make public what is due."""
    if options.plan is None:
        if options.due != "":
            raise InputError("plan", found=phrase("model.nothing"), allowed=phrase("cli.plan_or_due"))
        opened = workspace.embargoes.open_due(actor=actor)
        behind = workspace.embargoes.waits_for_clock(actor=actor)
        lines = [str(phrase("cli.is_public_now", release=each)) for each in opened] or [str(phrase("cli.nothing_due"))]
        lines += [str(phrase("cli.clock_is_behind", at=behind))] if behind else []
        return {"opened": opened, "clock_behind": behind}, "\n".join(lines)
    if options.due == "":
        raise InputError("due", found=phrase("model.nothing"), allowed=phrase("model.instant"))
    if options.out is not None:
        raise InputError("out", found=str(options.out), allowed=phrase("cli.no_files_before_hour"))
    found = workspace.publish(
        load_plan(options),
        again=options.again,
        supersedes=options.supersedes,
        actor=actor,
        **sealing(options),
    )
    return sealed(found, options.due)


def add_hour(command: argparse.ArgumentParser, **due: Any) -> None:
    """Add the options of a release that is sealed until its hour."""
    command.add_argument("--due", metavar="INSTANT", help=str(phrase("cli.embargo_due")), **due)
    command.add_argument("--untitled", action="store_true", help=str(phrase("cli.embargo_untitled")))
    command.add_argument("--reader", action="append", metavar="NAME,INSTANT", help=str(phrase("cli.embargo_reader")))


def sealing(options: argparse.Namespace) -> dict[str, Any]:
    """Return what these options ask for."""
    readers = [_reader(each) for each in options.reader or ()]
    return {"due": options.due, "readers": readers, "untitled": options.untitled}


def sealed(found: Any, due: str) -> Answer:
    """Return the answer of a release that is sealed, or public since it was published before."""
    told = asdict(found) if not hasattr(found, "certificate") else {"id": found.id}
    return told, phrase("cli.is_sealed_until", release=found.id, due=due)


def _reader(text: str) -> dict[str, str]:
    name, _, since = text.rpartition(",")
    return {"name": name, "from": since}


def _list(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = workspace.embargoes.find(actor=actor)
    lines = [f"{each.id}  {each.due}  {each.title}" for each in found]
    return [asdict(each) for each in found], "\n".join(lines) or phrase("cli.nothing_embargoed")


def _move(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.embargoes.move(options.release, options.due, reason=options.reason, actor=actor))


def _open_now(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.embargoes.open_now(options.release, reason=options.reason, actor=actor))


def _cancel(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.embargoes.cancel(options.release, reason=options.reason, actor=actor))


def _told(found: EmbargoedRelease) -> Answer:
    words = phrase("cli.hour_asked" if found.asked else "cli.hour_changed", release=found.id)
    return asdict(found), words

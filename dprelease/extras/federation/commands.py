"""Commands for rounds of several sites: one sum of all tables, over a folder that every site reaches."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace
from dprelease.cli.plans import load_plan
from dprelease.errors import InputError
from dprelease.words import Phrase, phrase
from dprelease.words.phrases import Figure

if TYPE_CHECKING:
    from dprelease.extras.federation.federations import Federations, Progress
    from dprelease.model.actor import Actor

FOLDER = "folder"


def add(commands: Any) -> None:
    group = add_group(commands, "federation", phrase("cli.federation_group"))
    create = _add(group, "create", _create, phrase("cli.federation_create"))
    create.add_argument("--name", required=True)
    create.add_argument(
        "--site", required=True, action="append", metavar="NAME=KEY", help=str(phrase("cli.federation_site"))
    )
    create.add_argument("--lost-sites", type=int, default=1, metavar="T", help=str(phrase("cli.federation_lost")))
    create.add_argument("--max-sites", type=int, default=1, metavar="R", help=str(phrase("cli.federation_most")))
    _add(group, "join", _join, phrase("cli.federation_join"))
    _add(group, "show", _show, phrase("cli.federation_show"))
    contribute = _add(group, "contribute", _contribute, phrase("cli.federation_contribute"))
    contribute.add_argument("--attempt", type=int, default=1, metavar="N", help=str(phrase("cli.federation_attempt")))
    contribute.add_argument("--to", metavar="URL", help=str(phrase("cli.federation_to")))
    for name, run, words in (
        ("fetch", _fetch, phrase("cli.federation_fetch")),
        ("send", _send, phrase("cli.federation_send")),
    ):
        _add(group, name, run, words).add_argument("address", metavar="URL", help=str(phrase("cli.federation_url")))
    combine = _add(group, "combine", _combine, phrase("cli.federation_combine"))
    combine.add_argument("--out", type=Path, metavar="DIR", help=str(phrase("cli.federation_out")))
    publish = _add(group, "publish", _publish, phrase("cli.federation_publish"))
    for command in (contribute, combine, publish):
        command.add_argument("plan", type=Path, help=str(phrase("cli.plan_file_yaml_json")))
        command.add_argument(
            "--public", action="append", metavar="NAME=FILE", help=str(phrase("cli.public_file_of_plan"))
        )
    _add(group, "void", _void, phrase("cli.federation_void"))


def _add(group: Any, name: str, run: Any, words: Phrase) -> argparse.ArgumentParser:
    added = add_command(group, name, run, words)
    added.add_argument(FOLDER, type=Path, help=str(phrase("cli.federation_folder")))
    return added


def _create(options: argparse.Namespace) -> Answer:
    from dprelease.extras.federation.folder import RoundFolder
    from dprelease.extras.federation.roster import Federation, Site

    sites = []
    for text in options.site:
        name, _, key = text.rpartition("=")
        if not name:
            raise InputError("site", found=text, allowed=phrase("cli.federation_name_and_key"))
        sites.append(Site(name, key))
    made = Federation(name=options.name, sites=tuple(sites), lost_sites=options.lost_sites, max_sites=options.max_sites)
    RoundFolder(options.folder).propose(made)
    return made.to_mapping(), phrase("cli.federation_created", folder=options.folder, hash=made.hash)


def _rounds(options: argparse.Namespace) -> tuple[Federations, Actor | None]:
    from dprelease.extras.federation.federations import rounds_of

    workspace, actor = open_workspace(options)
    return rounds_of(workspace), actor


def _join(options: argparse.Namespace) -> Answer:
    rounds, actor = _rounds(options)
    return _told(rounds.join(options.folder, actor=actor))


def _contribute(options: argparse.Namespace) -> Answer:
    rounds, actor = _rounds(options)
    plan = load_plan(options)
    if options.to is not None:
        rounds.fetch(options.to, options.folder, actor=actor)
    found = rounds.contribute(options.folder, plan, attempt=options.attempt, actor=actor)
    if options.to is not None:
        rounds.send(options.to, options.folder, actor=actor)
    return _told(found)


def _fetch(options: argparse.Namespace) -> Answer:
    rounds, actor = _rounds(options)
    found = rounds.fetch(options.address, options.folder, actor=actor)
    return {"fetched": list(found)}, phrase("cli.federation_fetched", files=found or "-")


def _send(options: argparse.Namespace) -> Answer:
    rounds, actor = _rounds(options)
    found = rounds.send(options.address, options.folder, actor=actor)
    return {"sent": list(found)}, phrase("cli.federation_sent_to", files=found or "-")


def _told(found: Progress) -> Answer:
    words = (
        phrase("cli.federation_waiting", step=found.step, sites=found.waiting)
        if found.waiting
        else phrase("cli.federation_all", step=found.step)
    )
    return {"step": found.step, "waiting": list(found.waiting)}, words


def _publish(options: argparse.Namespace) -> Answer:
    from dprelease.extras.federation.federations import rounds_of

    workspace, actor = open_workspace(options)
    found = rounds_of(workspace).publish(options.folder, load_plan(options), actor=actor)
    if found.release is None:
        return _told(found)
    path = workspace.releases.bundle(found.release.id, actor=actor)
    told = {"step": found.step, "waiting": [], "release": found.release.id, "path": str(path)}
    return told, phrase("cli.federation_published", release=found.release.id, path=path)


def _void(options: argparse.Namespace) -> Answer:
    rounds, actor = _rounds(options)
    ended = rounds.make_void(options.folder, actor=actor)
    return {"round": ended, "void": True}, phrase("cli.federation_voided", round=ended)


def _show(options: argparse.Namespace) -> Answer:
    from dprelease.extras.federation.folder import KINDS, RoundFolder
    from dprelease.extras.federation.noise import loss_by_colluders, rho_text, spreads

    shared = RoundFolder(options.folder)
    federation = shared.proposed()
    signers = {kind: {each.signer for each in shared.messages(kind)} for kind in KINDS}
    sent = {site.name: [kind for kind in KINDS if site.key in signers[kind]] for site in federation.sites}
    found: dict[str, Any] = {**federation.to_mapping(), "hash": federation.hash, "sent": sent}
    terms = {"lost": federation.lost_sites, "most": federation.max_sites}
    lines = [phrase("cli.federation_is", name=federation.name, count=len(federation.sites), **terms)]
    lines += [phrase("cli.federation_sent", site=name, kinds=tuple(kinds) or "-") for name, kinds in sent.items()]
    if shared.has_plan:
        plan, attempt = shared.plan()
        losses, deviations = loss_by_colluders(federation, plan), spreads(federation, plan)
        found |= {"plan": plan.to_mapping(), "attempt": attempt, "losses": losses, "deviations": deviations}
        told = tuple(Figure(f"{each:.4g}") for each in deviations)
        lines.append(phrase("cli.federation_price", rho=rho_text(plan.rho_nano), attempt=attempt, deviations=told))
        lines += [phrase("cli.federation_loss", sites=sites, rho=rho_text(rho)) for sites, rho in losses]
    return found, "\n".join(map(str, lines))


def _combine(options: argparse.Namespace) -> Answer:
    from dprelease.bundle.tables import csv_chunks
    from dprelease.extras.federation.folder import RoundFolder

    rounds, actor = _rounds(options)
    found = rounds.combine(options.folder, load_plan(options), actor=actor)
    tables = {
        name: b"".join(csv_chunks(table)).decode()
        for statistic, answer in found.answers.items()
        for name, table in answer.named(statistic).items()
    }
    done = found.finished
    if options.out is not None:
        RoundFolder(options.folder).publish(options.out)
        for name, text in tables.items():
            (options.out / f"{name}.csv").write_text(text, encoding="utf-8")
    words = [str(phrase("cli.federation_combined", round=done.round.id, count=len(done.charges)))]
    words += [f"\n{name}\n{text}" for name, text in tables.items()]
    facts = {"round": done.round.id, "charges": dict(done.charges), "recomputed": done.recomputed}
    return {**facts, "losses": done.losses, "tables": tables}, "\n".join(words)

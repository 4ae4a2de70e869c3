"""Commands for the workspace as a whole: make it, invite people, serve its dashboard, copy it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, is_team, open_workspace, port, say_abandoned
from dprelease.cli.ledger import told_lost
from dprelease.errors import InputError, need
from dprelease.model.actor import Role
from dprelease.words import phrase

MADE = ("solo", "team", "demo")
"""Workspaces that `serve` makes in an empty folder; a demo is one of a single person, with sample data."""


def add(commands: Any) -> None:
    init = add_command(commands, "init", _init, phrase("cli.make_workspace"))
    init.add_argument("--team", action="store_true", help=str(phrase("cli.plans_budgets_take_two")))
    invite = add_command(commands, "invite", _invite, phrase("cli.print_link_signs_person"))
    invite.add_argument("name", help=str(phrase("cli.such_ana")))
    invite.add_argument(
        "--role",
        action="append",
        required=True,
        choices=[role.value for role in Role],
        help=str(phrase("cli.what_they_may_do")),
    )
    demo = add_command(commands, "demo", _demo, phrase("cli.fill_workspace_invented_sample"))
    demo.add_argument("--out", type=Path, metavar="DIR", help=str(phrase("cli.only_write_visits_csv")))
    serve = add_command(commands, "serve", _serve, phrase("cli.open_dashboard_machine_print"))
    serve.add_argument("--port", type=port, default=8501)
    serve.add_argument("--make", choices=MADE, help=str(phrase("cli.make_where_folder_is_empty")))
    serve.add_argument("--no-browser", action="store_true", help=str(phrase("cli.do_open_browser_window")))
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help=str(phrase("cli.name_browsers_call_such")),
    )
    backup = add_command(commands, "backup", _backup, phrase("cli.copy_whole_workspace_tables"))
    backup.add_argument("out", type=Path, metavar="DIR", help=str(phrase("workspace.new_empty_folder")))
    restore = add_command(commands, "restore", _restore, phrase("cli.make_workspace_from_backup"))
    restore.add_argument(
        "backup", type=Path, metavar="BACKUP", help=str(phrase("workspace.folder_dprelease_backup_made"))
    )
    restore.add_argument("folder", type=Path, metavar="DIR", help=str(phrase("workspace.new_empty_folder")))


def _init(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options, make=True)
    if options.team and not is_team(workspace):
        workspace.people.require_two_people(actor=actor)
    lines = [
        str(phrase("cli.workspace_is", home=workspace.home)),
        str(phrase("cli.signed_by_keep", key=workspace.public_key)),
    ]
    if is_team(workspace):
        lines.append(str(phrase("cli.two_people")))
    found = {"home": str(workspace.home), "public_key": workspace.public_key, "mode": workspace.mode}
    return found, "\n".join(lines)


def _invite(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    roles = sorted(set(options.role))
    link = f"/sign-in?token={workspace.people.invite(options.name, roles, actor=actor)}"
    words = f"\n  {phrase('cli.signs_in_at', name=options.name, roles=tuple(roles))}\n\n  {link}\n"
    return {"name": options.name, "roles": roles, "link": link}, words


def _demo(options: argparse.Namespace) -> Answer:
    from dprelease.workspace import sample

    if options.out is not None:
        files = [str(path) for path in sample.write_files(options.out)]
        return {"files": files}, "\n".join(files)
    workspace, _ = open_workspace(options, make=True)
    found = {"home": str(workspace.home), "added": False}
    if is_team(workspace):
        return found, phrase("cli.no_sample", home=workspace.home)
    found["added"] = sample.install(workspace) | sample.add_run(workspace)
    sample.populate(workspace)
    named = {"population": sample.POPULATION, "dataset": sample.DATASET, "home": workspace.home}
    return found, phrase("cli.sample_added", **named) if found["added"] else phrase("cli.sample_there", **named)


def _serve(options: argparse.Namespace) -> Answer:
    need("desk", "streamlit")
    from dprelease.web.server import serve

    _make_for(options)
    workspace, actor = open_workspace(options)
    if workspace.ledger.contradiction is not None:
        sys.stderr.write(f"dprelease: {workspace.ledger.contradiction}\n")
    stopped = serve(workspace, actor, port=options.port, browser=not options.no_browser, hosts=options.allow_host)
    return {"stopped": stopped}, phrase("cli.stopped")


def _make_for(options: argparse.Namespace) -> None:
    """Make what `--make` asks for where the folder is empty or not there, so that a container can begin by itself.

    A workspace that is there is served as it is. Raises InputError where it is no team's and `--make` says so, or where
    the folder holds something else: rows whose ledger is lost would get a new budget.
    """
    from dprelease.workspace import Workspace, sample
    from dprelease.workspace.home import Home

    home = Path(options.home)
    if options.make is None or (Home.is_at(home) and options.make != "team"):
        return
    if Home.is_at(home):
        if not is_team(Workspace.open(home)):
            allowed, remedy = phrase("cli.workspace_of_team"), phrase("cli.make_it_a_team")
            raise InputError("make", found=phrase("cli.workspace_of_one", home=home), allowed=allowed, remedy=remedy)
        return
    if home.exists() and any(home.iterdir()):
        found = phrase("workspace.empty", target=home)
        raise InputError("home", found=found, allowed=phrase("workspace.new_empty_folder"))
    made = Workspace.create(home)
    if options.make == "team":
        made.people.require_two_people()
    elif options.make == "demo":
        sample.install(made)
        sample.add_run(made)
        sample.populate(made)
    sys.stdout.write(
        f"{phrase('cli.workspace_is', home=made.home)}\n{phrase('cli.signed_by_keep', key=made.public_key)}\n"
    )


def _backup(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    out = workspace.ledger.backup(options.out, actor=actor)
    say_abandoned(workspace)
    words = phrase("cli.copied_to", out=out)
    return {"home": str(workspace.home), "backup": str(out)}, words


def _restore(options: argparse.Namespace) -> Answer:
    from dprelease.workspace import Workspace

    workspace = Workspace.restore(options.backup, options.folder)
    say_abandoned(workspace)
    command = f"dprelease ledger verify --checkpoint FILE --home {options.folder}"
    lines = [phrase("cli.workspace_is", home=workspace.home), phrase("cli.spent_since_backup"), command]
    lost = workspace.ledger.lost_charges
    words = "\n".join(map(str, [*lines, *told_lost(lost)]))
    return {"home": str(workspace.home), "public_key": workspace.public_key, "lost": lost}, words

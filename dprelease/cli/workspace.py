"""Commands for the workspace as a whole: make it, fill it with the sample, serve its dashboard."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, open_workspace


def add(commands: Any) -> None:
    add_command(commands, "init", _init, "Make a workspace.")
    demo = add_command(
        commands, "demo", _demo, "Fill the workspace with an invented sample, or write its table and plan."
    )
    demo.add_argument("--out", type=Path, metavar="DIR", help="only write visits.csv and plan.yaml into this folder")
    serve = add_command(
        commands, "serve", _serve, "Open the dashboard on this machine and print a one-time sign-in link."
    )
    serve.add_argument("--port", type=int, default=8501)
    serve.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def _init(options: argparse.Namespace) -> Answer:
    workspace = open_workspace(options, make=True)
    found = {"home": str(workspace.home), "public_key": workspace.public_key}
    words = f"Workspace: {workspace.home}\nReleases are signed by {workspace.public_key}: keep that elsewhere too."
    return found, words


def _demo(options: argparse.Namespace) -> Answer:
    from dprelease.workspace import sample

    if options.out is not None:
        files = [str(path) for path in sample.write_files(options.out)]
        return {"files": files}, "\n".join(files)
    workspace = open_workspace(options, make=True)
    added = sample.install(workspace)
    words = "added to" if added else "already in"
    return {
        "home": str(workspace.home),
        "added": added,
    }, f"The sample (population {sample.POPULATION}, dataset {sample.DATASET}) is {words} {workspace.home}"


def _serve(options: argparse.Namespace) -> Answer:
    from dprelease.web.server import serve

    return {"stopped": serve(options.home, port=options.port, browser=not options.no_browser)}, "Stopped."

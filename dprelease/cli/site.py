"""The commands that show published releases without the dashboard: as a static site, or as a process of its own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, open_workspace, unwritable


def add(commands: Any) -> None:
    site = add_command(commands, "site", _site, "Write all published releases as a static site.")
    site.add_argument("out", type=Path, help="the folder to write")
    site.add_argument("--address", default="", metavar="URL", help="where it will lie, for feeds and citations")
    portal = add_command(commands, "portal", _portal, "Serve published releases to everyone, without any workspace.")
    portal.add_argument(
        "--public",
        type=Path,
        required=True,
        metavar="DIR",
        help="the public folder of a workspace or a copy of it, or what `dprelease site` wrote",
    )
    portal.add_argument("--port", type=int, default=8502)
    portal.add_argument("--address", default="127.0.0.1", help="where to listen (default: this machine only)")
    portal.add_argument(
        "--host", action="append", default=[], metavar="NAME", help="a name that browsers call it by (repeatable)"
    )


def _portal(options: argparse.Namespace) -> Answer:
    from dprelease.web.alone import application, run

    portal = application(options.public, options.host)
    sys.stderr.write(f"Portal:  http://{options.address}:{options.port}/public/\n")
    run(portal, address=options.address, port=options.port)
    return {"stopped": 0}, "Stopped."


def _site(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    try:
        releases = workspace.releases.write_site(options.out, address=options.address, actor=actor)
    except OSError as cause:
        raise unwritable(options.out, cause) from None
    return {
        "releases": releases,
        "path": str(options.out),
    }, f"Releases: {releases}. Open {options.out / 'index.html'}"

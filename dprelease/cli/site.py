"""The commands that show published releases without the dashboard: as a static site, or as a process of its own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, open_workspace, port, unwritable
from dprelease.errors import need
from dprelease.words import phrase


def add(commands: Any) -> None:
    site = add_command(commands, "site", _site, phrase("cli.write_all_published_releases"))
    site.add_argument("out", type=Path, help=str(phrase("cli.folder_write")))
    site.add_argument("--address", default="", metavar="URL", help=str(phrase("cli.where_will_lie_feeds")))
    portal = add_command(commands, "portal", _portal, phrase("cli.serve_published_releases_everyone"))
    portal.add_argument(
        "--public",
        type=Path,
        required=True,
        metavar="DIR",
        help=str(phrase("cli.public_folder_workspace_copy")),
    )
    portal.add_argument("--port", type=port, default=8502)
    portal.add_argument("--address", default="127.0.0.1", help=str(phrase("cli.where_listen_default_machine")))
    portal.add_argument(
        "--host", action="append", default=[], metavar="NAME", help=str(phrase("cli.name_browsers_call_repeatable"))
    )


def _portal(options: argparse.Namespace) -> Answer:
    need("desk", "uvicorn")
    from dprelease.web.alone import application, run

    portal = application(options.public, options.host)
    sys.stderr.write(f"{phrase('cli.portal_at', address=f'http://{options.address}:{options.port}/public/')}\n")
    run(portal, address=options.address, port=options.port)
    return {"stopped": 0}, phrase("cli.stopped")


def _site(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    try:
        releases = workspace.releases.write_site(options.out, address=options.address, actor=actor)
    except OSError as cause:
        raise unwritable(options.out, cause) from None
    return {
        "releases": releases,
        "path": str(options.out),
    }, phrase("cli.site_written", releases=releases, page=options.out / "index.html")

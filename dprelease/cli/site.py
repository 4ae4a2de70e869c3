"""The command that writes all published releases as a static site."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, open_workspace


def add(commands: Any) -> None:
    site = add_command(commands, "site", _site, "Write all published releases as a static site.")
    site.add_argument("out", type=Path, help="the folder to write")


def _site(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    releases = workspace.write_site(options.out, actor=actor)
    return {
        "releases": releases,
        "path": str(options.out),
    }, f"Releases: {releases}. Open {options.out / 'index.html'}"

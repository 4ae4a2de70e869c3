"""What every command has: a place in the parser, the options --home and --json, and the workspace it is about."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.errors import InputError

if TYPE_CHECKING:
    from dprelease.workspace import Workspace

HOME = "data/workspace"
Answer = tuple[Any, str]
"""What a command found: for `--json`, and in words."""


def add_command(to: Any, name: str, run: Callable[[argparse.Namespace], Answer], words: str) -> argparse.ArgumentParser:
    """A command, whose own options the caller adds."""
    added: argparse.ArgumentParser = to.add_parser(name, help=words, description=words)
    added.set_defaults(run=run)
    added.add_argument(
        "--home",
        type=Path,
        default=Path(os.environ.get("DPRELEASE_HOME", HOME)),
        metavar="DIR",
        help=f"the workspace's folder (default: $DPRELEASE_HOME, else {HOME})",
    )
    added.add_argument("--json", action="store_true", help="print the result as JSON")
    return added


def add_group(to: Any, name: str, words: str) -> Any:
    """A word that other commands follow."""
    return to.add_parser(name, help=words, description=words).add_subparsers(required=True, metavar="COMMAND")


def open_workspace(options: argparse.Namespace, *, make: bool = False) -> Workspace:
    """The workspace that --home names; only with `make` may it be a new one."""
    from dprelease.workspace import Workspace

    if not make and not (options.home / "ledger.db").exists():
        remedy = "Make one with `dprelease init`, or say where it is with --home."
        raise InputError("home", found=str(options.home), allowed="the folder of a workspace", remedy=remedy)
    return Workspace.open(options.home)

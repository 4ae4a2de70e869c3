"""The command that prints what completes commands and options in a shell."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, LazyChoices, add_command, plan_path
from dprelease.words import phrase

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


def add(commands: Any) -> None:
    completion = add_command(commands, "completion", _completion, phrase("cli.print_completion"))
    completion.add_argument("shell", choices=SHELLS, help=str(phrase("cli.completion_shell")))


def _completion(options: argparse.Namespace) -> Answer:
    """Return the script of all commands: ids are not in it, since it would have to open the workspace for them."""
    import shtab

    from dprelease.cli import parser

    top = parser()
    _complete_files(top)
    text = shtab.complete(top, options.shell)
    return {"shell": options.shell, "script": text}, text.rstrip()


def _complete_files(parser: argparse.ArgumentParser) -> None:
    import shtab

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                _complete_files(each)
        elif isinstance(action.choices, LazyChoices):
            action.choices = list(action.choices)
        elif action.type in {Path, plan_path} or action.metavar == "FILE":
            action.complete = shtab.FILE  # type: ignore[attr-defined]

"""The same Workspace from a terminal.

Exit code 0; 1 where it failed here; 2 for wrong usage; 3 refused; 4 not enough budget; 5 waits for a person; 6 where
something is not what was signed; 7 not found; 8 waited in vain; 9 verified in part; 130 where it was interrupted.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from typing import Any, TextIO

from dprelease.cli import (
    attack,
    calendar,
    completion,
    datasets,
    engines,
    keys,
    ledger,
    office,
    people,
    plans,
    policy,
    populations,
    progress,
    published,
    releases,
    requests,
    runs,
    site,
    workspace,
)
from dprelease.cli.command import CommandParser, add_common
from dprelease.errors import AccessError, DPReleaseError, InputError, RefusalError, WaitingError
from dprelease.model.version import VERSION
from dprelease.registry import added, load
from dprelease.words import Phrase, phrase
from dprelease.words.language import ENGLISH, language, of_terminal, speaking

WORDS = {
    "usage: ": "usage",
    "options": "options",
    "positional arguments": "positional",
    "show this help message and exit": "help",
    "the following arguments are required: %s": "required",
    "unrecognized arguments: %s": "unrecognized",
    "not allowed with argument %s": "not_allowed",
    "one of the arguments %s is required": "one_required",
    "expected one argument": "one_argument",
    "expected at least one argument": "at_least_one",
    "invalid %(type)s value: %(value)r": "invalid_value",
    "invalid choice: %(value)r (choose from %(choices)s)": "invalid_choice",
    "argument %(argument_name)s: %(message)s": "argument",
    "%(prog)s: error: %(message)s\n": "error",
}
"""Texts of argparse with the ids that they have in the catalogue."""


def translate_usage() -> None:
    """Has argparse look its words up in the catalogue: it offers no other place than the name that it calls them by."""
    argparse._ = _said  # type: ignore[attr-defined]


def _said(text: str) -> str:
    if language() == ENGLISH or text not in WORDS:
        return text
    said = str(phrase(f"cli.usage_{WORDS[text]}"))
    return said + text[len(text.rstrip()) :]


UNANSWERED = 2
"""The exit code of what has to be said on the command line first, as argparse has it."""
INTERRUPTED = 130
"""The exit code of what Ctrl-C ended, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: that of its error, or of what it found (`exit_code` of its options).

    2 where something has to be answered first, as where the command is not well written.
    """
    gc.set_threshold(200_000)  # what is imported stays: looking for garbage in it takes a tenth of a small release
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # ε is in no code page: what is charged must not fail when it is told
            stream.reconfigure(errors="backslashreplace")
    translate_usage()
    with speaking(of_terminal(os.environ)):
        options = parser().parse_args(arguments)
        with speaking(ENGLISH if options.json else language()):
            return _run(options)


def _run(options: argparse.Namespace) -> int:
    try:
        with progress.told(options.quiet or options.json):
            found, words = options.run(options)
    except DPReleaseError as error:
        nobody = isinstance(error, AccessError) and options.acting is None
        _tell_error(options, error, phrase("cli.say_who_acts", error=error) if nobody else error)
        if isinstance(error, InputError) and error.questions:
            return UNANSWERED
        return error.exit_code
    except KeyboardInterrupt:
        _tell_error(options, KeyboardInterrupt(), _interrupted(options))
        return INTERRUPTED
    text = json.dumps(found, indent=2) if options.json else _only(found) if options.quiet else str(words)
    told = _tell(text) if text else True
    return int(getattr(options, "exit_code", 0)) if told else 1


ONLY = ("release", "plan", "id", "bundle", "written", "path")
"""Keys of which the first stands alone on the output with `--quiet`."""


def _only(found: Any) -> str:
    """Return the id or path that a command answers with; empty where it has none."""
    return next((str(found[key]) for key in ONLY if key in found), "") if isinstance(found, Mapping) else ""


def _tell_error(options: argparse.Namespace, error: BaseException, message: object) -> None:
    if options.json:
        codes: object = None
        code = error.code if isinstance(error, InputError) else ""
        if isinstance(error, InputError):
            codes = [each.to_mapping() for each in error.problems]
        elif isinstance(error, RefusalError):
            codes = error.said.to_mapping()
        told = {"error": type(error).__name__, **({"code": code} if code else {}), "message": str(message)}
        if isinstance(error, WaitingError):
            told |= {"state": "waits", "plan": error.plan}
        _tell(json.dumps({**told, "said": codes}))
    else:
        _tell(f"dprelease: {message}", sys.stderr)


def _tell(text: str, stream: TextIO | None = None) -> bool:
    """Print a message, to whoever still listens. False where there is no place for it, such as on a full disk."""
    to = stream or sys.stdout
    try:
        print(text, file=to, flush=True)
    except OSError as cause:
        os.dup2(os.open(os.devnull, os.O_WRONLY), to.fileno())
        if not isinstance(cause, BrokenPipeError):
            _tell(f"dprelease: {phrase('cli.cannot_tell', reason=cause.strerror)}", sys.stderr)
            return False
    return True


def _interrupted(options: argparse.Namespace) -> Phrase:
    """Return the message after Ctrl-C, for a command that may have charged something."""
    standing: Callable[[argparse.Namespace], str] | None = getattr(options, "standing", None)
    try:
        return phrase("cli.interrupted_and", stands=standing(options)) if standing else phrase("cli.interrupted")
    except DPReleaseError as error:
        return phrase("cli.interrupted_and", stands=error)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and their options."""
    top = CommandParser(prog="dprelease", description=str(phrase("cli.private_data_release_publish")))
    add_common(top, given=True)
    top.add_argument(
        "--version", action="version", version=f"dprelease {VERSION}", help=str(phrase("cli.usage_version"))
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    rooms = (workspace, people, policy, populations, datasets, engines, plans, attack, requests, releases, runs, ledger)
    for module in (*rooms, published, office, calendar, keys, site, completion):
        module.add(commands)
    for place in added("commands").values():
        load(place)(commands)
    return top

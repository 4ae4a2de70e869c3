"""Common parts of all commands: a place in the parser, options, and the workspace they are about with who acts."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dprelease.errors import AccessError, InputError
from dprelease.words import Phrase, phrase, quoted, verbatim
from dprelease.words.language import point

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.workspace import Workspace

HOME = "data/workspace"
EXAMPLES = Path(__file__).with_name("examples.txt")
"""A line a command: the help of each ends with its own."""
MAX_PORTS = 65_535
MAX_LISTED = 100
"""Releases or plans in a list, unless more are asked for."""
TOKEN = "DPRELEASE_TOKEN"  # noqa: S105 (the name of a variable)
"""Holds a token, for a program that acts for somebody; it never stands on a command line, which others can see."""
T = TypeVar("T")
Answer = tuple[Any, str | Phrase]
"""Result of a command: for `--json`, and in words."""


class LazyChoices:
    """Choices of an option, read when they are asked for: the rooms below are not loaded to list commands."""

    def __init__(self, read: Callable[[], Iterable[str]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __contains__(self, value: object) -> bool:
        return value in tuple(self._read())


def add_command(
    to: Any, name: str, run: Callable[[argparse.Namespace], Answer], words: Phrase
) -> argparse.ArgumentParser:
    """Add a command, whose own options the caller adds."""
    added: argparse.ArgumentParser = to.add_parser(name, help=str(words), description=str(words))
    added.set_defaults(run=run, verb=added.prog.removeprefix("dprelease "))
    add_common(added, given=False)
    return added


def add_common(to: argparse.ArgumentParser, *, given: bool) -> None:
    """Add the options that stand before or after the verb. `given`: with their defaults, which a verb leaves alone."""
    home = Path(os.environ.get("DPRELEASE_HOME", HOME))
    defaults: dict[str, Any] = {"home": home, "acting": None, "json": False, "quiet": False}
    told = {name: value if given else argparse.SUPPRESS for name, value in defaults.items()}
    words = {
        "home": phrase("cli.workspace_folder_default_dprelease", home=HOME),
        "acting": phrase("cli.who_acts_workspace_team"),
        "json": phrase("cli.print_result_json"),
        "quiet": phrase("cli.print_only_id"),
    }
    said = {name: argparse.SUPPRESS if given else str(text) for name, text in words.items()}
    to.add_argument("--home", type=Path, default=told["home"], metavar="DIR", help=said["home"])
    to.add_argument("--as", dest="acting", default=told["acting"], metavar="NAME", help=said["acting"])
    for name in ("json", "quiet"):
        to.add_argument(f"--{name}", action="store_true", default=told[name], help=said[name])


class CommandParser(argparse.ArgumentParser):
    """A parser that takes options by their whole names, and names the nearest one where a word is unknown."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named | {"allow_abbrev": False})

    def format_help(self) -> str:
        """Return the help with an example at its end, as it is typed: it is never wrapped."""
        lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
        shown = [line for line in lines if line.startswith(f"{self.prog} ") or line == self.prog]
        if self._subparsers or not shown:
            return super().format_help()
        return f"{super().format_help()}\n{phrase('cli.usage_example')}:\n  {shown[0]}\n"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = _nearest(value, list(action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}. {near}" if near else error.message) from None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = super().parse_known_args(args, namespace)
        unknown = [word for word in rest if word.startswith("--")]
        if unknown and not self._subparsers:
            word = unknown[0].partition("=")[0]
            if near := _nearest(word, list(self._option_string_actions)):
                self.error(argparse._("unrecognized arguments: %s") % f"{word}. {near}")  # type: ignore[attr-defined]
        return found, rest


def _nearest(word: object, words: list[str]) -> Phrase:
    from dprelease.model.report import nearest  # late: what is well written does not wait for it

    return nearest(word, words)


def plan_path(text: str) -> Path:
    """Return the path of a plan; of standard input where it is `-`."""
    return Path("/dev/stdin" if text == "-" else text)


def add_group(to: Any, name: str, words: Phrase) -> Any:
    """Return what commands are added to that follow a word, which several modules may add to."""
    if name in to.choices:
        return next(action for action in to.choices[name]._actions if isinstance(action, argparse._SubParsersAction))
    return to.add_parser(name, help=str(words), description=str(words)).add_subparsers(required=True, metavar="COMMAND")


def if_open(look: Callable[[], T]) -> T | None:
    """Return an addition to an answer; None where whoever acts, such as a token, may do the work and not see it."""
    try:
        return look()
    except AccessError:
        return None


def open_workspace(
    options: argparse.Namespace, *, make: bool = False, checkpoint: str | None = None
) -> tuple[Workspace, Actor | None]:
    """Return the workspace that --home names, and who acts in it: whom --as names, or whose token $DPRELEASE_TOKEN is.

    With neither, it is the owner of a solo workspace.
    Only with `make` may it be a new one. `checkpoint`: one that is kept outside, if not the one in the environment.
    """
    from dprelease.workspace import Workspace

    if make:
        workspace = Workspace.create(options.home, exist_ok=True, checkpoint=checkpoint)
    else:
        workspace = Workspace.open(options.home, checkpoint=checkpoint)
    say_abandoned(workspace)
    return workspace, _acting(workspace, options.acting)


def say_abandoned(workspace: Workspace) -> None:
    """Names on the other stream each unfinished copy with rows and keys, and the command that removes it."""
    for path in workspace.ledger.abandoned_copies:
        command = f"rm -rf {shlex.quote(str(path))}"
        sys.stderr.write(f"dprelease: {phrase('cli.abandoned_copy', path=path)}\n  {command}\n")


def _acting(workspace: Workspace, name: str | None) -> Actor | None:
    token = os.environ.get(TOKEN)
    if token is None:
        return None if name is None else workspace.people.get(name)
    actor = workspace.people.token_actor(token)
    if actor is None or name not in (None, actor.name):
        raise AccessError(phrase("cli.token_does_work_any", token=TOKEN))
    return actor


def is_team(workspace: Workspace) -> bool:
    """Return True if decisions take two people."""
    from dprelease.store.facts import WorkspaceMode

    return workspace.mode is WorkspaceMode.TEAM


def add_page(to: argparse.ArgumentParser, before: Phrase) -> None:
    """Add the options that limit a list that only grows: the last ones, or those before them."""
    to.add_argument(
        "--limit", type=positive, metavar="N", default=MAX_LISTED, help=str(phrase("cli.last_n_default_default"))
    )
    to.add_argument("--before", metavar="ID", help=str(before))


def tell_more(oldest: str) -> None:
    """Write to standard error that a list has more items, where this is no part of the list."""
    sys.stderr.write(f"dprelease: {phrase('cli.there_are_more', oldest=oldest)}\n")


def figure(number: object) -> str:
    """Return a number of a table, with the point of the language."""
    return str(number).replace(".", point())


def positive(text: str) -> int:
    """Return a number from 1, for argparse."""
    if not (text.isdecimal() and len(text) <= 15 and int(text)):
        raise argparse.ArgumentTypeError(phrase("cli.no_whole_number", text=quoted(text)))
    return int(text)


def day(text: str) -> date:
    """Return a day such as 2025-12-31, for argparse."""
    from dprelease.model.report import read_date

    found = read_date(text)
    if found is None:
        raise argparse.ArgumentTypeError(phrase("cli.no_day", text=quoted(text)))
    return found


def port(text: str) -> int:
    """Return a port, from 1 to 65535, for argparse."""
    number = positive(text)
    if number > MAX_PORTS:
        raise argparse.ArgumentTypeError(phrase("cli.no_port", text=quoted(text), most=MAX_PORTS))
    return number


def unwritable(path: Path, cause: OSError) -> InputError:
    """Return the error for a file that cannot be written."""
    return InputError(
        "file", found=str(path), allowed=phrase("workspace.file_can_written"), remedy=verbatim(cause.strerror or "")
    )

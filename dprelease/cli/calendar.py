"""Commands for the calendar of releases: what is to come, when, and what came."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace
from dprelease.errors import InputError
from dprelease.model.calendar_entry import EVERY
from dprelease.words import phrase, verbatim
from dprelease.words.language import LANGUAGES

if TYPE_CHECKING:
    from dprelease.model.calendar_entry import CalendarEntry


def add(commands: Any) -> None:
    group = add_group(commands, "calendar", phrase("cli.calendar"))
    adding = add_command(group, "add", _add, phrase("cli.calendar_add"))
    adding.add_argument("when", metavar="WHEN", help=str(phrase("model.instant_or_month")))
    adding.add_argument("title", nargs="+", metavar="LANGUAGE=TITLE", help=str(phrase("model.title_by_language")))
    adding.add_argument("--series", default="", metavar="NAME", help=str(phrase("model.name_of_series")))
    adding.add_argument("--every", default="", choices=["", *EVERY], help=str(phrase("cli.calendar_every")))
    adding.add_argument("--confirmed", action="store_true", help=str(phrase("cli.calendar_confirmed")))
    move = add_command(group, "move", _move, phrase("cli.calendar_move"))
    move.add_argument("uid", metavar="UID", help=str(phrase("store.uid_of_calendar")))
    move.add_argument("when", metavar="WHEN", help=str(phrase("model.instant_or_month")))
    move.add_argument("--reason", default="", metavar="TEXT")
    move.add_argument("--confirmed", action="store_true", help=str(phrase("cli.calendar_confirmed")))
    cancel = add_command(group, "cancel", _cancel, phrase("cli.calendar_cancel"))
    cancel.add_argument("uid", metavar="UID", help=str(phrase("store.uid_of_calendar")))
    cancel.add_argument("--reason", required=True, metavar="TEXT")
    add_command(group, "show", _show, phrase("cli.calendar_show"))


def _add(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    title = {}
    for text in options.title:
        code, sign, words = text.partition("=")
        if not sign or code not in LANGUAGES:
            raise InputError("title", found=text, allowed=phrase("model.title_by_language"))
        title[code] = words
    entry = workspace.calendar.add(
        title,
        options.when,
        series=options.series,
        every=options.every,
        confirmed=options.confirmed,
        actor=actor,
    )
    return entry.to_mapping(), _line(entry)


def _move(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    entry = workspace.calendar.move(
        options.uid, options.when, reason=options.reason, confirmed=options.confirmed, actor=actor
    )
    return entry.to_mapping(), _line(entry)


def _cancel(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    entry = workspace.calendar.cancel(options.uid, options.reason, actor=actor)
    return entry.to_mapping(), _line(entry)


def _show(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = workspace.calendar.find(actor=actor)
    lines = verbatim("\n".join(str(_line(each)) for each in found))
    return [each.to_mapping() for each in found], lines if found else phrase("cli.calendar_empty")


def _line(entry: CalendarEntry) -> Any:
    title = next(iter(entry.title.values()), str(phrase("portal.calendar_untitled")))
    was = f" ({', '.join(entry.was)})" if entry.was else ""
    return verbatim(f"{entry.uid}  {entry.when}{was}  {title}: {phrase(f'portal.calendar_{entry.state}')}")

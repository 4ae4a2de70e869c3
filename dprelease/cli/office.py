"""Commands for who publishes: the office's name, logo and terms on public pages, and what each series is."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace
from dprelease.errors import InputError
from dprelease.words import Phrase, phrase, verbatim

if TYPE_CHECKING:
    from dprelease.portal.office import Office
    from dprelease.portal.series_record import SeriesRecord


def add(commands: Any) -> None:
    group = add_group(commands, "office", phrase("cli.who_publishes"))
    setting = add_command(group, "set", _set, phrase("cli.set_office"))
    setting.add_argument("file", type=Path, help=str(phrase("cli.office_file")))
    setting.add_argument("--logo", type=Path, metavar="FILE", help=str(phrase("cli.office_logo")))
    add_command(group, "show", _show, phrase("cli.show_office"))
    registering = add_command(commands, "doi", _doi, phrase("cli.doi"))
    registering.add_argument("release", metavar="ID")
    registering.add_argument("--address", default="", metavar="URL", help=str(phrase("cli.doi_address")))
    registering.add_argument("--registered", nargs="?", const="", metavar="DOI", help=str(phrase("cli.doi_registered")))
    group = add_group(commands, "series", phrase("cli.series"))
    setting = add_command(group, "set", _set_series, phrase("cli.set_series"))
    setting.add_argument("name", help=str(phrase("cli.series_name")))
    setting.add_argument("file", type=Path, help=str(phrase("cli.series_file")))
    showing = add_command(group, "show", _show_series, phrase("cli.show_series"))
    showing.add_argument("name", help=str(phrase("cli.series_name")))


def _set(options: argparse.Namespace) -> Answer:
    from dprelease.model.encoding import read_mapping

    workspace, actor = open_workspace(options)
    office = read_mapping(_read(options.file, "office"), error=InputError, what="office")
    logo = _read(options.logo, "logo") if options.logo else b""
    return _told(workspace.releases.set_office(office, logo, actor=actor))


def _show(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.releases.office(actor=actor))


def _doi(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if options.registered is not None:
        notice = workspace.releases.register_doi(options.release, options.registered, actor=actor)
        return dict(notice.statement), phrase("cli.doi_said", address=notice.text)
    drafted = workspace.releases.doi_draft(options.release, address=options.address, actor=actor)
    return drafted, verbatim(json.dumps(drafted, ensure_ascii=False, indent=2))


def _set_series(options: argparse.Namespace) -> Answer:
    from dprelease.model.encoding import read_mapping

    workspace, actor = open_workspace(options)
    told = read_mapping(_read(options.file, "series"), error=InputError, what="series")
    return _told(workspace.releases.set_series(options.name, told, actor=actor))


def _show_series(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _told(workspace.releases.series(options.name, actor=actor), "cli.no_series")


def _told(own: Office | SeriesRecord, nothing: str = "cli.no_office") -> Answer:
    stated = own.to_mapping()
    if own.is_doubtful:
        return stated, phrase("portal.office_not_signed")
    lines = [f"{key}: {_line(each)}" for key, each in stated.items()]
    return stated, verbatim("\n".join(lines)) if lines else phrase(nothing)


def _line(value: Any) -> str:
    return "; ".join(f"{code} {text}" for code, text in value.items()) if isinstance(value, dict) else str(value)


def _read(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        allowed: Phrase = phrase("model.file_can_read")
        raise InputError(what, found=str(path), allowed=allowed, remedy=verbatim(str(cause.strerror))) from None

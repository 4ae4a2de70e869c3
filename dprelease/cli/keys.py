"""Commands for the keys that sign releases."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace, unwritable
from dprelease.errors import InputError
from dprelease.words import phrase


def add(commands: Any) -> None:
    keys = add_group(commands, "key", phrase("cli.keys_sign_releases"))
    add_command(keys, "show", _show, phrase("cli.fingerprint_signing_key_those"))
    export = add_command(keys, "export", _export, phrase("cli.write_public_key_pem"))
    export.add_argument("path", type=Path, metavar="FILE", help=str(phrase("cli.file_write_must_new")))
    add_command(keys, "rotate", _rotate, phrase("cli.make_new_signing_key"))


def _show(options: argparse.Namespace) -> Answer:
    workspace, _ = open_workspace(options)
    *earlier, current = workspace.ledger.keys()
    lines = [
        str(phrase("cli.signed_by", key=current)),
        *(f"  {phrase('cli.key_before', key=key)}" for key in reversed(earlier)),
    ]
    return {"public_key": current, "earlier": earlier}, "\n".join(lines)


def _export(options: argparse.Namespace) -> Answer:
    workspace, _ = open_workspace(options)
    try:
        with options.path.open("xb") as file:
            file.write(workspace.ledger.public_key_pem())
    except FileExistsError:
        raise InputError(
            "file", found=phrase("cli.there_already", path=options.path), allowed=phrase("cli.new_file")
        ) from None
    except OSError as cause:
        raise unwritable(options.path, cause) from None
    found = {"public_key": workspace.public_key, "path": str(options.path)}
    return found, phrase("cli.key_exported", key=workspace.public_key, path=options.path)


def _rotate(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    old = workspace.public_key
    new = workspace.ledger.rotate_key(actor=actor)
    words = phrase("cli.key_rotated", old=old, new=new)
    return {"public_key": new, "earlier": workspace.ledger.keys()[:-1]}, words

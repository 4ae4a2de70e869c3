"""Commands for the ledger: list it, check it, write it to a file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace


def add(commands: Any) -> None:
    ledger = add_group(commands, "ledger", "The append-only log of all events.")
    add_command(ledger, "list", _list, "List events.").add_argument("--population")
    add_command(ledger, "verify", _verify, "Check the hash chain and every sum.")
    export = add_command(ledger, "export", _export, "Write the events as JSON Lines.")
    export.add_argument("path", type=Path, help="the file to write")


def _list(options: argparse.Namespace) -> Answer:
    events = open_workspace(options).ledger(options.population)
    lines = []
    for event in events:
        what = f"{event.actor:12} {event.kind:20} {event.population or '':20}"
        lines.append(f"{event.seq:6} {event.at:27} {what} {event.loss if event.kind == 'charge' else ''}".rstrip())
    return [event.to_mapping() for event in events], "\n".join(lines)


def _verify(options: argparse.Namespace) -> Answer:
    events = open_workspace(options).verify_ledger()
    return {"events": events, "intact": True}, f"{events} events: the chain is intact and every sum is within its cap."


def _export(options: argparse.Namespace) -> Answer:
    events = open_workspace(options).ledger()
    lines = [json.dumps(event.to_mapping(), ensure_ascii=False, sort_keys=True) for event in events]
    options.path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return {"events": len(lines), "path": str(options.path)}, f"{len(lines)} events written to {options.path}"

"""Commands for the ledger: list it, check it beside a checkpoint, write it to a file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, Choices, add_command, add_group, figure, open_workspace, positive, unwritable
from dprelease.words import phrase, quoted
from dprelease.words.language import ENGLISH, LANGUAGES, speaking

if TYPE_CHECKING:
    from dprelease.model.checkpoint import SignedCheckpoint
    from dprelease.store.event import LedgerEvent

PAGE = 10_000
"""Events that an export holds at a time."""
MOST_LISTED = 10_000
"""Events that a list holds unless more are asked for."""
COLUMNS = (
    *("seq", "at", "actor", "population", "kind", "body"),
    *("epsilon_nano", "rho_nano", "delta_atto"),
    *("spent_epsilon_nano", "spent_rho_nano", "spent_delta_atto", "charges"),
    *("previous_hash", "hash"),
)


def add(commands: Any) -> None:
    ledger = add_group(commands, "ledger", phrase("cli.append_only_log_all"))
    events = add_command(ledger, "list", _list, phrase("cli.list_last_events_oldest", most_listed=MOST_LISTED))
    events.add_argument("--population")
    events.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=Choices(_kinds),
        metavar="KIND",
        help=str(phrase("cli.only_events_kind_repeatable")),
    )
    events.add_argument(
        "--limit", type=positive, metavar="N", help=str(phrase("cli.last_n_default_ledger", most_listed=MOST_LISTED))
    )
    verify = add_command(ledger, "verify", _verify, phrase("cli.check_hash_chain_every"))
    _add_checkpoint(verify)
    checkpoint = add_command(ledger, "checkpoint", _checkpoint, phrase("cli.sign_ledger_stands_kept"))
    checkpoint.add_argument("--out", type=Path, metavar="FILE", help=str(phrase("cli.also_write_file")))
    accept = add_command(ledger, "accept", _accept, phrase("cli.go_ledger_does_continue"))
    accept.add_argument("--reason", required=True, metavar="TEXT", help=str(phrase("cli.why_stands_ledger")))
    accept.add_argument("--key", help=str(phrase("cli.fingerprint_checkpoint_signer_where")))
    _add_checkpoint(accept)
    export = add_command(ledger, "export", _export, phrase("cli.write_events_json_lines"))
    export.add_argument("path", type=Path, help=str(phrase("cli.file_write_csv_where")))

    report = add_command(ledger, "report", _report, phrase("cli.write_what_ledger_says"))
    report.add_argument("population")
    report.add_argument("path", type=Path, help=str(phrase("cli.file_write_pdf_where")))
    report.add_argument("--since", type=_day, metavar="DAY", help=str(phrase("cli.from_day_such_2026")))
    report.add_argument("--until", type=_day, metavar="DAY", help=str(phrase("cli.day_default_today")))
    report.add_argument(
        "--language", choices=list(LANGUAGES), default=ENGLISH, help=str(phrase("cli.language_of_report"))
    )


def _kinds() -> list[str]:
    from dprelease.store.event import EventKind

    return [kind.value for kind in EventKind]


def _add_checkpoint(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--checkpoint",
        metavar="FILE_OR_URL",
        help=str(phrase("cli.signed_checkpoint_was_kept")),
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(phrase("cli.no_day", text=quoted(text))) from None


def _report(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    with speaking(options.language):
        document = workspace.ledger.audit_report(
            options.population, since=options.since, until=options.until, actor=actor
        )
        content = document.pdf() if options.path.suffix.lower() == ".pdf" else document.html().encode()
    try:
        options.path.write_bytes(content)
    except OSError as cause:
        raise unwritable(options.path, cause) from None
    return {"path": str(options.path), "bytes": len(content)}, phrase("cli.written_to", path=options.path)


def _list(options: argparse.Namespace) -> Answer:
    from dprelease.store.event import EventKind

    workspace, actor = open_workspace(options)
    kinds = [EventKind(kind) for kind in options.kind]
    limit = options.limit or MOST_LISTED
    events = workspace.ledger.events(options.population, kinds=kinds, limit=limit, newest_first=True, actor=actor)[::-1]
    if options.limit is None and len(events) == limit:
        _say_if_there_are_more(limit, workspace.ledger.count(options.population, kinds=kinds, actor=actor))
    lines = []
    for event in events:
        what = f"{event.actor:12} {event.kind:20} {event.population or '':20}"
        lines.append(
            f"{event.seq:6} {event.at:27} {what} {figure(event.loss) if event.kind == 'charge' else ''}".rstrip()
        )
    return [event.to_mapping() for event in events], "\n".join(lines)


def _say_if_there_are_more(listed: int, total: int) -> None:
    """On the other stream, where it is no part of the list."""
    if total > listed:
        sys.stderr.write(f"dprelease: {phrase('cli.last_events', listed=listed, total=total)}\n")


def _verify(options: argparse.Namespace) -> Answer:
    from dprelease.workspace.outside import VARIABLE

    workspace, actor = open_workspace(options)
    events = workspace.ledger.verify(options.checkpoint, actor=actor)
    checkpoint = options.checkpoint or os.environ.get(VARIABLE) or None
    lines = [phrase("cli.chain_intact", events=events)]
    if checkpoint is not None:
        lines.append(phrase("cli.continues_checkpoint", checkpoint=checkpoint))
    overspent = workspace.ledger.overspent(actor=actor)
    options.exit_code = 1 if overspent else 0
    lines.append(phrase("cli.overspent") if overspent else phrase("cli.spent_as_charged"))
    words = "\n".join(map(str, [*lines, *(f"  {each}" for each in overspent)]))
    found = [each.to_mapping() for each in overspent]
    return {"events": events, "intact": True, "checkpoint": checkpoint, "overspent": found}, words


def _checkpoint(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if options.out is not None and options.out.exists():
        workspace.ledger.verify(str(options.out), actor=actor)  # what speaks against the ledger is not written over
    signed = workspace.ledger.checkpoint(actor=actor)
    if options.out is not None:
        _keep(signed, options.out)
    taken = signed.checkpoint
    lines = [
        str(phrase("cli.checkpoint_of", events=taken.size, day=taken.on)),
        f"  {phrase('cli.root')!s:7} {taken.root}",
        f"  {phrase('cli.signer')!s:7} {signed.signer}",
    ]
    if options.out is None:
        lines.append(str(phrase("cli.keep_checkpoint")))
    else:
        lines.append(str(phrase("cli.checkpoint_in", path=options.out)))
    return signed.to_mapping(), "\n".join(lines)


def _accept(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options, checkpoint=options.checkpoint)
    difference = workspace.ledger.accept(options.reason, key=options.key, actor=actor)
    words = phrase("cli.accepted", difference=difference)
    return {"difference": difference}, words


def _keep(signed: SignedCheckpoint, path: Path) -> None:
    from dprelease.workspace.outside import Outside

    Outside(str(path)).write(signed)


def _export(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    total, count = workspace.ledger.count(actor=actor), 0
    try:
        with options.path.open("w", encoding="utf-8", newline="\n") as file:
            line = _json_line
            if options.path.suffix.lower() == ".csv":
                line = _csv_line
                file.write(",".join(COLUMNS) + "\n")
            while count < total:
                page = workspace.ledger.events(limit=min(PAGE, total - count), offset=count, actor=actor)
                file.writelines(map(line, page))
                count += len(page)
    except OSError as cause:
        raise unwritable(options.path, cause) from None
    return {"events": count, "path": str(options.path)}, phrase("cli.events_written", events=count, path=options.path)


def _json_line(event: LedgerEvent) -> str:
    return json.dumps(event.to_record(), ensure_ascii=False, sort_keys=True) + "\n"


def _csv_line(event: LedgerEvent) -> str:
    from dprelease.bundle.tables import written
    from dprelease.model.encoding import canonical

    cells = {
        **event.to_mapping(),
        "body": canonical(event.body).decode(),
        "rho_nano": event.loss.rho_nano,
        "charges": event.charges,
    }
    if event.spent is not None:
        cells |= {f"spent_{name}": getattr(event.spent, name) for name in ("epsilon_nano", "rho_nano", "delta_atto")}
    return ",".join(written(cells.get(name)) for name in COLUMNS) + "\n"

"""Commands for the ledger: list it, check it beside a checkpoint, write it to a file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import (
    Answer,
    LazyChoices,
    add_command,
    add_group,
    day,
    figure,
    open_workspace,
    positive,
    unwritable,
)
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, LANGUAGES, speaking

if TYPE_CHECKING:
    from dprelease.model.checkpoint import SignedCheckpoint
    from dprelease.store.event import LedgerEvent
    from dprelease.store.ledger import EventFilter

PAGE = 10_000
"""Events that an export holds at a time."""
MAX_LISTED = 10_000
"""Events that a list holds unless more are asked for."""


def add(commands: Any) -> None:
    ledger = add_group(commands, "ledger", phrase("cli.append_only_log_all"))
    events = add_command(ledger, "list", _list, phrase("cli.list_last_events_oldest", most_listed=MAX_LISTED))
    events.add_argument("--population")
    events.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=LazyChoices(_kinds),
        metavar="KIND",
        help=str(phrase("cli.only_events_kind_repeatable")),
    )
    events.add_argument("--person", metavar="NAME", help=str(phrase("cli.only_events_of_person")))
    _add_days(events)
    events.add_argument("--text", default="", help=str(phrase("cli.only_events_with_text")))
    events.add_argument("--csv", action="store_true", help=str(phrase("cli.list_as_csv")))
    events.add_argument(
        "--limit", type=positive, metavar="N", help=str(phrase("cli.last_n_default_ledger", most_listed=MAX_LISTED))
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
    _add_days(report)
    report.add_argument(
        "--language", choices=list(LANGUAGES), default=ENGLISH, help=str(phrase("cli.language_of_report"))
    )


def _add_days(to: argparse.ArgumentParser) -> None:
    to.add_argument("--since", type=day, metavar="DAY", help=str(phrase("cli.from_day_such_2026")))
    to.add_argument("--until", type=day, metavar="DAY", help=str(phrase("cli.day_default_today")))


def _kinds() -> list[str]:
    from dprelease.store.event import EventKind

    return [kind.value for kind in EventKind]


def _add_checkpoint(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--checkpoint",
        metavar="FILE_OR_URL",
        help=str(phrase("cli.signed_checkpoint_was_kept")),
    )


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
    from dprelease.workspace.event_lines import HEAD, csv_line

    workspace, actor = open_workspace(options)
    wanted: EventFilter = {
        "kinds": [EventKind(kind) for kind in options.kind],
        "person": options.person,
        "since": options.since,
        "until": options.until,
        "text": options.text,
    }
    limit = options.limit or MAX_LISTED
    events = workspace.ledger.events(options.population, limit=limit, newest_first=True, actor=actor, **wanted)[::-1]
    if options.limit is None and len(events) == limit:
        _say_if_there_are_more(limit, workspace.ledger.count(options.population, actor=actor, **wanted))
    if options.csv:
        return [event.to_mapping() for event in events], HEAD + "".join(map(csv_line, events)).removesuffix("\n")
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
    unfinished = workspace.releases.unfinished(actor=actor)
    missing = [each.id for each in unfinished if each.state == "published"]
    if missing:
        lines.append(phrase("cli.bundles_missing", names=tuple(missing)))
    overspent = workspace.ledger.overspent(actor=actor)
    options.exit_code = 6 if overspent or missing else 0
    lines.append(phrase("cli.overspent") if overspent else phrase("cli.spent_as_charged"))
    words = "\n".join(map(str, [*lines, *(f"  {each}" for each in overspent)]))
    found = [each.to_mapping() for each in overspent]
    return {
        "events": events,
        "intact": True,
        "checkpoint": checkpoint,
        "missing": missing,
        "overspent": found,
    }, words


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
    found = workspace.ledger.accept(options.reason, key=options.key, actor=actor)
    known = {"difference": found.difference}
    words = phrase("cli.accepted", **known) if found.accepted else phrase("cli.acceptance_asked", **known)
    lost = found.lost or []
    return {**known, "accepted": found.accepted, "lost": lost}, "\n".join([str(words), *told_lost(lost)])


def told_lost(charges: list[int]) -> list[str]:
    """Say which charges are not drawn for any more, since another copy of the ledger may have; nothing for none."""
    return [str(phrase("cli.lost_charges", events=tuple(map(str, charges))))] if charges else []


def _keep(signed: SignedCheckpoint, path: Path) -> None:
    from dprelease.workspace.outside import OutsideCheckpoint

    OutsideCheckpoint(str(path)).write(signed)


def _export(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    total, count = workspace.ledger.count(actor=actor), 0
    try:
        with options.path.open("w", encoding="utf-8", newline="\n") as file:
            if options.path.suffix.lower() == ".csv":
                count = sum(file.write(line) > 0 for line in workspace.ledger.csv(actor=actor)) - 1
            while count < total:
                page = workspace.ledger.events(limit=min(PAGE, total - count), offset=count, actor=actor)
                file.writelines(map(_json_line, page))
                count += len(page)
    except OSError as cause:
        raise unwritable(options.path, cause) from None
    return {"events": count, "path": str(options.path)}, phrase("cli.events_written", events=count, path=options.path)


def _json_line(event: LedgerEvent) -> str:
    return json.dumps(event.to_record(), ensure_ascii=False, sort_keys=True) + "\n"

"""Commands for people: what they may do, where they are signed in, and the tokens of their programs."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace, positive
from dprelease.model.actor import Role
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.store.people import Person


def add(commands: Any) -> None:
    people = add_group(commands, "person", phrase("cli.who_may_sign_what"))
    add_command(people, "list", _people, phrase("cli.list_everybody_who_was"))
    roles = add_command(people, "role", _roles, phrase("cli.change_what_somebody_may"))
    roles.add_argument("name")
    roles.add_argument(
        "--role",
        action="append",
        required=True,
        choices=[role.value for role in Role],
        help=str(phrase("cli.repeatable")),
    )
    reset = add_command(people, "reset", _reset, phrase("cli.end_all_somebody_signs"))
    disable = add_command(people, "disable", _disable, phrase("cli.end_every_session_token"))
    enable = add_command(people, "enable", _enable, phrase("cli.let_somebody_sign_again"))
    for command in (reset, disable, enable):
        command.add_argument("name")
    add_command(people, "failures", _failures, phrase("cli.list_how_often_signing"))

    sessions = add_group(commands, "session", phrase("cli.where_somebody_signed"))
    listed = add_command(sessions, "list", _sessions, phrase("cli.list_sessions_last"))
    revoke = add_command(sessions, "revoke", _revoke_session, phrase("cli.end_session_at_once"))
    revoke.add_argument("session", metavar="ID", help=str(phrase("cli.as_listed")))
    for command in (listed, revoke):
        command.add_argument("--of", metavar="NAME", help=str(phrase("cli.somebody_else_administrator")))

    tokens = add_group(commands, "token", phrase("cli.tokens_one_own_programs"))
    create = add_command(tokens, "create", _create_token, phrase("cli.print_new_token_once"))
    create.add_argument("label", help=str(phrase("cli.label_of_token")))
    create.add_argument(
        "--operation",
        action="append",
        required=True,
        metavar="NAME",
        help=str(phrase("cli.operation_of_token")),
    )
    create.add_argument(
        "--days", type=positive, default=90, metavar="N", help=str(phrase("cli.how_long_works_default"))
    )
    add_command(tokens, "list", _tokens, phrase("cli.list_one_own_tokens"))
    end = add_command(tokens, "revoke", _revoke_token, phrase("cli.end_token_at_once"))
    end.add_argument("token", metavar="ID", help=str(phrase("cli.as_listed")))


def _people(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    people = workspace.people.find(actor=actor)
    return [_told(person) for person in people], "\n".join(map(_line, people))


def _roles(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    person = workspace.people.set_roles(options.name, set(options.role), actor=actor)
    return _told(person), _line(person)


def _disable(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    person = workspace.people.disable(options.name, actor=actor)
    return _told(person), _line(person)


def _enable(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    person = workspace.people.enable(options.name, actor=actor)
    return _told(person), _line(person)


def _reset(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    link = f"/sign-in?token={workspace.people.reset(options.name, actor=actor)}"
    words = (
        f"Their sessions, tokens, links, password and second factor have ended, and they are told so. At the address\n"
        f"of the dashboard, this signs {options.name} in once, within an hour:\n\n  {link}"
    )
    return {"name": options.name, "link": link}, words


def _failures(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = workspace.people.sign_in_failures(actor=actor)
    lines = [f"{each.day}  {each.name or '(nobody here)':20} {each.count:6}  by {each.way}" for each in found]
    return [asdict(each) for each in found], "\n".join(lines) or "No sign-in failed in 90 days."


def _told(person: Person) -> dict[str, Any]:
    return {**asdict(person), "roles": sorted(person.roles)}


def _line(person: Person) -> str:
    password = "password and code" if person.has_second_factor else "password"
    ways = [way for way, has in ((password, person.has_password), ("provider", person.subject)) if has]
    state = f"disabled {person.disabled[:10]}" if person.disabled else ", ".join(sorted(person.roles)) or "no role"
    return f"{person.name:20} {state:36} {' and '.join(ways) or 'link'}"


def _sessions(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    sessions = workspace.people.sessions(options.of, actor=actor)
    lines = [f"{each.id}  by {each.way:8}  {each.created[:16]}  until {each.expires[:16]}" for each in sessions]
    return [asdict(each) for each in sessions], "\n".join(lines) or "No session lasts."


def _revoke_session(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    workspace.people.revoke_session(options.session, of=options.of, actor=actor)
    return {"session": options.session}, f"Session {options.session} has ended."


def _create_token(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    operations = sorted(set(options.operation))
    token, secret = workspace.people.create_token(options.label, operations=operations, days=options.days, actor=actor)
    words = f"\n  {secret}\n\nIt is shown this once, and works until {token.expires[:10]} for: {', '.join(operations)}."
    return {**asdict(token), "secret": secret}, words


def _tokens(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    tokens = workspace.people.tokens(actor=actor)
    lines = []
    for each in tokens:
        state = f"revoked {each.revoked[:10]}" if each.revoked else f"until {each.expires[:10]}"
        used = f"used {each.uses} times, last {each.used[:10]}" if each.used else "never used"
        lines.append(f"{each.id}  {state}  {used}  {each.label}: {', '.join(each.operations)}")
    return [asdict(each) for each in tokens], "\n".join(lines) or "There is no token."


def _revoke_token(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    workspace.people.revoke_token(options.token, actor=actor)
    return {"token": options.token}, f"Token {options.token} has ended."

"""Commands for people: what they may do, where they are signed in, and the tokens of their programs."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace, positive
from dprelease.model.actor import Role

if TYPE_CHECKING:
    from dprelease.store.people import Person


def add(commands: Any) -> None:
    people = add_group(commands, "person", "Who may sign in, and what they may do.")
    add_command(people, "list", _people, "List everybody who was invited.")
    roles = add_command(people, "role", _roles, "Change what somebody may do, in every session and token at once.")
    roles.add_argument("name")
    roles.add_argument(
        "--role", action="append", required=True, choices=[role.value for role in Role], help="repeatable"
    )
    reset = add_command(people, "reset", _reset, "End all by which somebody signs in, and print a new link for them.")
    disable = add_command(people, "disable", _disable, "End every session and token of somebody, until enabled again.")
    enable = add_command(people, "enable", _enable, "Let somebody sign in again who was disabled.")
    for command in (reset, disable, enable):
        command.add_argument("name")
    add_command(people, "failures", _failures, "List how often signing in failed, by day and name, for 90 days.")

    sessions = add_group(commands, "session", "Where somebody is signed in.")
    listed = add_command(sessions, "list", _sessions, "List the sessions that last.")
    revoke = add_command(sessions, "revoke", _revoke_session, "End a session at once.")
    revoke.add_argument("session", metavar="ID", help="as listed")
    for command in (listed, revoke):
        command.add_argument("--of", metavar="NAME", help="of somebody else, for an administrator")

    tokens = add_group(commands, "token", "Tokens of one's own programs, which act with $DPRELEASE_TOKEN.")
    create = add_command(tokens, "create", _create_token, "Print a new token, once.")
    create.add_argument("label", help="what it is for")
    create.add_argument(
        "--operation",
        action="append",
        required=True,
        metavar="NAME",
        help="what it may do, as in docs/security.md (repeatable)",
    )
    create.add_argument("--days", type=positive, default=90, metavar="N", help="how long it works (default: 90)")
    add_command(tokens, "list", _tokens, "List one's own tokens.")
    end = add_command(tokens, "revoke", _revoke_token, "End a token at once.")
    end.add_argument("token", metavar="ID", help="as listed")


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

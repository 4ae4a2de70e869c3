"""Commands for people: what they may do, where they are signed in, and the tokens of their programs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, LazyChoices, add_command, add_group, open_workspace, positive
from dprelease.model.actor import Role
from dprelease.words import Phrase, phrase

if TYPE_CHECKING:
    from dprelease.store.people import Person

WAYS = ("link", "password", "provider")


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
    what = create.add_mutually_exclusive_group(required=True)
    profiles = LazyChoices(_profiles)
    what.add_argument("--for", dest="profile", choices=profiles, help=str(phrase("cli.profile_of_token")))
    what.add_argument(
        "--operation", action="append", default=[], metavar="NAME", help=str(phrase("cli.operation_of_token"))
    )
    create.add_argument("--dataset", metavar="DATASET", help=str(phrase("cli.dataset_of_token")))
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
    words = phrase("cli.person_reset", name=options.name, link=link)
    return {"name": options.name, "link": link}, words


def _failures(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = workspace.people.sign_in_failures(actor=actor)
    nobody = str(phrase("cli.nobody_here"))
    lines = [f"{each.day}  {each.name or nobody:20} {each.count:6}  {_by(each.way)}" for each in found]
    return [asdict(each) for each in found], "\n".join(lines) or phrase("cli.no_failure")


def _told(person: Person) -> dict[str, Any]:
    return {**asdict(person), "roles": sorted(person.roles)}


def _line(person: Person) -> str:
    password = "password_code" if person.has_second_factor else "password"
    ways = [way for way, has in ((password, person.has_password), ("provider", person.subject)) if has]
    roles = ", ".join(sorted(person.roles)) or phrase("cli.no_role")
    state = str(phrase("cli.disabled_on", day=person.disabled[:10]) if person.disabled else roles)
    return f"{person.name:20} {state:36} {phrase('cli.way_' + ('_'.join(ways) or 'link'))}"


def _by(way: str) -> Phrase:
    return phrase("cli.by", way=phrase(f"cli.way_{way}") if way in WAYS else way)


def _sessions(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    sessions = workspace.people.sessions(options.of, actor=actor)
    lines = [
        f"{each.id}  {_by(each.way)!s:11}  {each.created[:16]}  {phrase('cli.until', time=each.expires[:16])}"
        for each in sessions
    ]
    return [asdict(each) for each in sessions], "\n".join(lines) or phrase("cli.no_session")


def _revoke_session(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    workspace.people.revoke_session(options.session, of=options.of, actor=actor)
    return {"session": options.session}, phrase("cli.session_ended", id=options.session)


def _create_token(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    token, secret = workspace.people.create_token(
        options.label,
        operations=sorted(set(options.operation)),
        profile=options.profile,
        dataset=options.dataset,
        days=options.days,
        actor=actor,
    )
    told = phrase("cli.token_once", day=token.expires[:10], operations=token.operations)
    words = f"\n  {secret}\n\n{told}"
    return {**asdict(token), "secret": secret}, words


def _profiles() -> Iterable[str]:
    from dprelease.workspace.access import PROFILES

    return PROFILES


def _tokens(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    tokens = workspace.people.tokens(actor=actor)
    lines = []
    for each in tokens:
        revoked, used = each.revoked, phrase("cli.never_used")
        state = phrase("cli.revoked_on", day=revoked[:10]) if revoked else phrase("cli.until", time=each.expires[:10])
        if each.used:
            used = phrase("cli.used_times", uses=each.uses, day=each.used[:10])
        lines.append(
            f"{each.id}  {state}  {used}  {each.label}: {', '.join(each.operations)} {each.dataset or ''}".rstrip()
        )
    return [asdict(each) for each in tokens], "\n".join(lines) or phrase("cli.no_token")


def _revoke_token(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    workspace.people.revoke_token(options.token, actor=actor)
    return {"token": options.token}, phrase("cli.token_ended", id=options.token)

"""The operations of people: inviting them, their roles, passwords, sessions and tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import OWNER, PUBLIC, WORKSPACE, Actor, Role
from dprelease.model.population import read_name
from dprelease.model.report import Report
from dprelease.store import people, sessions, tokens, visits
from dprelease.store.people import Person
from dprelease.store.sessions import Session
from dprelease.store.tokens import Token
from dprelease.store.visits import Visit
from dprelease.workspace.access import PERMISSIONS
from dprelease.workspace.operations import Operations

LEAST_PASSWORD = 12
MOST_PASSWORD = 200
MOST_DAYS = 366
KEPT = (OWNER.name, PUBLIC.name, WORKSPACE.name)
"""Names that have a meaning here."""


class People(Operations):
    """Who may do what here, and how they show who they are."""

    def invite(self, name: str, roles: Iterable[str], *, actor: Actor | None = None) -> str:
        """The token of a link that signs a person in with these roles, once, within an hour."""
        acting = self._act("invite", actor)
        report = Report()
        read_name(name, "name", report)
        chosen = read_roles(roles, report)
        if name in KEPT:
            report.add("name", found=name, allowed="another name: this one has a meaning here")
        report.raise_any(InputError)
        return sessions.create_link(self._state.database, Actor(name, chosen), invited_by=acting)

    def person(self, name: str) -> Actor:
        """Somebody who was invited, with their roles, or the owner, whom nobody invites.

        For the terminal, which whoever has the files has. Raises InputError where nobody of that name was invited.
        """
        found = people.get(self._state.database, name)
        if found.disabled is not None:
            raise InputError("person", found=f"{name}, who is disabled", allowed="somebody who may sign in")
        return OWNER if name == OWNER.name else Actor(name, found.roles)

    def people(self, *, actor: Actor | None = None) -> list[Person]:
        """Everybody who may sign in, or might."""
        self._act("people", actor)
        return people.all(self._state.database)

    def set_roles(self, name: str, roles: Iterable[str], *, actor: Actor | None = None) -> Person:
        """Changes what somebody may do, in every session and with every token at once."""
        acting, report = self._act("set_roles", actor), Report()
        chosen = read_roles(roles, report)
        report.raise_any(InputError)
        return people.set_roles(self._state.database, name, chosen, actor=acting)

    def disable_person(self, name: str, *, actor: Actor | None = None) -> Person:
        """Ends every session and token of somebody, who may sign in again once they are invited again."""
        return people.disable(self._state.database, name, actor=self._act("disable_person", actor))

    # One's own

    def set_password(
        self, password: str, *, old: str | None = None, kept: str | None = None, actor: Actor | None = None
    ) -> None:
        """Sets one's own password; `old` must be the present one, where there is one.

        12 to 200 characters, of any kind, and not one's own name. All sessions end but that with the token `kept`.
        Raises InputError, AccessError.
        """
        acting = self._act("set_password", actor)
        _check_password(password, acting.name)
        people.set_password(self._state.database, acting.name, password, old=old, actor=acting, kept=kept)

    def has_password(self, *, actor: Actor | None = None) -> bool:
        """Whether one has set a password."""
        return people.get(self._state.database, self._act("has_password", actor).name).has_password

    def sessions(self, name: str | None = None, *, actor: Actor | None = None) -> list[Session]:
        """The sessions that last: one's own, or, for an administrator, somebody's."""
        acting = self._act("sessions" if name is None else "sessions_of", actor)
        return sessions.of_person(self._state.database, name or acting.name)

    def revoke_session(self, session_id: str, *, of: str | None = None, actor: Actor | None = None) -> None:
        """Ends a session at once: one's own, or, for an administrator, somebody's."""
        acting = self._act("revoke_session" if of is None else "revoke_session_of", actor)
        sessions.revoke_one(self._state.database, session_id, actor=acting, of=of or acting.name)

    def create_token(
        self, label: str, *, operations: Sequence[str], days: int = 90, actor: Actor | None = None
    ) -> tuple[Token, str]:
        """A token for one's own programs, shown once: for these operations (as in `docs/security.md`), so many days.

        It may never do more than its person may at that moment, nor than the token that makes it.
        """
        acting, report = self._act("create_token", actor), Report()
        text = report.text(label, "label", longest=100, shortest=1)
        known = sorted(PERMISSIONS.keys() if acting.scope is None else acting.scope)
        chosen = {report.choice(each, "operations", known) for each in operations}
        if not operations:
            report.add("operations", found="none", allowed=", ".join(known))
        lasts = report.integer(days, "days", lowest=1, highest=MOST_DAYS)
        report.raise_any(InputError)
        given = [each for each in chosen if each is not None]
        lifetime = timedelta(days=lasts or 0)
        return tokens.create(self._state.database, acting, label=text, operations=given, lifetime=lifetime)

    def tokens(self, *, actor: Actor | None = None) -> list[Token]:
        """One's own tokens, the newest first."""
        return tokens.of_person(self._state.database, self._act("tokens", actor).name)

    def revoke_token(self, token_id: str, *, actor: Actor | None = None) -> None:
        """Ends one of one's own tokens; an administrator, anybody's. Raises InputError where there is none."""
        acting = self._act("revoke_token", actor)
        found = tokens.get(self._state.database, token_id)
        if found.actor != acting.name and Role.ADMINISTRATOR not in acting.roles:
            raise InputError("token", found=token_id, allowed="the id of a token of your own")
        tokens.revoke(self._state.database, token_id, actor=acting)

    def token_actor(self, secret: str) -> Actor | None:
        """Who acts with a token, for its operations alone; None where it does not work (any more)."""
        return tokens.actor_of(self._state.database, secret)

    # Signing in

    def sign_in_link(self, actor: Actor = OWNER) -> str:
        """A token that signs in once, for the one who started the server."""
        return sessions.create_link(self._state.database, actor)

    def sign_in(self, token: str) -> str:
        """Redeems a one-time token for a session token. Raises AccessError."""
        return sessions.redeem_link(self._state.database, token)

    def sign_in_by_password(self, name: str, password: str) -> str:
        """The token of a session. Raises AccessError, with one text for every reason."""
        actor = people.check_password(self._state.database, name, password[: MOST_PASSWORD + 1])
        return sessions.begin(self._state.database, actor, "password")

    def sign_in_by_provider(self, subject: str, name: str, roles: frozenset[Role]) -> str:
        """The token of a session of somebody whom an identity provider vouches for. Raises AccessError."""
        report = Report()
        read_name(name, "name", report)
        if report.problems or name in KEPT:
            raise AccessError("nobody can have this name here")
        actor = people.of_subject(self._state.database, subject, name, roles)
        return sessions.begin(self._state.database, actor, "provider")

    def begin_visit(self) -> Visit:
        """A way to an identity provider and back, once, within ten minutes."""
        return visits.begin(self._state.database)

    def redeem_visit(self, state: str) -> Visit:
        """Uses a visit up. Raises AccessError where it is unknown, used or expired."""
        return visits.redeem(self._state.database, state)

    def note_failed_visit(self) -> None:
        """Notes that a sign-in by an identity provider came to nothing."""
        visits.note_failure(self._state.database)

    def session_actor(self, token: str) -> Actor | None:
        """Who a session belongs to; None where it is unknown, expired or revoked."""
        return sessions.actor_of(self._state.database, token)

    def sign_out(self, token: str) -> None:
        """Revokes a session."""
        sessions.revoke(self._state.database, token)


def read_roles(roles: Iterable[str], report: Report) -> frozenset[Role]:
    """At least one role."""
    chosen = [report.choice(role, "roles", [each.value for each in Role]) for role in roles]
    if not chosen:
        report.add("roles", found="none", allowed=", ".join(Role))
    return frozenset(Role(role) for role in chosen if role)


def _check_password(password: str, name: str) -> None:
    """Long enough, and not the name, as NIST SP 800-63B has it; never quotes what was typed."""
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        found, allowed = f"{len(password)} characters", f"{LEAST_PASSWORD} to {MOST_PASSWORD} characters of any kind"
    elif name.lower() in password.lower() and len(password) < len(name) + LEAST_PASSWORD:
        found, allowed = "little more than the own name", "something that cannot be guessed from it"
    elif len(set(password)) < LEAST_PASSWORD // 2:
        found, allowed = "few different characters", f"at least {LEAST_PASSWORD // 2} different ones"
    else:
        return
    raise InputError("password", found=found, allowed=allowed, remedy="Several words in a row are easy to remember.")

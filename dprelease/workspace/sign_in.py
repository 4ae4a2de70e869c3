"""Ways in and out: links, passwords, an identity provider, and whose a session or a token is."""

from __future__ import annotations

from datetime import datetime

from dprelease.errors import AccessError
from dprelease.model.actor import OWNER, PUBLIC, WORKSPACE, Actor, Role
from dprelease.model.population import read_name
from dprelease.model.report import Report
from dprelease.store import passwords, people, sessions, sign_ins, tokens, tries
from dprelease.store.sign_ins import Visit
from dprelease.words import phrase
from dprelease.workspace.operations import Operations
from dprelease.workspace.password import MOST_PASSWORD
from dprelease.workspace.second_factor import MOST_CODE

KEPT = (OWNER.name, PUBLIC.name, WORKSPACE.name)
"""Names that have a meaning here."""


class SignIn(Operations):
    """What nobody needs a role for: it tells who somebody is."""

    def sign_in_link(self, actor: Actor = OWNER) -> str:
        """A token that signs in once, for the one who started the server."""
        return sessions.create_link(self._state.database, actor)

    def link_person(self, token: str) -> str | None:
        """Whom a one-time link signs in, without using it up; None where it does not work (any more)."""
        return sessions.person_of_link(self._state.database, token)

    def sign_in(self, token: str) -> str:
        """Redeems a one-time token for that of a session, or of half a sign-in (`awaits_code`). Raises AccessError."""
        return sessions.redeem_link(self._state.database, token)

    def sign_in_by_password(self, name: str, password: str) -> str:
        """The token of a session, or of half a sign-in (`awaits_code`). AccessError has one text for every reason."""
        with passwords.checked(self._state.database, name, password[: MOST_PASSWORD + 1]) as connection:
            return sessions.begin_by_password(connection, name)

    def awaits_code(self, token: str) -> str | None:
        """Tells who has to give a code of their second factor before a sign-in is a session; None where nobody has to.

        What half a sign-in opens is `sign_in_by_code` alone, for ten minutes.
        """
        return sessions.person_of_half(self._state.database, token)

    def sign_in_by_code(self, token: str, code: str) -> str:
        """The token of a session, for that of half a sign-in and a code, or a recovery code. Raises AccessError."""
        return sessions.finish(self._state.database, token, code[: MOST_CODE + 1], self._state.codes_key)

    def sign_in_by_provider(
        self,
        subject: str,
        name: str,
        roles: frozenset[Role],
        *,
        shown: datetime | None = None,
        again: str | None = None,
    ) -> str:
        """The token of a session of somebody whom an identity provider vouches for. Raises AccessError.

        `shown`: when they signed in there, if it says so: one who did earlier is let in, and has not just shown who
        they are. `again`: the token of a session whose person does so now. It goes on where it is the same person.
        """
        report = Report()
        read_name(name, "name", report)
        if report.problems or name in KEPT:
            raise AccessError(phrase("workspace.nobody_can_name_here"))
        actor = people.of_subject(self._state.database, subject, name, roles)
        known = None if again is None else self.session_actor(again)
        if again is not None and known == actor and known.session is not None:
            sessions.show(self._state.database, known.session.key)
            return again
        return sessions.begin_by_provider(self._state.database, actor.name, shown)

    def begin_visit(self, *, again: bool = False) -> Visit:
        """A way to an identity provider and back, once, within ten minutes; `again`: to show anew who one is."""
        return sign_ins.begin_visit(self._state.database, again=again)

    def redeem_visit(self, state: str) -> Visit:
        """Uses a visit up. Raises AccessError where it is unknown, used or expired."""
        return sign_ins.redeem_visit(self._state.database, state)

    def note_failed_visit(self) -> None:
        """Notes that a sign-in by an identity provider came to nothing."""
        tries.note(self._state.database, "", "provider")

    def session_actor(self, token: str) -> Actor | None:
        """Tells who a session belongs to; None where it is unknown, expired or revoked."""
        return sessions.actor_of(self._state.database, token)

    def sign_out(self, token: str) -> None:
        """Revokes a session."""
        sessions.revoke(self._state.database, token)

    def token_actor(self, secret: str) -> Actor | None:
        """Tells who acts with a token, for its operations alone; None where it does not work (any more)."""
        return tokens.actor_of(self._state.database, secret)

"""The operations of those who administer people: inviting them, their roles, resetting and disabling them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import OWNER, PUBLIC, WORKSPACE, Actor, Role
from dprelease.model.population import read_name
from dprelease.model.report import Report
from dprelease.store import facts, passwords, people, sessions, sign_ins, tokens, tries
from dprelease.store.people import Person
from dprelease.store.sign_ins import ProviderVisit
from dprelease.store.tries import Failures, Guesser
from dprelease.words import phrase, verbatim
from dprelease.workspace.account import OwnAccount
from dprelease.workspace.operations import Noun, Operations
from dprelease.workspace.password import MAX_PASSWORD
from dprelease.workspace.second_factor import MAX_CODE

KEPT = (OWNER.name, PUBLIC.name, WORKSPACE.name)
"""Names that have a meaning here."""


class SignIn(Operations):
    """Operations that need no role: they establish who somebody is."""

    def sign_in_link(self, actor: Actor = OWNER) -> str:
        """Return a token that signs in once, for the one who started the server."""
        return sessions.create_link(self._state.database, actor)

    def link_person(self, token: str) -> str | None:
        """Return whom a one-time link signs in, without using it up; None where it does not work (any more)."""
        return sessions.person_of_link(self._state.database, token)

    def sign_in(self, token: str) -> str:
        """Redeem a one-time token for that of a session, or of half a sign-in (`awaits_code`). Raises AccessError."""
        return sessions.redeem_link(self._state.database, token)

    def sign_in_by_password(self, name: str, password: str, *, address: str = "") -> str:
        """Return the token of a session, or half a sign-in (`awaits_code`). AccessError has one text for every reason.

        `address`: where it comes from, which alone has to wait after wrong ones.
        """
        given, guesser = password[: MAX_PASSWORD + 1], Guesser.at(address)
        with passwords.checked(self._state.database, name, given, guesser) as connection:
            return sessions.begin_by_password(connection, name)

    def awaits_code(self, token: str) -> str | None:
        """Return who has to give a code of their second factor before a sign-in is a session; None where nobody has to.

        What half a sign-in opens is `sign_in_by_code` alone, for ten minutes.
        """
        return sessions.person_of_half(self._state.database, token)

    def sign_in_by_code(self, token: str, code: str, *, address: str = "") -> str:
        """Return the token of a session, for that of half a sign-in and a code or recovery code. Raises AccessError."""
        given, key = code[: MAX_CODE + 1], self._state.codes_key
        return sessions.finish(self._state.database, token, given, key, address=address)

    def sign_in_by_provider(
        self,
        subject: str,
        name: str,
        roles: frozenset[Role],
        *,
        shown: datetime | None = None,
        again: str | None = None,
    ) -> str:
        """Return the token of a session of somebody whom an identity provider vouches for. Raises AccessError.

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

    def begin_visit(self, *, again: bool = False) -> ProviderVisit:
        """Return a way to an identity provider and back, once, within ten minutes; `again`: to show anew who one is."""
        return sign_ins.begin_visit(self._state.database, again=again)

    def redeem_visit(self, state: str) -> ProviderVisit:
        """Use a visit up. Raises AccessError where it is unknown, used or expired."""
        return sign_ins.redeem_visit(self._state.database, state)

    def note_failed_visit(self) -> None:
        """Note that a sign-in by an identity provider came to nothing."""
        tries.note(self._state.database, "", "provider")

    def session_actor(self, token: str) -> Actor | None:
        """Return the person of a session; None where it is unknown, expired or revoked."""
        return sessions.actor_of(self._state.database, token)

    def sign_out(self, token: str) -> None:
        """Revoke a session."""
        sessions.revoke(self._state.database, token)

    def token_actor(self, secret: str) -> Actor | None:
        """Return who acts with a token, for its operations alone; None where it does not work (any more)."""
        return tokens.actor_of(self._state.database, secret)


class People(OwnAccount, SignIn, Noun):
    """People with their roles: how they come in, and what they do with their own accounts."""

    _listed, _heads = "people", ("person", "roles", "")

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (each.name, ", ".join(sorted(each.roles)), "disabled" if each.disabled else "")
            for each in people.every(self._state.database)
        ]

    def require_two_people(self, *, actor: Actor | None = None) -> None:
        """Make this a workspace of a team, for good: plans and budgets then take a second person."""
        facts.require_two(self._state.database, actor=self._act("require_two_people", actor))

    def invite(self, name: str, roles: Iterable[str], *, actor: Actor | None = None) -> str:
        """Return the token of a link that signs somebody new in with these roles, once, within an hour.

        Raises InputError where somebody has or had the name: it takes `reset` to let them in anew.
        """
        acting = self._act("invite", actor)
        report = Report()
        read_name(name, "name", report)
        chosen = read_roles(roles, report)
        if name in KEPT:
            report.add("name", found=name, allowed=phrase("workspace.another_name_one_meaning"))
        report.raise_any(InputError)
        return sessions.invite(self._state.database, Actor(name, chosen), by=acting)

    def reset(self, name: str, *, actor: Actor | None = None) -> str:
        """Return the token of a link for somebody who cannot sign in any more: once, within an hour.

        Their sessions, tokens, earlier links, password and second factor end, and they are told at the next sign-in.
        What they approve in a session of that link, or of a password set there, is marked with who reset them. Nobody
        resets the owner but the owner, in the terminal. Raises InputError.
        """
        return sessions.reset(self._state.database, name, by=self._act("reset", actor))

    def get(self, name: str) -> Actor:
        """Return somebody who was invited, with their roles, or the owner, whom nobody invites.

        For the terminal, which whoever has the files has. Raises InputError where nobody of that name was invited.
        """
        found = people.get(self._state.database, name)
        if found.disabled is not None:
            raise InputError(
                "person", found=phrase("store.who_disabled", actor=name), allowed=phrase("store.somebody_who_may_sign")
            )
        return OWNER if name == OWNER.name else Actor(name, found.roles)

    def find(self, *, actor: Actor | None = None) -> list[Person]:
        """Return everybody who may sign in, or might."""
        self._act("people", actor)
        return people.every(self._state.database)

    def sign_in_failures(self, *, actor: Actor | None = None) -> list[Failures]:
        """Return how often signing in failed on each of the last 90 days, by name."""
        self._act("sign_in_failures", actor)
        return tries.every(self._state.database)

    def second_factor_roles(self, *, actor: Actor | None = None) -> frozenset[Role]:
        """Return the roles for which a password needs a second factor."""
        self._act("second_factor_roles", actor)
        with self._state.database.reading() as connection:
            return facts.second_factor_roles_within(connection)

    def require_second_factor(self, roles: Iterable[str], *, actor: Actor | None = None) -> None:
        """Decide for which roles a password needs a second factor, none for nobody.

        It holds at once: who has such a role and no second factor can do nothing but set it up. Who signs in at an
        identity provider is asked there, and not here. Raises InputError.
        """
        acting, report = self._act("require_second_factor", actor), Report()
        chosen = read_roles(roles, report) if (roles := list(roles)) else frozenset[Role]()
        report.raise_any(InputError)
        here, known = acting.session, people.get(self._state.database, acting.name)
        if here and here.way != "provider" and acting.roles & chosen and not known.has_second_factor:
            allowed = phrase("workspace.one_your_own_before")
            raise InputError(
                "second factor",
                found=phrase("statistics.none"),
                allowed=allowed,
                remedy=phrase("workspace.set_up_your_account"),
            )
        facts.require_second_factor(self._state.database, chosen, actor=acting)

    def set_roles(self, name: str, roles: Iterable[str], *, actor: Actor | None = None) -> Person:
        """Change what somebody may do, in every session and with every token at once; they are told."""
        acting, report = self._act("set_roles", actor), Report()
        chosen = read_roles(roles, report)
        report.raise_any(InputError)
        return people.set_roles(self._state.database, name, chosen, actor=acting)

    def disable(self, name: str, *, actor: Actor | None = None) -> Person:
        """End every session, token, link, password and second factor of somebody."""
        return people.disable(self._state.database, name, actor=self._act("disable_person", actor))

    def enable(self, name: str, *, actor: Actor | None = None) -> Person:
        """Let somebody sign in again who was disabled, once they have a new link or by the identity provider."""
        return people.enable(self._state.database, name, actor=self._act("enable_person", actor))


def read_roles(roles: Iterable[str], report: Report) -> frozenset[Role]:
    """Read at least one role."""
    chosen = [report.choice(role, "roles", [each.value for each in Role]) for role in roles]
    if not chosen:
        report.add("roles", found=phrase("statistics.none"), allowed=verbatim(", ".join(Role)))
    return frozenset(Role(role) for role in chosen if role)

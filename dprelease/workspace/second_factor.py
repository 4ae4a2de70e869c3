"""The operations of one's own second factor: codes of an authenticator beside the password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dprelease.errors import AccessError, InputError, need
from dprelease.model.actor import Actor
from dprelease.store import passwords, people, second_factor, sessions
from dprelease.store.connection import Connection
from dprelease.store.second_factor import SecondFactor
from dprelease.store.tries import REFUSED, Guesser
from dprelease.words import phrase
from dprelease.workspace.operations import Operations
from dprelease.workspace.password import MAX_PASSWORD

ISSUER = "dprelease"
MAX_CODE = 60


@dataclass(frozen=True, slots=True)
class Prepared:
    """Secret for an authenticator, given once."""

    secret: str = field(repr=False)
    """160 bits in base32."""
    address: str = field(repr=False)
    """The same as otpauth://, as authenticators read it from a picture."""


class SecondFactors(Operations):
    """A password needs a code beside it, from the moment its person turned that on."""

    def second_factor(self, *, actor: Actor | None = None) -> SecondFactor:
        """Return the state of one's second factor: if one has it, and if one needs it."""
        acting = self._act("second_factor", actor)
        roles = people.get(self._state.database, acting.name).roles
        return second_factor.of_person(self._state.database, Actor(acting.name, roles))

    def prepare_second_factor(self, *, actor: Actor | None = None) -> Prepared:
        """Return a new secret for one's authenticator, which asks for nothing until `turn_on_second_factor`.

        Raises InputError where one has no password, or a second factor already.
        """
        need("desk", "pyotp")
        import pyotp

        acting = self._act("prepare_second_factor", actor)
        if not people.get(self._state.database, acting.name).has_password:
            allowed = phrase("workspace.password_beside_asks_code")
            raise InputError(
                "second factor",
                found=phrase("workspace.no_password"),
                allowed=allowed,
                remedy=phrase("workspace.set_password_first"),
            )
        secret = second_factor.prepare(self._state.database, acting.name, self._state.codes_key)
        return Prepared(secret, pyotp.TOTP(secret, name=acting.name, issuer=ISSUER).provisioning_uri())

    def turn_on_second_factor(self, password: str, code: str, *, actor: Actor | None = None) -> list[str]:
        """Ask for a code beside the password from now on. Returns ten recovery codes, shown this once.

        `code`: a present one of the prepared secret. All one's sessions end but the one this is done in. Raises
        AccessError where the password or the code is another one, with one text for every reason.
        """
        acting = self._act("turn_on_second_factor", actor)
        with self._checked(acting, password) as connection:
            made = second_factor.turn_on_within(connection, code[: MAX_CODE + 1], self._state.codes_key, actor=acting)
        if made is None:
            raise AccessError(REFUSED)
        return made

    def turn_off_second_factor(self, password: str, code: str, *, actor: Actor | None = None) -> None:
        """Ask for the password alone again; where a role needs a second factor, one has to set up another at once.

        `code`: a present one, or a recovery code. Raises AccessError, with one text for every reason.
        """
        acting = self._act("turn_off_second_factor", actor)
        with self._checked(acting, password) as connection:
            off = second_factor.turn_off_within(connection, code[: MAX_CODE + 1], self._state.codes_key, actor=acting)
        if not off:
            raise AccessError(REFUSED)

    def renew_recovery_codes(self, password: str, code: str, *, actor: Actor | None = None) -> list[str]:
        """Return ten new recovery codes, shown this once; those before do not work any more. Raises AccessError."""
        acting, key = self._act("renew_recovery_codes", actor), self._state.codes_key
        with self._checked(acting, password) as connection:
            made = second_factor.renew_codes_within(connection, code[: MAX_CODE + 1], key, actor=acting)
        if made is None:
            raise AccessError(REFUSED)
        return made

    @contextmanager
    def _checked(self, acting: Actor, password: str) -> Iterator[Connection]:
        """Yield a transaction in which one's password fits, and one's session lasts.

        What is wrong with a code must not be raised inside it: that it was tried has to stay.
        """
        given = password[: MAX_PASSWORD + 1]
        with passwords.checked(self._state.database, acting.name, given, Guesser.within(acting)) as connection:
            if acting.session is not None and not sessions.lasts_within(connection, acting.session.key):
                raise AccessError(phrase("store.session_ended"))
            yield connection

    def _takes_code(self, connection: Connection, acting: Actor, code: str) -> bool:
        """Return True if a code fits, or no second factor is on."""
        if not second_factor.is_on_within(connection, acting.name):
            return True
        key = self._state.codes_key
        guesser = Guesser.within(acting)
        return second_factor.check_within(connection, acting.name, code[: MAX_CODE + 1], key, guesser) is not None

"""The operations of one's own account: password, sessions, tokens, and what happened to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from dprelease.errors import AccessError, ConfirmationError, InputError
from dprelease.model.actor import Actor, Role
from dprelease.model.report import Report
from dprelease.store import account_news, datasets, passwords, people, sessions, tokens
from dprelease.store.account_news import News
from dprelease.store.sessions import SignedInSession
from dprelease.store.tokens import Token
from dprelease.store.tries import REFUSED
from dprelease.words import phrase, verbatim
from dprelease.workspace.access import NEVER_BY_TOKEN, PERMISSIONS, PROFILES
from dprelease.workspace.password import check_password
from dprelease.workspace.second_factor import SecondFactors

MAX_DAYS = 366
FIRST_PASSWORD = timedelta(hours=1)
"""Longest time after a sign-in by a link to set a first password: later, a cookie could have been stolen."""


class OwnAccount(SecondFactors):
    """Operations of everybody who signs in, on their own account."""

    def set_password(
        self, password: str, *, old: str | None = None, end_tokens: bool = False, actor: Actor | None = None
    ) -> None:
        """Set one's own password; `old` must be the present one, where there is one.

        12 to 200 characters, of any kind, not one's own name and not easily guessed. All one's sessions end but the one
        this is done in, and with `end_tokens` all one's tokens. Raises InputError, AccessError; ConfirmationError where
        a session sets a first one too long after it was begun.
        """
        acting = self._act("set_password", actor)
        here, database = acting.session, self._state.database
        person = people.get(database, acting.name)
        if person.subject is not None:
            raise InputError(
                "password",
                found=phrase("workspace.one_somebody_who_signs"),
                allowed=phrase("workspace.signing_there_alone_who"),
            )
        check_password(password, acting.name)
        if not person.has_password and here and not sessions.has_shown(database, here.key, within=FIRST_PASSWORD):
            raise ConfirmationError("link")
        passwords.set_password(database, password, old=old, end_tokens=end_tokens, actor=acting)

    def has_password(self, *, actor: Actor | None = None) -> bool:
        """Return True if one has set a password."""
        return people.get(self._state.database, self._act("has_password", actor).name).has_password

    def confirm(self, password: str, code: str = "", *, actor: Actor | None = None) -> None:
        """Show anew that it is oneself who acts in a session: what asks for that is open for five minutes.

        `code`: of the second factor, where one is on. Raises AccessError where the password or the code is another one,
        with one text for every reason.
        """
        acting = self._act("confirm", actor)
        if acting.session is None:
            raise AccessError(phrase("workspace.only_session_dashboard_does"))
        with self._checked(acting, password) as connection:
            shown = self._takes_code(connection, acting, code)
            if shown:
                sessions.show_within(connection, acting.session.key)
        if not shown:
            raise AccessError(REFUSED)

    def news(self, *, actor: Actor | None = None) -> list[News]:
        """Return what happened to one's own account: resets that one was not told of, then the newest first."""
        return account_news.of_person(self._state.database, self._act("account_news", actor).name)

    def see_news(self, up_to: int, *, actor: Actor | None = None) -> None:
        """Note that one was told of everything up to some news.

        A reset that came of the same administrator as the session stays: its link, or a password that was set there,
        may be in their hands. It goes in a session by somebody else's link.
        """
        acting = self._act("see_account_news", actor)
        account_news.see(self._state.database, acting.name, up_to=up_to, but_resets_by=resetter(acting))

    def sessions(self, name: str | None = None, *, actor: Actor | None = None) -> list[SignedInSession]:
        """Return the sessions that last: one's own, or, for an administrator, somebody's."""
        acting = self._act("sessions" if name is None else "sessions_of", actor)
        return sessions.of_person(self._state.database, name or acting.name)

    def revoke_session(self, session_id: str, *, of: str | None = None, actor: Actor | None = None) -> None:
        """End a session at once: one's own, or, for an administrator, somebody's."""
        acting = self._act("revoke_session" if of is None else "revoke_session_of", actor)
        sessions.revoke_one(self._state.database, session_id, actor=acting, of=of or acting.name)

    def create_token(
        self,
        label: str,
        *,
        operations: Sequence[str] = (),
        profile: str | None = None,
        dataset: str | None = None,
        days: int = 90,
        actor: Actor | None = None,
    ) -> tuple[Token, str]:
        """A token for one's own programs, shown once: for these operations (as in `docs/security.md`), so many days.

        It may never do more than its person may at that moment, nor than the token that makes it, and ends with that
        one. No token touches accounts. `profile`: `read`, `analyst` or `publish`, in place of operations, for work at a
        distance, with `dataset` of that one alone.
        """
        acting, report = self._act("create_token", actor), Report()
        text = report.text(label, "label", longest=100, shortest=1)
        known = sorted((PERMISSIONS.keys() if acting.scope is None else acting.scope) - NEVER_BY_TOKEN)
        chosen = {report.choice(each, "operations", known) for each in operations}
        if profile is not None and report.choice(profile, "profile", list(PROFILES)):
            chosen |= PROFILES[profile]
        if dataset is not None:
            datasets.get(self._state.database, dataset)
        if dataset is not None and not {each for each in chosen if each} <= PROFILES["publish"]:
            report.add("dataset", found=dataset, allowed=phrase("workspace.token_of_dataset", names=tuple(PROFILES)))
        if not chosen and not report.problems:
            report.add("operations", found=phrase("statistics.none"), allowed=verbatim(", ".join(known)))
        lasts = report.integer(days, "days", lowest=1, highest=MAX_DAYS)
        report.raise_any(InputError)
        given = [each for each in chosen if each is not None]
        lifetime = timedelta(days=lasts or 0)
        return tokens.create(
            self._state.database, acting, label=text, operations=given, lifetime=lifetime, dataset=dataset
        )

    def tokens(self, *, actor: Actor | None = None) -> list[Token]:
        """Return one's own tokens, the newest first."""
        return tokens.of_person(self._state.database, self._act("tokens", actor).name)

    def revoke_token(self, token_id: str, *, actor: Actor | None = None) -> None:
        """End one of one's own tokens with all that it made; an administrator, anybody's. Raises InputError.

        A token ends itself and what it made, and no other.
        """
        acting = self._act("revoke_token", actor)
        found = tokens.get(self._state.database, token_id)
        others = found.actor != acting.name and Role.ADMINISTRATOR not in acting.roles
        if others or (acting.token and not tokens.is_of(self._state.database, token_id, acting.token)):
            raise InputError("token", found=token_id, allowed=phrase("workspace.id_token_your_own"))
        tokens.revoke(self._state.database, token_id, actor=acting)


def resetter(actor: Actor) -> str | None:
    """Return the administrator whose reset let somebody into their session, by its link or by a password set there."""
    here = actor.session
    return here.issued_by if here is not None and here.issued == "reset" else None


def stays(news: News, actor: Actor) -> bool:
    """Return True for a notice of the very reset that a session came of: its person cannot take it away there."""
    return news.kind == account_news.RESET and news.by_whom is not None and news.by_whom == resetter(actor)

"""The person who acts, with role and session."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    CURATOR = "curator"
    REVIEWER = "reviewer"
    ADMINISTRATOR = "administrator"
    ANALYST = "analyst"
    AUDITOR = "auditor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """The session in which somebody acts."""

    key: str = field(repr=False)
    """Hashed token of the session."""
    way: str
    """Way in which the session began: by a link, a password or a provider."""
    issued: str | None = None
    """Origin of the link that began the session or set its password: terminal, invitation or reset."""
    issued_by: str | None = None
    """Maker of that link; None where the session's own person made it."""
    incomplete: bool = False
    """True until the person has set up a required second factor; they act without a role until then."""

    @property
    def mark(self) -> dict[str, str] | None:
        """Access that somebody else opened for a decision: by a link, or a reset of the password."""
        if self.issued is None or not (self.way == "link" or (self.way == "password" and self.issued == "reset")):
            return None
        return {"way": self.way, "issued": self.issued, "by": self.issued_by or ""}


@dataclass(frozen=True, slots=True)
class Actor:
    """An authenticated person (or token) with roles; without roles, the public.

    Example: `ws.people.get("owner").roles`.
    """

    name: str
    roles: frozenset[Role] = frozenset()
    scope: frozenset[str] | None = None
    """The operations that a token is for; None where the roles alone decide."""
    token: str | None = field(default=None, compare=False)
    """The id of that token."""
    dataset: str | None = field(default=None, compare=False)
    """The one dataset that the token is for; None where it is for all that its person works with."""
    request: str | None = field(default=None, compare=False)
    """Digest of the key by which a program tells a repeated request."""
    session: Presence | None = field(default=None, compare=False, repr=False)
    """Session in which they act; None of a token, of the terminal and of a program."""

    @property
    def by(self) -> dict[str, str]:
        """Entries `token` and `key` for the event of a change that a program makes; none of a person's own."""
        told = {"token": self.token, "key": self.request}
        return {name: value for name, value in told.items() if value is not None}

    @property
    def access(self) -> dict[str, dict[str, str]]:
        """Entry `access` for the event of a decision, where somebody else opened the door for it."""
        mark = None if self.session is None else self.session.mark
        return {} if mark is None else {"access": mark}


WORKSPACE = Actor("workspace")
"""The program itself, in events that become public."""
PUBLIC = Actor("public")
OWNER = Actor("owner", frozenset({Role.CURATOR, Role.REVIEWER, Role.ADMINISTRATOR}))
"""The one person of a solo workspace."""

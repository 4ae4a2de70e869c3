"""Who acts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    CURATOR = "curator"
    REVIEWER = "reviewer"
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True, slots=True)
class Actor:
    """An authenticated person (or token) with roles; without roles, the public."""

    name: str
    roles: frozenset[Role] = frozenset()
    scope: frozenset[str] | None = None
    """The operations that a token is for; None where the roles alone decide."""


WORKSPACE = Actor("workspace")
"""The program itself, in events that become public."""
PUBLIC = Actor("public")
OWNER = Actor("owner", frozenset(Role))
"""The one person of a solo workspace."""

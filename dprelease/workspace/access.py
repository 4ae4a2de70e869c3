"""Which role may do what: one table, checked inside every operation."""

from __future__ import annotations

from dprelease.errors import AccessError
from dprelease.model.actor import Actor, Role

ANYONE: frozenset[Role] = frozenset()
CURATOR = frozenset({Role.CURATOR})
REVIEWER = frozenset({Role.REVIEWER})
STAFF = frozenset({Role.CURATOR, Role.REVIEWER})

PERMISSIONS: dict[str, frozenset[Role]] = {
    "add_population": CURATOR,
    "populations": STAFF,
    "budget": STAFF,
    "budget_after": STAFF,
    "stage_upload": CURATOR,
    "uploads": CURATOR,
    "discard_upload": CURATOR,
    "add_dataset": CURATOR,
    "describe": CURATOR,
    "table_columns": CURATOR,
    "datasets": STAFF,
    "price": STAFF,
    "figures": STAFF,
    "preview": CURATOR,
    "submit": CURATOR,
    "plans": STAFF,
    "approve": REVIEWER,
    "publish": CURATOR,
    "ledger": STAFF,
    "verify_ledger": STAFF,
    "releases": ANYONE,
    "release": ANYONE,
    "bundle_path": ANYONE,
    "write_site": STAFF,
}
"""An operation is allowed to an actor with one of its roles; with no roles listed, to the public."""


def authorise(operation: str, actor: Actor) -> None:
    """Raises AccessError where the actor has none of the operation's roles."""
    allowed = PERMISSIONS[operation]
    if allowed and not allowed & actor.roles:
        roles = " or ".join(sorted(role.value for role in allowed))
        raise AccessError(f"{operation.replace('_', ' ')} needs the role {roles}; sign in as someone who has it")

"""Which role may do what: one table, checked inside every operation."""

from __future__ import annotations

from dprelease.errors import AccessError
from dprelease.model.actor import Actor, Role

ANYONE: frozenset[Role] = frozenset()
CURATOR = frozenset({Role.CURATOR})
REVIEWER = frozenset({Role.REVIEWER})
ADMINISTRATOR = frozenset({Role.ADMINISTRATOR})
STAFF = frozenset({Role.CURATOR, Role.REVIEWER})

PERMISSIONS: dict[str, frozenset[Role]] = {
    "require_two_people": ADMINISTRATOR,
    "invite": ADMINISTRATOR,
    "add_population": CURATOR,
    "raise_cap": CURATOR,
    "open_period": CURATOR,
    "attest_overlap": CURATOR,
    "overlaps": STAFF,
    "declare_earlier_releases": CURATOR,
    "earlier_releases": STAFF,
    "requests": STAFF,
    "approve_request": REVIEWER,
    "return_request": REVIEWER,
    "populations": STAFF,
    "budget": STAFF,
    "budget_after": STAFF,
    "stage_upload": CURATOR,
    "uploads": CURATOR,
    "discard_upload": CURATOR,
    "add_dataset": CURATOR,
    "describe": CURATOR,
    "replace_rows": CURATOR,
    "delete_table": CURATOR,
    "table_columns": CURATOR,
    "datasets": STAFF,
    "price": STAFF,
    "figures": STAFF,
    "preview": CURATOR,
    "submit": CURATOR,
    "plans": STAFF,
    "approve": REVIEWER,
    "return_plan": REVIEWER,
    "decisions": STAFF,
    "approval_lapse": STAFF,
    "price_of": STAFF,
    "publish": CURATOR,
    "unfinished": STAFF,
    "resume": CURATOR,
    "add_erratum": CURATOR,
    "supersede": CURATOR,
    "notices": ANYONE,
    "ledger": STAFF,
    "verify_ledger": STAFF,
    "checkpoint": STAFF,
    "accept_ledger": REVIEWER,
    "rotate_key": ADMINISTRATOR,
    "backup": ADMINISTRATOR,
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

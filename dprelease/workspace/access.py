"""Permissions of each role: one table, checked inside every operation."""

from __future__ import annotations

from dprelease.errors import AccessError
from dprelease.model.actor import Actor, Role
from dprelease.words import phrase

ANYONE: frozenset[Role] = frozenset()
CURATOR = frozenset({Role.CURATOR})
REVIEWER = frozenset({Role.REVIEWER})
ADMINISTRATOR = frozenset({Role.ADMINISTRATOR})
REMOTE = frozenset({Role.CURATOR, Role.ANALYST})
STAFF = frozenset({Role.CURATOR, Role.REVIEWER})
STAFF_ALL = STAFF | ADMINISTRATOR
READERS = STAFF | {Role.AUDITOR}
ASKED = STAFF_ALL | {Role.AUDITOR}
SIGNED_IN = frozenset(Role)

PEOPLE = {
    CURATOR: phrase("workspace.a_curator"),
    REVIEWER: phrase("workspace.a_reviewer"),
    ADMINISTRATOR: phrase("workspace.an_administrator"),
    STAFF: phrase("workspace.a_curator_or_reviewer"),
    STAFF_ALL: phrase("workspace.anybody_but_an_analyst_or_auditor"),
    READERS: phrase("workspace.a_curator_reviewer_or_auditor"),
    ASKED: phrase("workspace.anybody_but_an_analyst"),
    REMOTE: phrase("workspace.a_curator_or_analyst"),
    SIGNED_IN: phrase("workspace.anybody_signed_in"),
}
"""Holders of each role, in words."""

PERMISSIONS: dict[str, frozenset[Role]] = {
    "require_two_people": ADMINISTRATOR,
    "require_second_factor": ADMINISTRATOR,
    "second_factor_roles": ADMINISTRATOR,
    "invite": ADMINISTRATOR,
    "reset": ADMINISTRATOR,
    "people": ADMINISTRATOR,
    "sign_in_failures": ADMINISTRATOR,
    "set_roles": ADMINISTRATOR,
    "disable_person": ADMINISTRATOR,
    "enable_person": ADMINISTRATOR,
    "set_password": SIGNED_IN,
    "second_factor": SIGNED_IN,
    "prepare_second_factor": SIGNED_IN,
    "turn_on_second_factor": SIGNED_IN,
    "turn_off_second_factor": SIGNED_IN,
    "renew_recovery_codes": SIGNED_IN,
    "confirm": SIGNED_IN,
    "account_news": SIGNED_IN,
    "see_account_news": SIGNED_IN,
    "has_password": SIGNED_IN,
    "sessions": SIGNED_IN,
    "sessions_of": ADMINISTRATOR,
    "revoke_session": SIGNED_IN,
    "revoke_session_of": ADMINISTRATOR,
    "create_token": SIGNED_IN,
    "tokens": SIGNED_IN,
    "revoke_token": SIGNED_IN,
    "add_population": CURATOR,
    "raise_cap": CURATOR,
    "open_period": CURATOR,
    "attest_overlap": CURATOR,
    "overlaps": READERS,
    "declare_earlier_releases": CURATOR,
    "earlier_releases": READERS,
    "requests": ASKED,
    "confirm_overlap": ADMINISTRATOR,
    "compare_rows": ADMINISTRATOR,
    "approve_request": REVIEWER,
    "return_request": REVIEWER,
    "populations": READERS,
    "budget": READERS,
    "budget_after": STAFF,
    "stage_upload": CURATOR,
    "uploads": CURATOR,
    "discard_upload": CURATOR,
    "receive_upload": CURATOR,
    "import_file": CURATOR,
    "importable": CURATOR,
    "read_again": CURATOR,
    "readings": CURATOR,
    "dismiss_reading": CURATOR,
    "dataset_terms": READERS,
    "set_terms": CURATOR,
    "open_to_analysts": CURATOR,
    "kept": CURATOR,
    "add_dataset": CURATOR,
    "describe": CURATOR,
    "dependents": CURATOR,
    "codebook": CURATOR,
    "catalogue": CURATOR,
    "replace_rows": CURATOR,
    "delete_table": CURATOR,
    "table_columns": CURATOR,
    "datasets": READERS,
    "price": STAFF,
    "figures": STAFF,
    "meaning": STAFF,
    "foreseen": STAFF,
    "needed_epsilon": STAFF,
    "attack": STAFF,
    "codebook_statistics": CURATOR,
    "save_draft": CURATOR,
    "drafts": CURATOR,
    "draft": CURATOR,
    "rename_draft": CURATOR,
    "duplicate_draft": CURATOR,
    "delete_draft": CURATOR,
    "preview": CURATOR,
    "set_preview_policy": ADMINISTRATOR,
    "told_of_previews": READERS,
    "changes_since_preview": STAFF,
    "submit": CURATOR,
    "plans": READERS,
    "approve": REVIEWER,
    "return_plan": REVIEWER,
    "decisions": READERS,
    "approval_lapse": READERS,
    "price_of": READERS,
    "policy": READERS,
    "review": STAFF,
    "delegate": REVIEWER,
    "versions": READERS,
    "bases": STAFF,
    "changes": STAFF,
    "remarks": READERS,
    "remark": REVIEWER,
    "answer": STAFF,
    "settle": REVIEWER,
    "audit_report": READERS,
    "reviewers": READERS,
    "delegations": READERS,
    "publish": CURATOR,
    "open_run": CURATOR,
    "end_run": CURATOR,
    "runs": READERS,
    "rounds": STAFF,
    "create_federation": CURATOR,
    "join_federation": CURATOR,
    "take_round_files": CURATOR,
    "round_files": CURATOR,
    "foreseen_sum": CURATOR,
    "contribute": CURATOR,
    "fetch_round": CURATOR,
    "send_round": CURATOR,
    "make_void": CURATOR,
    "combine": CURATOR,
    "publish_round": CURATOR,
    "publishing": CURATOR,
    "unfinished": READERS,
    "resume": CURATOR,
    "add_erratum": CURATOR,
    "supersede": CURATOR,
    "doi_draft": STAFF,
    "register_doi": CURATOR,
    "set_office": ADMINISTRATOR,
    "embargoes": STAFF,
    "open_due": CURATOR,
    "change_embargo": STAFF,
    "see_embargoed": SIGNED_IN,
    "set_calendar": ADMINISTRATOR,
    "calendar": ANYONE,
    "office": ANYONE,
    "set_series": CURATOR,
    "series": ANYONE,
    "notices": ANYONE,
    "ledger": READERS,
    "verify_ledger": READERS,
    "overspent": READERS,
    "checkpoint": STAFF,
    "accept_ledger": STAFF,
    "rotate_key": ADMINISTRATOR,
    "backup": ADMINISTRATOR,
    "releases": ANYONE,
    "release": ANYONE,
    "release_ids": ANYONE,
    "release_count": ANYONE,
    "named_releases": ANYONE,
    "bundle_path": ANYONE,
    "write_site": STAFF,
    "remote_read": REMOTE,
    "remote_price": REMOTE,
    "remote_submit": REMOTE,
    "remote_publish": REMOTE,
}
"""An operation is allowed to an actor with one of its roles; with no roles listed, to the public."""


OPENS = frozenset(
    {
        "accept_ledger",
        "backup",
        "create_token",
        "enable_person",
        "invite",
        "open_to_analysts",
        "require_second_factor",
        "reset",
        "rotate_key",
        "set_preview_policy",
    }
)
"""Opens true values, rows and keys, an account or a dataset, or decides what keeps them closed."""
SPENDS = frozenset(
    {
        "approve",
        "approve_request",
        "attest_overlap",
        "confirm_overlap",
        "contribute",
        "declare_earlier_releases",
        "open_period",
        "open_run",
        "publish",
        "publish_round",
        "raise_cap",
        "remote_publish",
    }
)
"""Spends a budget, or decides how much of it may be spent, and on what."""
DELETES = frozenset(
    {
        "change_embargo",
        "delete_table",
        "disable_person",
        "end_run",
        "make_void",
        "replace_rows",
        "set_terms",
        "supersede",
    }
)
"""Takes rows, an account, a round or the standing of a release away; no operation brings them back as they were."""
APPOINTS = frozenset({"delegate", "require_two_people", "set_roles"})
"""Decides who decides."""
ANEW = OPENS | SPENDS | DELETES | APPOINTS
"""Operations for which a session of the dashboard has to show anew who acts, unless that was done just now."""
OF_ACCOUNTS = frozenset(
    {
        "account_news",
        "confirm",
        "prepare_second_factor",
        "renew_recovery_codes",
        "revoke_session",
        "revoke_session_of",
        "second_factor",
        "see_account_news",
        "set_password",
        "turn_off_second_factor",
        "turn_on_second_factor",
    }
)
"""Operations on accounts, of which those that need it ask for the password by themselves."""
DECIDES = frozenset({"approve", "approve_request", "confirm_overlap", "open_period", "raise_cap"})
"""Is done by the second of two people, or asks for a larger budget: a person's, whatever their programs do."""
NEVER_BY_TOKEN = (OF_ACCOUNTS | OPENS | DELETES | APPOINTS | DECIDES) - {"create_token", "replace_rows"}
"""Operations that no program does for anybody: all but what publishes, new rows each month, and smaller tokens."""
PROFILES = {
    "read": frozenset({"remote_read", "remote_price"}),
    "analyst": frozenset({"remote_read", "remote_price", "remote_submit"}),
    "publish": frozenset({"remote_read", "remote_price", "remote_submit", "remote_publish"}),
}
"""Operations of a token for work at a distance. They are stored with it: a later version adds none to an old one."""
FIRST = frozenset({"has_password", "prepare_second_factor", "second_factor", "set_password", "turn_on_second_factor"})
"""All that a session can do whose person needs a second factor and has none; they act without a role until then."""


def authorise(operation: str, actor: Actor) -> None:
    """Raise AccessError where the actor has none of the operation's roles."""
    allowed = PERMISSIONS[operation]
    if actor.scope is not None and (operation not in actor.scope or operation in NEVER_BY_TOKEN):
        raise AccessError(phrase("workspace.token", replace=operation.replace("_", " ")))
    if actor.session is not None and actor.session.incomplete and allowed:
        if operation not in FIRST:
            raise AccessError(phrase("workspace.role_yours_needs_second"))
        return
    if allowed and not allowed & actor.roles:
        raise AccessError(
            phrase("workspace.needs_role_sign_someone", replace=operation.replace("_", " "), who=PEOPLE[allowed])
        )

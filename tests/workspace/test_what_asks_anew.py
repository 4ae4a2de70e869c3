"""Every operation opens, spends, deletes or appoints, and asks anew who acts, or stands here with what it does else."""

from __future__ import annotations

from dprelease.workspace.access import (
    ANEW,
    APPOINTS,
    DECIDES,
    DELETES,
    NEVER_BY_TOKEN,
    OF_ACCOUNTS,
    OPENS,
    PERMISSIONS,
    PROFILES,
    SPENDS,
)

ELSE = {
    "reads metadata, and what is public": "second_factor_roles people sign_in_failures has_password sessions"
    " sessions_of tokens overlaps earlier_releases requests populations budget budget_after uploads importable readings"
    " dataset_terms kept dependents codebook catalogue table_columns datasets price figures meaning foreseen"
    " needed_epsilon attack codebook_statistics drafts draft told_of_previews changes_since_preview plans decisions"
    " approval_lapse price_of policy review versions bases changes remarks audit_report reviewers delegations rounds"
    " round_files foreseen_sum runs publishing unfinished notices ledger verify_ledger overspent checkpoint releases"
    " doi_draft office series embargoes calendar release release_ids release_count named_releases bundle_path"
    " remote_read remote_price",
    "shows true values only as far as a policy allows, which asks anew; each look is in the ledger": "preview",
    "tells coarsely, without a number, whether rows are the same; each time is in the ledger": "compare_rows",
    "asks somebody else, who is asked anew": "submit remote_submit",
    "says no, or less": "return_request return_plan revoke_token",
    "brings rows of one's own, or changes how they are described": "stage_upload receive_upload import_file read_again"
    " add_dataset describe",
    "takes away what its person staged and nobody has used": "discard_upload dismiss_reading delete_draft",
    "writes a plan that is not published by it": "save_draft rename_draft duplicate_draft",
    "begins a budget that nothing is charged to: what is published of it asks": "add_population",
    "talks about a plan": "remark answer settle",
    "writes what is public to a folder": "write_site",
    "adds a signed note to what is public, and takes nothing back": "add_erratum register_doi",
    "says who publishes, what a series is and what is to come, signed": "set_office set_series set_calendar",
    "goes on with what is charged, and decided": "resume open_due",
    "shows a release before its hour to whom its charge names; in the ledger, once a person": "see_embargoed",
    "exchanges files of a round in which nothing is charged": "create_federation join_federation take_round_files"
    " fetch_round send_round combine",
}


def test_every_operation_has_its_place() -> None:
    named = [name for names in ELSE.values() for name in names.split()]
    assert len(named) == len(set(named))
    groups = [OPENS, SPENDS, DELETES, APPOINTS, OF_ACCOUNTS, frozenset(named)]
    assert sum(len(group) for group in groups) == len(frozenset().union(*groups)), "each is in one group"
    assert frozenset().union(*groups) == PERMISSIONS.keys()


def test_what_counts_asks_anew_and_what_no_program_may_is_closed_to_tokens() -> None:
    assert OPENS | SPENDS | DELETES | APPOINTS == ANEW
    open_to_tokens = (OF_ACCOUNTS | OPENS | DELETES | APPOINTS) - NEVER_BY_TOKEN
    assert open_to_tokens == {"create_token", "replace_rows"}
    assert NEVER_BY_TOKEN & SPENDS == DECIDES, "programs publish, and people decide"
    assert not NEVER_BY_TOKEN & frozenset().union(*PROFILES.values())

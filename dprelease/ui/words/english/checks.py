"""What the checks of a plan found, changes between plans, and the policy."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "checks": "Automatic checks",
    "checks_caption": "What the checks of this plan found: {title}",
    "checks_none": "None of the {count} checks found anything.",
    "checks_others": "The other {count} checks found nothing.",
    "checks_what": "Found",
    "checks_check": "Check",
    "checks_weight": "Weight",
    "checks_blocking": "It cannot be approved like this. What stands against it is marked as refused, or is required "
    "by the policy of this workspace.",
    "severity_notice": "to look at",
    "severity_serious": "serious",
    "severity_refused": "refused",
    "check_name_epsilon": "ε of the release",
    "check_name_delta": "δ of the release",
    "check_name_delta_and_size": "δ beside the declared size",
    "check_name_unit": "Allowed units",
    "check_name_row_unit": "A row as the unit",
    "check_name_budget": "Budget left",
    "check_name_exact_bounds": "Bounds",
    "check_name_missing_codes": "Codes for no answer",
    "check_name_noisy_cells": "Cells and their noise",
    "check_name_expected": "Expected rows",
    "check_name_identifier_keys": "Identifiers among keys",
    "check_name_published_before": "Published before",
    "check_name_discovered": "Discovered categories",
    "check_name_free_text": "Free text",
    "check_name_after_preview": "Previews",
    "check_name_overlaps": "Other populations",
    "check_epsilon": "ε = {epsilon} is more than the {most} that the policy allows for one release.",
    "check_delta": "δ = {delta} is more than the {most} that the policy allows for one release.",
    "check_delta_and_size": "δ times the declared size is {product}, more than {most}: a failure of the guarantee "
    "could be expected to concern more than that of a {unit}. A smaller δ mends it.",
    "check_delta_and_size_open": "δ = {delta} cannot be judged: the size of the population is not declared.",
    "check_unit": "The privacy of a {unit} is protected; the policy allows only: {allowed}.",
    "check_row_unit": "The curator attests that each row is one {unit}, and there is a column {column} that may "
    "identify somebody. If one {unit} can have several rows, the guarantee is weaker than stated.",
    "check_row_unit_refused": "The policy does not allow a row as the unit: a column has to say which {unit} a row is "
    "of.",
    "check_budget": "It costs more than {population} has left; publishing would be refused.",
    "check_exact_bounds": "A bound of {column} is {bound}, which nobody would say without having seen the table. "
    "Bounds come from general knowledge.",
    "check_missing_codes_within": "Codes of {column} for no answer lie between its bounds: {codes}. Whoever has such a "
    "value counts as having given no answer.",
    "check_missing_codes_where": "Rows are chosen by {column}, which has codes for no answer: rows with a code are "
    "never chosen, unless they count as a declared value.",
    "check_noisy_cells": "In {statistic} a cell may expect {expected} records on average, with an error of {error}: "
    "most cells would show noise. Fewer cells, or more of the budget, mend it.",
    "check_expected": "Without expected rows the errors of these cannot be foreseen: {statistics}.",
    "check_identifier_keys": "{column} looks like an identifier, and is a key of a published table.",
    "check_identifier_keys_many": "{column} has {count} categories, so many that they may tell people apart, and is a "
    "key of a published table.",
    "check_published_before": "{statistic} asks what was published in {title}. Two draws of the same together tell "
    "more than one, and both are paid for.",
    "check_discovered": "Categories of {column} are published as they stand in the rows, where enough rows have them. "
    "They could be names.",
    "check_free_text_title": "The title has numbers in it ({numbers}). It is published as it is: are they public?",
    "check_free_text_description": "The description has numbers in it ({numbers}). It is published as it is: are they "
    "public?",
    "check_after_preview_plan": "Another plan of this population was previewed before this one was submitted. The "
    "certificate says so.",
    "check_after_preview_schema": "Columns were declared after true values of this population were previewed. The "
    "certificate says so.",
    "check_overlaps": "Of {count} other populations nobody attested whether they have units in common with this one.",
    "changes": "Changes against the last approved plan",
    "changes_against": "Compared with {title}, approved by {approver} on {on}.",
    "changes_first": "No plan of this dataset was approved before.",
    "changes_none": "It is the same in every word.",
    "changes_caption": "Changes: {title}",
    "change_what": "Where",
    "change_before": "Before",
    "change_after": "Now",
    "change_absent": "not there",
    "policy": "Policy of this workspace",
    "policy_note": "It stands in the file policy.yaml in the folder of the workspace, and is read at every review.",
    "policy_epsilon": "ε of one release at most",
    "policy_delta": "δ of one release at most",
    "policy_units": "Allowed units",
    "policy_row_unit": "A row as the unit",
    "policy_delta_times_size": "δ times declared size at most",
    "policy_required": "Required checks",
    "policy_open": "as the cap of the population",
    "policy_any": "any",
    "policy_allowed": "where the curator attests it",
    "policy_refused": "not allowed",
    "policy_nothing": "not limited",
    "remarks": "Comments on single statistics",
    "remarks_which": "On which statistics?",
    "remarks_note": "They go back to the author with the plan, and stay in the ledger.",
    "remarks_on": "{statistic}: {text}",
    "delegate": "Ask somebody else to decide",
    "delegate_to": "Whom?",
    "delegate_to_help": "People who were invited as reviewers. Whoever may decide still may.",
    "delegate_comment": "What for?",
    "delegate_none": "Nobody else was invited as a reviewer.",
    "delegate_save": "Ask",
    "delegated": "{name} is asked to decide of {title}.",
    "delegation": "{by} asked {to} to decide, on {on}.",
    "delegation_comment": "{by} asked {to} to decide, on {on}: {comment}",
}

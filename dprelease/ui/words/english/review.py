"""The page of reviewers."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "review_title": "Review",
    "review_lead": "What waits for a decision. Nothing here is a true value or a preview: a plan is judged by what it "
    "would publish, and by its price.",
    "review_plans": "Plans",
    "review_plans_none": "No plan waits for a decision. One that is submitted stands here: what it would publish, "
    "what the checks found, and what it costs.",
    "review_plans_more": "{count} more plans wait; they follow once these are decided.",
    "review_requests": "Requests",
    "review_requests_none": "No request waits for a decision.",
    "review_meta": "Submitted by {author} on {on}. Dataset {dataset} of {population}; one unit is {unit_is}.",
    "review_rows_used": "Only these rows are used: {rows}.",
    "review_asks": "What it would publish",
    "review_previews_none": "No preview of this population was taken.",
    "review_previews_one": "Of this population 1 preview was taken; the ledger says when and by whom.",
    "review_previews_many": "Of this population {count} previews were taken; the ledger says when and by whom.",
    "review_lapsed": "It was approved before, and that does not hold any more: {reason}.",
    "review_stale": "The rows of {dataset} were replaced after this was submitted. It has to be submitted again for "
    "the new rows; this one can only be returned.",
    "review_own": "You wrote this. Somebody else has to decide.",
    "review_own_request": "You asked for this. Somebody else has to decide.",
    "review_bound": "What an approval holds for",
    "review_bound_note": "When one of these changes, the approval lapses.",
    "review_bound_once": "When one of these changes, the approval lapses. It is good for one release.",
    "review_bound_plan": "Plan",
    "review_bound_rows": "Rows",
    "review_bound_rows_text": "version {version}",
    "review_bound_columns": "Columns",
    "declared_columns_one": "1 declared column",
    "declared_columns_many": "{count} declared columns",
    "review_bound_unit": "Unit",
    "review_bound_cap": "Cap",
    "review_bound_price": "Price",
    "review_file": "The whole plan",
    "review_decisions": "Decisions so far: {title}",
    "decision_what": "Decision",
    "decision_approved": "approved",
    "decision_returned": "returned",
    "review_comment": "Comment",
    "review_comment_help": "Required to return it. Stays in the ledger.",
    "review_approve": "Approve",
    "review_return": "Return",
    "review_approved": "{title} is approved.",
    "review_returned": "{title} is returned to {author}.",
    "review_needs_comment": "Say why it is returned.",
    "review_a_comment": "a comment",
    "review_again": "Another release of a published plan",
    "review_again_note": "An approval is good for one release. To let the noise be drawn once more, at the full price, "
    "approve the plan again.",
    "review_again_holds": "It is approved: it can be published once more.",
    "review_again_plan": "Published plan",
    "review_plan_by": "{title}, by {author} on {on}",
    "review_cap_now": "Cap now",
    "review_cap_asked": "Cap asked for",
    "review_spent": "Spent so far",
    "review_period": "Period",
    "review_reason": "Reason",
    "review_currency": "Releases add up",
    "review_overlaps": "In common with others",
    "review_overlap": "{other}: {overlap}",
    "review_earlier": "Earlier releases without such a guarantee",
    "review_asked": "Asked by {author} on {on}.",
    "none": "none",
    "since_previews": "Changed after true values were seen",
    "since_last_nothing": "It is the plan that {name} previewed last, on {on}.",
    "since_last_changed": "The last preview before it was submitted was taken by {name} on {on}. Since then "
    "this was changed:",
    "since_last_unknown": "The last preview before it was submitted was taken by {name} on {on}, by an "
    "earlier version that did not keep the plan.",
    "since_last_caption": "Changed since the last preview: {title}",
    "since_first_nothing": "It is also the plan that {name} previewed first, on {on}.",
    "since_first_changed": "The first preview of this population was taken by {name} on {on}. Since then "
    "this was changed:",
    "since_first_unknown": "The first preview of this population was taken by {name} on {on}, by an earlier "
    "version that did not keep the plan.",
    "since_first_caption": "Changed since the first preview: {title}",
}

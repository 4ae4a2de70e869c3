"""The frame around every page, and errors."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    # Navigation and frame.
    "product": "dprelease",
    "home_nav": "Home",
    "datasets_nav": "Datasets",
    "columns_nav": "Columns",
    "plan_nav": "Plan",
    "preview_nav": "Preview",
    "publish_nav": "Publish",
    "review_nav": "Review",
    "releases_nav": "Releases",
    "release_nav": "Release",
    "ledger_nav": "Ledger",
    "footer": "Signed in as {name}. {sign_out}",
    "footer_public": "You are reading as a visitor. Published releases need no sign-in. {sign_in}",
    "sign_in": "Sign in",
    "sign_out": "Sign out",
    "footer_guide": "Guide",
    "upload_button": "Upload",
    # Errors.
    "mend": "This cannot be used yet. Everything that needs mending:",
    "problem": "{path}: found {found}. Allowed: {allowed}.",
    "problem_remedy": "{path}: found {found}. Allowed: {allowed}. {remedy}",
    "whole_plan": "plan",
    "over_budget": "The population {population} has {remaining} left and this asks for {requested}. Lower the plan's "
    "ε, or leave statistics out. Nothing was spent.",
    "as_it_is": "{text}",
    "no_access": "This part is for people who are signed in with the right role. Sign in at the foot of the page, or "
    "open the link that whoever runs this server gave you, then come back. Published releases need no sign-in.",
    "no_role": "You may not do this here: it takes another role, or the decision of somebody else. Whoever administers "
    "this workspace can change roles. Nothing was changed.",
    "failed": "Something went wrong on our side. Nothing you entered was shown to anyone, and no budget was given "
    "back or taken without an entry in the ledger. Try again; if it happens again, tell whoever runs this server.",
}

"""The first page."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "home_title": "Statistics that keep people private",
    "home_lead": "Publish numbers about a group of people with a guarantee, which anyone can check, about how little "
    "they tell of any one of them.",
    "next_step": "Next step",
    "next_population": "Say whose privacy is at stake, and how much of it may be spent in all.",
    "next_dataset": "Add the confidential table. It stays in the private folder of this installation.",
    "next_columns": "Declare the columns of {dataset}: their types, bounds and categories.",
    "next_plan": "Choose what to publish, and see how far off it would be before anything is spent.",
    "next_draft": "You have a plan in hand. Go on with it.",
    "go_population": "Register a population",
    "go_dataset": "Add a dataset",
    "go_columns": "Declare columns",
    "go_plan": "Make a plan",
    "go_draft": "Go on with the plan",
    "review_waits": "Waiting for review: {plans}; {requests}.",
    "plans_one": "1 plan",
    "plans_many": "{count} plans",
    "requests_one": "1 request",
    "requests_many": "{count} requests",
    "go_review": "Review",
    "holds": "What is here",
    "holds_populations": "Populations",
    "holds_datasets": "Datasets",
    "holds_releases": "Published releases",
    "latest": "Latest releases",
    "how_it_works": "How it works",
    "how_1": "A curator declares public facts about a confidential table and chooses statistics.",
    "how_2": "Each statistic gets random noise, measured so that one person more or less hardly changes what is "
    "likely to come out.",
    "how_3": "Every release is charged to a budget that belongs to the people in the table, and is signed, so that "
    "anyone can check it later with the downloaded files alone.",
    "how_to_sign_in": "To sign in",
    "how_to_sign_in_text": "With a name and a password, or with a link, which works once, within an hour. Whoever "
    "runs this server gives such links; the first one is printed in the terminal by the command dprelease serve.",
    "all_releases": "All releases",
}

"""Publishing."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "publish_title": "Publish",
    "publish_lead": "Publishing spends the budget for good and makes one noisy draw public. Neither can be undone.",
    "publish_no_plan": "No plan is in hand. Once there is one, this page says what it would publish, what "
    "that costs and what stays, before anything is spent.",
    "publish_bad_plan": "The plan is not complete yet. Its page says what is missing.",
    "publish_summary": "What will happen",
    "publish_what": "What is published",
    "publish_what_text": "{title}: {statistics} about {dataset}",
    "publish_what_more": "and {count} more",
    "statistics_one": "1 statistic",
    "statistics_many": "{count} statistics",
    "publish_whose": "Whose privacy",
    "publish_whose_text": "Each {unit} of {population}: {unit_is}",
    "publish_cost": "What it costs",
    "publish_means": "What that promises",
    "publish_after": "What stays",
    "publish_after_text": "{left} of a cap of {cap}. Releases of this population by then: {releases}",
    "publish_who": "Who will see it",
    "publish_who_text": "Everyone who can reach this server, without signing in. You alone approve it (solo "
    "workspace).",
    "publish_who_team": "Everyone who can reach this server, without signing in. Somebody else approves it first.",
    "publish_previews": "What is said of previews",
    "publish_previews_none": "No true values of this population were previewed before this release.",
    "publish_previews_unchanged": "True values of this population were previewed; neither plan nor columns were "
    "changed after that.",
    "publish_previews_plan": "The plan was made or changed after true values of this population were previewed. What "
    "that choice tells is outside the guarantee.",
    "publish_previews_schema": "The columns were declared after true values of this population were previewed. What "
    "that choice tells is outside the guarantee.",
    "publish_previews_plan_and_schema": "The plan and the columns were made or changed after true values of this "
    "population were previewed. What those choices tell is outside the guarantee.",
    "publish_policy_blind": "Previews in this workspace show invented rows only.",
    "publish_policy_none": "Previews are turned off in this workspace.",
    "publish_statistics": "Every statistic with its mechanism and expected error",
    "publish_review": "Review",
    "publish_submit_text": "Somebody else has to approve this plan at this price before it can be published.",
    "publish_submit": "Submit for review",
    "publish_submitted": "{title} is submitted. A reviewer finds it on the page Review.",
    "publish_waits": "Submitted by {author} on {on}. It waits for the approval of somebody else.",
    "publish_returned": "Returned by {name} on {on}: {comment}",
    "publish_returned_text": "Change what was said, then submit the changed plan here. Unchanged, it is refused.",
    "publish_approved": "Approved by {name} on {on}. It can be published once.",
    "publish_lapsed": "The approval does not hold any more: {reason}. A reviewer finds the plan on the page Review "
    "and can approve it again.",
    "own_plans": "Your submitted plans",
    "own_plans_more": "{count} more, submitted earlier.",
    "own_plan_meta": "About {dataset}. Submitted on {on}.",
    "own_waits": "It waits for the approval of somebody else.",
    "own_ready": "It can be published.",
    "own_stale": "The rows of {dataset} were replaced since. Submit it again for the present ones.",
    "own_change": "Change the plan",
    "own_open": "Open",
    "own_publish": "Go on to publish",
    "own_columns": "This plan declares columns otherwise than {dataset} does now: {columns}. They stand in its file.",
    "publish_replaces": "It takes the place of an earlier release",
    "publish_supersedes": "Which release does it take the place of?",
    "publish_supersedes_help": "That one stays, with a signed notice that points to the new one.",
    "publish_supersedes_one": "{title}, {on}",
    "publish_supersedes_none": "No release of this population is published yet.",
    "publish_unfinished": "The budget has been charged for this plan, and nothing is published: something stopped it "
    "on the way. Finishing it spends nothing more.",
    "publish_finish": "Finish publishing",
    "publish_confirm": "To spend ε = {epsilon} and publish, type the title: {title}",
    "publish_confirm_help": "Letter by letter, capitals too; spaces around it do not matter. Nothing is spent before "
    "it is the same.",
    "publish_button": "Publish and spend ε = {epsilon}",
    "publish_mismatch": "What was typed is not the title, {title}. Nothing was spent.",
    "publish_checking": "Checking that the plan can be answered",
    "publish_waiting": "Charging the budget, drawing noise once, sealing, writing the files",
    "publish_going_on": "It is being published",
    "publish_going_on_text": "This page can be left or loaded again: it goes on all the same, and charges once.",
    "step_charging": "Charging the budget",
    "step_drawing": "Counting the rows and drawing noise, once",
    "step_sealing": "Sealing the draw",
    "step_writing": "Writing and signing the files",
    "state_done": "done",
    "state_now": "now",
    "state_later": "to come",
    "publish_done": "{title} is published.",
    "publish_already": "This plan has been published for these rows. Publishing it once more would spend ε = "
    "{epsilon} again and make a second draw public; two draws together tell more than one.",
    "publish_again": "Publish again",
    "publish_again_confirm": "To spend ε = {epsilon} once more, type the title: {title}",
    "publish_again_button": "Spend ε = {epsilon} again",
}

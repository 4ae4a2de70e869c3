"""A reviewer's view beside a plan: its changes, also since previews, what the checks found, and the policy."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import streamlit as st

from dprelease.model.difference import Change
from dprelease.model.policy import PlanCheck, Policy
from dprelease.model.privacy import ATTO, NANO
from dprelease.model.report import as_decimal
from dprelease.model.yaml_text import one_line
from dprelease.statements.display import exact, pointed
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html
from dprelease.words.sentences import Html
from dprelease.workspace import PlanRecord
from dprelease.workspace.checks import PlanFinding, Severity
from dprelease.workspace.planning import SincePreview
from dprelease.workspace.review import ReviewedPlan

FEW_ASKING = 5
"""Maximum number of checks above everything else; the view of checks has all that they found."""
FEW_LOOKS = 5
"""Maximum number of looks named; the others are counted."""


def changes(found: Sequence[Change], caption: str) -> None:
    """Show a table of what is written otherwise."""
    heads = [say("change_what"), say("change_before"), say("change_after")]
    rows = [(change.path, _written(change.before), _written(change.after)) for change in found]
    blocks.table(caption, heads, rows)


def _written(value: Any) -> str:
    return say("change_absent") if value is None else one_line(value)


def alarm(reviewed: ReviewedPlan) -> None:
    """Show above everything else: what the checks found, gravest first, the first of each check and at most so many."""
    if not reviewed.findings:
        return
    first: dict[PlanCheck, PlanFinding] = {}
    for finding in reviewed.findings:
        first.setdefault(finding.check, finding)
    lines = [_asking(each) for each in first.values()][:FEW_ASKING]
    with st.container(key="card-review-alarm"):
        st.html(fill('<ul class="dp-asking">{}</ul>', joined(lines)))
        if more := len(reviewed.findings) - len(lines):
            blocks.note("checks_more", count=more)


def asking(reviewed: ReviewedPlan) -> None:
    """Show a card of all that the checks found."""
    found = len({finding.check for finding in reviewed.findings})
    with st.container(key="card-review-checks"):
        if not found:
            blocks.note("checks_none", count=len(PlanCheck))
            return
        heading = say("checks_ask", found, count=found, of=len(PlanCheck))
        others = say("checks_others", count=len(PlanCheck) - found)
        st.html(fill('<p class="dp-diff-head"><strong>{}</strong> <span>{}</span></p>', heading, others))
        st.html(fill('<ul class="dp-asking">{}</ul>', joined(map(_asking, reviewed.findings))))


def _asking(finding: PlanFinding) -> Html:
    name, weight = say(f"check_name_{finding.check}"), say(f"severity_{finding.severity}")
    look = "dp-card" if finding.severity is Severity.NOTICE else "dp-warn"
    told = fill('<b class="{}">⚠ {}</b> <small>{}</small>', look, name, weight)
    return fill("<li>{}<span>{}</span></li>", told, _sentence(finding))


def checked(reviewed: ReviewedPlan) -> None:
    """Show what the checks found, gravest first, and the policy they went by."""
    if reviewed.blocking:
        box(say_html("checks_blocking"))
    asking(reviewed)
    with st.expander(say("policy")):
        blocks.note("policy_note")
        _policy(reviewed.policy)


def looks(reviewed: ReviewedPlan) -> None:
    """Show the last looks at true values of the plan before it was submitted: who, when, at which ε."""
    if not reviewed.looks:
        blocks.note("review_looks_none")
    for look in reversed(reviewed.looks[-FEW_LOOKS:]):
        low, high = (exact(Decimal(nano or 0) / NANO) for nano in (look.least_nano, look.most_nano))
        key = "review_look" if low == high else "review_look_swept"
        key = key if look.title else "review_look_elsewhere"
        blocks.note(key, name=look.actor, title=look.title, on=day(look.at), low=low, high=high)
    if len(reviewed.looks) > FEW_LOOKS:
        blocks.note("review_looks_more", count=len(reviewed.looks) - FEW_LOOKS)


def _sentence(finding: PlanFinding) -> str:
    key = f"check_{finding.check}_{finding.detail}" if finding.detail else f"check_{finding.check}"
    told = {name: text if as_decimal(text) is None else pointed(text) for name, text in finding.about.items()}
    return say(key, **told)


def _policy(policy: Policy) -> None:
    limits = (
        ("policy_epsilon", policy.epsilon_nano, NANO),
        ("policy_delta", policy.delta_atto, ATTO),
    )
    facts: list[tuple[str, str]] = [
        (key, say("policy_open") if limit is None else exact(Decimal(limit) / scale)) for key, limit, scale in limits
    ]
    product = policy.delta_times_size
    facts += [
        ("policy_units", ", ".join(policy.units) or say("policy_any")),
        ("policy_row_unit", say("policy_allowed" if policy.row_unit else "policy_refused")),
        ("policy_delta_times_size", say("policy_nothing") if product is None else exact(product)),
        ("policy_fewest_rows", exact(policy.fewest_rows)),
        ("policy_looks", exact(policy.looks)),
        ("policy_required", ", ".join(say(f"check_name_{each}") for each in policy.required) or say("none")),
    ]
    blocks.facts(facts)


def since_previews(record: PlanRecord, title: str) -> None:
    """Show what was changed since the last preview before the plan was submitted, and since the first one."""
    found = workspace().plans.changes_since_preview(record.id, actor=actor())
    if not found:
        return
    blocks.label(say("since_previews"))
    _since("last", found[-1], title)
    if len(found) > 1 and found[0].changes != found[-1].changes:
        _since("first", found[0], title)


def _since(which: str, since: SincePreview, title: str) -> None:
    values = {"name": since.taken.actor, "on": day(since.taken.at)}
    if since.changes is None:
        blocks.note(f"since_{which}_unknown", **values)
    elif not since.changes:
        blocks.note(f"since_{which}_nothing", **values)
    else:
        blocks.note(f"since_{which}_changed", **values)
        changes(since.changes, say(f"since_{which}_caption", title=title))

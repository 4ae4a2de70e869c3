"""Reviewers' decisions on a plan."""

from __future__ import annotations

from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day, moment
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import known, say, say_html
from dprelease.workspace import PlanDecision


def decisions(plan_id: str, title: str) -> None:
    """Show a table of decisions, oldest first; nothing where nobody decided yet."""
    for asked in workspace().plans.delegations(plan_id, actor=actor()):
        values = {"by": asked.by, "to": asked.to, "on": day(asked.at)}
        if asked.comment:
            blocks.note("delegation_comment", comment=asked.comment, **values)
        else:
            blocks.note("delegation", **values)
    found = workspace().plans.decisions(plan_id, actor=actor())
    if found:
        heads = [say(head) for head in ("event_at", "event_who", "decision_what", "review_comment")]
        rows = [
            (moment(each.at), _who(each), known(f"decision_{each.decision}", each.decision), each.comment)
            for each in found
        ]
        blocks.table(say("review_decisions", title=title), heads, rows)
        for statistic, text in found[-1].remarks.items():
            blocks.note("remarks_on", statistic=statistic, text=text)


def returned(last: PlanDecision) -> None:
    """Show why a plan went back to its author: the comment, and what was said of single statistics."""
    said = say_html("publish_returned", name=last.actor, on=day(last.at), comment=last.comment)
    remarks = joined(
        fill("<li>{}</li>", say_html("remarks_on", statistic=statistic, text=text))
        for statistic, text in last.remarks.items()
    )
    box(fill("<p>{}</p><ul>{}</ul>", said, remarks) if last.remarks else said, kind="warning")


def _who(decision: PlanDecision) -> str:
    """Return who decided, and who else had opened the door for that."""
    if decision.access is None:
        return decision.actor
    by = decision.access["by"]
    return say(f"access_{decision.access['issued']}", name=decision.actor, by=by)

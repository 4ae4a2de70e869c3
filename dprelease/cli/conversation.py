"""Commands by which reviewers and authors talk of a plan: what changed since, and remarks until they are settled."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, figure, open_workspace
from dprelease.words import Phrase, phrase

if TYPE_CHECKING:
    from dprelease.workspace import Remark
    from dprelease.workspace.compared import Comparison, PlanChange


def add(plans: Any) -> None:
    diff = _add(plans, "diff", _diff, phrase("cli.what_changed_since"))
    diff.add_argument("--since", metavar="ID", help=str(phrase("cli.since_which_plan")))
    _add(plans, "remarks", _remarks, phrase("cli.remarks_and_answers"))
    remark = _add(plans, "remark", _remark, phrase("cli.say_something_of_plan"))
    remark.add_argument("text", metavar="TEXT")
    remark.add_argument("--on", default="", metavar="LINE", help=str(phrase("cli.remark_on_line")))
    answer = _add(plans, "answer", _answer, phrase("cli.answer_remark"))
    _add_remark(answer)
    answer.add_argument("text", metavar="TEXT")
    _add_remark(_add(plans, "settle", _settle, phrase("cli.settle_remark")))


def _add(to: Any, name: str, run: Callable[[argparse.Namespace], Answer], words: Phrase) -> argparse.ArgumentParser:
    added = add_command(to, name, run, words)
    added.add_argument("plan", metavar="ID", help=str(phrase("store.id_submitted_plan")))
    return added


def _add_remark(to: argparse.ArgumentParser) -> None:
    to.add_argument("remark", metavar="REMARK", help=str(phrase("cli.id_of_remark")))


def _diff(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = workspace.plans.changes(options.plan, since=options.since, actor=actor)
    base = None if found.base is None else {"plan": found.base.record.id, "kind": found.base.kind, "by": found.base.by}
    told = {"plan": found.plan_id, "base": base, "unchanged": found.unchanged}
    return {**told, "changes": [asdict(each) for each in found.changes]}, _diff_words(found)


def _diff_words(found: Comparison) -> str:
    if found.base is None:
        return str(phrase("cli.nothing_to_compare"))
    head = phrase("cli.compared_with", plan=found.base.record.id, unchanged=found.unchanged)
    return "\n".join([str(head), *(line for each in found.changes for line in _change(each))])


def _change(change: PlanChange) -> list[str]:
    from dprelease.model.privacy import significant

    lines = [f"  {change.on}"]
    lines += [f"    {sign} {value}" for sign, value in (("-", change.was), ("+", change.now)) if value is not None]
    if change.error is not None:
        was, now = (figure("?" if each.absolute is None else significant(each.absolute, 4)) for each in change.error)
        lines.append(f"    {phrase('cli.error_of_change', of=change.error_of, was=was, now=now)}")
    if change.sure is not None:
        was, now = (figure(f"{100 * each:.0f}") for each in change.sure)
        lines.append(f"    {phrase('cli.sure_of_change', was=was, now=now)}")
    if change.numbers is not None:
        lines.append(f"    {phrase('cli.numbers_of_change', numbers=change.numbers, noisy=change.too_noisy or 0)}")
    return lines


def _remarks(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found = workspace.plans.remarks(options.plan, actor=actor)
    words = "\n".join(line for each in found for line in _told(each))
    return [asdict(each) for each in found], words or phrase("cli.no_remark")


def _told(remark: Remark) -> list[str]:
    state = phrase("cli.remark_open" if remark.is_open else "cli.remark_settled")
    said = remark.said
    lines = [f"{remark.id:12} {said.at[:10]} {said.by} [{state}] {remark.on or '-'}: {said.text}"]
    return [*lines, *(f"{'':12} {each.at[:10]} {each.by}: {each.text}" for each in remark.answers)]


def _remark(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _one(workspace.plans.remark(options.plan, text=options.text, on=options.on, actor=actor))


def _answer(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _one(workspace.plans.answer(options.plan, options.remark, text=options.text, actor=actor))


def _settle(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    return _one(workspace.plans.settle(options.plan, options.remark, actor=actor))


def _one(remark: Remark) -> Answer:
    return asdict(remark), "\n".join(_told(remark))

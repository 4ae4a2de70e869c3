"""The command that attacks a plan: what the strongest adversary learns of one unit, from its mechanisms alone."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, figure, positive
from dprelease.cli.plans import add_plan_command, load_plan, registered
from dprelease.errors import InputError
from dprelease.words import Figure, phrase

if TYPE_CHECKING:
    from dprelease.workspace.attacks import AttackedPlan

HEADS = {
    "bound": phrase("cli.attack_bound"),
    "any": phrase("cli.attack_any"),
    "worst": phrase("cli.attack_worst"),
    "ordinary": phrase("cli.attack_ordinary"),
}
AT = 0.01
"""The rate of false alarms at which hits are told."""


def add(commands: Any) -> None:
    attack = add_plan_command(commands, "attack", _attack, phrase("cli.attack_plan"))
    attack.add_argument("--rows", type=positive, default=1, metavar="ROWS", help=str(phrase("cli.attack_rows")))
    attack.add_argument(
        "--person", action="append", default=[], metavar="NAME=VALUE", help=str(phrase("cli.attack_person"))
    )


def _attack(options: argparse.Namespace) -> Answer:
    from dprelease.statistics.planning.price import price
    from dprelease.workspace.attacks import attacked

    plan = load_plan(options)
    person = dict(map(_stated, options.person))
    found = registered(options, plan)
    if found is None:
        made = attacked(price(plan), options.rows, person)
    else:
        workspace, actor = found
        made = workspace.attack(plan, rows=options.rows, person=person, actor=actor)
    return made.to_mapping(), _words(made)


def _stated(text: str) -> tuple[str, str]:
    """Return a column and the value that the ordinary unit has of it. Raises InputError."""
    name, stated, value = text.partition("=")
    if not stated:
        raise InputError("--person", found=text, allowed=phrase("cli.attack_person_form"))
    return name, value


def _words(made: AttackedPlan) -> str:
    lines = [f"{phrase('cli.attack_head')!s:56} {phrase('cli.attack_right')!s:>10} {phrase('cli.attack_hits')!s:>10}"]
    lines += [
        f"{HEADS[name]!s:56} {_percent(each.right):>10} {_percent(each.hits_at(AT)):>10}"
        for name, each in made.found.adversaries.items()
    ]
    lines.append(
        f"{phrase('cli.attack_alone')!s:56} {phrase('cli.attack_most')!s:>10} {phrase('cli.attack_one')!s:>10}"
    )
    lines += [
        f"{part.statistic:56} {_percent((1 + part.worst) / 2):>10} {_percent((1 + part.ordinary) / 2):>10}"
        for part in made.found.parts
    ]
    over = made.over_all
    if over is not None:
        cap, charged = (Figure(_percent((1 + each) / 2)) for each in (over.cap, over.charged))
        lines.append(str(phrase("cli.attack_over_all", cap=cap, charged=charged, releases=over.releases)))
    lines.append(str(phrase("cli.attack_note")))
    return "\n".join(lines)


def _percent(part: float) -> str:
    return figure(f"{100 * part:.2f} %")

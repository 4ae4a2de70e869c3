"""Commands for what this workspace allows its curators to see, and asks of its people."""

from __future__ import annotations

import argparse
from typing import Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace
from dprelease.model.actor import Role
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.words import phrase

NOBODY = "none"
MEANING = {
    PreviewPolicy.TRUE: phrase("cli.previews_true"),
    PreviewPolicy.BLIND: phrase("cli.previews_blind"),
    PreviewPolicy.NONE: phrase("cli.previews_none"),
}


def add(commands: Any) -> None:
    group = add_group(commands, "policy", phrase("cli.what_workspace_allows"))
    previews = add_command(group, "previews", _previews, phrase("cli.say_decide_what_previews"))
    second = add_command(group, "second-factor", _second_factor, phrase("cli.say_decide_roles_need"))
    second.add_argument("roles", nargs="*", metavar="ROLE", help=str(phrase("cli.roles_or_none", role=", ".join(Role))))
    previews.add_argument("value", nargs="?", choices=[each.value for each in PreviewPolicy])


def _previews(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if options.value is not None:
        workspace.plans.set_preview_policy(options.value, actor=actor)
    policy = workspace.plans.preview_policy
    return {"previews": policy.value}, MEANING[policy]


def _second_factor(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if options.roles:
        roles = [] if options.roles == [NOBODY] else sorted(set(options.roles))
        workspace.people.require_second_factor(roles, actor=actor)
    found = sorted(workspace.people.second_factor_roles(actor=actor))
    words = phrase("cli.second_factor", roles=tuple(found) or NOBODY)
    return {"second_factor": found}, words

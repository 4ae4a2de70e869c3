"""Commands for what this workspace allows its curators to see."""

from __future__ import annotations

import argparse
from typing import Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace
from dprelease.store.facts import PreviewPolicy

MEANING = {
    PreviewPolicy.TRUE: "Previews show true values, to curators only; each is in the ledger.",
    PreviewPolicy.BLIND: "Previews read no rows: they show a table made up from the declared columns.",
    PreviewPolicy.NONE: "Previews are turned off.",
}


def add(commands: Any) -> None:
    group = add_group(commands, "policy", "What this workspace allows.")
    previews = add_command(
        group, "previews", _previews, "Say, or decide, what previews show. Every change is recorded."
    )
    previews.add_argument("value", nargs="?", choices=[each.value for each in PreviewPolicy])


def _previews(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if options.value is not None:
        workspace.set_preview_policy(options.value, actor=actor)
    policy = workspace.preview_policy
    return {"previews": policy.value}, MEANING[policy]

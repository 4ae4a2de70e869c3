"""The same Workspace from a terminal. Exit code 0; 1 for a refused or failed operation; 2 for wrong usage."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Sequence

from dprelease.cli import (
    datasets,
    keys,
    ledger,
    people,
    plans,
    policy,
    populations,
    releases,
    requests,
    site,
    workspace,
)
from dprelease.errors import AccessError, DPReleaseError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command."""
    gc.set_threshold(50_000)  # what is imported stays: looking for garbage in it takes a tenth of a small release
    options = parser().parse_args(arguments)
    try:
        found, words = options.run(options)
    except DPReleaseError as error:
        nobody = isinstance(error, AccessError) and options.acting is None
        message = f"{error}. Say who acts with --as NAME." if nobody else str(error)
        if options.json:
            print(json.dumps({"error": type(error).__name__, "message": message}, ensure_ascii=False))
        else:
            print(f"dprelease: {message}", file=sys.stderr)
        return 1
    try:
        print(json.dumps(found, indent=2, ensure_ascii=False) if options.json else words, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(
        prog="dprelease", description="Private data release: publish statistics with a differential privacy guarantee."
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for module in (workspace, people, policy, populations, datasets, plans, requests, releases, ledger, keys, site):
        module.add(commands)
    return top

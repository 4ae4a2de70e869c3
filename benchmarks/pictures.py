"""What verification and publication of a bundle of every kind take of the processor, with pictures and without.

    .venv/bin/python -m benchmarks.pictures [--turns 5] [--beside CHECKOUT]

Each figure is of whole processes, with what they load, and the least of the turns: other programs only add to it.
Pictures are counted as they are drawn: one for a table, and one for phones of each that has several numbers.
`--beside`: another checkout of this project with its own `.venv`, which verifies and publishes a bundle of its own, in
turn with this one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.environments import machine

ROOT = Path(__file__).resolve().parents[1]
MIN_SHARE = 0.7
"""Of what verification took at 793ac025, before pictures were drawn again: asked for without pictures."""
START, EACH = 1.6, 0.08
"""Seconds that drawing again may take: for what draws, and for each picture."""
PUBLISH = """
import sys
from pathlib import Path
from dprelease.workspace import Workspace
from tests.bundle import kinds

workspace = Workspace.create(Path(sys.argv[1]))
kinds.install(workspace)
if sys.argv[2:]:
    kinds.publish(workspace, kinds.PLAN)
"""
"""Lays out a workspace and, where more is given, publishes in it."""


def taken(checkout: Path, *arguments: str) -> float:
    """Seconds of the processor of one process of a checkout's own Python."""
    before = os.times()
    command = [str(checkout / ".venv" / "bin" / "python"), *arguments]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments[:3])} in {checkout}: {done.stderr or done.stdout}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def bundle(home: Path) -> str:
    (found,) = (path.parent for path in (home / "public").glob("*/release.json"))
    return str(found)


def pictures(folder: str) -> int:
    """How many pictures are drawn for a bundle: two for each table of several numbers."""
    tables = [Path(folder, "tables", f"{path.stem}.csv") for path in Path(folder, "charts").glob("*.svg")]
    return sum(2 if len(path.read_text(encoding="utf-8").splitlines()) > 2 else 1 for path in tables)


def turn(checkout: Path, home: Path) -> dict[str, float]:
    """One measurement of each, in a checkout that has published in this folder or does so now."""
    laid = taken(checkout, "-c", PUBLISH, str(home / "laid"))
    published = taken(checkout, "-c", PUBLISH, str(home / "home"), "too") - laid
    verify = ("-m", "dprelease", "verify", bundle(home / "home"))
    own = checkout.samefile(ROOT)
    without = {"verify --no-pictures": taken(checkout, *verify, "--no-pictures")} if own else {}
    return {"verify": taken(checkout, *verify), **without, "publish": published}


def measured(checkouts: Sequence[Path], turns: int) -> tuple[list[Mapping[str, float]], int]:
    """The least seconds of each checkout, and how many pictures the first one drew."""
    found: list[list[Mapping[str, float]]] = [[] for _ in checkouts]
    drawn = 0
    for _ in range(turns):
        for checkout, own in zip(checkouts, found, strict=True):
            with TemporaryDirectory() as folder:
                own.append(turn(checkout, Path(folder)))
                drawn = drawn or pictures(bundle(Path(folder) / "home"))
    return [{name: min(each[name] for each in own) for name in own[0]} for own in found], drawn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    checkouts = [ROOT] if options.beside is None else [ROOT, options.beside.resolve()]
    (here, *others), drawn = measured(checkouts, options.turns)
    print(f"| seconds of the processor, least of {options.turns} | here | beside | ratio | asked | |")
    print("|---|---:|---:|---:|---:|---|")
    again = here["verify"] - here["verify --no-pictures"]
    asked = START + EACH * drawn
    for name, seconds in here.items():
        if not others:
            print(f"| {name} | {seconds:.2f} | | | | |")
            continue
        other = others[0]["publish" if name == "publish" else "verify"]
        share = seconds / other
        told = f"{MIN_SHARE} | {'met' if share <= MIN_SHARE else 'missed'}" if "no-pictures" in name else " | "
        print(f"| {name} | {seconds:.2f} | {other:.2f} | {share:.2f} | {told} |")
    print(f"| drawing {drawn} again | {again:.2f} | | | {asked:.1f} | {'met' if again <= asked else 'missed'} |")
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()

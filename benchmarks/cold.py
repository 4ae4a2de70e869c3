"""Processor time of processes that have just begun: `verify --no-pictures` of a small bundle, `--help`, an import.

    .venv/bin/python -m benchmarks.cold [--turns 7] [--beside CHECKOUT]

Medians, of whole processes, in turn with another checkout of this project that verifies the same bundle.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.environments import machine
from benchmarks.pictures import ROOT, bundle, taken

PUBLISH = """
import sys
from pathlib import Path
from dprelease.workspace import Workspace
from tests.verdict.forging import COUNT, FRAME, written

workspace = Workspace.create(Path(sys.argv[1]))
workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
written(workspace, COUNT, Path(sys.argv[1]) / "written")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    checkouts = [ROOT, *([options.beside.resolve()] if options.beside else [])]
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        taken(ROOT, "-c", PUBLISH, str(home))
        calls = {
            "`verify --no-pictures`": ("-m", "dprelease", "verify", bundle(home), "--no-pictures"),
            "`dprelease --help`": ("-m", "dprelease", "--help"),
            "`import dprelease`": ("-c", "import dprelease"),
            "nothing": ("-c", "pass"),
        }
        print(f"| seconds of the processor, median of {options.turns} | here | beside | ratio |\n|---|---:|---:|---:|")
        for name, call in calls.items():
            for checkout in checkouts:
                taken(checkout, *call)  # compiles what was never run there
            turns = [[taken(checkout, *call) for checkout in checkouts] for _ in range(options.turns)]
            here, *others = map(median, zip(*turns, strict=True))
            told = f"{others[0]:.2f} | {here / others[0]:.2f}" if others else " | "
            print(f"| {name} | {here:.2f} | {told} |")
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()

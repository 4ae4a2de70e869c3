"""How far rows of AIM and MST are from the true ones, beside `benchmarks.synthetic`: opendp[mbi] over private-pgm.

    .venv/bin/python -m benchmarks.rows_beside [--draws 3] [--methods aim mst] [--epsilons 1 0.3 3] [--only TEXT]
        [--limit 7200]

The same tables, cells and ρ (that of ε at δ = 1e-6) go to each. Methods have the options that their library has by
default, or those that are named: `aim:max_size=8` has a model of 8 MB at most, where 80 are usual. `--limit`: seconds
that one draw may take. Two lines for each draw are printed when it is there: rows that its model is rounded to, as the
library does by default, and rows that are sampled of it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from itertools import combinations
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from benchmarks.environments import interpreter, machine, pinned
from benchmarks.synthetic import Case, cases
from dprelease.accounting.zcdp import rho_within

ROOT = Path(__file__).parent.parent
NANO = 10**9


def apart(case: Case, rows: NDArray[np.int64]) -> dict[int, float]:
    """The mean total variation between rows and true ones, over all tables of one, two and three columns."""
    names, sizes = list(case.columns), list(case.sizes().values())
    true = case.cells(case.frame)
    found = {}
    for size in (1, 2, 3):
        distances = []
        for places in combinations(range(len(names)), size):
            cells = int(np.prod([sizes[place] for place in places]))
            one, other = np.zeros(len(case.frame), dtype=np.int64), np.zeros(rows.shape[1], dtype=np.int64)
            for place in places:
                one, other = one * sizes[place] + true[names[place]], other * sizes[place] + rows[place]
            known = (rows[list(places)] >= 0).all(axis=0)
            shares = np.bincount(one, minlength=cells) / len(one)
            theirs = np.bincount(other[known], minlength=cells) / max(1, rows.shape[1])
            distances.append(float(np.abs(shares - theirs).sum() / 2))
        found[size] = mean(distances)
    return found


def drawn(python: Path, case: Case, method: str, epsilon: float, limit: float, folder: Path) -> dict[str, str]:
    """What one draw came to, by how rows are made of its model."""
    cells, out = folder / "cells.npz", folder / "rows.npz"
    true = case.cells(case.frame)
    np.savez(cells, codes=np.array(list(true.values())), cells=np.array(list(case.sizes().values())))
    rho = rho_within(round(epsilon * NANO), 10**12) / NANO
    command = [str(python), "-m", "benchmarks.peers.rows_mbi", str(cells), method, repr(rho), str(out)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"": f"did not end in {limit:g} s"}
    if done.returncode:
        return {"": "failed: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1][:200]}
    told, found = json.loads(done.stdout.splitlines()[-1]), {}
    for way, rows in np.load(out).items():
        far = apart(case, rows)
        figures = " | ".join(f"{far[size]:.4f}" for size in (1, 2, 3))
        found[f", {way}"] = f"{figures} | {told['seconds']:.0f} | {told['processor']:.0f} | {told['peak_mb']:.0f}"
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--draws", type=int, default=3)
    options.add_argument("--methods", nargs="+", default=["aim", "mst"])
    options.add_argument("--epsilons", nargs="+", type=float, default=[1.0, 0.3, 3.0])
    options.add_argument("--only", default="Adult, 8", help="tables that have this text")
    options.add_argument("--limit", type=float, default=7200.0)
    chosen = options.parse_args()
    python = interpreter(pinned("mbi"))
    print(f"Made by `.venv/bin/python -m benchmarks.rows_beside`: {machine()}.\n")
    print("| table | by | ε | draw | TVD1 | TVD2 | TVD3 | seconds | of processors | MB |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in (each for each in cases() if chosen.only in each.name):
            for draw in range(chosen.draws):
                for epsilon in chosen.epsilons:
                    for method in chosen.methods:
                        told = drawn(python, case, method, epsilon, chosen.limit, Path(folder))
                        for way, line in told.items():
                            print(f"| {case.name} | {method}{way} | {epsilon:g} | {draw + 1} | {line} |", flush=True)


if __name__ == "__main__":
    main()

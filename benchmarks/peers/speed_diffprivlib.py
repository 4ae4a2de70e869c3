"""diffprivlib's `tools`. It knows rows only: where a person is the unit, each ε is a fifth, and rows are cut before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from diffprivlib import tools

from benchmarks.peers.columns import coded
from benchmarks.peers.working import AGE, BINS, INCOME, QUARTILES, REGIONS, SEXES, SHARE, at_most, work


def run(path: Path, unit: str) -> object:
    columns, epsilon = coded(path, unit), SHARE / at_most(unit)
    income, region = columns["income"], columns["region"]
    cross = np.stack([region, columns["sex"]], axis=1)
    return [
        tools.histogram(np.ones(len(income)), epsilon=epsilon, bins=1, range=(0, 2)),
        tools.sum(income, epsilon=epsilon, bounds=INCOME),
        tools.mean(income, epsilon=epsilon, bounds=INCOME),
        tools.histogram(columns["age"], epsilon=epsilon, bins=BINS, range=AGE),
        tools.histogramdd(cross, epsilon=epsilon, bins=[len(REGIONS), len(SEXES)], range=[(-0.5, 19.5), (-0.5, 1.5)]),
        tools.quantile(income, list(QUARTILES), epsilon=epsilon, bounds=INCOME),
        [tools.mean(income[region == code], epsilon=epsilon, bounds=INCOME) for code in range(len(REGIONS))],
    ]


if __name__ == "__main__":
    work(run)

"""How well published models predict beside other libraries' at the same ε, on real tables out of packages.

    .venv/bin/python -m benchmarks.models [--write] [--draws 30] [--parts linear classes clusters]
        [--epsilons 0.1 1] [--tables Adult]

Each table is split many times into rows to learn from and a fifth to test on; each time a model is released once by
dprelease and by each peer, with the same rows and the same declared bounds, and its predictions are scored on the
rest. What is told is the median. A row is a unit that may be added or removed. `--write` puts the report into
docs/accuracy-models.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy import REPORT
from benchmarks.asking import Peer, answered, prepared
from benchmarks.classes import classes
from benchmarks.environments import ENVIRONMENTS, machine, put
from benchmarks.fitted import DELTA, chosen_of, deviation, job, medians, released, tested
from benchmarks.peers.scoring import cost, fuzzy_cost, rmse
from benchmarks.real import CLASSIFICATIONS, REGRESSIONS
from dprelease.model.privacy import Currency

EPSILONS = (0.1, 0.3, 1.0, 3.0)
PEER = Peer(name="diffprivlib, interpret", worker="models", package="diffprivlib", environment="models")
LINEAR = "linear"


def linear(
    draws: int, epsilons: Sequence[float], python: Path | None, folder: Path, names: Sequence[str] = ()
) -> Iterator[str]:
    heads = (
        "ours, pure",
        "ours, zcdp",
        "diffprivlib",
        "clipped to the outcome's bounds",
        "without privacy",
        "mean alone",
    )
    yield f"| test RMSE, median | ε | {' | '.join(heads)} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for real in chosen_of(REGRESSIONS, names):
        statistic = {"kind": LINEAR, "outcome": real.outcome, "on": real.predictors}
        own = real.columns[real.outcome]
        limits = [float(own["lower"]), float(own["upper"])]
        asked = [job(real, "linear", each, range(draws), folder, outcome=limits) for each in epsilons]
        theirs = answered(PEER, python, asked)[0] if python else []
        ours = [tested(real, statistic, epsilons, each, draws, rmse) for each in (Currency.PURE, Currency.ZCDP)]
        for place, epsilon in enumerate(epsilons):
            texts = [f"{np.median(each[place]):.4g} ± {deviation(each[place]):.2g}" for each in ours]
            peer: Any = theirs[place] if theirs else {}
            for name in ("diffprivlib", "without privacy"):
                texts += [f"{each:.4g}" for each in medians(peer[name])] if name in peer else ["", ""]
            yield f"| {real.name} | {epsilon:g} | {' | '.join(texts)} |"


def grouped(
    draws: int, epsilons: Sequence[float], python: Path | None, folder: Path, _: Sequence[str] = ()
) -> Iterator[str]:
    yield "| cost as a ratio to k-means without privacy, median | ε | ours | ours, fuzzy | diffprivlib |"
    yield "|---|---:|---:|---:|---:|"
    real, on, k = next(each for each in CLASSIFICATIONS if each.name == "Pima, glucose and BMI"), ["glucose", "bmi"], 2
    whole = real.frame()
    frame = whole[(whole[on] > 0).all(axis=1)].reset_index(drop=True)
    lower, upper = (np.array([float(real.columns[name][end]) for name in on]) for end in ("lower", "upper"))
    unit = (frame[on].to_numpy(float) - lower) / (upper - lower)
    path = folder / "clusters.npz"
    np.savez(path, x=frame[on].to_numpy(float), y=np.zeros(len(frame)), lower=lower, upper=upper)
    asked = [
        {"task": "clusters", "epsilon": each, "seeds": list(range(draws)), "data": str(path), "clusters": k}
        for each in epsilons
    ]
    theirs: Any = answered(PEER, python, asked)[0] if python else []
    least = theirs[0]["least"][0] if theirs else 1.0
    fuzzy = theirs[0]["least fuzzy"][0] if theirs else 1.0
    for place, epsilon in enumerate(epsilons):
        found: dict[str, list[float]] = {"kmeans": [], "fuzzy": []}
        for method, ratios in found.items():
            statistic = {"kind": "clusters", "on": on, "k": k, "method": method}
            for _ in range(draws):
                facts = released(real, frame, statistic, [epsilon], Currency.PURE)[0].facts
                centres = (np.asarray(facts["function"]["centres"], dtype=float) - lower) / (upper - lower)
                ratios.append(cost(unit, centres) / least if method == "kmeans" else fuzzy_cost(unit, centres) / fuzzy)
        texts = [f"{np.median(each):.3f}" for each in found.values()]
        peer = f"{np.median(theirs[place]['diffprivlib']):.3f}" if theirs else ""
        yield f"| Pima, glucose and BMI, k = 2, {len(frame)} rows | {epsilon:g} | {' | '.join(texts)} | {peer} |"


PARTS: dict[str, Callable[..., Iterator[str]]] = {
    "linear": linear,
    "classes": partial(classes, PEER),
    "clusters": grouped,
}


def report(chosen: argparse.Namespace) -> Iterator[str]:
    pythons, notes = ({}, []) if chosen.alone else prepared([PEER], chosen.environments)
    yield f"Made by `.venv/bin/python -m benchmarks.models` on {machine()}; {chosen.draws} draws, δ = {DELTA} in zcdp."
    yield from notes
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen.parts:
            started = time.perf_counter()
            yield ""
            yield from PARTS[name](chosen.draws, chosen.epsilons, pythons.get(PEER), Path(folder), chosen.tables)
            yield ""
            yield f"{name}: {time.perf_counter() - started:.0f} s."


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy-models.md")
    options.add_argument("--draws", type=int, default=30, help="of each model, each with rows of its own to learn from")
    options.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    options.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options.add_argument("--tables", nargs="+", default=[], help="names of tables begin like this; all by default")
    options.add_argument("--alone", action="store_true", help="without peers")
    options.add_argument("--environments", type=Path, default=ENVIRONMENTS)
    chosen = options.parse_args()
    lines = []
    for line in report(chosen):
        print(line, flush=True)
        lines.append(line)
    if chosen.write:
        put(REPORT.with_name("accuracy-models.md"), "benchmarks.models", "\n".join(lines))


if __name__ == "__main__":
    main()

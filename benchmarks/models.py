"""How well published models predict beside other libraries' at the same ε, on real tables out of packages.

    .venv/bin/python -m benchmarks.models [--write] [--draws 30] [--parts linear classes clusters]
        [--epsilons 0.1 1] [--tables Adult]

Each table is split many times into rows to learn from and a fifth to test on; each time a model is released once by
dprelease and by each peer, with the same rows and the same declared bounds, and its predictions are scored on the
rest. What is told is the median. A row is a unit that may be added or removed. `--write` puts the report into
docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

import dprelease
from benchmarks.accuracy import REPORT
from benchmarks.asking import Peer, answered, prepared
from benchmarks.environments import ENVIRONMENTS, machine, put
from benchmarks.peers.scoring import cost, fuzzy_cost, rmse, scores, split
from benchmarks.real import CLASSIFICATIONS, REGRESSIONS, Real
from dprelease.model.privacy import Currency
from dprelease.model.release import Model
from dprelease.statistics.answer import answers, draw, exact, queries
from dprelease.statistics.planning.price import price
from dprelease.table import Engine

Array = NDArray[Any]
EPSILONS = (0.1, 0.3, 1.0, 3.0)
DELTA = "1e-6"
PEER = Peer(name="diffprivlib, interpret", worker="models", package="diffprivlib", environment="models")
LINEAR = "linear"
CLASSIFIERS = ("naive_bayes", "scorecard")


def released(
    real: Real, frame: pd.DataFrame, statistic: Mapping[str, Any], epsilon: float, currency: Currency
) -> Model:
    """One release of a model of these rows."""
    plan = dprelease.Plan.parse(
        {
            "dprelease": 1,
            "dataset": "t",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": DELTA},
            "columns": real.columns,
            "expected": {"rows": len(frame)},
            "statistics": [{"id": "m", **statistic}],
        }
    )
    bill = price(plan, currency=currency, discovers=currency is Currency.PURE)
    engine = Engine()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    tallies = engine.answer(engine.hold(table), queries(bill), schema=plan.schema, where=(), unit=plan.unit)
    found = answers(bill, draw(bill, exact(bill, tallies)))["m"]
    assert isinstance(found, Model)
    return found


def medians(found: Sequence[Sequence[float]]) -> list[float]:
    """By figure, the median over draws."""
    return [float(each) for each in np.median(np.asarray(found, dtype=float), axis=0)]


def deviation(found: Sequence[float]) -> float:
    """The standard error of a median, as of a normal sample."""
    return float(1.2533 * np.std(found, ddof=1) / np.sqrt(len(found)))


# ------------------------------------------------------------------------------------------------ what a file predicts


def predicted(facts: Mapping[str, Any], frame: pd.DataFrame) -> Array:
    """What a published model's file predicts, by a reading of its own: a number, or the chance of the last class."""
    function = facts["function"]
    inputs = {each["column"]: each for each in facts["inputs"]}
    if function["link"] == "bayes":
        logs = np.tile(np.asarray(function["priors"], dtype=float), (len(frame), 1))
        for term in function["terms"]:
            logs += np.asarray(term["logs"], dtype=float)[:, cells(inputs[term["column"]], frame)].T
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        chances: Array = (shares / shares.sum(axis=1, keepdims=True))[:, -1]
        return chances
    total = np.full(len(frame), float(function["intercept"]))
    for term in function["terms"]:
        own = inputs[term["column"]]
        if "points" in term:
            total += np.asarray(term["points"], dtype=float)[cells(own, frame)]
        elif "category" in term:
            total += term["coefficient"] * (frame[term["column"]].astype(str) == str(term["category"]))
        else:
            total += term["coefficient"] * frame[term["column"]].clip(own["lower"], own["upper"])
    if function["link"] == "logit":
        return np.asarray(1 / (1 + np.exp(-total)))
    return np.asarray(np.clip(total, function["lower"], function["upper"]))


def cells(own: Mapping[str, Any], frame: pd.DataFrame) -> Array:
    """The bin or category of each row."""
    values = frame[own["column"]]
    if own.get("edges"):
        edges = np.asarray(own["edges"], dtype=float)
        return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    if own.get("categories"):
        return pd.Categorical(values.astype(str), [str(each) for each in own["categories"]]).codes.astype(int)
    return np.round((values - own["lower"]) / own["resolution"]).to_numpy(dtype=int)


# ----------------------------------------------------------------------------------------------------------- the parts


def job(real: Real, task: str, epsilon: float, seeds: Sequence[int], folder: Path, **more: Any) -> dict[str, Any]:
    """What the peers' worker reads: one-hot columns without each first category, and their bounds."""
    frame, names = real.frame(), more.pop("on", real.predictors)
    columns, lower, upper = [], [], []
    for name in names:
        own = real.columns[name]
        if "lower" in own:
            columns.append(frame[name].to_numpy(dtype=float))
            lower.append(float(own["lower"]))
            upper.append(float(own["upper"]))
        for category in own.get("categories", [])[1:]:
            columns.append((frame[name] == category).to_numpy(dtype=float))
            lower.append(0.0)
            upper.append(1.0)
    path = folder / f"{abs(hash((real.name, task)))}.npz"
    np.savez(path, x=np.stack(columns, axis=1), y=outcomes(real, frame), lower=lower, upper=upper)
    return {"task": task, "epsilon": epsilon, "seeds": list(seeds), "data": str(path), **more}


def outcomes(real: Real, frame: pd.DataFrame) -> Array:
    """The outcome as numbers; of two categories 1 is the last."""
    own = real.columns[real.outcome]
    values = frame[real.outcome]
    return (values == own["categories"][-1]).to_numpy(dtype=float) if "categories" in own else values.to_numpy(float)


def tested(
    real: Real, statistic: Mapping[str, Any], epsilon: float, currency: Currency, draws: int, score: Callable[..., Any]
) -> list[Any]:
    """The score of each of so many releases, on the rows that it was not made of."""
    frame, found = real.frame(), []
    truth = outcomes(real, frame)
    for seed in range(draws):
        kept, held = split(len(frame), seed)
        model = released(real, frame.iloc[kept], statistic, epsilon, currency)
        found.append(score(truth[held], predicted(model.facts, frame.iloc[held])))
    return found


def chosen_of(tables: Sequence[Real], names: Sequence[str]) -> list[Real]:
    """Those of some tables whose name starts with one of some names; all where there are none."""
    return [real for real in tables if not names or any(real.name.startswith(name) for name in names)]


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
        for place, epsilon in enumerate(epsilons):
            ours = [tested(real, statistic, epsilon, each, draws, rmse) for each in (Currency.PURE, Currency.ZCDP)]
            texts = [f"{np.median(each):.4g} ± {deviation(each):.2g}" for each in ours]
            peer: Any = theirs[place] if theirs else {}
            for name in ("diffprivlib", "without privacy"):
                texts += [f"{each:.4g}" for each in medians(peer[name])] if name in peer else ["", ""]
            yield f"| {real.name} | {epsilon:g} | {' | '.join(texts)} |"


def classes(
    draws: int, epsilons: Sequence[float], python: Path | None, folder: Path, names: Sequence[str] = ()
) -> Iterator[str]:
    heads = [f"{kind}, {currency.value}" for currency in (Currency.PURE, Currency.ZCDP) for kind in CLASSIFIERS]
    yield f"| accuracy / AUC / log-loss, median | ε | {' | '.join(heads)} | peers |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for real in chosen_of(CLASSIFICATIONS, names):
        bins = {"bins": dict(real.bins)} if real.bins else {}
        frame = real.frame()
        given = {name: frame[name].tolist() for name in real.predictors}
        bounds = {n: [own["lower"], own["upper"]] for n, own in real.columns.items() if n in given and "lower" in own}
        asked = [job(real, "classes", each, range(draws), folder, frame=given, bounds=bounds) for each in epsilons]
        theirs = answered(PEER, python, asked)[0] if python else []
        for place, epsilon in enumerate(epsilons):
            texts = []
            for currency in (Currency.PURE, Currency.ZCDP):
                for kind in CLASSIFIERS:
                    statistic = {"kind": kind, "outcome": real.outcome, "on": real.predictors, **bins}
                    texts.append(said(tested(real, statistic, epsilon, currency, draws, scores)))
            peers: Any = theirs[place] if theirs else {}
            own = "; ".join(f"{name}: {said(found)}" for name, found in peers.items())
            yield f"| {real.name} | {epsilon:g} | {' | '.join(texts)} | {own} |"


def said(found: Sequence[Sequence[float]]) -> str:
    return " / ".join(f"{each:.3f}" for each in medians(found))


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
                facts = released(real, frame, statistic, epsilon, Currency.PURE).facts
                centres = (np.asarray(facts["function"]["centres"], dtype=float) - lower) / (upper - lower)
                ratios.append(cost(unit, centres) / least if method == "kmeans" else fuzzy_cost(unit, centres) / fuzzy)
        texts = [f"{np.median(each):.3f}" for each in found.values()]
        peer = f"{np.median(theirs[place]['diffprivlib']):.3f}" if theirs else ""
        yield f"| Pima, glucose and BMI, k = 2, {len(frame)} rows | {epsilon:g} | {' | '.join(texts)} | {peer} |"


PARTS = {"linear": linear, "classes": classes, "clusters": grouped}


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
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy.md")
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
        put(REPORT, "benchmarks.models", "\n".join(lines))


if __name__ == "__main__":
    main()

"""Releases of models of real tables, what their files predict, and how well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

import dprelease
from benchmarks.peers.scoring import split
from benchmarks.real import Real
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput
from dprelease.model.tally import Query
from dprelease.statistics.answer import answers, draw, exact, queries
from dprelease.statistics.planning.price import price
from dprelease.table import Discovery, Engine, Tally

Array = NDArray[Any]
DELTA = "1e-6"


def released(
    real: Real, frame: pd.DataFrame, statistic: Mapping[str, Any], epsilons: Sequence[float], currency: Currency
) -> list[FittedOutput]:
    """One release at each ε of a model of these rows, which are counted once."""
    engine, found, first = Engine(), [], None
    held = engine.hold(pa.Table.from_pandas(frame, preserve_index=False))
    for epsilon in epsilons:
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

        def ask(wanted: Sequence[Query], plan: dprelease.Plan = plan) -> Sequence[Tally | Discovery]:
            return engine.answer(held, wanted, schema=plan.schema, where=(), unit=plan.unit)

        first = first or ask(queries(bill))
        model = answers(bill, draw(bill, exact(bill, first, ask)))["m"]
        assert isinstance(model, FittedOutput)
        found.append(model)
    return found


# ------------------------------------------------------------------------------------------------ what a file predicts


def predicted(facts: Mapping[str, Any], frame: pd.DataFrame) -> Array:
    """What a published model's file predicts, by a reading of its own: a number, or the chance of the last class."""
    function = facts["function"]
    inputs = {each["column"]: each for each in facts["inputs"]}
    if function["link"] == "bayes":
        logs = np.tile(np.asarray(function["priors"], dtype=float), (len(frame), 1))
        for term in function["terms"]:
            own = inputs[term["column"]]
            if "means" in term:
                means, wide = (np.asarray(term[name], dtype=float) for name in ("means", "deviations"))
                values = frame[term["column"]].clip(own["lower"], own["upper"]).to_numpy(float)[:, None]
                logs += -0.5 * ((values - means) / wide) ** 2 - np.log(wide)
            else:
                logs += np.asarray(term["logs"], dtype=float)[:, cells(own, frame)].T
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
    real: Real,
    statistic: Mapping[str, Any],
    epsilons: Sequence[float],
    currency: Currency,
    draws: int,
    score: Callable[..., Any],
) -> list[list[Any]]:
    """By ε the score of each of so many releases, on the rows that they were not made of."""
    frame = real.frame()
    truth, found = outcomes(real, frame), []
    for seed in range(draws):
        kept, held = split(len(frame), seed)
        models = released(real, frame.iloc[kept], statistic, epsilons, currency)
        found.append([score(truth[held], predicted(model.facts, frame.iloc[held])) for model in models])
    return [list(each) for each in zip(*found, strict=True)]


def chosen_of(tables: Sequence[Real], names: Sequence[str]) -> list[Real]:
    """Those of some tables whose name starts with one of some names; all where there are none."""
    return [real for real in tables if not names or any(real.name.startswith(name) for name in names)]


def medians(found: Sequence[Sequence[float]]) -> list[float]:
    """By figure, the median over draws."""
    return [float(each) for each in np.median(np.asarray(found, dtype=float), axis=0)]


def deviation(found: Sequence[float]) -> float:
    """The standard error of a median, as of a normal sample."""
    return float(1.2533 * np.std(found, ddof=1) / np.sqrt(len(found)))

"""How well published classifiers predict, method by method, beside what other libraries publish at the same ε.

A part of `benchmarks.models`, which runs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.asking import Peer, answered
from benchmarks.fitted import chosen_of, job, medians, tested
from benchmarks.peers.scoring import scores
from benchmarks.real import CLASSIFICATIONS, Real
from dprelease.model.privacy import Currency

BINNED = ("naive_bayes", "scorecard")
METHODS: Mapping[str, Mapping[str, Any]] = {
    "naive_bayes": {"kind": "naive_bayes"},
    "naive_bayes, normal": {"kind": "naive_bayes", "method": "normal"},
    "scorecard": {"kind": "scorecard"},
    "logistic": {"kind": "logistic"},
    "logistic, functional": {"kind": "logistic", "method": "functional"},
}
"""What is asked of a plan, by what it is called here."""


def classes(
    peer: Peer,
    draws: int,
    epsilons: Sequence[float],
    python: Path | None,
    folder: Path,
    names: Sequence[str] = (),
) -> Iterator[str]:
    """By table a part of a report: accuracy, area under the ROC curve and log-loss, median over draws."""
    for real in chosen_of(CLASSIFICATIONS, names):
        frame = real.frame()
        given = {name: frame[name].tolist() for name in real.predictors}
        bounds = {n: [own["lower"], own["upper"]] for n, own in real.columns.items() if n in given and "lower" in own}
        asked = [job(real, "classes", each, range(draws), folder, frame=given, bounds=bounds) for each in epsilons]
        yield f"| {real.name}, {draws} draws: accuracy / AUC / log-loss | {' | '.join(map(_head, epsilons))} |"
        yield f"|---|{'---:|' * len(epsilons)}"
        for name, options in METHODS.items():
            for currency in (Currency.PURE, Currency.ZCDP):
                found = tested(real, statistic(real, options, currency), epsilons, currency, draws, scores)
                yield f"| {name}, {currency.value} | {' | '.join(map(_said, found))} |"
        theirs = answered(peer, python, asked)[0] if python else []
        for name in dict.fromkeys(way for each in theirs for way in each):
            yield f"| {name} | {' | '.join(_said(each[name]) for each in theirs)} |"
        yield ""


def statistic(real: Real, options: Mapping[str, Any], currency: Currency) -> dict[str, Any]:
    """What a plan asks for: bins where the method has them, and no rounds where these are refused."""
    own: dict[str, Any] = {**options, "outcome": real.outcome, "on": real.predictors}
    if own["kind"] in BINNED and "method" not in own and real.bins:
        own["bins"] = dict(real.bins)
    if own["kind"] == "logistic" and "method" not in own and currency is Currency.PURE:
        own["rounds"] = 0
    return own


def _head(epsilon: float) -> str:
    return f"ε = {epsilon:g}"


def _said(found: Any) -> str:
    return found if isinstance(found, str) else " / ".join(f"{each:.3f}" for each in medians(found))

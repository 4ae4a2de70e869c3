"""How well the best attack on a model's sealed integers tells whether one row is in the table, against what ε allows.

    .venv/bin/python -m benchmarks.attacks [--draws 4000] [--write]

Whoever attacks knows every mechanism and all rows but one, and sees the integers themselves, from which all that is
published follows. Noise is independent from integer to integer, so that the best test compares the likelihoods of them
all with the row and without it (Neyman and Pearson). Its advantage is computed (`dprelease.adversaries`), and found
again by that very test on draws. `--write` draws docs/images/model-attack.svg and puts the table into
docs/privacy/figures.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import sqrt, tanh
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
import vl_convert

import dprelease
from benchmarks.environments import put
from benchmarks.measure import ROOT
from dprelease.adversaries.terms import of_person, together
from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.model.privacy import NANO, Currency, NeighboringRelation
from dprelease.statistics.answer import Inputs, draw_many, exact, queries
from dprelease.statistics.planning.price import Price, price
from dprelease.table import Engine

REPORT, PICTURE = ROOT / "docs" / "privacy" / "figures.md", ROOT / "docs" / "images" / "model-attack.svg"
DELTA = "1e-6"
EPSILONS = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0)
TOLD = (0.1, 0.3, 1.0, 3.0)
"""Those that the table tells, and at which the test is tried on draws."""
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "bmi": {"type": "number", "lower": 15, "upper": 60, "resolution": 0.5},
    "cost": {"type": "number", "lower": 0, "upper": 5000, "resolution": 10},
    "active": {"type": "boolean"},
    "ill": {"type": "category", "categories": ["no", "yes"]},
}
STATISTICS: dict[str, dict[str, Any]] = {
    "linear": {"id": "m", "kind": "linear", "outcome": "cost", "on": ["age", "bmi"]},
    "scorecard": {
        "id": "m",
        "kind": "scorecard",
        "outcome": "ill",
        "on": ["age", "bmi", "active"],
        "bins": {"age": 5, "bmi": 6},
        "together": "all",
    },
}
ENDS = {"age": (0, 50, 100), "bmi": (15.0, 37.5, 60.0), "cost": (0.0, 2500.0, 5000.0)}
ROWS = [{**dict(zip(ENDS, values, strict=True)), "active": True, "ill": "yes"} for values in product(*ENDS.values())]
"""The row that is attacked: each of its numbers at an end or in the middle of what is declared."""
OTHERS = [
    {"age": 10 * place, "bmi": 20.0 + place, "cost": 100.0 * place, "active": False, "ill": "no"} for place in range(9)
]


def priced(kind: str, epsilon: float, currency: Currency, neighbors: str = "add_remove") -> Price:
    """A release of one model alone."""
    privacy: dict[str, Any] = {"unit": "row", "neighbors": neighbors, "epsilon": epsilon}
    if currency is Currency.ZCDP:
        privacy["delta"] = DELTA
    statistic = STATISTICS[kind]
    used = {*statistic["on"], statistic["outcome"]}
    columns = {name: column for name, column in COLUMNS.items() if name in used}
    plan = {"dprelease": 1, "dataset": "t", "privacy": privacy, "columns": columns, "statistics": [statistic]}
    return price(dprelease.Plan.parse(plan), currency=currency)


def bound(bill: Price) -> float:
    """What no attack can exceed: tanh(ε/2), in zcdp √(ρ/2) (Pinsker's inequality)."""
    if bill.currency is Currency.ZCDP:
        return min(1.0, sqrt(bill.loss.rho_nano / NANO / 2))
    return tanh(float(bill.epsilon) / 2)


def inputs(bill: Price, rows: Sequence[Mapping[str, Any]]) -> list[Inputs]:
    """The exact integers of a table, by measurement."""
    engine, plan = _engine(), bill.plan
    held = engine.hold(pa.Table.from_pylist(list(map(dict, rows))))
    found = engine.answer(held, queries(bill), schema=plan.schema, where=plan.where, unit=plan.unit)
    return list(exact(bill, found).values())


@cache
def _engine() -> Engine:
    return Engine()


def changes(without: Sequence[Inputs], within: Sequence[Inputs]) -> list[tuple[Mechanism, Any]]:
    """Each mechanism, and by how much its integers differ."""
    return [
        (mechanism, np.asarray(after) - np.asarray(before))
        for one, other in zip(without, within, strict=True)
        for mechanism, before, after in zip(one.measurement.mechanisms, one.first, other.first, strict=True)
    ]


def advantage(without: Sequence[Inputs], within: Sequence[Inputs]) -> float:
    """The best attack's: the largest difference of hits and false alarms."""
    return together([of_person(mechanism, change) for mechanism, change in changes(without, within)]).advantage


def tables(bill: Price) -> Iterator[tuple[list[Inputs], list[Inputs]]]:
    """Pairs of tables: without a row and with it; where rows are replaced, with one far from it, and with it."""
    within = [inputs(bill, [*OTHERS, row]) for row in ROWS]
    replaced = bill.plan.neighbors is NeighboringRelation.SUBSTITUTE
    without = within[::-1] if replaced else [inputs(bill, OTHERS)] * len(ROWS)
    yield from zip(without, within, strict=True)


def worst(bill: Price) -> tuple[float, tuple[list[Inputs], list[Inputs]]]:
    """The advantage against the row that is told most easily, and its tables."""
    return max(((advantage(*pair), pair) for pair in tables(bill)), key=lambda each: each[0])


def tried(pair: tuple[list[Inputs], list[Inputs]], draws: int) -> float:
    """The same test on draws of both tables: the share that it takes for the table with the row, with less without."""
    moved = changes(*pair)
    shares = []
    for table in pair:
        total = np.zeros(draws)
        drawn = [draw_many(measured, draws) for measured in table]
        parts = [[part[place] for part in many] for many in drawn for place in range(len(many[0]))]
        starts = [np.asarray(values) for measured in pair[0] for values in measured.first]
        for (mechanism, change), part, start in zip(moved, parts, starts, strict=True):
            noise = np.asarray(part, dtype=np.int64) - start
            total += _likelier(mechanism, noise, change).reshape(draws, -1).sum(axis=1)
        shares.append(float((total > 0).mean()))
    return shares[1] - shares[0]


def _likelier(mechanism: Mechanism, noise: Any, change: Any) -> Any:
    """ln of the ratio of likelihoods of each integer, with the row and without; `noise`: the latter's."""
    if isinstance(mechanism, DiscreteLaplace):
        return (np.abs(noise) - np.abs(noise - change)) / mechanism.scale
    moved = change.astype(float)
    return (2 * noise * moved - moved**2) / (2 * mechanism.scale**2)


def measured(draws: int) -> list[dict[str, Any]]:
    """By currency, ε and kind: what is allowed, computed, and found on draws."""
    found = []
    for currency, epsilon, kind in product((Currency.PURE, Currency.ZCDP), EPSILONS, STATISTICS):
        bill = priced(kind, epsilon, currency)
        best, pair = worst(bill)
        share = tried(pair, draws) if epsilon in TOLD else None
        own = {"currency": currency.value, "epsilon": epsilon, "kind": kind, "bound": bound(bill)}
        found.append({**own, "advantage": best, "tried": share})
    return found


def drawn(found: Sequence[Mapping[str, Any]]) -> str:
    """Two panels, of either currency: the bound, the best attack on each model, and the same on draws as points."""
    panels = []
    for currency, words in (("pure", "pure ε: tanh(ε/2)"), ("zcdp", "zcdp, δ = 1e-6: √(ρ/2)")):
        own = [each for each in found if each["currency"] == currency]
        lines = [{"ε": each["epsilon"], "of": "allowed", "advantage": each["bound"]} for each in own]
        lines += [{"ε": each["epsilon"], "of": each["kind"], "advantage": each["advantage"]} for each in own]
        points = [
            {"ε": each["epsilon"], "of": each["kind"], "advantage": each["tried"]}
            for each in own
            if each["tried"] is not None
        ]
        names = ["allowed", *STATISTICS]
        scale = alt.Scale(domain=names, range=["#444444", "#0072b2", "#d55e00"])
        along = alt.X("ε:Q", scale=alt.Scale(type="log"), axis=alt.Axis(values=list(EPSILONS), grid=False, format="~g"))
        up = alt.Y("advantage:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(gridColor="#e3e3e3"))
        colour = alt.Color("of:N", title=None, scale=scale, legend=alt.Legend(orient="bottom"))
        dash = alt.StrokeDash("of:N", scale=alt.Scale(domain=names, range=[[5, 3], [1, 0], [1, 0]]), legend=None)
        line = alt.Chart(pa.Table.from_pylist(lines), width=300, height=240, title=words).mark_line()
        dots = alt.Chart(pa.Table.from_pylist(points)).mark_point(filled=True, size=40)
        panels.append(line.encode(along, up, colour, dash) + dots.encode(along, up, colour))
    chart = alt.hconcat(*panels).configure(background="white", font="sans-serif").configure_view(stroke=None)
    return str(vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[]))


def report(found: Sequence[Mapping[str, Any]], draws: int) -> Iterator[str]:
    yield f"![Advantage of the best attack against ε, below what is allowed](images/{PICTURE.name})"
    yield ""
    yield f"| | ε | allowed | linear | on {draws:,} draws of either table | scorecard | on draws |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for currency, epsilon in product(("pure", "zcdp"), TOLD):
        own = {each["kind"]: each for each in found if (each["currency"], each["epsilon"]) == (currency, epsilon)}
        allowed = max(each["bound"] for each in own.values())
        texts = [f"{each['advantage']:.3f} | {each['tried']:.3f}" for each in own.values()]
        yield f"| {currency} | {epsilon:g} | {allowed:.3f} | {' | '.join(texts)} |"
    yield ""
    yield f"The standard error of a figure on draws is at most {sqrt(0.5 / draws):.3f}."


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--write", action="store_true", help="draw the picture, and put the table into docs/privacy/figures.md"
    )
    options.add_argument("--draws", type=int, default=4000)
    chosen = options.parse_args()
    found = measured(chosen.draws)
    lines = list(report(found, chosen.draws))
    print("\n".join(lines))
    if chosen.write:
        PICTURE.write_text(drawn(found), encoding="utf-8")
        put(REPORT, "benchmarks.attacks", "\n".join(lines))


if __name__ == "__main__":
    main()

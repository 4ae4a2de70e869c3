"""The data given to the component: the budget, ε and its steps, the list of statistics, and the opened one."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any

from dprelease.accounting.composition import right_guess
from dprelease.model.presentation import ChartType
from dprelease.model.privacy import NANO, Currency, read_epsilon
from dprelease.model.report import Report
from dprelease.statements.display import shown
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.ui.kit import budget
from dprelease.ui.kit.markup import as_text
from dprelease.ui.kit.phrases import counted
from dprelease.ui.words import say
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.looks import Seen
from dprelease.ui.workbench.steps import coarser
from dprelease.ui.workbench.titles import title_of

ICONS = {
    ChartType.WORDS: "words",
    ChartType.STAIRS: "steps",
    ChartType.BOXES: "box",
    ChartType.MATRIX: "table",
    ChartType.SPAN: "box",
}
OF_KIND = {
    "histogram": "bars",
    "crosstab": "table",
    "workload": "table",
    "mean": "dots",
    "sum": "dots",
    "median": "dots",
}
FINE, MIDDLE = Decimal("0.02"), Decimal("0.05")
LEAST = Decimal("0.05")
NEXT = Decimal(1) / NANO
"""The least ε that there is, and what two differ by at least."""
RATIO = Decimal("1.01")
"""Least ratio by which steps beyond 5 grow, so that there are never very many."""


def data(
    standing: DraftStatus, seen: Seen | None, table: str | None, view: str, progress: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return everything that the component shows, in the language that is spoken. `table`: which is opened."""
    draft, chosen = standing.draft, standing.draft.chosen
    ids = draft.ids()
    selected = None if chosen is None else ids[chosen]
    return {
        "mode": standing.mode or "invented",
        "words": {"bench_sure": _sure_words(standing)},
        "budget": _budget(standing),
        "epsilon": _epsilon(standing),
        "sure": [[epsilon, 100 * right_guess(epsilon, float(draft.delta or 0))] for epsilon in _ladder(standing)],
        "statistics": [_row(standing, place, ids[place]) for place in range(len(ids))],
        "ladder": _ladder(standing),
        "open": None if seen is None or table is None else _open(standing, seen, table, progress),
        "progress": progress,
        "flags": _flags(standing, seen),
        "selected": selected,
        "view": view,
    }


def _open(standing: DraftStatus, seen: Seen, table: str, progress: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the opened table, and by which key less it could be asked for."""
    draft, chosen = standing.draft, standing.draft.chosen
    keys = [] if chosen is None else coarser(draft.statistics[chosen])
    places = [{"key": key, "place": place} for place, key in enumerate(keys)]
    return seen.look.open(table).to_json(progress) | {"coarser": places}


def steps(cap: Decimal, own: Decimal) -> list[Decimal]:
    """Return the slider's stops, from 0.05 (a twentieth of a small cap) to the cap; and at the plan's own ε."""
    least = min(LEAST, max(NEXT, (cap / 20).quantize(NEXT)))
    found, at = [], least
    while at < cap:
        found.append(at)
        step = min(FINE, least) if at < 1 else MIDDLE
        at += step if at < 5 else (at * (RATIO - 1)).quantize(MIDDLE) or MIDDLE
    return sorted({*found, cap, own})


def tables_of(seen: Seen, statistic: str) -> list[str]:
    """Return the names of the tables of a statistic; of a family there are several."""
    return [name for name in seen.look.names if name == statistic or name.startswith(f"{statistic}.")]


def _ladder(standing: DraftStatus) -> list[float]:
    if standing.bench is not None:
        return [float(each) for each in standing.bench.ladder]
    return [float(each) for each in steps(standing.population.cap.epsilon, _own(standing))[::6]]


def _own(standing: DraftStatus) -> Decimal:
    """Return the draft's ε; 1 where it says none that could be one."""
    nano = read_epsilon(standing.draft.epsilon, "epsilon", Report())
    return Decimal(nano) / NANO if nano else Decimal(1)


def _epsilon(standing: DraftStatus) -> dict[str, Any]:
    cap = standing.population.cap.epsilon
    own = _own(standing)
    return {
        "value": float(own),
        "steps": [float(each) for each in steps(cap, own)],
        "left": _left(standing),
        "cap": float(cap),
    }


def _release(standing: DraftStatus) -> list[float | None]:
    """Return the release's loss at each rung, in what the budget counts."""
    if standing.bench is None:
        return []
    parts = [standing.bench.parts[rung] for rung in standing.bench.ladder]
    return [sum(loss.nano for loss in shares.values()) / NANO if shares else None for shares in parts]


def _left(standing: DraftStatus) -> float:
    """Return the greatest ε that the budget still pays."""
    account = standing.account
    if account.currency is Currency.PURE:
        return max(0.0, float(account.remaining.epsilon))
    left = account.remaining.nano / NANO
    rungs = [(epsilon, rho) for epsilon, rho in zip(_ladder(standing), _release(standing), strict=False) if rho]
    if not rungs or left <= 0:
        return 0.0 if left <= 0 else float(standing.population.cap.epsilon)
    if left <= rungs[0][1]:
        return rungs[0][0] * left / rungs[0][1]
    for (low, less), (high, more) in pairwise(rungs):
        if left < more:
            return low + (high - low) * (left - less) / (more - less)
    return rungs[-1][0]


def _budget(standing: DraftStatus) -> dict[str, Any]:
    account, population = standing.account, standing.population
    rows = standing.draft.max_rows
    several = standing.dataset.unit_column is not None and rows is not None
    said: dict[str, Any] = {
        "name": population.name,
        "line": say("bench_per_rows", unit=population.unit, rows=counted("rows", rows or 1))
        if several
        else say("bench_per", unit=population.unit),
        "cap": account.rounded.cap.nano / NANO,
        "spent": account.rounded.used.nano / NANO,
        "left": account.rounded.remaining.nano / NANO,
        "symbol": "ε" if account.currency is Currency.PURE else "ρ",
    }
    if account.currency is not Currency.PURE and standing.bench is not None:
        said["release"] = _release(standing)
    return said


def _row(standing: DraftStatus, place: int, name: str) -> dict[str, Any]:
    item = standing.draft.statistics[place]
    problems = standing.of(place)
    row = {
        "id": name,
        "title": _capital(title_of(item)),
        "icon": _icon(item.kind),
        "numbers": 0,
        "share": 0,
    }
    row |= {"error": [None] * len(_ladder(standing)), "problem": say("bench_mend") if problems else None}
    if standing.bench is None:
        return row
    priced = standing.bench.price[name]
    return row | {
        "icon": _icon(priced.kind, priced),
        "numbers": priced.size,
        "share": _share(priced, standing),
        "error": list(standing.bench.errors[name]),
    }


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _icon(kind: str, priced: StatisticPrice | None = None) -> str:
    own = None if priced is None else ICONS.get(priced.statistic.presented.look)
    return own or OF_KIND.get(kind, "rows")


def _share(priced: StatisticPrice, standing: DraftStatus) -> float:
    assert standing.bench is not None
    whole = standing.bench.price.loss.nano
    return priced.loss.nano / whole if whole else 0.0


def _flags(standing: DraftStatus, seen: Seen | None) -> dict[str, Any]:
    history = standing.draft.history
    over = None
    if standing.bench is not None and not standing.affordable:
        name, left = standing.population.name, budget.left(standing.account)
        over = say("budget_over", population=name, left=as_text(left))
    return {
        "undo": history.can_undo,
        "redo": history.can_redo,
        "blind": standing.mode == "invented",
        "over": over,
        "looks": _looks(standing, seen),
    }


def _looks(standing: DraftStatus, seen: Seen | None) -> str:
    if standing.mode is None:
        return say("bench_no_looks")
    if standing.mode == "invented" or seen is None:
        return say("bench_no_rows")
    count = seen.said + seen.unsaid
    return say("bench_looks", count, count=shown(count))


def _sure_words(standing: DraftStatus) -> str:
    kind = "guess" if standing.draft.delta else standing.population.neighbors.value
    return say(f"bench_sure_{kind}", unit=standing.population.unit, percent="{percent}")

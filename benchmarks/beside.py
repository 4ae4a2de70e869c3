"""How far whole plans err at ε = 1 beside other libraries: each statistic of the five typical plans.

    .venv/bin/python -m benchmarks.beside [--write] [--releases 200] [--plans health ...] [--peers opendp ...]

Rows are generated for each plan. A peer is given them, the bounds, the cuts and the categories, and an even part of ε
for each statistic, which it answers by its own call or by the best that benchmarks/peers/*.py compose of its parts.
Ours is the plan as it is: what several statistics need is measured once, and ε is divided evenly, or by `minimise`.
Currency is pure, a unit is a row that may be added or removed. `--write` puts the report into docs/accuracy-plans.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.metadata import version
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

import dprelease
from benchmarks.accuracy import REPORT
from benchmarks.asking import PEERS, Peer, answered, prepared
from benchmarks.compared import BY_HAND, Comparison, Figure
from benchmarks.environments import ENVIRONMENTS, machine, put
from benchmarks.generated import Rows, rows_of, stored
from benchmarks.plans import CASES, EQUAL, NO_NOISE, Case, priced, released
from benchmarks.questions import Line, Way, lines_of
from dprelease.model.privacy import Currency

CHOSEN = "minimise"
FEW_ROWS = 100_000
"""More are not asked of slow peers."""
ASKED = ("opendp", "diffprivlib", "pydp", "tumult")
"""Workers of the peers that are asked where none are named."""
SAME = 1e-4
"""Of a typical value: what is true and what we publish without noise differ by less, by roundings alone."""


def ours(case: Case, rows: Rows, lines: Sequence[Line], times: int) -> list[dict[str, Figure]]:
    """By line and objective, the errors of as many releases. What is true is first compared with ours without noise."""
    table, names = stored(case, rows), [line.id for line in lines]
    (exactly,) = released(priced(case, Currency.PURE, EQUAL, NO_NOISE), table, 1, names)
    for line in lines:
        np.testing.assert_allclose(exactly[line.id], line.truth, rtol=0, atol=SAME * line.typical, err_msg=line.id)
    made = {way: released(priced(case, Currency.PURE, way), table, times, names) for way in (EQUAL, CHOSEN)}
    return [
        {way: line.figure(np.array([each[line.id] for each in draws])) for way, draws in made.items()} for line in lines
    ]


def jobs_of(lines: Sequence[Line], folder: Path, times: int) -> Iterator[tuple[Line, Way, dict[str, Any]]]:
    """What workers read, with the columns put into a folder."""
    for place, line in enumerate(lines):
        for number, way in enumerate(line.ways):
            paths = {name: folder / f"{place}-{number}-{name}.npy" for name in way.columns}
            for name, path in paths.items():
                np.save(path, way.columns[name])
            yield (
                line,
                way,
                {
                    "statistic": way.statistic,
                    "epsilon": line.epsilon,
                    "repetitions": times,
                    "columns": {name: str(path) for name, path in paths.items()},
                    "bounds": {name: list(limits) for name, limits in way.bounds.items()},
                    "cells": dict(way.cells),
                    "step": way.step,
                    "probs": list(way.probs),
                },
            )


def theirs(
    peer: Peer, python: Path, asked: Sequence[tuple[Line, Way, dict[str, Any]]]
) -> tuple[dict[tuple[str, str], Figure], list[str]]:
    """By plan and statistic the least error of a peer's ways; and what it could not answer, or was not asked."""
    large = {line.case.name: line.case.rows for line, _, _ in asked if peer.slow and line.case.rows > FEW_ROWS}
    asked = [each for each in asked if each[0].case.name not in large]
    found, notes = answered(peer, python, [job for _, _, job in asked])
    notes += [
        f"{peer.name} was not asked for the {name}: {rows:,} rows take it too long." for name, rows in large.items()
    ]
    best: dict[tuple[str, str], Figure] = {}
    for (line, way, _), answers in zip(asked, found, strict=False):
        key, place = (line.case.name, line.id), f"{peer.name}, {line.case.name}, {line.label}"
        for own, draws in answers.items():
            if isinstance(draws, str):
                notes.append(f"{place} failed{f' ({own})' if own else ''}: {draws.splitlines()[0]}")
                continue
            figure = line.figure(way.after(np.array(draws)), f"{BY_HAND}, {way.name}" if way.name else own)
            if key not in best or figure.value < best[key].value:
                best[key] = figure
    return best, notes


# -------------------------------------------------------------------------------------------------------------- report


@dataclass(frozen=True, kw_only=True)
class Row(Comparison):
    """A line of the report; `ours` is with an even division."""

    line: Line
    chosen: Figure

    @property
    def with_chosen(self) -> Row:
        return replace(self, ours=self.chosen)

    def said(self) -> str:
        """The verdict; whoever is lower, and where."""
        lower = [f"{name} lower: {self.peers[name].times(self.ours)[0]:.2f}" for name in self.beaten_by()]
        return ", ".join(lower) or self.verdict()

    def markdown(self, peers: Sequence[str]) -> str:
        others = [self.peers[name].multiple(self.ours) if name in self.peers else "" for name in peers]
        own = [f"{100 * self.ours.value:.3g}", self.chosen.multiple(self.ours)]
        cells = [self.line.case.name, self.line.label, *own, *others, self.said(), self.with_chosen.said()]
        return "| " + " | ".join(cells) + " |"


def report(rows: Sequence[Row], peers: Sequence[Peer], notes: Sequence[str], times: int) -> Iterator[str]:
    names = [peer.name for peer in peers]
    yield (
        f"Made by `.venv/bin/python -m benchmarks.beside` on {machine()}; dprelease {dprelease.__version__} on OpenDP "
        f"{version('opendp')}; {times} releases of ours. "
        f"Peers: {', '.join(f'{peer.name} {peer.version}' for peer in peers)}."
    )
    for text, compared in ((EQUAL, rows), (f"`{CHOSEN}`", [row.with_chosen for row in rows])):
        lower = sum(bool(row.beaten_by()) for row in compared)
        yield ""
        yield f"With {text}, on {len(rows) - lower} of {len(rows)} lines no peer is lower by more than 5 %."
    heads = [
        "plan",
        "statistic",
        f"ours, {EQUAL}, %",
        f"`{CHOSEN}`",
        *names,
        f"{EQUAL}: ours is",
        f"`{CHOSEN}`: it is",
    ]
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield "|---|---|" + "---:|" * (2 + len(names)) + "---|---|"
    for row in rows:
        yield row.markdown(names)
    yield ""
    yield from _sums(rows, names)
    ways = {f"{name}, {row.line.label}: {peer.way}" for row in rows for name, peer in row.peers.items() if peer.way}
    yield ""
    yield "Where a peer has several ways, its best one counts. Other ways than the plain call:"
    yield ""
    yield from (f"- {text}" for text in (*sorted(ways), *notes))


def _sums(rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    """Of each plan, the errors of all of its statistics added up, where a peer has answered them all."""
    yield f"| all statistics of a plan, errors added up | {EQUAL}, % | `{CHOSEN}` | {' | '.join(names)} |"
    yield "|---|" + "---:|" * (2 + len(names))
    for case in CASES:
        own = [row for row in rows if row.line.case is case]
        if own:
            even = sum(row.ours.value * row.line.alike for row in own)
            added = [sum(row.chosen.value * row.line.alike for row in own)]
            for name in names:
                peer = [row.peers[name].value * row.line.alike for row in own if name in row.peers]
                added.append(sum(peer) if len(peer) == len(own) else nan)
            ratios = ("" if isnan(each) else f"{each / even:.2f}" for each in added)
            yield f"| {case.name} | {100 * even:.3g} | {' | '.join(ratios)} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="put the report into docs/accuracy-plans.md")
    options.add_argument("--releases", type=int, default=200, help="of each plan and objective, and of each peer")
    options.add_argument("--plans", nargs="*", default=[""], help="only plans whose name begins with one of these")
    options.add_argument("--peers", nargs="*", default=ASKED, help="their workers' names")
    options.add_argument("--environments", type=Path, default=ENVIRONMENTS, help="where peers live")
    chosen = options.parse_args()

    started = time.perf_counter()
    cases = [case for case in CASES if case.name.startswith(tuple(chosen.plans))]
    interpreters, notes = prepared([peer for peer in PEERS if peer.worker in chosen.peers], chosen.environments)
    tables = {case.name: rows_of(case) for case in cases}
    lines = {case.name: lines_of(case, tables[case.name]) for case in cases}
    with tempfile.TemporaryDirectory() as path, ThreadPoolExecutor(max_workers=2) as pool:
        asked = list(jobs_of([line for each in lines.values() for line in each], Path(path), chosen.releases))
        first = sorted(interpreters, key=lambda peer: not peer.slow)
        waiting = {peer: pool.submit(theirs, peer, interpreters[peer], asked) for peer in first}
        own = [
            (line, figures)
            for case in cases
            for line, figures in zip(
                lines[case.name], ours(case, tables[case.name], lines[case.name], chosen.releases), strict=True
            )
        ]
        print(f"  ours: {time.perf_counter() - started:.0f} s", file=sys.stderr)
        found = {peer: future.result() for peer, future in waiting.items()}
    rows = []
    for line, figures in own:
        key = line.case.name, line.id
        peers = {peer.name: found[peer][0][key] for peer in interpreters if key in found[peer][0]}
        rows.append(Row(line=line, ours=figures[EQUAL], chosen=figures[CHOSEN], peers=peers))
    notes += [note for _, each in found.values() for note in each]
    text = "\n".join(report(rows, list(interpreters), notes, chosen.releases))
    print(text)
    print(f"  in all: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    if chosen.write:
        put(REPORT.with_name("accuracy-plans.md"), "benchmarks.beside", text)


if __name__ == "__main__":
    main()

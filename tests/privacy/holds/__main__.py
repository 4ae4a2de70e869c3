"""Tries intervals for so many seconds of a processor: `python -m tests.privacy.holds --seconds 240 --seed 20261127`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

import numpy as np

from tests.privacy.holds.judge import FIRST, LAST, Judgement, Kind, Verdict, noise_from, percent
from tests.privacy.holds.kinds import KINDS
from tests.privacy.holds.settings import AXES, Setting, settings

FOUND = Path(__file__).parent / "found.json"
"""Settings at which an interval did not hold once, as pairs of kind and setting: `make test` tries them again."""


def judged(kinds: Sequence[Kind], seed: int, seconds: float) -> Iterator[Judgement]:
    """One setting of each kind after the other; what is undecided then for longer, in a fourth of the time more."""
    begun, number, turn = process_time(), 0, 0
    waiting: list[Judgement] = []
    drawn = {kind.name: settings(seed + place) for place, kind in enumerate(kinds)}
    while process_time() < begun + seconds:
        for place, kind in enumerate(kinds):
            if (turn + place) % kind.turns or process_time() > begun + seconds:
                continue
            number += 1
            judgement = Judgement(kind, kind.at(next(drawn[kind.name])), number)
            if judgement.go_on(FIRST) is Verdict.UNDECIDED:
                waiting.append(judgement)
            else:
                yield judgement
        turn += 1
    for judgement in waiting:
        if process_time() < begun + 1.25 * seconds:
            judgement.go_on(LAST)
        yield judgement


def shrunk(found: Judgement, until: float) -> Judgement:
    """The same with each axis as near to its simple end as it still fails by fresh releases, in two passes."""
    for _ in range(2):
        for name in AXES:
            for setting in found.setting.simpler(name):
                if process_time() > until:
                    return found
                tried = Judgement(found.kind, found.kind.at(setting), found.number)
                if tried.setting != found.setting and tried.go_on(FIRST) is Verdict.FAILED:
                    found = tried
                    break
    return found


def report(judgements: Iterable[Judgement]) -> str:
    """By kind how many settings, releases and cells were tried, and how often both ends were told and held."""
    lines = [
        "| kind | settings | held | undecided | failed | releases | cells | both ends | of these held |",
        "|---|" + "---:|" * 8,
    ]
    by_kind = defaultdict(list)
    for judgement in judgements:
        by_kind[judgement.kind.name].append(judgement)
    for name, own in by_kind.items():
        verdicts = [
            str(sum(one.verdict is each for one in own)) for each in (Verdict.HELD, Verdict.UNDECIDED, Verdict.FAILED)
        ]
        told, tried = sum(one.told for one in own), sum(float(np.sum(one.tried)) for one in own)
        cells = sum(int(np.size(one.score)) for one in own)
        releases, covered = sum(one.releases for one in own), sum(one.covered for one in own)
        tried_at = sum(one.verdict is not Verdict.REFUSED for one in own)
        lines.append(
            f"| {name} | {tried_at} | {' | '.join(verdicts)} | {releases} | {cells} | "
            f"{percent(told, tried)} | {percent(covered, told)} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str], say: Callable[[str], object] = print) -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.privacy.holds", description=__doc__)
    reader.add_argument("--seconds", type=float, default=240)
    reader.add_argument("--seed", type=int, default=int(f"{datetime.now(UTC):%Y%m%d}"))
    reader.add_argument("--kind", help="of this alone, or of those whose name holds it")
    reader.add_argument("--setting", help="this alone, as a report words it")
    asked = reader.parse_args(arguments)
    kinds = [kind for kind in KINDS if kind.name == asked.kind] or [k for k in KINDS if (asked.kind or "") in k.name]
    with noise_from(asked.seed):
        if asked.setting:
            found = [Judgement(kind, kind.at(Setting.parse(asked.setting)), 1) for kind in kinds]
            for judgement in found:
                judgement.go_on(LAST)
                say(str(judgement))
            return any(judgement.verdict is Verdict.FAILED for judgement in found)
        found, failed = [], set()
        for judgement in judged(kinds, asked.seed, asked.seconds):
            found.append(judgement)
            if judgement.verdict is Verdict.FAILED:
                say(str(judgement))
                if judgement.kind.name not in failed:
                    failed.add(judgement.kind.name)
                    say(f"  in its simplest form {shrunk(judgement, process_time() + asked.seconds / 10)}")
    say(report(found))
    undecided = [str(judgement) for judgement in found if judgement.verdict is Verdict.UNDECIDED]
    say("\n".join(["Undecided, not held:", *undecided]) if undecided else "None is undecided.")
    return bool(failed)


def known() -> list[tuple[Kind, Setting]]:
    named = {kind.name: kind for kind in KINDS}
    return [(named[name], Setting.parse(setting)) for name, setting in json.loads(FOUND.read_text("utf-8"))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Process in which charts are drawn: this one or, once a server asked for it, one beside it, so that no page waits."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cache, partial
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from dprelease.charts.data import MAX_CELLS
from dprelease.model.release import FittedOutput, Release, alone
from dprelease.words.language import language, speaking

if TYPE_CHECKING:
    from dprelease.charts.picture import Picture
    from dprelease.charts.theme import RowsSize

Drawn = TypeVar("Drawn")
_beside = False


def draw_beside() -> None:
    """Draw charts in another process from now on, which begins with the first of them and ends with this one."""
    global _beside
    _beside = True


def pictures(release: Release) -> Callable[[], dict[str, Picture]]:
    """Begin to draw the charts of a release, in the current language; calling the result waits for them.

    Beside each, but one of a single number, is the one for phones.
    """
    drawn = {statistic: picture(release, statistic) for statistic in release.tables}
    several = (statistic for statistic, table in release.tables.items() if len(table) > 1)
    narrow = {statistic: picture(release, statistic, narrow=True) for statistic in several}

    def finished() -> dict[str, Picture]:
        phones = {statistic: wait() for statistic, wait in narrow.items()}
        return {statistic: replace(wait(), narrow=phones.get(statistic)) for statistic, wait in drawn.items()}

    return finished


def picture(release: Release, statistic: str, *, narrow: bool = False) -> Callable[[], Picture]:
    """Begin to draw one of them, or one for a phone. The same bytes wherever it is drawn."""
    single = _needed(release, statistic)
    return _begun(_picture, single, statistic, narrow, beside=len(single.tables[statistic]) <= MAX_CELLS)


def lead(release: Release) -> Callable[[], Picture | None]:
    """Begin to draw the picture of the lead of a release; the result is None where it has none."""
    own = release.certificate.statements
    if not own or own.lead is None:
        return lambda: None
    return _begun(_lead, _needed(release, own.lead.table))


def placed(release: Release, table: str, size: RowsSize) -> Callable[[], Picture]:
    """Begin to draw a table at a size of rows with direct labels."""
    return _begun(_placed, _needed(release, table), table, size)


def _begun(draw: Callable[..., Drawn], *given: object, beside: bool = True) -> Callable[[], Drawn]:
    """Begin to draw in the current language, in the other process where there is one; calling the result waits."""
    here = partial(draw, language(), *given)
    if not _beside or not beside:
        return here
    try:
        sent = _process().submit(here)
    except (RuntimeError, OSError):  # it was killed, or there is no room for another process
        return _again(here)

    def finished() -> Drawn:
        try:
            return sent.result()
        except BrokenProcessPool:  # a release that is paid for does not fail on that
            return _again(here)()

    return finished


def _needed(release: Release, statistic: str) -> Release:
    """Return a release with only what a chart needs: its table, and the grid that groups were found in."""
    name, _, part = statistic.partition(".")
    output, table = release.outputs.get(name), release.tables[statistic]
    if isinstance(output, FittedOutput) and "grid" in output.facts:
        return Release(
            certificate=release.certificate, outputs={name: FittedOutput(parts={part: table}, facts=output.facts)}
        )
    return alone(release.certificate, statistic, table)


def _again(here: Callable[[], Drawn]) -> Callable[[], Drawn]:
    """Return `here`, to draw what the other process left, and let another one start for what follows."""
    _process.cache_clear()
    return here


@cache
def _process() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """Set up the other process: an interrupt is for the server, and where that was killed nothing is left to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_server, daemon=True).start()


def _end_with_the_server() -> None:
    server = parent_process()
    assert server is not None
    server.join()
    os._exit(0)


def _picture(code: str, release: Release, statistic: str, narrow: bool) -> Picture:
    from dprelease.charts.picture import picture

    with speaking(code):
        return picture(release, statistic, narrow=narrow)


def _lead(code: str, release: Release) -> Picture | None:
    from dprelease.charts.lead import lead_picture

    with speaking(code):
        return lead_picture(release)


def _placed(code: str, release: Release, table: str, size: RowsSize) -> Picture:
    from dprelease.charts.lead import table_picture

    with speaking(code):
        return table_picture(release, table, size)

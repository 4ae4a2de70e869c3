"""Every chart of a bundle, in its own file and inside the page, and the notes below it, compared with the tables."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache

from dprelease.bundle.chart_values import Chart
from dprelease.bundle.page import MOST_ROWS
from dprelease.bundle.page_values import PAGE, Shown
from dprelease.errors import IntegrityError, shown
from dprelease.model.language import ENGLISH, speaking
from dprelease.model.release import Release

SVG_ADDRESS = "data:image/svg+xml;base64,"


def check_charts(release: Release, contents: Mapping[str, bytes]) -> int:
    """How many values the charts show. Raises IntegrityError where one is not that of its table, or not in its place,
    or where something does not say what it shows."""
    of = cache(lambda statistic: Chart(release, statistic))
    with speaking(ENGLISH):
        total = 0
        for name, statistic, svg in _charts(release, contents):
            total += of(statistic).check(svg, name)
        for statistic, text in _page(contents).notes:
            if statistic in release.tables:
                rows = min(MOST_ROWS, len(release.tables[statistic]))
                of(statistic).check_words(text, f"{PAGE}: the note to {statistic}", [Decimal(rows)])
            else:
                raise IntegrityError(f"{PAGE}: it has a note to {shown(statistic)}, which the release does not have")
    return total


def _page(contents: Mapping[str, bytes]) -> Shown:
    return Shown(contents.get(PAGE, b"").decode(errors="replace"))


def _charts(release: Release, contents: Mapping[str, bytes]) -> Iterator[tuple[str, str, bytes]]:
    """Each chart with where it stands."""
    for statistic in release.tables:
        path = f"charts/{statistic}.svg"
        if path in contents:
            yield path, statistic, contents[path]
    waiting = set(release.tables)
    for statistic, address in _page(contents).images:
        if statistic in waiting and address.startswith(SVG_ADDRESS):
            waiting.remove(statistic)
            try:
                svg = b64decode(address.removeprefix(SVG_ADDRESS), validate=True)
            except Error:
                raise IntegrityError(f"{PAGE}: the chart of {statistic} cannot be read") from None
            yield f"{PAGE}: the chart of {statistic}", statistic, svg
        else:
            raise IntegrityError(f"{PAGE}: it shows an image that is no chart of the release")

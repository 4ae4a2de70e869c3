"""The chart of a statistic in the language that is spoken; in English it is the signed file itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from dprelease.bundle.drawing import picture
from dprelease.bundle.outputs import CERTIFICATE
from dprelease.model.language import ENGLISH, language
from dprelease.model.release import Release
from dprelease.portal.shelf import Bundle

KEPT = 128


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn: two are the same where the signed files are."""

    certificate: str
    """A SHA-256, as that of the table."""
    table: str
    statistic: str
    language: str
    release: Release = field(compare=False, repr=False)


def spoken_chart(bundle: Bundle, release: Release, statistic: str) -> bytes:
    """The SVG. `release`: the one in the bundle."""
    if language() == ENGLISH:
        return bundle.read(f"charts/{statistic}.svg")
    sums = bundle.sums
    return _drawn(Drawing(sums[CERTIFICATE], sums[f"tables/{statistic}.csv"], statistic, language(), release))


@lru_cache(maxsize=KEPT)
def _drawn(drawing: Drawing) -> bytes:
    return picture(drawing.release, drawing.statistic)().svg()

"""A table as SDMX-CSV 2.0, which statistics offices load: each observation with its status and its margin of error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from dprelease.bundle.annotated import Annotated, Annotation
from dprelease.bundle.tables import CHUNK, written
from dprelease.model.release import Cell, Release

AGENCY = "DPRELEASE"
HEAD = ("STRUCTURE", "STRUCTURE_ID", "ACTION")
OBSERVED = {"value": "OBS_VALUE", "lower95": "LOWER95", "upper95": "UPPER95"}
BESIDE = ("OBS_STATUS", "CONF_STATUS", "MARGIN95", "NOISE_SCALE", "ANNOTATION")
FREE = "F"
"""Of CL_CONF_STATUS: free for publication."""
INFORMATION = "I"
"""The action: these observations are informed of."""
ODD = re.compile(r"[^A-Za-z0-9_]+")


def sdmx_chunks(release: Release, statistic: str) -> Iterator[bytes]:
    """The file a part after another; the same bytes for the same table and certificate."""
    annotated = Annotated.of(release.certificate, statistic, release.tables[statistic])
    structure = ("dataflow", f"{AGENCY}:{_identifier(f'{release.id}_{statistic}')}(1.0)", INFORMATION)
    yield _line((*HEAD, *names(annotated), *BESIDE)).encode()
    lines = (_line((*structure, *row, *_beside(note))) for row, note in annotated.rows())
    while chunk := "".join(islice(lines, CHUNK)):
        yield chunk.encode()


def names(annotated: Annotated) -> list[str]:
    """Identifiers of the columns, each once: SDMX takes letters, digits and underscores only."""
    taken = {*HEAD, *BESIDE, *OBSERVED.values()}
    found: list[str] = []
    for name in annotated.estimates.columns[: len(annotated.estimates.key_names)]:
        found.append(_free(_identifier(name), taken))
    found += OBSERVED.values()
    for name in annotated.estimates.extra:
        found.append(_free(_identifier(name), taken))
    return found


def _beside(note: Annotation) -> Iterator[Cell]:
    yield note.status
    yield FREE
    yield note.margin95
    yield "; ".join(map(repr, note.noise_scale))
    yield note.annotation


def _identifier(name: str) -> str:
    plain = ODD.sub("_", name).strip("_").upper()
    return plain if plain[:1].isalpha() else f"X_{plain}".rstrip("_")


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered where it is taken; from now on it is."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    taken.add(found)
    return found


def _line(cells: Iterable[Cell]) -> str:
    return ",".join([_text(cell) if type(cell) is str else written(cell) for cell in cells]) + "\n"


_text = lru_cache(maxsize=2**16)(written)
"""Most texts stand in many rows."""

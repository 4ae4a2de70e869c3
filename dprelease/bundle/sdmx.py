"""A table as SDMX-CSV 2.0, which statistics offices load: each observation with its status and its margin of error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from dprelease.bundle.annotated import Annotated, Annotation
from dprelease.bundle.tables import chunks, csv_rows, written
from dprelease.model.release import Release

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
    yield (",".join(map(written, (*HEAD, *names(annotated), *BESIDE))) + "\n").encode()
    start, rows = ",".join(map(written, structure)), csv_rows(annotated.estimates)
    yield from chunks(f"{start},{row},{_beside(note)}\n" for row, note in zip(rows, annotated.notes(), strict=True))


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


def _beside(note: Annotation) -> str:
    return f"{note.status},{FREE},{written(note.margin95)},{_rest(note.noise_scale, note.annotation)}"


@lru_cache(maxsize=256)
def _rest(scales: tuple[float, ...], annotation: str) -> str:
    """The same in most rows."""
    return ",".join(map(written, ("; ".join(map(repr, scales)), annotation)))


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

"""Ready code lists: of countries, their subdivisions, currencies and languages, from packages that ship them.

Each file of `lists/` says which package and version it was written from, under which licence, and its digest;
`tests/codebook/written/ready.py` writes them. None is fetched, and none typed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from dprelease.codebook.book import ByLanguage, Origin
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.vocabulary import plain_word
from dprelease.model.report import nearest
from dprelease.words import verbatim

NAMES = ("countries", "countries_3", "countries_numeric", "subdivisions", "currencies", "languages")
OF_COUNTRY = "subdivisions_"
"""`subdivisions_es`: those of one country."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyList:
    """A ready code list."""

    name: str
    standard: str
    """Norm that defines the list, such as ISO 4217."""
    origin: Origin
    codes: Mapping[str, ByLanguage]


def ready(name: str) -> ReadyList:
    """Return the list of a name; `subdivisions_es` is one country's part. Raises CodebookError where there is none."""
    key = plain_word(name)
    if key in NAMES:
        return _list(key)
    if key.startswith(OF_COUNTRY):
        whole, country = _list("subdivisions"), key.removeprefix(OF_COUNTRY).upper()
        codes = {code: words for code, words in whole.codes.items() if code.partition("-")[0] == country}
        if codes:
            return ReadyList(name=key, standard=whole.standard, origin=whole.origin, codes=codes)
    allowed = verbatim(", ".join((*NAMES, f"{OF_COUNTRY}es")))
    raise CodebookError("codelist", found=name, allowed=allowed, remedy=nearest(key, NAMES))


def is_ready(name: str) -> bool:
    """Return True if there is a list of a name."""
    try:
        ready(name)
    except CodebookError:
        return False
    return True


@cache
def _list(name: str) -> ReadyList:
    held: dict[str, Any] = json.loads(files("dprelease.codebook").joinpath("lists", f"{name}.json").read_text("utf-8"))
    said = {key: held[key] for key in ("source", "version", "digest", "licence")}
    return ReadyList(name=name, standard=held["standard"], origin=Origin(**said), codes=held["codes"])

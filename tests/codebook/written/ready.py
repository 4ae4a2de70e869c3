"""Writes the ready code lists, `dprelease/codebook/lists/`, from packages that ship them with a licence.

    pip install pycountry==26.2.16 babel==2.18.0
    python tests/codebook/written/ready.py

Which codes there are is pycountry's word; English and Spanish names are Babel's (CLDR), and those of subdivisions
pycountry's. A code without a name in CLDR has pycountry's own.
"""

from __future__ import annotations

import gettext
import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pycountry
from babel import Locale

FOLDER = Path(__file__).resolve().parents[3] / "dprelease" / "codebook" / "lists"
LANGUAGES = ("en", "es")
OF_PYCOUNTRY = ("pycountry (Debian iso-codes)", f"pycountry {version('pycountry')}", "LGPL-2.1-only")
OF_BOTH = (
    "pycountry (Debian iso-codes), names of Babel (Unicode CLDR)",
    f"pycountry {version('pycountry')}, Babel {version('babel')}",
    "LGPL-2.1-only AND BSD-3-Clause AND Unicode-3.0",
)


def names(kind: str, key: str, own: str) -> dict[str, str]:
    """What CLDR calls something in each language."""
    return {language: getattr(Locale(language), kind).get(key, own) for language in LANGUAGES}


def countries(key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for each in pycountry.countries:
        yield getattr(each, key), names("territories", each.alpha_2, each.name)


def currencies() -> Iterator[tuple[str, dict[str, Any]]]:
    for each in pycountry.currencies:
        yield each.alpha_3, names("currencies", each.alpha_3, each.name)


def languages() -> Iterator[tuple[str, dict[str, Any]]]:
    for each in pycountry.languages:
        if hasattr(each, "alpha_2"):
            yield each.alpha_2, names("languages", each.alpha_2, each.name)


def subdivisions() -> Iterator[tuple[str, dict[str, Any]]]:
    spanish = gettext.translation("iso3166-2", pycountry.LOCALES_DIR, languages=["es"])
    for each in pycountry.subdivisions:
        yield each.code, {"en": each.name, "es": spanish.gettext(each.name)}


def write(name: str, standard: str, said: tuple[str, str, str], codes: Iterator[tuple[str, dict[str, Any]]]) -> None:
    """One list, its codes in order, with the SHA-256 of them as canonical JSON."""
    held = dict(sorted(codes))
    canonical = json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    source, edition, licence = said
    lines = ",\n".join(f"{json.dumps(code)}: {json.dumps(told, ensure_ascii=False)}" for code, told in held.items())
    head = {
        "standard": standard,
        "source": source,
        "version": edition,
        "licence": licence,
        "digest": hashlib.sha256(canonical.encode()).hexdigest(),
    }
    text = json.dumps(head, ensure_ascii=False, indent=0)[:-2] + f',\n"codes": {{\n{lines}\n}}}}\n'
    json.loads(text)
    (FOLDER / f"{name}.json").write_text(text, "utf-8")


if __name__ == "__main__":
    write("countries", "ISO 3166-1 alpha-2", OF_BOTH, countries("alpha_2"))
    write("countries_3", "ISO 3166-1 alpha-3", OF_BOTH, countries("alpha_3"))
    write("countries_numeric", "ISO 3166-1 numeric", OF_BOTH, countries("numeric"))
    write("subdivisions", "ISO 3166-2", OF_PYCOUNTRY, subdivisions())
    write("currencies", "ISO 4217", OF_BOTH, currencies())
    write("languages", "ISO 639-1", OF_BOTH, languages())

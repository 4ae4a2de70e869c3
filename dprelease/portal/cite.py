"""Citations of a release, and code that reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from dprelease.bundle.tables import Shape, neutral
from dprelease.portal.shelf import Bundle
from dprelease.words.phrases import visible
from dprelease.words.releases import say

SPECIAL = re.compile(r"([\\{}$&#%_~^])")
"""Pattern of characters that TeX would not print as they are."""


ADDRESS = "ADDRESS"
"""Placeholder of the portal's address while it is unknown."""


def citations(bundle: Bundle, portal: str = "", doi: str = "", day: str = "") -> Mapping[str, str]:
    """Cite a release in APA style (7th edition, data set) and for BibTeX. `portal`: its address, if known; so below.

    `doi`: under which it is registered; it stands in place of the address. `day`: on which it became public, where that
    is known; else as in the certificate.
    """
    facts = bundle.certificate
    title, published = visible(facts.called), day or facts.shown_day
    publisher = visible(facts.about.publisher) or say("key_holder").capitalize()
    page = f"https://doi.org/{doi}" if doi else f"{portal}/release/{bundle.id}/" if portal else ""
    apa = f"{publisher}. ({published[:4]}). {title} (release {bundle.id}) [Data set]. {page}".rstrip()
    fields = {
        "author": f"{{{_tex(publisher)}}}",
        "title": f"{{{_tex(title)}}}",
        "year": published[:4],
        "note": f"Release {_tex(bundle.id)}, published {published}",
        "type": "Data set",
        **({"doi": _tex(doi)} if doi else {}),
        **({"url": page} if page else {}),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return {"apa": apa, "bibtex": f"@misc{{{bundle.id},\n{lines}}}"}


def command(bundle: Bundle, portal: str = "") -> str:
    """Return the command that checks the release on another machine."""
    return f"dprelease verify {portal or ADDRESS}/releases/{bundle.id}/ --key {bundle.fingerprint}"


def snippets(bundle: Bundle, portal: str = "") -> Mapping[str, str]:
    """Return code that reads the first table in pandas, R, DuckDB and curl, with its codes as they stand."""
    return snippets_of(bundle, bundle.tables[0], portal) if bundle.tables else {}


def snippets_of(bundle: Bundle, table: str, portal: str = "") -> Mapping[str, str]:
    """Return code that reads one table; keys of text are named, so that `01` stays `01` and `NA` is no gap."""
    path = f"{portal or ADDRESS}/releases/{bundle.id}/tables/{table}.csv"
    estimates = bundle.table(table)
    kinds = Shape.of(estimates).kinds[: len(estimates.key_names)]
    keys = [neutral(name) for name, kind in zip(estimates.key_names, kinds, strict=True) if kind == "string"]
    python = ", ".join(f'{_quoted(key)}: "string"' for key in keys)
    own = ", ".join(f'{_quoted(key)} = "character"' for key in keys)
    duck = ", ".join(f"{_single(key)}: 'VARCHAR'" for key in keys)
    told = (
        f', dtype={{{python}}}, keep_default_na=False, na_values=[""]',
        f', colClasses = c({own}), na.strings = ""',
        f", types = {{{duck}}}",
    )
    pandas, r, duckdb = told if keys else ("", "", "")
    return {
        "pandas": f"import pandas\n\ntable = pandas.read_csv({_quoted(path)}{pandas})",
        "R": f"table <- read.csv({_quoted(path)}, check.names = FALSE{r})",
        "DuckDB": f"SELECT * FROM read_csv({_single(path)}{duckdb})",  # noqa: S608 - for readers to run
        "curl": f"curl -O {path}",
    }


def _quoted(text: str) -> str:
    """Return a text in double quotes, as Python and R read it."""
    return json.dumps(text, ensure_ascii=False)


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _tex(text: str) -> str:
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return SPECIAL.sub(lambda match: named.get(match[1], f"\\{match[1]}"), text)

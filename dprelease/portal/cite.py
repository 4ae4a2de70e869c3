"""Citations of a release, and code that reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dprelease.portal.shelf import Bundle
from dprelease.words.phrases import visible
from dprelease.words.releases import say

SPECIAL = re.compile(r"([\\{}$&#%_~^])")
"""Pattern of characters that TeX would not print as they are."""


ADDRESS = "ADDRESS"
"""Placeholder of the portal's address while it is unknown."""


def citations(bundle: Bundle, portal: str = "") -> Mapping[str, str]:
    """Cite a release in APA style (7th edition, data set) and for BibTeX. `portal`: its address, if known; so below."""
    facts = bundle.certificate
    title, published = visible(facts.called), facts.day
    publisher = visible(facts.about.publisher) or say("key_holder").capitalize()
    page = f"{portal}/release/{bundle.id}/" if portal else ""
    apa = f"{publisher}. ({published[:4]}). {title} (release {bundle.id}) [Data set]. {page}".rstrip()
    fields = {
        "author": f"{{{_tex(publisher)}}}",
        "title": f"{{{_tex(title)}}}",
        "year": published[:4],
        "note": f"Release {_tex(bundle.id)}, published {published}",
        "type": "Data set",
        **({"url": page} if page else {}),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return {"apa": apa, "bibtex": f"@misc{{{bundle.id},\n{lines}}}"}


def command(bundle: Bundle, portal: str = "") -> str:
    """Return the command that checks the release on another machine."""
    return f"dprelease verify {portal or ADDRESS}/releases/{bundle.id}/ --key {bundle.fingerprint}"


def snippets(bundle: Bundle, portal: str = "") -> Mapping[str, str]:
    """Return code that reads the first table in pandas, R and curl."""
    if not bundle.tables:
        return {}
    path = f"{portal or ADDRESS}/releases/{bundle.id}/tables/{bundle.tables[0]}.csv"
    return {
        "pandas": f'import pandas\n\ntable = pandas.read_csv("{path}")',
        "R": f'table <- read.csv("{path}")',
        "curl": f"curl -O {path}",
    }


def _tex(text: str) -> str:
    named = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return SPECIAL.sub(lambda match: named.get(match[1], f"\\{match[1]}"), text)

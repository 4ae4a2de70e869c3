"""Text of a combined release: of whom it is, what is promised to whom, and what nobody can know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

from dprelease.words import phrase
from dprelease.words.phrases import visible


def statement(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences in the language that is spoken, from the facts of combined.json."""
    sites, persons = facts["sites"], facts["persons"]
    yield str(phrase("verdict.combined_of", count=len(sites)))
    yield str(phrase("verdict.combined_open"))
    yield str(phrase("verdict.combined_noise", count=len(sites), root=round(sqrt(len(sites)), 2)))
    yield str(phrase("verdict.combined_persons", unit=facts["unit"]))
    for each in persons:
        key = "rho" if each["loss"].get("rho_nano") else "epsilon"
        amounts = {"epsilon": each["epsilon"], "delta": each["delta"], "rho": each["loss"].get("rho_nano", 0) / 1e9}
        yield f"  {phrase(f'verdict.combined_in_sites_{key}', sites=each['sites'], **amounts)}"
    same = "same" if facts["asked"]["same_population"] else "apart"
    yield str(phrase(f"verdict.combined_attested_{same}"))
    yield str(phrase("verdict.combined_unknown"))


def readme(facts: Mapping[str, Any]) -> str:
    """Return README.txt: the statement, and the releases with their hashes."""
    lines = [*statement(facts), "", str(phrase("verdict.combined_sites"))]
    for each in facts["sites"]:
        lines.append(f"  {each['outputs_sha256']}  {each['release']}  {visible(each['population'])}")
        lines.append(f"    {each['published']}  {each['signer']}")
    lines += ["", str(phrase("verdict.combined_again"))]
    return "\n".join(lines) + "\n"

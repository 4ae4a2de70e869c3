"""The guarantee of a release in words: ε never without unit, relation, δ and what the population has spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.bundle.display import exact, factor, shown, shown_key, visible
from dprelease.bundle.words import Html, enumerate_words, say, say_html

NEARLY_ALIKE = 1
"""The largest ε for which results are called almost equally likely."""
WEAK = 7
"""From here on the factor is above a thousand, and the page says that this is little."""


def whole(certificate: Mapping[str, Any]) -> Html:
    """The privacy loss with everything it needs beside it."""
    guarantee, cumulative = certificate["guarantee"], certificate["cumulative"]
    count = cumulative["releases"]
    return say_html(
        "loss_whole",
        epsilon=exact(guarantee["epsilon"]),
        delta=exact(guarantee["delta"]),
        unit=guarantee["unit"],
        relation=say_html(guarantee["neighbors"], unit=guarantee["unit"]),
        rows=records(guarantee["max_rows"]),
        releases=say("one_release") if count == 1 else say("many_releases", count=shown(count)),
        total_epsilon=exact(cumulative["epsilon"]),
        total_delta=exact(cumulative["delta"]),
    )


def promise(certificate: Mapping[str, Any]) -> tuple[Html, list[Html]]:
    """What is promised, in plain words: the sentence, and what goes with it."""
    guarantee = certificate["guarantee"]
    epsilon, delta = guarantee["epsilon"], guarantee["delta"]
    key = f"promise_{guarantee['neighbors']}"
    sentence = say_html(
        key if epsilon <= NEARLY_ALIKE else f"wide_{key}", unit=guarantee["unit"], factor=factor(epsilon)
    )
    details = [say_html("weak_promise")] if epsilon >= WEAK else []
    if delta:
        details.append(say_html("delta_promise", delta=exact(delta)))
    return sentence, details


def unit(certificate: Mapping[str, Any]) -> Html:
    """Whose presence is hidden."""
    guarantee = certificate["guarantee"]
    by_row = certificate["plan"]["privacy"]["unit"] == "row"
    key = "unit_row" if by_row else "unit_column"
    return say_html(key, unit=guarantee["unit"], rows=records(guarantee["max_rows"]))


def relation(certificate: Mapping[str, Any]) -> Html:
    """Which two tables are compared."""
    guarantee = certificate["guarantee"]
    return say_html(f"{guarantee['neighbors']}_long", unit=guarantee["unit"])


def exchange(certificate: Mapping[str, Any]) -> Html | None:
    """Under add/remove: what exchanging a unit's records costs."""
    guarantee = certificate["guarantee"]
    if "exchange_epsilon" not in guarantee:
        return None
    return say_html("exchange", unit=guarantee["unit"], epsilon=exact(guarantee["exchange_epsilon"]))


def records(count: int) -> str:
    """How many records of a unit are used."""
    return say("one_record") if count == 1 else say("many_records", count=shown(count))


def where(certificate: Mapping[str, Any]) -> str:
    """Which records the plan looks at; empty where all."""
    tests = []
    for condition in certificate["plan"].get("where", []):
        for key in ("at_least", "at_most", "equals", "in"):
            if key in condition:
                items = condition[key] if key == "in" else [condition[key]]
                value = enumerate_words([visible(shown_key(item)) for item in items])
                tests.append(say(f"where_{key}", column=visible(condition["column"], 60), value=value))
    return "; ".join(tests)

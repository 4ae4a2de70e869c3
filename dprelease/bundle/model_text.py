"""The card of a model that was fitted to a published release, as a text file: what a release's page says of its own."""

from __future__ import annotations

from collections.abc import Sequence

from dprelease.bundle import guarantee
from dprelease.bundle.model_card import Named, function_table, told
from dprelease.model.certificate import Certificate
from dprelease.model.function.facts import Facts
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.releases import enumerate_words, say


def card_text(facts: Facts, certificate: Certificate, tables: Sequence[str], *, says_nothing: bool) -> str:
    """Markdown, in English: what the model is, for what, what it cost, the release's guarantee, and the function.

    `tables`: those that it was fitted to. `says_nothing`: no bin of it stands out of the noise.
    """
    with speaking(ENGLISH):
        named = Named(facts, certificate.columns)
        sections = [*told(named, ())]
        if says_nothing:
            sections.insert(1, (say("model_head_nothing"), say("model_says_nothing")))
        cost = say("model_from_cost", tables=enumerate_words(list(dict.fromkeys(tables))), release=certificate.id)
        sections.append((say("model_head_cost"), f"{cost} {guarantee.in_text(certificate)}"))
        heads, rows = function_table(named)
        title, function = (
            say("model_from_title", outcome=named.outcome, inputs=named.inputs),
            say("model_head_function"),
        )
        lines = [f"# {title}"]
        for head, text in sections:
            lines += ["", f"## {head}", "", text]
        lines += ["", f"## {function}", "", _row(heads), _row(["---"] * len(heads)), *map(_row, rows)]
        return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"

"""The computations of a plan on its counts, and on public figures, in words."""

from __future__ import annotations

from collections.abc import Iterator

from dprelease.model.derived import Compared
from dprelease.model.plan import Plan
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks
from dprelease.ui.words import say, say_html
from dprelease.words.sentences import Html


def derived_of(plan: Plan) -> None:
    """Show what a plan derives, for those who decide on it; nothing where there is nothing."""
    if plan.derived:
        blocks.label(say("derived"))
        blocks.listed(list(derived(plan)))
        blocks.note("derived_note" if plan.public else "derived_free")


def derived(plan: Plan) -> Iterator[Html]:
    """Yield each derived quantity in a sentence: a rate with whose figures it divides by."""
    public = {each.name: each for each in plan.public}
    for each in plan.derived:
        if isinstance(each, Compared):
            told = {"id": each.id, "of": each.of, "over": each.over}
            if each.base is not None:
                yield say_html("derived_index", **told, base=each.base)
            else:
                yield say_html("derived_change", **told, lag=shown(each.lag))
            continue
        table = public[each.per]
        yield say_html(
            "derived_rate",
            id=each.id,
            of=each.of,
            times=shown(int(each.times) if each.times == int(each.times) else float(each.times)),
            value=table.value,
            source=table.source,
        )
        if each.standardise is not None:
            weights = public[each.standardise.weights]
            over, standard = each.standardise.over, weights.source
            yield say_html("derived_standard", id=each.id, over=over, weights=weights.value, source=standard)

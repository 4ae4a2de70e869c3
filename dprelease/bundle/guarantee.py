"""Guarantee of a release in words: ε never without unit, relation, δ and what the population has spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_UP, Context, Decimal
from operator import attrgetter
from typing import Any, TypeVar

from dprelease.accounting.rho_conversion import DIGITS
from dprelease.model.certificate import Certificate
from dprelease.model.privacy import Currency, NeighboringRelation
from dprelease.model.stated import Caveat, Number, StatedMechanism, StatedStatistic
from dprelease.statements.display import exact, factor, grouped, margin, shown
from dprelease.statements.phrases import conditions
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.releases import WORDS, enumerate_words, say, say_html
from dprelease.words.sentences import Html, isolated

Text = TypeVar("Text", bound=str)
NEARLY_ALIKE = 1
"""Largest ε for which results are called almost equally likely."""
NORMS = ("l1", "l2", "linf")
TIERS = {1: "tier_low", 3: "tier_middle"}
"""Sentence key by the largest ε that it is used for; above, `tier_high`."""
WEAK = 7
"""Smallest ε at which the page calls the protection weak: the factor is above a thousand."""


def whole(certificate: Certificate) -> Html:
    """State the privacy loss with its unit, relation, δ and all that was spent."""
    return _whole(certificate, say_html)


def in_text(certificate: Certificate) -> str:
    """State the same as plain text, for files that are no pages."""
    return _whole(certificate, say)


def _whole(certificate: Certificate, speak: Callable[..., Text]) -> Text:
    guarantee, spent = certificate.guarantee, certificate.cumulative
    count = spent.releases

    def told(name: str, amount: float | int) -> str:
        text = figure(certificate, amount)
        return fact(certificate, name, text) if speak is say_html else text

    whole = speak(
        "loss_whole",
        epsilon=told("guarantee.epsilon", guarantee.epsilon),
        delta=told("guarantee.delta", guarantee.delta),
        unit=guarantee.unit,
        relation=speak(guarantee.neighbors, unit=guarantee.unit),
        rows=records(guarantee.max_rows),
        releases=say("how_many_releases", count, count=shown(count)),
        total_epsilon=told("cumulative.epsilon", spent.epsilon),
        total_delta=told("cumulative.delta", spent.delta),
    )
    run = certificate.edition_of
    return whole if run is None else speak("loss_of_run", whole=whole, periods=shown(run.periods))


def fact(certificate: Certificate, name: str, text: str) -> Html:
    """Return a number of the certificate as HTML, with its name and value for programs that check the page."""
    value = attrgetter(name)(certificate)
    return Html(f'<data data-fact="{name}" data-value="{value!r}" value="{value!r}">{isolated(text)}</data>')


def promise(certificate: Certificate) -> tuple[Html, list[Html]]:
    """Return the guarantee in plain words: the sentence, and remarks on it."""
    own = certificate.guarantee
    return promised(own.epsilon, own.delta, own.neighbors, own.unit, certificate.population.currency)


def tier(epsilon: Number, unit: str) -> Html:
    """State the guarantee in one plain sentence, by the ε of the release; the exact one stands below it."""
    return say_html(next((key for most, key in TIERS.items() if epsilon <= most), "tier_high"), unit=unit)


def promised(
    epsilon: Number, delta: Number, neighbors: NeighboringRelation, unit: str, currency: Currency
) -> tuple[Html, list[Html]]:
    """Return the same for a plan that is not published yet."""
    key = f"{'' if epsilon <= NEARLY_ALIKE else 'wide_'}promise_{neighbors}{'_delta' if delta else ''}"
    values = {"delta": _figure(currency, delta)} if delta else {}
    sentence = say_html(key, unit=unit, factor=factor(epsilon), **values)
    return sentence, [say_html("weak_promise")] if epsilon >= WEAK else []


def adversary(certificate: Certificate) -> Html:
    """State how often an adversary who knows all other records guesses right at most; by ε and δ of the release."""
    from dprelease.adversaries.population import advantage_of

    own = certificate.guarantee
    right = 50 * (1 + advantage_of(float(own.epsilon), float(own.delta)))
    most = grouped(Decimal(repr(right)).quantize(Decimal("0.1"), rounding=ROUND_UP).normalize())
    return say_html(f"adversary_{own.neighbors}", unit=own.unit, most=most)


def stated(certificate: Certificate) -> dict[str, Any]:
    """Return the parts of the guarantee by their names in templates."""
    parts = (whole, unit, relation, exchange, groups, counted, composition, cumulative, symbol, institutions)
    return {part.__name__: part(certificate) for part in parts}


def unit(certificate: Certificate) -> Html:
    """State whose presence is hidden: the unit of privacy."""
    guarantee = certificate.guarantee
    by_row = guarantee.unit_column is None
    key = "unit_row" if by_row else "unit_column"
    return say_html(key, unit=guarantee.unit, rows=records(guarantee.max_rows))


def relation(certificate: Certificate) -> Html:
    """State the adjacency: which two tables are neighbouring."""
    guarantee = certificate.guarantee
    return say_html(f"{guarantee.neighbors}_long", unit=guarantee.unit)


def exchange(certificate: Certificate) -> Html | None:
    """State the loss of exchanging a unit's records under add/remove, that of a group of two."""
    guarantee = certificate.guarantee
    if guarantee.exchange_epsilon is None:
        return None
    delta = next((group.delta for group in guarantee.groups if group.units == 2), 0)
    values = {"unit": guarantee.unit, "epsilon": computed(guarantee.exchange_epsilon), "delta": small(delta)}
    return say_html("exchange_delta" if delta else "exchange", **values)


def groups(certificate: Certificate) -> list[Html]:
    """State how well groups of units are protected together."""
    return [
        say_html(
            "group" if group.delta < 1 else "group_nothing",
            units=shown(group.units),
            epsilon=computed(group.epsilon),
            delta=small(group.delta),
        )
        for group in certificate.guarantee.groups
    ]


def counted(certificate: Certificate) -> Html | None:
    """State in zcdp the ρ of this release, and of all so far."""
    rho, total_rho = certificate.guarantee.rho, certificate.cumulative.rho
    if rho is None or total_rho is None:
        return None
    return say_html("counted", rho=computed(rho), total_rho=computed(total_rho))


def cumulative(certificate: Certificate) -> list[Html]:
    """Return sentences on the loss in the period alone, and of overlapping populations, each and together."""
    stated = certificate.cumulative
    sentences = []
    if stated.period is not None:
        period = stated.period
        values = {"epsilon": computed(period.epsilon), "delta": small(period.delta)}
        sentences.append(say_html("spent_in_period", period=period.name, **values))
    for other in stated.overlapping:
        values = {"epsilon": computed(other.epsilon), "delta": small(other.delta)}
        key = f"spent_by_{other.overlap}"
        sentences.append(say_html(key, population=other.population, unit=other.unit, **values))
    if stated.together is not None:
        together = stated.together
        values = {"epsilon": computed(together.epsilon), "delta": small(together.delta)}
        sentences.append(say_html("spent_together", **values))
    return sentences


def institutions(certificate: Certificate) -> list[Html]:
    """State which institutions made it together, and how; empty where one institution did."""
    several = certificate.several
    if several is None:
        return []
    losses = "; ".join(f"{_rho(each.rho_nano)} ({each.sites})" for each in several.losses)
    return [
        say_html("institutions_names", federation=several.name, sites=", ".join(site.name for site in several.sites)),
        say_html("institutions_how", rho=_rho(certificate.loss.rho_nano)),
        say_html("institutions_first", site=several.sites[0].name),
        say_html("institutions_rest", losses=losses),
    ]


def _rho(rho_nano: int) -> str:
    return computed(Decimal(rho_nano).scaleb(-9))


def composition(certificate: Certificate) -> Html:
    """State the composition: which losses are summed."""
    return say_html(summed(certificate))


def summed(certificate: Certificate) -> str:
    """Return the key of the sentence on composition."""
    undiscovered = certificate.population.discovers is False
    return "composition_undiscovered" if undiscovered else f"composition_{certificate.population.currency}"


def symbol(certificate: Certificate) -> str:
    """Return the symbol of the budget's unit that statistics' shares are counted in: ρ or ε."""
    return "ρ" if certificate.in_rho else "ε"


def mechanism(name: str) -> str:
    """Return the readers' name of a mechanism."""
    return WORDS.get(f"mechanism_{name}", name.replace("_", " "))


def follows(statistic: StatedStatistic) -> str:
    """Return the text in place of a mechanism where a statistic's counts follow from other statistics."""
    if statistic.is_fitted:
        return say("follows_tables", sources=enumerate_words(statistic.sources))
    return say("follows", source=statistic.source or "")


def sensitivity(mechanism: StatedMechanism) -> str:
    """State the sensitivity of a mechanism, by the norm that its noise is measured in."""
    norms = {norm: getattr(mechanism.sensitivity, norm) for norm in NORMS}
    norm = next((norm for norm in NORMS if norms[norm] is not None), None)
    return "" if norm is None else say(norm, number=shown(norms[norm], digits=5))


def small(delta: float | int) -> str:
    """Write a computed δ in two digits, rounded up."""
    return margin(delta) if delta else "0"


def figure(certificate: Certificate, amount: Decimal | float | int) -> str:
    """Write an ε, ρ or δ: as declared where the budget is in ε, in four digits where it was computed from a ρ."""
    return _figure(certificate.population.currency, amount)


def _figure(currency: Currency, amount: Decimal | Number) -> str:
    return exact(amount) if currency is Currency.PURE else computed(amount)


def computed(amount: Decimal | float | int) -> str:
    """Write a computed ε, ρ or δ in four digits, rounded up."""
    decimal = amount if isinstance(amount, Decimal) else Decimal(repr(amount))
    return grouped(Context(prec=DIGITS, rounding=ROUND_UP).create_decimal(decimal).normalize())


def records(count: int) -> str:
    """State how many records of a unit are used."""
    return say("how_many_records", count, count=shown(count))


def where(certificate: Certificate) -> str:
    """State the conditions on records that the plan uses; empty where it uses all."""
    return "; ".join(conditions(certificate.plan.get("where", ()), certificate.columns))


def rows_used(plan: Mapping[str, Any]) -> str:
    """State the same for a plan as in its file."""
    return "; ".join(conditions(plan.get("where", ())))


def caveats(certificate: Certificate) -> list[str]:
    """Return sentences on the limits of the guarantee."""
    return list(map(caveat, certificate.caveats))


def caveat(stated: Caveat) -> str:
    """Return the sentence of one limit; its code where this version has no words for it."""
    values = {name: value if isinstance(value, str) else exact(value) for name, value in stated.values.items()}
    if knows(stated):
        return say(f"caveat_{stated.code}", **values)
    return say("caveat_unknown", code=stated.code, values=", ".join(values.values()))


def knows(stated: Caveat) -> bool:
    """Return True if this version has a sentence for the caveat, in English."""
    with speaking(ENGLISH):
        return f"caveat_{stated.code}" in WORDS

"""A certificate held against the charge and the checkpoint of the ledger beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from dprelease.accounting.rho_conversion import with_rho, worth
from dprelease.bundle.entry import Entry, ProvenLine, check_equal
from dprelease.errors import IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.checkpoint import MOST, Checkpoint, SpentTotals
from dprelease.model.encoding import digest
from dprelease.model.plan import Plan
from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import ATTO, Currency, PrivacyLoss
from dprelease.model.stated import Cumulative, Overlapping, StatedLoss, StatedRound, StatedRun, as_json
from dprelease.registry import found
from dprelease.words import phrase, quoted

KINDS = "dprelease.statistics:Plan"
"""Place of plans that know their statistics: whoever only reads releases may not have it."""
STAYS = ("unit", "neighbors", "currency", "size", "discovers")
"""Fields of a population that never change."""
BETWEEN = 2
"""The events that each release has after its charge, up to its publication: its seal and that."""


def stated_population(certificate: Certificate) -> Population:
    """Return the population of a certificate, with the ρ that its cap comes to."""
    return with_rho(certificate.population.declared())


def stated_overlap(overlap: Overlap, population: Population, spent: PrivacyLoss, releases: int) -> Overlapping:
    """Return what is stated of another population, with what it has spent."""
    told = worth(spent, population)
    return Overlapping(
        population=population.name,
        unit=population.unit,
        neighbors=population.neighbors,
        overlap=overlap.value,  # type: ignore[arg-type]  # who shares nothing is not among them
        epsilon=told.epsilon,
        delta=told.delta,
        loss=StatedLoss.of(spent),
        releases=releases,
    )


def check_charge(entry: Entry, certificate: Certificate) -> bool:
    """Raise IntegrityError unless the charge in the ledger is what the certificate says was spent, and of what cap.

    The certificate is one that was checked. Returns False where the plan of its run cannot be read: a mere reader of
    releases has no statistics.
    """
    line, population, cumulative = entry.charge, stated_population(certificate), certificate.cumulative
    if (line.event["seq"], line.hash) != (certificate.ledger.seq, certificate.ledger.hash):
        raise IntegrityError(phrase("verdict.charge_entry_certificate_states"))
    run = certificate.edition_of
    expected = {
        "kind": "charge" if run is None else "edition_begun",
        "population": population.name,
        "loss": _amounts(certificate.loss.exactly if run is None else PrivacyLoss()),
        "spent": _amounts(cumulative.loss.exactly),
        "charges": cumulative.releases,
    }
    check_equal("charge", expected, line.event)
    cap = replace(population.cap, rho_nano=population.rho_nano)
    before = PrivacyLoss() if cumulative.period is None else cumulative.period.before.exactly
    facts: dict[str, Any] = {
        "cap": cap.to_mapping(),
        "period": population.period,
        "before": before.to_mapping(),
        "two_people": certificate.approval.workspace == "team",
    }
    if run is None:
        facts["plan_hash"] = certificate.plan_hash
    else:
        stated = {"charge": run.charge.seq, "charge_hash": run.charge.hash, "run": run.name, "edition": run.period}
        facts |= {**stated, "closes": line.facts.get("closes")}
    if certificate.supersedes is not None:
        facts["supersedes"] = certificate.supersedes
    if certificate.hour is not None:
        facts["due"] = certificate.hour
    if certificate.several is not None:
        facts["round"] = paid_for(certificate.several)
    if line.facts.keys() != facts.keys():
        raise IntegrityError(phrase("verdict.charge_does_state_what"))
    check_equal("charge", facts, line.facts)
    if (run is None) != (entry.run is None):
        raise IntegrityError(phrase("verdict.run_not_of_the_run"))
    plans = None if run is None else found(KINDS)
    if run is not None and entry.run is not None and plans is not None:
        plan: Plan = plans.parse(certificate.plan)
        _check_run(entry.run, run, certificate, plan.whole)
        _check_before(run, plan, line.facts["closes"])
    return run is None or plans is not None


def _check_before(run: StatedRun, plan: Plan, closes: object) -> None:
    """Raises IntegrityError where the run's other periods are not told as the order of editions has them.

    What is told as published is not told as closed. Where the order counts, each earlier period is one or the other,
    and among the closed ones are those that the ledger says this edition closed: the last before it.
    """
    assert plan.run is not None
    before = plan.run.periods[: run.number - 1]
    told = [*(each.period for each in run.earlier), *run.closed]
    ordered = plan.run.is_ordered(plan.unit.column)
    known = before if ordered else tuple(name for name in plan.run.periods if name != run.period)
    own = list(before[len(before) - len(closes) :]) if ordered and isinstance(closes, list) else []
    whole = set(told) == set(known) if ordered else set(told) <= set(known)
    if not whole or len(set(told)) != len(told) or closes != own or not set(own) <= set(run.closed):
        raise IntegrityError(phrase("verdict.run_before_untold", period=run.period))


def _check_run(line: ProvenLine, run: StatedRun, certificate: Certificate, whole: Plan) -> None:
    """Raises IntegrityError unless the run's charge is of this plan, these periods, this noise and what was spent."""
    if (line.event["seq"], line.hash) != (run.charge.seq, run.charge.hash) or run.charge.seq >= certificate.ledger.seq:
        raise IntegrityError(phrase("verdict.charge_entry_certificate_states"))
    assert whole.run is not None
    recurring, population = whole.run, certificate.population.name
    check_equal(
        "run", {"kind": "charge", "population": population, "loss": _amounts(certificate.loss.exactly)}, line.event
    )
    facts = {name: getattr(recurring, name) for name in ("column", "every", "first", "last", "at_most")}
    facts |= {"name": run.name, "factor": run.factor, "ordered": recurring.is_ordered(whole.unit.column)}
    check_equal("run", {"plan_hash": whole.hash}, line.facts)
    stated = line.facts.get("run")
    if not isinstance(stated, Mapping) or {key: each for key, each in stated.items() if key != "mechanisms"} != facts:
        raise IntegrityError(phrase("verdict.run_charged_otherwise"))
    hashes = stated["mechanisms"]
    own = digest({each.id: as_json(each.mechanisms) for each in certificate.measurements})
    if len(hashes) not in (1, run.periods) or hashes[run.number - 1 if len(hashes) > 1 else 0] != own:
        raise IntegrityError(phrase("verdict.run_other_mechanisms"))


def paid_for(several: StatedRound) -> str:
    """Return what the charge of each site names: the hash of roster, plan of the round and number of the attempt."""
    return digest({"federation": several.roster, "plan": several.plan, "attempt": several.attempt})


def check_standings(checkpoint: Checkpoint, certificate: Certificate) -> None:
    """Raises IntegrityError where the checkpoint contradicts a certificate that was checked.

    The checkpoint is later: by then more may have been spent, a cap raised and a period opened, and nothing else; and
    only where there is an event of which it can have been.
    """
    standings = {each.population.name: each for each in checkpoint.populations}
    population, cumulative = stated_population(certificate), certificate.cumulative
    own = standings.pop(population.name, None)
    if own is None:
        raise IntegrityError(phrase("verdict.standing_checkpoint_does_state"))
    found = own.population
    if any(getattr(found, name) != getattr(population, name) for name in STAYS):
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_another"))
    if found.period is None and population.period is not None:
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_no"))
    if found.period == population.period and not population.cap.within(found.cap):
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_lower"))
    spent = cumulative.loss.exactly
    if not (spent.within(own.spent) and cumulative.releases <= own.charges):
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_less"))
    _check_room(checkpoint, own, population, certificate)
    _check_beside(standings, cumulative, certificate.ledger.seq)


def _check_room(checkpoint: Checkpoint, own: SpentTotals, population: Population, certificate: Certificate) -> None:
    """Check that what the checkpoint states beyond the certificate took place in events after the charge."""
    seq, cumulative = certificate.ledger.seq, certificate.cumulative
    later = own.charges - cumulative.releases
    same = cumulative.loss.exactly == own.spent
    last, edition = own.last_charge or 0, certificate.edition_of is not None
    stood = last < seq if edition else last == seq
    if (later == 0) != same or stood != (later == 0) or (last < seq and not edition):
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_more"))
    room = checkpoint.size - seq - BETWEEN
    if later > room:
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_more_charges"))
    kept = (population.period, population.cap) == (own.population.period, own.population.cap)
    if (own.cap_event <= seq and not kept) or (own.cap_event > seq and room < 1):
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_another_cap"))


def _check_beside(standings: Mapping[str, SpentTotals], cumulative: Cumulative, seq: int) -> None:
    """Check the same of the other populations, as they stood at the charge or later."""
    if len(cumulative.overlapping) + cumulative.overlap_not_attested > len(standings):
        raise IntegrityError(phrase("verdict.standing_checkpoint_states_fewer"))
    for each in cumulative.overlapping:
        name = quoted(each.population)
        other = standings.get(each.population)
        if other is None:
            raise IntegrityError(phrase("verdict.standing_checkpoint_does_state_what", name=name))
        if (each.unit, each.neighbors) != (other.population.unit, other.population.neighbors):
            raise IntegrityError(phrase("verdict.standing_checkpoint_states_another_unit", name=name))
        if not _reaches(other, each) or (_stands_since(other, seq) and not _equals(other, each)):
            raise IntegrityError(phrase("verdict.standing_checkpoint_states_less_spending", name=name))


def _reaches(standing: SpentTotals, stated: Overlapping) -> bool:
    """Return True if a population that stands so now can have stood as stated before.

    In zcdp a cap with another δ gives another ε: taken is the one that comes to the stated δ.
    """
    population, spent = standing.population, standing.spent
    if not stated.loss.exactly.within(spent):
        return False
    worth = stated_overlap(Overlap(stated.overlap), population, spent, standing.charges)
    if population.currency is Currency.ZCDP and (stated.delta < worth.delta or population.period is not None):
        told_at = int(Decimal(repr(stated.delta)) * ATTO) - spent.delta_atto
        parts = 2 if population.discovers else 1
        cap = replace(population.cap, delta_atto=parts * min(max(told_at, 1), MOST))
        worth = stated_overlap(Overlap(stated.overlap), replace(population, cap=cap), spent, standing.charges)
    return all(getattr(stated, key) <= getattr(worth, key) for key in ("epsilon", "delta", "releases"))


def _stands_since(standing: SpentTotals, seq: int) -> bool:
    """Return True if nothing was spent, and no cap changed, after an event."""
    return max(standing.cap_event, standing.last_charge or 0) < seq


def _equals(standing: SpentTotals, stated: Overlapping) -> bool:
    """Return True if a population stands as stated."""
    worth = stated_overlap(Overlap(stated.overlap), standing.population, standing.spent, standing.charges)
    return worth == stated


def _amounts(loss: PrivacyLoss) -> dict[str, int]:
    return {"epsilon_nano": loss.epsilon_nano, "rho_nano": loss.rho_nano, "delta_atto": loss.delta_atto}

"""What a certificate says of budgets must not contradict the checkpoint beside it, and must not be nonsense."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.checkpoint import SpentTotals
from dprelease.model.encoding import plain, pretty
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.verdict.verify import Verdict
from tests.bundle.entries import key_of
from tests.verdict.forging import entered, published_beside_others, signed

KEY = key_of(5)
LAST_EVENT = 39
"""Of the checkpoint of `checked`."""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return published_beside_others(tmp_path_factory.mktemp("bundle"))


def facts(bundle: dict[str, bytes]) -> Any:
    return json.loads(bundle["release.json"])


def standings(bundle: dict[str, bytes]) -> dict[str, SpentTotals]:
    stated = json.loads(bundle["ledger.json"])["checkpoint"]["populations"]
    return {each["name"]: SpentTotals.from_mapping(each) for each in stated}


def checked(bundle: dict[str, bytes], folder: Path, stated: dict[str, SpentTotals]) -> Verdict:
    """Forged with another checkpoint, three events after the publication."""
    entry = entered(bundle, KEY, standings=list(stated.values()), after=3)
    return dprelease.verify(signed(bundle, folder, KEY, entry))


def test_a_bundle_beside_others_passes_and_its_cap_is_that_of_its_period(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    cumulative = facts(bundle)["cumulative"]
    assert [each["population"] for each in cumulative["overlapping"]] == ["patients", "visitors"]
    assert (cumulative["overlap_not_attested"], cumulative["period"]["name"]) == (1, "2026")
    (cap,) = [
        check for check in checked(bundle, tmp_path, standings(bundle)).checks if check.code == "check.cap_in_period"
    ]
    assert "spend in its period covers this release and is within its cap" in cap.words


Change = Callable[[Any], Any]


def beside(**values: Any) -> Change:
    """Changes what is said of the first overlapping population."""
    return lambda certificate: certificate["cumulative"]["overlapping"][0].update(values)


NONSENSE: dict[str, tuple[str, Change]] = {
    "negative ε beside it": ("$.cumulative.overlapping", beside(epsilon=-1)),
    "negative δ beside it": ("$.cumulative.overlapping", beside(delta=-1e-9)),
    "ε without end beside it": ("release.json", beside(epsilon=1e999)),
    "ε in words beside it": ("$.cumulative.overlapping", beside(epsilon="1")),
    "half a release beside it": ("$.cumulative.overlapping", beside(releases=0.5)),
    "true releases beside it": ("$.cumulative.overlapping", beside(releases=True)),
    "no overlap": ("$.cumulative.overlapping", beside(overlap="none")),
    "a list as overlap": ("$.cumulative.overlapping", beside(overlap=["same"])),
    "overlapping with itself": ("cumulative: a population overlaps itself", beside(population="people")),
    "overlapping twice": ("cumulative: a population overlaps itself", beside(population="visitors")),
    "an overlapping list": ("$.cumulative.overlapping", beside(population=["x"])),
    "a unit that is none": ("$.cumulative.overlapping", beside(unit=None)),
    "fewer than none unattested": (
        "$.cumulative.overlap_not_attested",
        lambda c: c["cumulative"].update(overlap_not_attested=-1),
    ),
    "half unattested": (
        "$.cumulative.overlap_not_attested",
        lambda c: c["cumulative"].update(overlap_not_attested=0.5),
    ),
    "true unattested": (
        "$.cumulative.overlap_not_attested",
        lambda c: c["cumulative"].update(overlap_not_attested=True),
    ),
    "two releases, nearly": ("$.cumulative.releases", lambda c: c["cumulative"].update(releases=2.0)),
    "releases in words": ("$.cumulative.releases", lambda c: c["cumulative"].update(releases="2")),
    "a list of a population's size": ("$.population.size", lambda c: c["population"].update(size=[1000])),
    "superseding itself": ("supersedes: a release does not supersede itself", lambda c: c.update(supersedes=c["id"])),
    "superseding a number": ("$.supersedes", lambda c: c.update(supersedes=1)),
    "superseding many": ("$.supersedes", lambda c: c.update(supersedes=["a", "b"])),
    "a period that is a number": ("$.cumulative.period.name", lambda c: c["population"].update(period=2026)),
    "earlier releases in one word": ("$.earlier_releases", lambda c: c.update(earlier_releases="none")),
    "an earlier release that is a number": ("$.earlier_releases", lambda c: c.update(earlier_releases=[1])),
    "software in a list": ("$.versions", lambda c: c.update(versions=[["dprelease", "0"]])),
}


"""Each with how the one check begins that has to refuse it, or with the place of what cannot be read."""


@pytest.mark.parametrize(("check", "change"), NONSENSE.values(), ids=NONSENSE)
def test_what_no_publication_states_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, check: str, change: Change
) -> None:
    """Also where everything that follows from it was changed too."""
    certificate, entry = facts(bundle), entered(bundle, KEY, standings=list(standings(bundle).values()))
    change(certificate)
    follow(certificate)
    forged = bundle | {"release.json": json.dumps(certificate).encode()}
    with suppress(TypeError):  # where a ledger could not state it
        entry = entered(forged, KEY, standings=list(standings(bundle).values()))
    begins = rf"^release\.json: .*`{re.escape(check)}" if check.startswith("$") else f"^{re.escape(check)}"
    with pytest.raises(IntegrityError, match=begins):
        dprelease.verify(signed(forged, tmp_path, KEY, entry))


def follow(certificate: Any) -> None:
    """Writes again what follows from the populations beside it, and from the period."""
    cumulative, population = certificate["cumulative"], certificate["population"]
    cumulative["period"]["name"] = population["period"]
    alike = [
        each
        for each in cumulative["overlapping"]
        if (each["unit"], each["neighbors"]) == (population["unit"], population["neighbors"])
    ]
    if alike and all(type(each[key]) in (int, float) for each in alike for key in ("epsilon", "delta")):
        for key in ("epsilon", "delta"):
            numbers = (cumulative[key], *(each[key] for each in alike))
            if all(abs(number) < 1e9 for number in numbers):
                cumulative["together"][key] = plain(sum((Decimal(repr(each)) for each in numbers), Decimal(0)))


def to(name: str, /, **values: Any) -> Callable[[dict[str, SpentTotals]], Any]:
    """Changes the population of a standing."""
    return lambda known: known.update(
        {name: replace(known[name], population=replace(known[name].population, **values))}
    )


def spends(name: str, less: PrivacyLoss, *, later: int = 0) -> Callable[[dict[str, SpentTotals]], Any]:
    """`later`: in so many charges after that of the release, the last of which is the checkpoint's last event."""

    def change(known: dict[str, SpentTotals]) -> None:
        own = known[name]
        last = LAST_EVENT if later else own.last_charge
        known[name] = replace(own, spent=own.spent - less, charges=own.charges + later, last_charge=last)

    return change


def since(change: Callable[[dict[str, SpentTotals]], Any], name: str) -> Callable[[dict[str, SpentTotals]], Any]:
    """With an event after the charge that changed the cap."""

    def both(known: dict[str, SpentTotals]) -> None:
        change(known)
        known[name] = replace(known[name], cap_event=LAST_EVENT)

    return both


CONTRADICTED: dict[str, Callable[[dict[str, SpentTotals]], Any]] = {
    "a lower cap": to("people", cap=PrivacyLoss(epsilon_nano=2 * 10**9)),
    "no period": to("people", period=None),
    "another unit": to("people", unit="galaxy"),
    "another relation": to("people", neighbors=NeighboringRelation.SUBSTITUTE),
    "another currency": to("people", currency=Currency.ZCDP, cap=PrivacyLoss(epsilon_nano=3 * 10**9, delta_atto=9)),
    "another size": to("people", size=1001),
    "no size": to("people", size=None),
    "an overlapping population missing": lambda known: known.pop("patients"),
    "an overlapping population of another name": to("patients", name="nobody"),
    "another one missing": lambda known: known.pop("others"),
    "another unit beside it": to("visitors", unit="galaxy"),
    "another relation beside it": to("visitors", neighbors=NeighboringRelation.SUBSTITUTE),
    "less ε spent beside it": spends("visitors", PrivacyLoss(epsilon_nano=1)),
    "less ρ spent beside it": spends("patients", PrivacyLoss(rho_nano=10**6)),
    "a smaller δ beside it": to("patients", cap=PrivacyLoss(epsilon_nano=4 * 10**9, delta_atto=10**9)),
    "in another currency beside it": lambda known: known.update(
        patients=replace(
            known["patients"],
            population=replace(
                known["patients"].population, currency=Currency.PURE, rho_nano=0, cap=PrivacyLoss(epsilon_nano=1)
            ),
        )
    ),
    "fewer releases beside it": lambda known: known.update(
        visitors=replace(known["visitors"], charges=0, last_charge=None)
    ),
    "more spent in no charge": spends("people", PrivacyLoss(epsilon_nano=-1)),
    "more spent in no charge after this one": lambda known: known.update(
        people=replace(
            known["people"],
            charges=known["people"].charges + 1,
            spent=known["people"].spent + PrivacyLoss(epsilon_nano=1),
        )
    ),
    "more charges than events": spends("people", PrivacyLoss(epsilon_nano=-9), later=4),
    "a charge that spends nothing": spends("people", PrivacyLoss(), later=1),
    "a higher cap that nobody raised": to("people", cap=PrivacyLoss(epsilon_nano=4 * 10**9)),
    "a period that nobody opened": to("people", period="2027"),
    "more spent beside it in no charge": spends("patients", PrivacyLoss(rho_nano=-(10**6))),
}


@pytest.mark.parametrize("change", CONTRADICTED.values(), ids=CONTRADICTED)
def test_what_the_checkpoint_contradicts_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, change: Callable[[dict[str, SpentTotals]], Any]
) -> None:
    stated = standings(bundle)
    change(stated)
    with pytest.raises(IntegrityError, match=r"^standing: "):
        checked(bundle, tmp_path, stated)


RAISED = PrivacyLoss(epsilon_nano=9 * 10**9, delta_atto=10**13)
LATER: dict[str, Callable[[dict[str, SpentTotals]], Any]] = {
    "a higher cap": since(to("people", cap=PrivacyLoss(epsilon_nano=4 * 10**9)), "people"),
    "another period": since(to("people", period="2027", cap=PrivacyLoss(epsilon_nano=1)), "people"),
    "more spent": spends("people", PrivacyLoss(epsilon_nano=-1), later=1),
    "more spent, in three charges": spends("people", PrivacyLoss(epsilon_nano=-1), later=3),
    "more spent beside it": spends("patients", PrivacyLoss(rho_nano=-1), later=1),
    "more δ spent beside it": spends("patients", PrivacyLoss(delta_atto=-(10**6)), later=1),
    "a higher cap beside it": since(to("patients", cap=RAISED, rho_nano=10**9), "patients"),
    "a period beside it": since(
        to("patients", cap=PrivacyLoss(epsilon_nano=10**9, delta_atto=10**9), rho_nano=10**7, period="2027"),
        "patients",
    ),
    "another population more": lambda known: known.update(
        more=SpentTotals(
            Population(
                name="more", unit="x", neighbors=NeighboringRelation.ADD_REMOVE, cap=PrivacyLoss(epsilon_nano=1)
            ),
            PrivacyLoss(),
            0,
            LAST_EVENT,
            None,
        )
    ),
}


@pytest.mark.parametrize("change", LATER.values(), ids=LATER)
def test_what_may_have_happened_between_charge_and_checkpoint_passes(
    bundle: dict[str, bytes], tmp_path: Path, change: Callable[[dict[str, SpentTotals]], Any]
) -> None:
    stated = standings(bundle)
    change(stated)
    checked(bundle, tmp_path, stated)


def test_a_certificate_with_a_higher_cap_than_its_checkpoint_is_refused(
    bundle: dict[str, bytes], tmp_path: Path
) -> None:
    certificate = facts(bundle)
    certificate["population"]["epsilon_cap"] = 4
    with pytest.raises(IntegrityError, match="lower cap"):
        checked(bundle | {"release.json": pretty(certificate)}, tmp_path, standings(bundle))

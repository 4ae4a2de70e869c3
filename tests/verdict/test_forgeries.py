"""Forgeries by the publisher's own key, everything else written again to fit: the charge and the checkpoint tell."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.encoding import plain, pretty
from dprelease.model.privacy import PrivacyLoss
from dprelease.verdict.statements import stated
from tests.bundle.entries import event_of, key_of, standing
from tests.verdict.forging import COUNT, FRAME, PRIVACY, entered, signed, swapped, written

KEY = key_of(6)
NANO = 10**9


@pytest.fixture(scope="module")
def workspace() -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("t", FRAME, unit_column="id", epsilon=4)
    return made


@pytest.fixture(scope="module")
def bundle(workspace: dprelease.Workspace, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The second release, ε = 0.5 after 1."""
    folder = tmp_path_factory.mktemp("bundles")
    written(workspace, COUNT, folder)
    return written(workspace, COUNT | {"privacy": PRIVACY | {"epsilon": 0.5}}, folder)


def facts(bundle: dict[str, bytes]) -> Any:
    return json.loads(bundle["release.json"])


def restated(certificate: Any, epsilon_nano: int, releases: int) -> Any:
    """With another sum of all releases, and everything in the certificate that follows from it."""
    certificate["cumulative"] |= {
        "epsilon": plain(PrivacyLoss(epsilon_nano=epsilon_nano).epsilon),
        "releases": releases,
    }
    certificate["cumulative"]["loss"]["epsilon_nano"] = epsilon_nano
    return certificate


def test_a_smaller_sum_than_the_checkpoint_states_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """In one release, and not in two: there is no event in which the other can have been charged."""
    honest = standing(facts(bundle))
    forged = bundle | {"release.json": pretty(restated(facts(bundle), NANO // 2, 1))}
    entry = entered(forged, KEY, standings=[honest])
    with pytest.raises(IntegrityError, match=r"^standing: .*more"):
        dprelease.verify(signed(forged, tmp_path / "1", KEY, entry))
    later = replace(honest, last_charge=honest.last_charge and honest.last_charge + 1)
    entry = entered(forged, KEY, standings=[later])
    with pytest.raises(IntegrityError, match=r"^standing: .*than there are events"):
        dprelease.verify(signed(forged, tmp_path / "2", KEY, entry))


def test_a_sum_that_the_charge_does_not_state_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """The event is in the ledger already: another certificate cannot be put before it."""
    honest = json.loads(bundle["ledger.json"])
    forged = bundle | {"release.json": pretty(restated(facts(bundle), NANO // 2, 1))}
    entry = entered(forged, KEY)
    with pytest.raises(IntegrityError, match=r"^(charge|inclusion): "):
        dprelease.verify(signed(forged, tmp_path, KEY, entry | {"charge": honest["charge"]}))


CHARGES = {
    "another sum": lambda event: event["spent"].update(epsilon_nano=NANO),
    "fewer charges": lambda event: event.update(charges=1),
    "another loss": lambda event: event["loss"].update(epsilon_nano=1),
    "another plan": lambda event: event["facts"].update(plan_hash="00" * 32),
    "another cap": lambda event: event["facts"].update(cap={"epsilon_nano": 9 * NANO, "delta_atto": 0}),
    "a period": lambda event: event["facts"].update(period="2026"),
    "something spent before": lambda event: event["facts"]["before"].update(epsilon_nano=1),
    "two people": lambda event: event["facts"].update(two_people=True),
    "another kind": lambda event: event.update(kind="spend_refused"),
    "another population": lambda event: event.update(population="others"),
    "an approver": lambda event: event["facts"].update(approver="rex"),
    "another superseded release": lambda event: event["facts"].update(supersedes="older-1"),
}


@pytest.mark.parametrize("change", CHARGES.values(), ids=CHARGES)
def test_a_charge_that_is_not_the_certificates_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, change: Any
) -> None:
    with pytest.raises(IntegrityError, match=r"^charge: "):
        dprelease.verify(signed(bundle, tmp_path, KEY, entered(bundle, KEY, change_charge=change)))


@pytest.mark.parametrize("cap", [2.35, 3, 5])
def test_a_cap_that_differs_from_the_checkpoint_is_refused(
    bundle: dict[str, bytes], tmp_path: Path, cap: float
) -> None:
    """The checkpoint says 4, and there is no event in which it was raised."""
    certificate = facts(bundle)
    honest = standing(certificate)
    certificate["population"]["epsilon_cap"] = cap
    forged = bundle | {"release.json": pretty(certificate)}
    for standings in ([honest], [replace(honest, cap_event=(honest.last_charge or 0) + 1)]):
        with pytest.raises(IntegrityError, match=r"^standing: .*cap"):
            dprelease.verify(signed(forged, tmp_path, KEY, entered(forged, KEY, standings=standings)))


def test_days_out_of_order_are_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    certificate = facts(bundle)
    for how in (
        {"on": "2019-12-31"},
        {"change": lambda event: event.update(day="2019-12-31")},
        {"change_charge": lambda event: event.update(day="2199-12-31")},
    ):
        entry = entered(bundle, KEY, **how)
        if "change_charge" in how:  # whose hash the certificate then states
            entry["charge"]["event"]["day"] = certificate["published"]
        with pytest.raises(IntegrityError, match=r"^(event: .*days|inclusion)"):
            dprelease.verify(signed(bundle, tmp_path, KEY, entry))


def superseding(bundle: dict[str, bytes], release_id: str) -> dict[str, bytes]:
    certificate = facts(bundle)
    certificate["supersedes"] = release_id
    return bundle | {"release.json": pretty(certificate)}


def older(bundle: dict[str, bytes], seq: int = 3, release: str = "older-1", **changes: Any) -> dict[str, Any]:
    told = {"release": release, "published_on": "2025-01-01"} | changes
    return event_of("published", seq, facts(bundle), day="2025-01-01", facts=told, previous="00" * 32)


def test_superseding_what_the_ledger_does_not_know_is_refused(bundle: dict[str, bytes], tmp_path: Path) -> None:
    forged = superseding(bundle, "older-1")
    bare = {name: data for name, data in forged.items() if not name.startswith(("sdmx/",)) and "/" in name}
    bare |= {name: forged[name] for name in ("release.json", "datapackage.json", "signer.pub")}
    verdict = dprelease.verify(signed(bare, tmp_path / "0", KEY, entered(bare, KEY, superseded=older(bare))))
    assert any(check.code == "check.superseded" for check in verdict.checks)
    for number, (event, words) in enumerate(
        [
            (None, "is not shown"),
            (older(bare, release="other-1"), "its release"),
            (older(bare) | {"kind": "sealed"}, "its kind"),
            (older(bare, published_on="2199-01-01"), "published later"),
        ],
        start=1,
    ):
        entry = entered(bare, KEY, superseded=event)
        with pytest.raises(IntegrityError, match=f"^superseded: .*{words}"):
            dprelease.verify(signed(bare, tmp_path / str(number), KEY, entry))
    entry = entered(bare, KEY, superseded=older(bare))
    entry["superseded"]["event"]["facts"]["published_on"] = "2025-01-02"
    with pytest.raises(IntegrityError, match=r"^inclusion: "):
        dprelease.verify(signed(bare, tmp_path / "9", KEY, entry))


def test_a_release_of_the_program_that_supersedes_another_one_shows_it(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=4)
    ids: list[str] = []
    for title, replaced in (("First", None), ("Second", 0)):
        plan_id = workspace.plans.submit(dprelease.Plan.parse(COUNT | {"title": title}))
        workspace.plans.approve(plan_id)
        ids.append(workspace.publish(plan_id, supersedes=None if replaced is None else ids[replaced]).id)
    verdict = dprelease.verify(workspace.releases.bundle(ids[1]), key=workspace.public_key)
    assert any(check.code == "check.superseded" for check in verdict.checks)
    shown = json.loads((workspace.releases.bundle(ids[1]) / "ledger.json").read_text())["superseded"]["event"]
    assert shown["facts"]["release"] == ids[0]


def moved(bundle: dict[str, bytes], name: str, steps: int) -> dict[str, bytes]:
    """The files without page and prose, the first cell of a table and its interval moved together, all else to fit."""
    bare = {path: data for path, data in bundle.items() if path.startswith(("tables/", "charts/"))}
    bare |= {path: bundle[path] for path in ("release.json", "datapackage.json", "signer.pub")}
    lines = bare[f"tables/{name}.csv"].decode().splitlines()
    code, *numbers, _ = lines[1].split(",")
    low = int(numbers[0]) + steps < 0
    lines[1] = ",".join([code, *(str(int(number) + steps) for number in numbers), "N" if low else "A"])
    forged = swapped(bare, name, ("\n".join(lines) + "\n").encode())
    certificate = json.loads(forged["release.json"])
    tables = {each["id"]: forged[f"tables/{each['id']}.csv"] for each in certificate["statistics"]}
    certificate["statements"] |= stated(certificate, tables)
    return forged | {"release.json": pretty(certificate)}


def test_a_table_that_contradicts_the_population_is_told(bundle: dict[str, bytes], tmp_path: Path) -> None:
    """The publisher's own key, tables and interval in order: nothing forbids it, and no honest release says it."""
    verdict = dprelease.verify(signed(moved(bundle, "n", -500_000), tmp_path / "forged", KEY), pictures=False)
    assert verdict.words.endswith("the release's own numbers do not agree")
    assert verdict.findings[0].words.startswith("n: -")
    assert dprelease.verify(signed(moved(bundle, "n", 0), tmp_path / "honest", KEY), pictures=False).findings == ()


def test_a_cell_that_is_moved_with_its_interval_is_told_by_the_same_question_asked_again(
    workspace: dprelease.Workspace, tmp_path: Path
) -> None:
    """Both at scale 2: what 30 of these tell, 5 do not, for noise goes so far."""
    twice = [{"id": name, "kind": "count", "by": ["c"], "epsilon": 1} for name in ("n", "again")]
    files = written(workspace, COUNT | {"privacy": PRIVACY | {"epsilon": 2}, "statistics": twice}, tmp_path / "all")
    for scales, found in ((30, {"finding.more_rows_in_cell"}), (5, set())):
        verdict = dprelease.verify(signed(moved(files, "n", 2 * scales), tmp_path / str(scales), KEY), pictures=False)
        assert {each.code for each in verdict.findings} == found
        assert {each["code"] for each in verdict.to_mapping()["findings"]} == found
        assert any("Rows by n in cell 1 of c: " in each.words for each in verdict.findings) == bool(found)


@pytest.mark.parametrize("more", [True, False])
def test_other_traits_of_a_statistic_than_its_kind_has_are_refused(
    bundle: dict[str, bytes], tmp_path: Path, more: bool
) -> None:
    """Second readings ask a statistic's traits, so whoever signs may not choose them."""
    certificate = facts(bundle)
    shown = certificate["statistics"][0]["presentation"]
    shown["traits"] = sorted({*shown["traits"], "quotient"}) if more else shown["traits"][1:]
    forged = bundle | {"release.json": pretty(certificate)}
    with pytest.raises(IntegrityError, match=r"^statistics: "):
        dprelease.verify(signed(forged, tmp_path / "1", KEY, entered(forged, KEY)))

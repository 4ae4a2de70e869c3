"""The sum of a round as a release: one bundle, byte for byte, in every site's workspace, on the charge of its round."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dprelease
from dprelease.errors import InputError, IntegrityError, PlanError
from dprelease.extras.federation import round_release
from dprelease.extras.federation.check import check
from dprelease.extras.federation.folder import BUNDLE, RoundFolder
from dprelease.store import releases, summed
from dprelease.workspace import publish
from dprelease.workspace.state import State
from tests.extras.federation.published import files, round_of, sites
from tests.extras.federation.published import publish as published
from tests.extras.federation.test_federations import NAMES, charges, finished, joined, plan

PRIVACY = {"unit": "row", "neighbors": "add_remove", "epsilon": 0.9, "delta": 1e-6}


def test_every_site_has_the_same_bundle_which_verifies(tmp_path: Path) -> None:
    made, shared = round_of(tmp_path)
    asked = [made[0].federations.publish(shared, plan()), made[1].federations.publish(shared, plan())]
    assert [(each.step, each.waiting, each.release) for each in asked] == [
        ("account", ("South", "West"), None),
        ("account", ("West",), None),
    ]
    told = made[2].federations.publish(shared, plan())
    assert (told.step, told.waiting, told.release) == ("bundle", ("North",), None)
    release = published(made, shared)
    bundles = [files(each.releases.bundle(release)) for each in made]
    assert bundles[0] == bundles[1] == bundles[2]
    assert "federation/2.account.json" in bundles[0]
    assert not [name for name in bundles[0] if name.endswith(".u64")]
    for each in made:
        verdict = dprelease.verify(each.releases.bundle(release), key=made[0].public_key)
        assert {"check.institutions", "check.charges", "check.shares", "check.sum"} <= {
            check.code for check in verdict.checks
        }
        assert each.ledger.verify()
        assert [found.id for found in each.releases.find()] == [release]
        assert len(charges(each)) == 1
        assert each.releases.unfinished() == []
        assert each.publish(plan()).id == release, "a published plan gives the same release"
    assert dprelease.verify(shared / BUNDLE, key=made[0].public_key).release.id == release


@pytest.mark.full
def test_the_certificate_and_the_page_say_who_took_part_and_how(tmp_path: Path) -> None:
    made, shared = round_of(tmp_path)
    release = made[1].releases.get(published(made, shared))
    several = release.certificate.several
    assert several is not None
    assert (several.trust, several.lost_sites, several.max_sites) == ("masked", 1, 1)
    assert [site.name for site in several.sites] == list(NAMES)
    assert [site.charge for site in several.sites] == [charges(each)[0].hash for each in made]
    assert several.shares[0].deviation == pytest.approx(several.shares[0].sigma * 3**0.5)
    assert release.certificate.measurements[0].mechanisms[0].scale == several.shares[0].deviation
    assert [each.sites for each in several.losses] == [1, 2]
    page = (made[1].releases.bundle(release.id) / "index.html").read_text()
    assert "North, South, West" in page
    assert "charged ρ" in page
    with pytest.raises(InputError, match="sum of 3 institutions already"):
        dprelease.combine(made[0].releases.bundle(release.id), made[1].releases.bundle(release.id))
    made[2].releases.write_site(tmp_path / "site")
    portal = (tmp_path / "site" / "releases" / release.id / "index.html").read_text()
    assert "North, South, West" in portal


@pytest.mark.full
@pytest.mark.parametrize(
    "statistic",
    [
        {"kind": "histogram", "column": "age", "bins": 10},
        {"kind": "crosstab", "columns": ["sex", "age"]},
        {"kind": "variance", "column": "age"},
        {"kind": "cdf", "column": "age"},
        {"kind": "sum", "column": "age", "by": ["sex"]},
        {"kind": "units"},
        {"kind": "workload", "columns": ["sex", "age"], "order": 2},
        {"kind": "synthetic", "columns": ["sex", "age"], "rows": 50},
        {"kind": "linear", "outcome": "age", "on": ["sex"]},
        {"kind": "naive_bayes", "outcome": "sex", "on": ["age"]},
    ],
    ids=lambda each: each["kind"],
)
def test_every_kind_of_a_sum_is_published_and_verifies(tmp_path: Path, statistic: dict[str, Any]) -> None:
    wanted = plan([{"id": "s", **statistic}], privacy=PRIVACY, charts=False)
    made, shared = round_of(tmp_path, wanted)
    release = published(made, shared, wanted)
    bundles = [files(each.releases.bundle(release)) for each in made]
    assert bundles[0] == bundles[1] == bundles[2]
    assert dprelease.verify(made[2].releases.bundle(release)).findings == ()
    assert made[2].ledger.verify()


@pytest.mark.full
def test_a_site_writes_the_bundle_again_from_its_ledger_alone(tmp_path: Path) -> None:
    """With the signature of the first site, whose key it does not have."""
    wanted = plan(charts=False)
    made, shared = round_of(tmp_path, wanted)
    release = published(made, shared, wanted)
    before = files(made[1].releases.bundle(release))
    made[1].ledger.backup(tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / "public")
    again = dprelease.Workspace.restore(tmp_path / "copy", tmp_path / "restored")
    again.releases.resume()
    assert files(again.releases.bundle(release)) == before


class KilledError(BaseException):
    """The process is gone: nothing catches this."""


@pytest.mark.full
def test_whenever_a_site_is_killed_all_publish_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [0]

    def mortal(real: Any) -> Any:
        def wrapped(*given: Any, **named: Any) -> Any:
            _step()
            answer = real(*given, **named)
            _step()
            return answer

        return wrapped

    def _step() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KilledError

    for owner, name in (
        (RoundFolder, "_put"),
        (summed, "stand_on"),
        (releases, "publish"),
        (State, "show"),
        (State, "write_checkpoint"),
        (round_release, "announce"),
        (publish, "_entry"),
    ):
        monkeypatch.setattr(owner, name, mortal(getattr(owner, name)))
    wanted, deaths = plan(charts=False), 0
    for start in (1, 2, 3):  # each time other moments
        made, shared = round_of(tmp_path / str(start), wanted)
        for moment in range(start, 60, 3):
            left[0] = moment % 17 + 1
            try:
                for each in made:
                    each.federations.publish(shared, wanted)
            except KilledError:
                deaths += 1
        left[0] = 0
        release = published(made, shared, wanted)
        bundles = [files(each.releases.bundle(release)) for each in made]
        assert bundles[0] == bundles[1] == bundles[2]
        for each in made:
            assert each.ledger.verify()
            assert len(charges(each)) == 1
            assert len(each.releases.find()) == 1
    assert deaths > 20


def test_nothing_is_published_before_all_signed_the_sum(tmp_path: Path) -> None:
    made, shared = sites(tmp_path), tmp_path / "shared"
    joined(made, shared)
    for each in made:
        each.federations.contribute(shared, plan())
    with pytest.raises(IntegrityError):
        made[0].federations.publish(shared, plan())
    finished(made, shared)
    with pytest.raises(PlanError, match="every site of the round approved"):
        made[0].federations.publish(shared, plan(title="Other"))
    assert made[0].releases.find() == []


@pytest.mark.full
def test_where_the_first_site_is_lost_the_others_have_the_sum_and_no_bundle(tmp_path: Path) -> None:
    wanted = plan(charts=False)
    made, shared = round_of(tmp_path, wanted)
    for each in made:
        each.federations.publish(shared, wanted)
    made[0].ledger.backup(tmp_path / "copy")
    first, others = dprelease.Workspace.restore(tmp_path / "copy", tmp_path / "restored"), made[1:]
    with pytest.raises(IntegrityError, match="no round has begun for North"):
        first.federations.publish(shared, wanted)
    for each in others:
        told = each.federations.publish(shared, wanted)
        assert (told.step, told.waiting) == ("bundle", ("North",))
    one, other = (each.federations.combine(shared, wanted) for each in others)
    assert one.answers == other.answers
    RoundFolder(shared).publish(tmp_path / "shown")
    assert np.array_equal(check(RoundFolder(tmp_path / "shown")).total, one.finished.total)
    assert [len(charges(each)) for each in others] == [1, 1]


@pytest.mark.full
def test_a_bundle_of_another_one_is_not_taken(tmp_path: Path) -> None:
    wanted = plan(charts=False)
    made, shared = round_of(tmp_path, wanted)
    for each in made:
        each.federations.publish(shared, wanted)
    made[0].federations.publish(shared, wanted)
    alone = made[2].publish(plan(title="Alone", charts=False))
    (shared / BUNDLE).write_bytes(round_release.zipped(alone))
    with pytest.raises(IntegrityError, match="signed by"):
        made[1].federations.publish(shared, wanted)
    own = made[0].publish(plan(title="Alone", charts=False))
    (shared / BUNDLE).write_bytes(round_release.zipped(own))
    with pytest.raises(IntegrityError, match="not of this round"):
        made[1].federations.publish(shared, wanted)
    assert made[1].releases.find() == []


def test_a_target_that_the_noise_of_all_sites_misses_is_refused_before_a_charge(tmp_path: Path) -> None:
    made, shared = sites(tmp_path), tmp_path / "shared"
    joined(made, shared)
    near = [{"id": "by_sex", "kind": "count", "by": ["sex"], "target_error": {"value": 26, "confidence": 0.95}}]
    with pytest.raises(PlanError, match="noise of all sites together"):
        made[0].federations.contribute(shared, plan(near))
    assert charges(made[0]) == []


@pytest.mark.full
def test_only_the_site_that_signed_says_something_of_a_release_afterwards(tmp_path: Path) -> None:
    """Keys that were rotated after the roster was signed change nothing."""
    wanted = plan(charts=False)
    made, shared = round_of(tmp_path, wanted)
    roster = made[0].public_key
    for each in made:
        each.ledger.rotate_key()
    release = published(made, shared, wanted)
    with pytest.raises(InputError, match="another site of its federation signed"):
        made[1].releases.add_erratum(release, "Wrong.")
    with pytest.raises(InputError, match="another site of its federation signed"):
        made[1].publish(plan(title="Later"), supersedes=release)
    made[0].releases.add_erratum(release, "Wrong.")
    verdict = dprelease.verify(made[0].releases.bundle(release), key=roster)
    assert (verdict.said.errata, verdict.signer_known) == (1, True)
    assert dprelease.verify(made[1].releases.bundle(release), key=roster).signer_known
    assert all(each.ledger.verify() for each in made)
    assert made[1].ledger.audit_report("people").html()

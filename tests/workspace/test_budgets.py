"""Budgets that are raised or renewed, populations that overlap, and what certificates say of it all."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pandas
import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import AccessError, InputError, InsufficientBudgetError
from dprelease.model.actor import PUBLIC
from dprelease.model.release import Release
from dprelease.store.event import EventKind
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan


@pytest.fixture
def workspace() -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    return made


def publish(workspace: dprelease.Workspace, epsilon: float, title: str = "Ages", dataset: str = "people") -> Release:
    return workspace.publish(approved(workspace, plan(epsilon, title, dataset=dataset)))


def test_a_cap_is_raised_with_a_reason_and_never_lowered(workspace: dprelease.Workspace) -> None:
    publish(workspace, 1)
    with pytest.raises(InsufficientBudgetError):
        publish(workspace, 0.5, "More")
    with pytest.raises(InputError, match="reason"):
        workspace.populations.raise_cap("people", epsilon=2, reason="")
    workspace.populations.raise_cap("people", epsilon=2, reason="Asked for by the board.")
    for epsilon in (1.5, 2):
        with pytest.raises(InputError, match="never lowered"):
            workspace.populations.raise_cap("people", epsilon=epsilon, reason="less")
    certificate = publish(workspace, 0.5, "More").certificate
    assert (certificate.population.epsilon_cap, certificate.cumulative.epsilon) == (2, 1.5)
    (event,) = workspace.ledger.events(kinds=[EventKind.CAP_RAISED])
    assert (event.body["reason"], event.body["approver"]) == ("Asked for by the board.", "owner")
    assert workspace.ledger.verify() == len(workspace.ledger.events())


def test_a_period_has_its_own_cap_and_earlier_spending_stays_summed(workspace: dprelease.Workspace) -> None:
    publish(workspace, 0.9)
    workspace.populations.open_period("people", "2027", epsilon=0.5, reason="A new year.")
    account = workspace.populations.budget("people")
    assert account.period == "2027"
    assert (account.remaining.epsilon, account.spent.epsilon) == (Decimal("0.5"), Decimal("0.9"))
    with pytest.raises(InsufficientBudgetError):
        publish(workspace, 0.6, "Too much")
    certificate = publish(workspace, 0.4, "In 2027").certificate
    assert certificate.population.period == "2027"
    cumulative = certificate.cumulative
    assert (cumulative.epsilon, cumulative.releases) == (1.3, 2)
    assert (cumulative.period.name, cumulative.period.epsilon) == ("2027", 0.4)
    assert any("2027" in sentence for sentence in caveats(certificate))
    with pytest.raises(InputError, match="period"):
        workspace.populations.open_period("people", "2027", epsilon=1, reason="Again.")
    assert workspace.ledger.verify() == len(workspace.ledger.events())


def test_periods_work_where_rho_is_counted() -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, delta=1e-6, currency="zcdp", unit="person")
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 0.8, "delta": 1e-7}
    workspace.publish(approved(workspace, plan(privacy=privacy)))
    workspace.populations.open_period("people", "2027", epsilon=2, reason="A new year.")
    workspace.populations.raise_cap("people", epsilon=3, reason="More.")
    account = workspace.populations.budget("people")
    assert account.used.rho_nano == 0 < account.before.rho_nano == account.spent.rho_nano
    release = workspace.publish(approved(workspace, plan(privacy={**privacy, "epsilon": 1.5}, title="B")))
    assert release.certificate.cumulative.period.rho < release.certificate.cumulative.rho
    assert workspace.ledger.verify() == len(workspace.ledger.events())


def test_certificates_sum_what_overlapping_populations_spent(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    publish(workspace, 0.25)
    asked = {"unit": "person", "neighbors": "add_remove", "epsilon": 1}
    workspace.add_population("patients", overlaps={"people": "same"}, **asked)
    workspace.add_population("visitors", overlaps={"people": "none"}, earlier_releases=["Yearbook 2019"], **asked)
    workspace.add_dataset("patients", ROWS, population="patients", columns=COLUMNS)
    release = publish(workspace, 0.5, dataset="patients")
    cumulative = release.certificate.cumulative
    assert [(each.population, each.overlap, each.epsilon) for each in cumulative.overlapping] == [
        ("people", "same", 0.25)
    ]
    assert (cumulative.together.epsilon, cumulative.together.delta) == (0.75, 0)
    assert cumulative.overlap_not_attested == 1
    workspace.add_population("visits", unit="visit", neighbors="substitute", epsilon=3, overlaps={"patients": "some"})
    workspace.populations.attest_overlap("visits", "people", "none")
    workspace.populations.attest_overlap("visits", "visitors", "none")
    workspace.add_dataset("visits", ROWS, population="visits", columns=COLUMNS)
    privacy = {"unit": "row", "neighbors": "substitute", "epsilon": 2}
    workspace.publish(approved(workspace, plan(dataset="visits", privacy=privacy)))
    other = publish(workspace, 0.1, "Other", dataset="patients").certificate
    assert [each.population for each in other.cumulative.overlapping] == ["people", "visits"]
    assert other.cumulative.together.epsilon == 0.85
    assert any("Not in the sum" in sentence and "visits" in sentence for sentence in caveats(other))
    assert workspace.populations.overlaps("people") == {"patients": "same", "visitors": "none", "visits": "none"}
    workspace.populations.attest_overlap("visitors", "patients", "some")
    workspace.populations.declare_earlier_releases("patients", ["A table in a paper of 2020"])
    later = publish(workspace, 0.1, "Later", dataset="patients").certificate
    assert later.cumulative.overlap_not_attested == 0
    assert later.earlier_releases == ("A table in a paper of 2020",)
    assert any("A table in a paper of 2020" in sentence for sentence in caveats(later))
    with pytest.raises(InputError, match="another population"):
        workspace.populations.attest_overlap("people", "people", "same")
    with pytest.raises(InputError, match="overlaps"):
        workspace.populations.attest_overlap("people", "patients", "perhaps")


def test_the_same_people_in_another_file_share_the_budget(workspace: dprelease.Workspace) -> None:
    publish(workspace, 0.7)
    left = workspace.populations.budget("people").remaining
    for number, rows in enumerate((ROWS.iloc[::-1], ROWS.assign(age=[31, 40, 50]), pandas.concat([ROWS, ROWS]))):
        workspace.add_dataset(f"people{number}", rows, population="people", columns=COLUMNS)
        assert workspace.populations.budget("people").remaining == left
        with pytest.raises(InsufficientBudgetError):
            publish(workspace, 0.4, dataset=f"people{number}")
    workspace.datasets.replace_rows("people", ROWS.iloc[::-1], same=True)
    assert workspace.populations.budget("people").remaining == left


def test_a_deleted_table_is_gone_and_its_releases_stay(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    release = publish(workspace, 0.5)
    (table,) = (tmp_path / "private" / "tables").iterdir()
    workspace.datasets.delete_table("people")
    assert not table.exists()
    assert workspace.releases.get(release.id).id == release.id
    assert workspace.ledger.events()[-1].kind == EventKind.TABLE_DELETED
    with pytest.raises(InputError, match="deleted"):
        publish(workspace, 0.2, "Later")
    with pytest.raises(InputError, match="deleted"):
        workspace.preview(plan(0.2))
    workspace.datasets.delete_table("people")
    workspace.datasets.replace_rows("people", ROWS)
    assert publish(workspace, 0.2, "Later").id
    assert workspace.ledger.verify() == len(workspace.ledger.events())


def test_a_release_is_superseded_or_corrected_beside_itself(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    first = publish(workspace, 0.3)
    before = {path: path.read_bytes() for path in workspace.releases.bundle(first.id).rglob("*") if path.is_file()}
    second = workspace.publish(approved(workspace, plan(0.2, "Better")), supersedes=first.id)
    workspace.releases.add_erratum(first.id, "The title should say 2025.")
    assert second.certificate.supersedes == first.id
    assert [(each.kind, each.superseded_by) for each in workspace.releases.notices(first.id)] == [
        ("superseded", second.id),
        ("erratum", None),
    ]
    after = {path: path.read_bytes() for path in workspace.releases.bundle(first.id).rglob("*") if path.is_file()}
    assert after == before
    files = sorted((tmp_path / "public" / "notices").rglob("*.json"))
    assert [path.name for path in files] == [f"{first.id}.json"]
    assert len(json.loads(files[0].read_text())["notices"]) == 2
    for unknown in ("x", "people"):
        with pytest.raises(InputError, match="published release"):
            workspace.releases.add_erratum(unknown, "text")
    with pytest.raises(InputError, match="another release"):
        workspace.releases.supersede(first.id, by=first.id, reason="no")
    with pytest.raises(AccessError):
        workspace.releases.add_erratum(first.id, "text", actor=PUBLIC)

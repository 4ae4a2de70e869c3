"""Workspaces as sites: each approves, charges its own ledger before a row is read, and none sees another's counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import BudgetError, InputError, IntegrityError, PlanError
from dprelease.extras.federation import federations
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.roster import Federation, Site
from dprelease.model.release import Estimates
from dprelease.store.event import EventKind
from tests.extras.federation.sites import without_noise

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "sex": {"type": "category", "categories": ["F", "M"]},
}
STATISTICS = [
    {"id": "by_sex", "kind": "count", "by": ["sex"]},
    {"id": "age", "kind": "mean", "column": "age"},
]
NAMES = ("North", "South", "West")


def plan(statistics: list[dict[str, Any]] = STATISTICS, **changes: Any) -> dprelease.Plan:
    mapping = {
        "dprelease": 1,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 0.5, "delta": 1e-6},
        "statistics": statistics,
    }
    return dprelease.Plan.parse(mapping | changes)


def table(number: int) -> pandas.DataFrame:
    rows = 30 * (number + 1)
    return pandas.DataFrame(
        {"age": [(20 + 7 * row + number) % 101 for row in range(rows)], "sex": ["F", "M", "M"] * (rows // 3)}
    )


def workspace(home: Path, number: int, **terms: Any) -> dprelease.Workspace:
    made = dprelease.Workspace.create(home, exist_ok=True)
    terms = {"epsilon": 1, "delta": 1e-5, "currency": "zcdp", "unit": "person"} | terms
    made.add_dataset("people", table(number), columns=COLUMNS, **terms)
    return made


@pytest.fixture
def sites(tmp_path: Path) -> list[dprelease.Workspace]:
    return [workspace(tmp_path / name, number) for number, name in enumerate(NAMES)]


def joined(sites: list[dprelease.Workspace], folder: Path) -> Federation:
    named = tuple(Site(name, each.public_key) for name, each in zip(NAMES, sites, strict=False))
    federation = Federation(name="Hospitals", sites=named)
    RoundFolder(folder).propose(federation)
    for each in sites:
        each.federations.join(folder)
    return federation


def finished(sites: list[dprelease.Workspace], folder: Path, wanted: dprelease.Plan | None = None) -> None:
    for _ in range(5):
        for each in sites:
            each.federations.contribute(folder, wanted or plan())


def charges(site: dprelease.Workspace) -> list[Any]:
    return site.ledger.events(kinds=(EventKind.CHARGE,))


def test_three_workspaces_publish_the_sum_of_their_tables(
    sites: list[dprelease.Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_noise(monkeypatch)
    shared = tmp_path / "shared"
    joined(sites, shared)
    finished(sites, shared)
    pooled = pandas.concat([table(number) for number in range(3)])
    found = sites[1].federations.combine(shared, plan())
    by_sex, age = found.answers["by_sex"], found.answers["age"]
    assert isinstance(by_sex, Estimates)
    assert isinstance(age, Estimates)
    assert list(by_sex.value) == [int((pooled.sex == sex).sum()) for sex in "FM"]
    assert list(age.value) == [pytest.approx(pooled.age.mean())]
    assert found.finished.recomputed


def test_a_workspace_is_one_site_of_a_roster(tmp_path: Path) -> None:
    """Also with a key that it had before: its ledger would be charged once for the rows of two."""
    made = workspace(tmp_path / "North", 0)
    before, shared = made.public_key, tmp_path / "shared"
    made.ledger.rotate_key()
    other = workspace(tmp_path / "West", 2)
    named = (Site("North", before), Site("South", made.public_key), Site("West", other.public_key))
    RoundFolder(shared).propose(Federation(name="Hospitals", sites=named))
    other.federations.join(shared)
    with pytest.raises(InputError, match=r"North, South with keys of this workspace.*one site.*Set up a workspace"):
        made.federations.join(shared)
    assert [each.signer for each in RoundFolder(shared).messages("roster")] == [other.public_key]


def test_each_site_charges_the_whole_price_once_and_its_ledger_holds(
    sites: list[dprelease.Workspace], tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    joined(sites, shared)
    finished(sites, shared)
    finished(sites, shared)
    found = sites[0].federations.combine(shared, plan()).finished
    for name, each in zip(NAMES, sites, strict=True):
        (event,) = charges(each)
        assert found.charges[name] == event.hash
        assert event.loss.rho_nano == found.round.plan.rho_nano == each.price(plan()).loss.rho_nano
        assert each.populations.budget("people").spent == event.loss
        assert each.ledger.verify()
        assert each.releases.find() == []
        assert each.releases.unfinished() == []
    assert found.losses[0][1] <= found.round.plan.rho_nano


@pytest.mark.full
def test_intervals_are_of_the_noise_of_all_sites(sites: list[dprelease.Workspace], tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    joined(sites, shared)
    finished(sites, shared)
    found = sites[0].federations.combine(shared, plan())
    by_sex = found.answers["by_sex"]
    assert isinstance(by_sex, Estimates)
    alone = sites[0].publish(plan(), again=True).tables["by_sex"]
    wide, narrow = (np.subtract(each.upper95, each.lower95, dtype=float) for each in (by_sex, alone))
    assert wide / narrow == pytest.approx(np.sqrt(3 / 2), rel=0.1)


def test_a_release_beside_a_round_verifies_and_a_backup_holds_no_round(
    sites: list[dprelease.Workspace], tmp_path: Path
) -> None:
    joined(sites, tmp_path / "shared")
    finished(sites, tmp_path / "shared")
    release = sites[0].publish(plan(title="Alone"))
    assert release.certificate.cumulative.releases == 2
    assert dprelease.verify(sites[0].releases.bundle(release.id)).checks
    assert sites[0].ledger.verify()
    assert (tmp_path / "North" / "private" / federations.FOLDER).is_dir()
    sites[0].ledger.backup(tmp_path / "copy")
    assert not (tmp_path / "copy" / "private" / federations.FOLDER).exists()


def test_nothing_is_read_before_it_is_charged(
    sites: list[dprelease.Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, read = tmp_path / "shared", []
    joined(sites, shared)
    real = federations.scanned

    def watched(state: Any, location: str, price: Any) -> Any:
        read.append(len(state.keys.fingerprints()))
        assert charges(next(each for each in sites if each._state is state))
        return real(state, location, price)

    monkeypatch.setattr(federations, "scanned", watched)
    steps = [[each.federations.contribute(shared, plan()).step for each in sites] for _ in range(5)]
    assert steps[0] == ["offer", "offer", "key"]
    assert steps[-1] == ["sum", "sum", "sum"]
    assert len(read) == 3
    finished(sites, shared)
    assert len(read) == 3, "rows were read again for what was sent before"


def test_a_site_that_cannot_pay_gives_no_key(tmp_path: Path) -> None:
    sites = [workspace(tmp_path / name, number, epsilon=0.1 if number == 1 else 1) for number, name in enumerate(NAMES)]
    shared = tmp_path / "shared"
    joined(sites, shared)
    with pytest.raises(BudgetError):
        finished(sites, shared)
    with pytest.raises(BudgetError):
        sites[1].federations.contribute(shared, plan())
    assert not (shared / "2.key.json").exists()
    assert charges(sites[1]) == []


@pytest.mark.parametrize(
    ("statistic", "said"),
    [
        ({"id": "m", "kind": "median", "column": "age"}, "m: median by exponential"),
        ({"id": "m", "kind": "mode", "column": "sex"}, "Ask for a histogram"),
        ({"id": "t", "kind": "top", "column": "sex", "k": 1, "method": "noisy_top_k"}, "no sum of integers"),
    ],
)
def test_what_is_no_sum_is_refused_before_anything_is_charged(
    sites: list[dprelease.Workspace], tmp_path: Path, statistic: dict[str, Any], said: str
) -> None:
    shared = tmp_path / "shared"
    joined(sites, shared)
    with pytest.raises(PlanError, match=said):
        sites[0].federations.contribute(shared, plan([statistic]))
    assert charges(sites[0]) == []


def test_criteria_are_refused_since_nobody_could_withhold_the_sum(
    sites: list[dprelease.Workspace], tmp_path: Path
) -> None:
    joined(sites, tmp_path / "shared")
    with pytest.raises(PlanError, match="accept"):
        sites[0].federations.contribute(tmp_path / "shared", plan(accept=[{"statistic": "by_sex", "error": 1000}]))
    assert charges(sites[0]) == []


def test_a_population_that_counts_in_epsilon_is_told_what_to_do(tmp_path: Path) -> None:
    sites = [workspace(tmp_path / name, number, currency="pure") for number, name in enumerate(NAMES)]
    joined(sites, tmp_path / "shared")
    with pytest.raises(PlanError, match="with the currency zcdp"):
        sites[0].federations.contribute(tmp_path / "shared", plan())


@pytest.mark.full
def test_a_plan_that_differs_is_another_round(sites: list[dprelease.Workspace], tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    joined(sites, shared)
    sites[0].federations.contribute(shared, plan())
    with pytest.raises(IntegrityError, match=r"plan\.json"):
        sites[1].federations.contribute(shared, plan(title="Other"))
    finished(sites, shared)
    with pytest.raises(PlanError, match="every site of the round approved"):
        sites[0].federations.combine(shared, plan(title="Other"))


def test_void_ends_it_everywhere_and_keeps_the_charge(sites: list[dprelease.Workspace], tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    joined(sites, shared)
    for each in [*sites, *sites[:2]]:
        each.federations.contribute(shared, plan())
    sites[2].federations.make_void(shared)
    for each in sites:
        with pytest.raises(IntegrityError, match="West made this round void"):
            each.federations.contribute(shared, plan())
    assert [len(charges(each)) for each in sites] == [1, 1, 1]
    again = tmp_path / "again"
    joined(sites, again)
    for _ in range(5):
        for each in sites:
            each.federations.contribute(again, plan(), attempt=2)
    assert sites[0].federations.combine(again, plan()).finished.round.attempt == 2
    assert [len(charges(each)) for each in sites] == [2, 2, 2]


def test_a_workspace_in_memory_is_no_site(tmp_path: Path) -> None:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", table(0), columns=COLUMNS, epsilon=1, delta=1e-5, currency="zcdp", unit="person")
    other = workspace(tmp_path / "other", 1)
    sites = [made, other]
    joined(sites, tmp_path / "shared")
    with pytest.raises(InputError, match="on disk"):
        made.federations.contribute(tmp_path / "shared", plan())


@pytest.mark.full
@pytest.mark.parametrize("kind", ["workload", "synthetic"])
def test_residuals_of_several_tables_federate(
    sites: list[dprelease.Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Each set of columns is a part with a scale of its own; without noise, the tables are those of all rows."""
    without_noise(monkeypatch)
    own = {"id": "w", "kind": kind, "columns": ["sex", "age"]} | ({"rows": 50} if kind == "synthetic" else {"order": 2})
    wanted = plan([own], privacy={"unit": "row", "neighbors": "add_remove", "epsilon": 0.9, "delta": 1e-6})
    shared = tmp_path / "shared"
    joined(sites, shared)
    finished(sites, shared, wanted)
    found = sites[0].federations.combine(shared, wanted)
    assert found.finished.round.plan.rho_nano == charges(sites[0])[0].loss.rho_nano
    assert len(found.finished.spreads) == 4
    tables = found.answers["w"].named("w")
    pooled = pandas.concat([table(number) for number in range(3)])
    (by_sex,) = [each for each in tables.values() if len(each) == 2 and each.axes[0].names == ("sex",)]
    assert list(by_sex.value) == [pytest.approx(int((pooled.sex == sex).sum()), abs=1e-6) for sex in "FM"]


def test_residuals_whose_losses_do_not_add_up_are_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    made = dprelease.Workspace.create(home)
    terms = {"epsilon": 1, "delta": 1e-5, "currency": "zcdp", "unit": "person", "neighbors": "substitute"}
    made.add_dataset("people", table(0), columns=COLUMNS, **terms)
    other = workspace(tmp_path / "other", 1)
    joined([made, other], tmp_path / "shared")
    privacy = {"unit": "row", "neighbors": "substitute", "epsilon": 0.5, "delta": 1e-6}
    asked = plan([{"id": "w", "kind": "workload", "columns": ["sex", "age"], "order": 2}], privacy=privacy)
    with pytest.raises(PlanError, match="workload by residual_gaussian"):
        made.federations.contribute(tmp_path / "shared", asked)

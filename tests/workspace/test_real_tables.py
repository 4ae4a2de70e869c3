"""Two real tables go the whole way: registered, priced, previewed, published, written, verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from tests.workspace.tables import PIMA_PLAN, RAND_PLAN, pima, rand


def publish(workspace: Any, mapping: dict[str, Any]) -> Any:
    plan_id = workspace.plans.submit(dprelease.Plan.parse(mapping))
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


@pytest.fixture(params=["memory", "disk"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "memory":
        return dprelease.Workspace.in_memory()
    return dprelease.Workspace.create(tmp_path / "home")


@pytest.mark.full
def test_rand_from_a_csv_file_to_a_verified_bundle(workspace: Any, tmp_path: Path) -> None:
    frame = rand()
    frame.to_csv(tmp_path / "rand.csv", index=False)
    workspace.add_population("rand", unit="person-year", neighbors="add_remove", epsilon=2, size=20190)
    workspace.add_dataset("rand", tmp_path / "rand.csv", population="rand")
    price = workspace.price(dprelease.Plan.parse(RAND_PLAN))
    preview = workspace.preview(dprelease.Plan.parse(RAND_PLAN), draws=20)
    assert preview["people"].true.value == [len(frame)]
    assert preview["total_visits"].true.value == [int(frame.mdvis.clip(0, 40).sum())]
    assert preview["mean_visits"].true.value[0] == pytest.approx(frame.mdvis.clip(0, 40).mean())

    release = publish(workspace, RAND_PLAN)
    assert set(release.estimates) == {item["id"] for item in RAND_PLAN["statistics"]}
    assert list(release.estimates["mean_visits_by_plan"]) == ["idp", "value", "lower95", "upper95"]
    people = release.estimates["people"].value[0]
    assert abs(people - len(frame)) < 20 * price["people"].error95
    folder = release.write(tmp_path / "out")
    verdict = dprelease.verify(folder, key=workspace.public_key)
    assert verdict.signer_known
    assert pandas.read_csv(folder / "tables" / "people.csv").value.tolist() == [people]
    assert workspace.populations.budget("rand").spent.epsilon == 1


@pytest.mark.full
def test_pima_from_a_frame_with_identifiers_and_a_filter(workspace: Any, tmp_path: Path) -> None:
    frame = pima()
    workspace.add_population("pima", unit="woman", neighbors="substitute", epsilon=2)
    workspace.add_dataset("pima", frame, population="pima", unit_column="id")
    kept = frame[frame.age <= 60]
    preview = workspace.preview(dprelease.Plan.parse(PIMA_PLAN), draws=20)
    counts = kept.type.value_counts()
    assert preview["women"].true.value == [counts["No"], counts["Yes"]]
    assert preview["mean_glucose"].true.value == pytest.approx(kept.groupby("type").glu.mean().tolist())
    assert preview["median_bmi"].true.value[0] == pytest.approx(kept.bmi.median(), abs=0.2)
    release = publish(workspace, PIMA_PLAN)
    assert release.estimates["pregnancies"][["npreg_from", "npreg_to"]].values.tolist() == [
        [0, 0],
        [1, 2],
        [3, 4],
        [5, 9],
        [10, 20],
    ]
    assert dprelease.verify(release.write(tmp_path / "out")).words == "intact, signer unknown"

"""Values as a notebook and a terminal show them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.words.catalogue import languages
from dprelease.words.language import speaking


class Visits(dprelease.Columns):
    age = dprelease.integer(0, 99)
    region = dprelease.category("<b>north</b>", "south")


FRAME = pandas.DataFrame(
    {"age": [number % 100 for number in range(4_000)], "region": ["<b>north</b>", "south"] * 2_000}
)


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("visits", FRAME, epsilon=9)
    plan = dprelease.plan(
        "visits", Visits, unit="row", neighbors="add_remove", epsilon=4, title="<i>Visits</i>", description="x" * 5_000
    ).add(*[dprelease.histogram(Visits.age, bins=20, id=f"ages_{place}") for place in range(25)])
    plan = plan.add(dprelease.count(by=Visits.region, id="regions"))
    release = workspace.publish(plan)
    return {
        "plan": plan,
        "price": workspace.price(plan),
        "preview": workspace.preview(plan, draws=10),
        "release": release,
        "table": release["regions"],
        "verdict": verdict_of(workspace, release),
        "budget": workspace.populations.budget("visits"),
    }


def verdict_of(workspace: dprelease.Workspace, release: dprelease.Release) -> dprelease.Verdict:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        return dprelease.verify(release.write(Path(folder)), key=workspace.public_key, tables_only=True)


NAMES = ["plan", "price", "preview", "release", "table", "verdict", "budget"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_value_is_ten_lines_at_most(name: str, shown: dict[str, Any]) -> None:
    for code in languages():
        with speaking(code):
            text, page = repr(shown[name]), shown[name]._repr_html_()
        assert text.count("\n") < 10
        assert len(text) <= 1_000
        assert max(map(len, text.split("\n"))) <= 100
        assert "<b>north" not in page
        assert "<i>Visits" not in page
        assert len(page) < 60_000


def test_an_epsilon_has_unit_relation_and_delta_beside_it(shown: dict[str, Any]) -> None:
    for name in ("plan", "price"):
        assert "ε = 4, δ = 0 for each row (add_remove); what was spent before is not in it" in repr(shown[name])
    for name in ("release", "table"):
        assert "the population has spent ε = 4" in " ".join(repr(shown[name]).replace("\xa0", " ").split())


def test_a_preview_shows_its_numbers_in_a_marked_box_alone(shown: dict[str, Any]) -> None:
    preview = shown["preview"]
    assert "True values, for you alone" in repr(preview)
    assert "2000" not in repr(preview)
    page = preview._repr_html_()
    assert "Clear this output before you save" in page
    assert "2000" in page or "200" in page
    for take in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="do not leave this process"):
            take(preview)
    for stays in (dprelease.Workspace.in_memory(), dprelease.Workspace.in_memory().plans):
        with pytest.raises(TypeError, match="Open it again"):
            pickle.dumps(stays)


@pytest.mark.parametrize("name", ["plan", "price", "release", "table", "verdict", "budget"])
def test_what_is_public_is_pickled(name: str, shown: dict[str, Any]) -> None:
    value = shown[name]
    assert repr(pickle.loads(pickle.dumps(value, 5))) == repr(value) == repr(copy.deepcopy(value))


def test_an_error_crosses_to_another_process() -> None:
    with pytest.raises(dprelease.InputError) as none:
        dprelease.Plan.load("none.yaml")
    with pytest.raises(dprelease.PlanError) as several:
        dprelease.Plan.parse({})
    for error in (none.value, several.value):
        again = pickle.loads(pickle.dumps(error, 5))
        assert (type(again), str(again), again.problems) == (type(error), str(error), error.problems)


def test_keys_are_completed_and_iterated(shown: dict[str, Any]) -> None:
    for name in ("price", "preview", "release"):
        value = shown[name]
        assert len(value) == len(list(value)) == len(value._ipython_key_completions_()) == 26
        with pytest.raises(KeyError, match="regions"):
            value["region"]
    release = shown["release"]
    assert ("regions" in release, "region" in release) == (True, False)
    with pytest.raises(KeyError, match="regions"):
        release.estimates["region"]
    assert list(release.estimates._ipython_key_completions_()) == list(release.tables)


def test_a_table_becomes_frames_and_a_picture(shown: dict[str, Any]) -> None:
    table = shown["table"]
    frame = table.to_pandas()
    assert list(frame.columns) == ["region", "value", "lower95", "upper95", "grade"]
    assert frame.attrs["table"] == "regions"
    assert "ε" in frame.attrs["guarantee"]
    arrow = table.to_arrow()
    assert arrow.column("value").to_pylist() == list(frame.value)
    assert arrow.schema.metadata[b"release"].decode() == shown["release"].id
    import pyarrow

    assert pyarrow.table(table).equals(arrow)
    assert "region" in str(table.plot().to_dict())
    assert table.cell(region="south").grade == "A"
    assert len(table.where(region=["south", "<b>north</b>"])) == 2
    with pytest.raises(dprelease.InputError, match="one value for each"):
        table.cell(region="south pole")
    with pytest.raises(dprelease.InputError, match="Did you mean 'region'"):
        table.where(regoin="south")


@pytest.mark.skipif(pandas is None, reason="polars is optional")
def test_polars_is_asked_for_where_it_is_not(shown: dict[str, Any]) -> None:
    try:
        import polars
    except ModuleNotFoundError:
        with pytest.raises(dprelease.InputError, match="pip install polars"):
            shown["table"].to_polars()
    else:
        assert isinstance(shown["table"].to_polars(), polars.DataFrame)

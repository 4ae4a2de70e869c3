"""Code and notebooks made of a plan: they make a plan of the same digest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import dprelease
from dprelease.cli import main
from dprelease.model.code import ColumnSet, schema_of
from dprelease.model.schema import Schema
from dprelease.statistics import PLACES, Plan
from dprelease.statistics.kind_functions import DECLARED, example
from dprelease.statistics.plan_source import notebook, script
from dprelease.words.language import speaking
from tests.model.plans import EXAMPLE_YAML, plans
from tests.pages.test_draft import WHOLE
from tests.plans.test_stub import GOOD, module_of

ROOT = Path(__file__).resolve().parents[2]


def made_by(code: str) -> Plan:
    names: dict[str, Any] = {}
    exec(compile(code, "plan.py", "exec"), names)
    found = names["plan"]
    assert isinstance(found, Plan)
    return found


@settings(max_examples=60)
@given(plans())
def test_code_makes_a_plan_of_the_same_digest(mapping: dict[str, Any]) -> None:
    plan = Plan.parse(mapping)
    assert made_by(script(plan)).hash == plan.hash


@pytest.mark.parametrize("plan", [Plan.parse_text(EXAMPLE_YAML), Plan.parse(WHOLE), module_of(GOOD).plan])
def test_code_of_a_whole_plan_makes_it(plan: Plan) -> None:
    assert made_by(script(plan)).hash == plan.hash


NAMES = ["class", "by", "columns", "1st", "año", "two words", "of", "mro", "_hidden"]


@pytest.mark.parametrize("name", NAMES)
def test_a_column_of_any_name_is_asked_of(name: str) -> None:
    columns = dprelease.Columns.of({name: dprelease.integer(0, 9)})
    plan = dprelease.plan("t", columns, unit="row", neighbors="add_remove", epsilon=0.1)
    plan = plan.add(dprelease.histogram(columns[name]))
    assert plan.statistics[0].used_columns() == (name,)
    assert made_by(script(plan)) == plan


def test_a_notebook_makes_the_plan_and_is_the_same_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = module_of(GOOD).plan
    path = plan.save(tmp_path / "plan.yaml")
    assert main(["plan", "notebook", str(path), "--out", str(tmp_path / "plan.ipynb")]) == 0
    book = json.loads((tmp_path / "plan.ipynb").read_text())
    assert notebook(plan) == (tmp_path / "plan.ipynb").read_text()
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    cells = {cell["id"]: "".join(cell["source"]) for cell in book["cells"]}
    made_by(f"{cells['columns']}\n{cells['plan']}")  # it asserts the digest
    with speaking("es"):
        assert "«" not in notebook(plan)
        assert "Publicar" in notebook(plan)
    assert main(["plan", "script", str(path)]) == 0
    assert made_by(capsys.readouterr().out.partition("\n")[2]) == plan


def test_a_notebook_runs_to_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    workspace = dprelease.Workspace.create("data/workspace")
    workspace.add_population("people", unit="row", neighbors="add_remove", epsilon=9, delta=0, currency="pure")
    rows = [{"age": number % 90, "region": "north"} for number in range(400)]
    Visits = dprelease.Columns.of({"age": dprelease.integer(0, 100), "region": dprelease.category("north")})
    columns = schema_of(Visits).to_mapping()
    workspace.add_dataset("visits", rows, population="people", columns=columns)
    plan = dprelease.plan("visits", Visits, unit="row", neighbors="add_remove", epsilon=1)
    plan = plan.add(dprelease.histogram(Visits.age, bins=4), dprelease.count(by=Visits["region"]))
    names: dict[str, Any] = {}
    for cell in json.loads(notebook(plan))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert set(names["release"].tables) == {"histogram_age", "count_by_region"}


@pytest.mark.parametrize("kind", sorted(PLACES))
def test_the_example_of_each_kind_is_priced(kind: str) -> None:
    module = module_of(GOOD)
    asked = eval(example(kind), {"dp": dprelease, "Visits": module.Visits})
    assert asked.kind == kind
    assert f"`{example(kind)}`" in getattr(dprelease, kind).__doc__
    if kind not in {"survey"}:  # needs answers that were randomized
        assert dprelease.price(module.plan.without(*(each.id for each in module.plan.statistics)).add(asked))


def test_the_example_of_each_column_type_is_declared() -> None:
    found = {type_.value: eval(text, {"dp": dprelease}) for type_, text in DECLARED.items()}
    assert list(dprelease.Columns.of(found)) == [type_.value for type_ in DECLARED]


def test_ids_are_made_alike_and_numbered_in_order() -> None:
    long = dprelease.Columns.of({f"Año número {place} de la serie": dprelease.integer(0, 9) for place in range(4)})
    one = dprelease.correlation(list(map(dprelease.col, long)))
    assert one.id == "correlation_ano_numero_0_de_la_serie_ano_numero_1_de_de5d093"
    plan = dprelease.plan("t", unit="row", neighbors="add_remove", epsilon=1)
    plan = plan.add(*[dprelease.count()] * 3, dprelease.count(id="count_4")).add(dprelease.count())
    assert [each.id for each in plan.statistics] == ["count", "count_2", "count_3", "count_4", "count_5"]
    assert plan.without("count").replace(title="x").statistics == plan.statistics[1:]


def test_a_plan_is_compared_saved_and_read(tmp_path: Path) -> None:
    plan = module_of(GOOD).plan
    assert dprelease.Plan.load(plan.save(tmp_path / "plan.yaml")) == plan
    assert {plan: 1}[dprelease.Plan.parse_text(plan.to_yaml())] == 1
    with pytest.raises(dprelease.PlanError, match="overwrite=True"):
        plan.save(tmp_path / "plan.yaml")
    assert not plan.diff(plan)
    assert [each.path for each in plan.diff(plan.replace(epsilon="0.1", title=""))] == ["title", "privacy.epsilon"]
    assert (plan.replace(epsilon=0.1).epsilon, plan.delta) == (plan.epsilon / 10, 0)
    with pytest.raises(dprelease.PlanError, match=r"plan\.add"):
        dprelease.price(dprelease.plan("t", unit="row", neighbors="add_remove", epsilon=1))


@pytest.mark.parametrize("epsilon", [float("nan"), float("inf"), True, 0, -1, "one"])
def test_no_epsilon_that_is_no_amount(epsilon: Any) -> None:
    with pytest.raises(dprelease.PlanError, match=r"privacy\.epsilon"):
        dprelease.plan("t", unit="row", neighbors="add_remove", epsilon=epsilon)


def test_a_sweep_has_a_line_for_each_epsilon_and_statistic() -> None:
    plan = module_of(GOOD).plan.without("median_income", "synthetic_age_region", "proportion_urgent")
    sweep = dprelease.sweep(plan, epsilon=[0.5, 1])
    frame = sweep.to_pandas()
    assert len(sweep) == len(frame) == 2 * len(plan.statistics)
    counts = frame[frame.statistic == "count"].set_index("epsilon").error95
    assert counts[0.5] > counts[1.0]
    assert sweep.plot().to_dict()["encoding"]["color"]["field"] == "statistic"


def test_conditions_are_joined_by_an_ampersand_alone() -> None:
    Visits = module_of(GOOD).Visits
    adults = Visits.age >= 18
    for wrong in (lambda: adults or adults, lambda: adults | adults, lambda: ~adults, lambda: not adults):
        with pytest.raises(TypeError, match="&"):
            wrong()
    with pytest.raises(TypeError, match=">="):
        assert Visits.age > 18
    with pytest.raises(TypeError):
        assert adults & True


def test_columns_of_a_registered_table_are_named_with_completion() -> None:
    from dprelease.model.code import references

    columns = references(Schema.parse({"age": {"type": "integer", "lower": 0, "upper": 9}}))
    assert isinstance(columns, ColumnSet)
    assert dir(columns) == ["age"]
    assert (columns.age >= 3).to_list() == [{"column": "age", "at_least": 3}]
    with pytest.raises(AttributeError, match="Did you mean 'age'"):
        assert columns.agee


def test_columns_of_a_class_are_inherited_and_not_declared_anew() -> None:
    class People(dprelease.Columns):
        age = dprelease.integer(0, 9)

    class Patients(People):
        stay = dprelease.integer(0, 30)

    plan = dprelease.plan("t", Patients, unit="row", neighbors="add_remove", epsilon=1)
    assert list(plan.schema.columns) == ["age", "stay"]
    with pytest.raises(dprelease.SchemaError, match="age"):
        type("Other", (People,), {"age": dprelease.integer(0, 9)})


def test_the_code_of_the_documents_makes_the_plan_that_they_tell_of() -> None:
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8").partition("## Plans in code")[2]
    code = text.partition("```python\n")[2].partition("```")[0]
    plan = made_by(code)
    told = re.findall(r"# id: (\w+)", code)
    assert [each.id for each in plan.statistics] == told
    assert made_by(script(plan)) == plan

"""Rows that are nobody's: near to the tables that they are made of, made again of what is published, and never more."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from pyarrow import parquet

import dprelease
from dprelease.errors import InputError, IntegrityError, PlanError
from dprelease.model.encoding import pretty
from dprelease.model.release import SyntheticRows
from dprelease.statistics.algebra.raking import projected
from tests.bundle.releases import snapshot
from tests.bundle.test_formats import resigned

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 99},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "region": {"type": "category", "categories": ["North", "South", "West"]},
    "pay": {"type": "number", "lower": 0, "upper": 50, "resolution": 0.5},
}
BINS = {"age": 5, "pay": 4}


def people(count: int) -> pandas.DataFrame:
    """Older ones earn more; men live in the North."""
    places = np.arange(count)
    age = (places * 37) % 100
    sex = np.where((places * 7) % 10 < 5, "F", "M")
    region = np.where(
        sex == "M", np.where(places % 4 == 0, "West", "North"), np.where(places % 3 == 0, "West", "South")
    )
    return pandas.DataFrame({"age": age, "sex": sex, "region": region, "pay": np.minimum(50, age // 2 + places % 3)})


def published(folder: Path, table: pandas.DataFrame, **asked: Any) -> tuple[Any, SyntheticRows]:
    _, release, output = made(folder, table, **asked)
    return release, output


def made(
    folder: Path,
    table: pandas.DataFrame,
    currency: str = "zcdp",
    epsilon: float = 4,
    *,
    charts: bool = True,
    **asked: Any,
) -> tuple[dprelease.Workspace, Any, SyntheticRows]:
    workspace = dprelease.Workspace.create(folder / "w")
    workspace.add_population(
        "all",
        unit="row",
        neighbors="add_remove",
        epsilon=1000,
        delta="1e-6" if currency == "zcdp" else 0,
        currency=currency,
    )
    workspace.add_dataset("t", table, population="all", columns=COLUMNS)
    plan = dprelease.Plan.parse(
        {
            "dprelease": 1,
            "dataset": "t",
            "privacy": {
                "unit": "row",
                "neighbors": "add_remove",
                "epsilon": epsilon,
                "delta": 1e-7 if currency == "zcdp" else 0,
            },
            "statistics": [{"id": "rows", "kind": "synthetic", "columns": list(COLUMNS), "bins": BINS, **asked}],
            "charts": charts,
        }
    )
    plan_id = workspace.plans.submit(plan)
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    output = release.outputs["rows"]
    assert isinstance(output, SyntheticRows)
    return workspace, release, output


def shares(table: pandas.DataFrame, names: tuple[str, ...]) -> pandas.Series:
    """Of each combination of bins."""
    cut = table.assign(
        age=np.minimum(4, table["age"].astype(int) // 20),
        pay=np.minimum(3, (table["pay"].astype(float) // 12.5).astype(int)),
    )
    return cut.groupby(list(names)).size() / max(1, len(cut))


def apart(one: pandas.DataFrame, other: pandas.DataFrame, names: tuple[str, ...]) -> float:
    """Total variation."""
    return float(shares(one, names).sub(shares(other, names), fill_value=0).abs().sum() / 2)


@pytest.mark.parametrize("currency", ["zcdp", pytest.param("pure", marks=pytest.mark.full)])
def test_tables_of_the_rows_are_near_the_true_ones(tmp_path: Path, currency: str) -> None:
    """At ε = 4 and 8,000 rows, noise moves no table of up to three columns by a tenth. False alarms: below 1e-9."""
    true = people(8000)
    _, output = published(tmp_path, true, currency=currency, charts=False)
    rows = pandas.DataFrame(dict(output.columns))
    assert abs(len(rows) - 8000) < 500
    for size in (1, 2, 3):
        for names in combinations(COLUMNS, size):
            assert apart(true, rows, names) < 0.1, names


def test_values_are_declared_ones(tmp_path: Path) -> None:
    _, output = published(tmp_path, people(500), rows=700, order=2, charts=False)
    rows = pandas.DataFrame(dict(output.columns))
    assert len(rows) == 700
    assert set(rows["sex"]) <= {"F", "M"}
    assert set(rows["region"]) <= {"North", "South", "West"}
    assert rows["age"].between(0, 99).all()
    assert ((rows["pay"].astype(float) * 2) % 1 == 0).all()
    assert rows["pay"].astype(float).between(0, 50).all()


@pytest.mark.full
def test_the_report_holds_what_the_rows_are_off(tmp_path: Path) -> None:
    """Each covered table's error lies in its interval, in at least 85 of 100 (95 stated; 10 tables a release, 2
    releases; they are not independent). Tables beyond `order` have none."""
    true, inside, told = people(3000), 0, 0
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        _, output = published(tmp_path / str(number), true, epsilon=1, order=2, charts=False)
        rows = pandas.DataFrame(dict(output.columns))
        report = output.parts[next(name for name in output.parts if "report" in name)]
        for (name, covered), value, low, high in zip(
            report.axes[0].cells, report.value, report.lower95, report.upper95, strict=True
        ):
            if covered == "no":
                assert value is low is high is None
                continue
            names = tuple(each for each in COLUMNS if each in str(name).split("_"))
            cells = len(output.parts[str(name)]) if str(name) in output.parts else 1
            if not names:
                continue
            off = (shares(rows, names) * 3000).sub(shares(true, names) * 3000, fill_value=0)
            told += 1
            error = float(np.sqrt((off**2).sum() / cells))
            inside += low * 0.95 <= error <= high * 1.05
    assert told >= 20
    assert inside >= 0.85 * told


def test_no_other_rows_pass_for_those_of_the_integers(tmp_path: Path) -> None:
    """Also where the list of checksums is signed anew: two rows that are exchanged are refused."""
    workspace, release, _ = made(tmp_path, people(200), rows=20, order=2, charts=False)
    contents = snapshot(release.write(tmp_path / "b"))
    name = "rows/rows.synthetic.csv"
    head, first, second, *rest = contents[name].splitlines()
    assert first != second
    forged = {**contents, name: b"\n".join([head, second, first, *rest]) + b"\n"}
    (tmp_path / "forged").mkdir()
    with pytest.raises(IntegrityError, match="rows"):
        dprelease.verify(resigned(forged, tmp_path / "forged", workspace._state.keys.current))


@pytest.mark.full
@pytest.mark.parametrize(
    ("count", "asked"),
    [
        (0, {"order": 2}),
        (30, {"currency": "pure"}),
        (30, {}),
        (1, {"order": 1}),
        (50, {"rows": 0, "order": 1}),
        (50, {"columns": ["age"], "bins": {"age": 1}, "rows": 1}),
    ],
)
def test_few_rows_few_columns_and_none(tmp_path: Path, count: int, asked: dict[str, Any]) -> None:
    release, output = published(tmp_path, people(count), **asked)
    lengths = {len(column) for column in output.columns.values()}
    assert len(lengths) == 1
    assert "rows" not in asked or lengths == {asked["rows"]}
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"bins": {"age": 5}}, r"bins.*pay"),
        ({"rows": 1_000_001}, r"rows: found 1000001"),
        ({"bins": {"age": 100, "pay": 101}, "order": 4}, r"order: found 4"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_charged(tmp_path: Path, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        published(tmp_path, people(10), **asked)


def test_projected_numbers_are_not_negative_and_add_up() -> None:
    found = projected(np.array([5.0, -3.0, 1.0, 0.5]), 4.0)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(4)
    assert projected(np.array([-5.0, -5.0]), 1.0).tolist() == [0.5, 0.5]


@pytest.mark.full
def test_parquet_has_the_rows_with_their_declared_types_and_says_what_they_are(tmp_path: Path) -> None:
    """The same bytes again; `verify` compares what is in it, not how it is packed."""
    workspace, release, output = made(tmp_path, people(200), rows=30, order=1)
    contents = snapshot(release.write(tmp_path / "b"))
    name = "rows/rows.synthetic.parquet"
    assert contents[name] == snapshot(release.write(tmp_path / "again"))[name]
    table = parquet.read_table(BytesIO(contents[name]))
    assert [str(field.type).split("<")[0] for field in table.schema] == ["int64", "dictionary", "dictionary", "double"]
    assert table.schema.metadata[b"dprelease.synthetic"] == b"true"
    assert b"None of them is anybody's" in table.schema.metadata[b"dprelease.about"]
    assert table.to_pydict() == {key: list(column) for key, column in output.columns.items()}
    assert list(table.to_pandas()["region"].cat.categories) == COLUMNS["region"]["categories"]
    resource = next(each for each in json.loads(contents["datapackage.json"])["resources"] if each.get("path") == name)
    assert resource["synthetic"] is True
    assert resource["hash"] == f"sha256:{sha256(contents[name]).hexdigest()}"
    assert b'href="rows/rows.synthetic.parquet"' in contents["index.html"]

    def with_file(number: int, data: bytes) -> Any:
        """What is said of the bundle with another Parquet file, and a description of that."""
        package = json.loads(contents["datapackage.json"])
        for each in package["resources"]:
            if each.get("path") == name:
                each |= {"bytes": len(data), "hash": f"sha256:{sha256(data).hexdigest()}"}
        forged = {**contents, name: data, "datapackage.json": pretty(package)}
        (tmp_path / f"{number}").mkdir()
        return dprelease.verify(resigned(forged, tmp_path / f"{number}", workspace._state.keys.current))

    assert with_file(0, packed(table))
    others = (table.slice(1), table.replace_schema_metadata({}), table.take([1, 0, *range(2, 30)]))
    for number, data in enumerate((*map(packed, others), b"PAR1 no Parquet PAR1"), 1):
        with pytest.raises(IntegrityError, match=r"synthetic\.parquet"):
            with_file(number, data)


def packed(table: Any) -> bytes:
    """A Parquet file that another program wrote."""
    buffer = BytesIO()
    parquet.write_table(table, buffer, compression="none")
    return buffer.getvalue()


TEXTS = {
    "languages": ["en", "es"],
    "columns": {"sex": {"label": {"en": "Sex", "es": "Sexo"}, "codelist": "sexes"}},
    "codelists": {"sexes": {"codes": {"F": {"es": "mujeres"}, "M": {"en": "men", "es": "hombres"}}}},
}


@pytest.mark.full
def test_rows_are_loaded_with_declared_types_labels_and_the_order_of_categories(tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "size": {"type": "category", "categories": ["small", "large", "huge"], "other": True, "unit": "litres"},
        "sex": {"type": "category", "categories": ["M", "F"], "missing_codes": ["9"], "count_missing_as": "M"},
        "urgent": {"type": "boolean"},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-20"},
        "pay": {"type": "number", "lower": 0, "upper": 2, "resolution": 0.5},
        "age": {"type": "integer", "lower": 0, "upper": 9, "levels": {"half": {"edges": [0, 5, 9]}}},
    }
    table = pandas.DataFrame(
        {
            "size": ["small", "large"] * 30,
            "sex": ["F", "M", "9"] * 20,
            "urgent": [True, False] * 30,
            "day": ["2025-01-02", "2025-01-03"] * 30,
            "pay": [0.5, 1.5] * 30,
            "age": [1, 7] * 30,
        }
    )
    workspace = dprelease.Workspace.create(tmp_path / "w")
    workspace.add_population("all", unit="row", neighbors="add_remove", epsilon=1000)
    workspace.add_dataset("t", table, population="all", columns=columns)
    asked = {"id": "rows", "kind": "synthetic", "columns": list(columns), "order": 1, "rows": 40, "bins": {"pay": 5}}
    plan_id = workspace.plans.submit(
        dprelease.Plan.parse(
            {
                "dprelease": 1,
                "dataset": "t",
                "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 60},
                "texts": TEXTS,
                "statistics": [asked, {"id": "n", "kind": "count"}],
            }
        )
    )
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    folder = release.write(tmp_path / "b")
    output = release.outputs["rows"]
    assert isinstance(output, SyntheticRows)
    rows = dprelease.load_rows(folder, "rows")
    assert [str(kind).split("[")[0] for kind in rows.dtypes] == [
        "category", "category", "bool", "datetime64", "float64", "int64",
    ]  # fmt: skip
    assert list(rows["size"].cat.categories) == ["small", "large", "huge", "other"]
    assert list(rows["size"]) == list(output.columns["size"])
    assert list(rows["day"].dt.strftime("%Y-%m-%d")) == list(output.columns["day"])
    assert rows.attrs["synthetic"] is True
    assert "Analyse the measured tables" in rows.attrs["use"]
    assert list(dprelease.load_rows(folder, "rows", labels="es")["sex"].cat.categories) == ["hombres", "mujeres"]
    assert list(dprelease.load_rows(folder, "rows", labels="en")["sex"].cat.categories) == ["men", "F"]
    told = json.loads((folder / "rows" / "rows.synthetic.dictionary.json").read_text())
    by_name = {each["name"]: each for each in told["columns"]}
    left_out = {"rows": "left_out", "about": "Records without an answer here were left out."}
    values = ["small", "large", "huge", "other"]
    assert by_name["size"] == {"name": "size", **columns["size"], "values": values, "no_answer": left_out}
    assert by_name["sex"]["missing_codes"] == ["9"]
    assert by_name["sex"]["called"] == {"label": {"en": "Sex", "es": "Sexo"}}
    assert by_name["age"]["levels"]
    assert told["measured"][0] == {"columns": ["size"], "path": "tables/rows.size.csv"}
    assert told["measured"][-1] == {"report": True, "path": "tables/rows.report.csv"}
    assert dprelease.verify(folder)
    with pytest.raises(InputError, match=r"found 'n'; allowed: the rows of rows"):
        dprelease.load_rows(folder, "n")
    (folder / "rows" / "rows.synthetic.parquet").write_bytes(b"other")
    with pytest.raises(IntegrityError, match=r"rows\.synthetic\.parquet"):
        dprelease.load_rows(folder, "rows")


@pytest.mark.full
def test_no_answer_is_loaded_as_a_missing_cell_where_that_is_asked(tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "sex": {"type": "category", "categories": ["M", "F", "none"], "missing_codes": ["9"]},
        "urgent": {"type": "boolean"},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-03"},
        "pay": {"type": "number", "lower": 0, "upper": 2, "resolution": 0.5},
        "age": {"type": "integer", "lower": 0, "upper": 3, "missing_codes": [-9]},
    }
    filled = {"sex": "none", "urgent": False, "day": "2025-01-01", "pay": 0.5, "age": 3}
    whole = {name: {**declared, "count_missing_as": filled[name]} for name, declared in columns.items()}
    table = pandas.DataFrame(
        {
            "sex": ["F", "M", "9"] * 20,
            "urgent": [True, None, True] * 20,
            "day": ["2025-01-02", "2025-01-03", None] * 20,
            "pay": [0.0, None, 1.5] * 20,
            "age": [1, 2, -9] * 20,
        }
    )
    workspace = dprelease.Workspace.create(tmp_path / "w")
    workspace.add_population("all", unit="row", neighbors="add_remove", epsilon=1000)
    workspace.add_dataset("t", table, population="all", columns=whole)
    asked = {"id": "rows", "kind": "synthetic", "columns": list(columns), "order": 1, "rows": 60, "bins": {"pay": 5}}
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 60}
    plan_id = workspace.plans.submit(
        dprelease.Plan.parse({"dprelease": 1, "dataset": "t", "privacy": privacy, "statistics": [asked]})
    )
    workspace.plans.approve(plan_id)
    folder = workspace.publish(plan_id).write(tmp_path / "b")
    usual, rows = (dprelease.load_rows(folder, "rows", missing=each) for each in (False, True))
    assert not usual.isna().to_numpy().any()
    assert list(rows["sex"].cat.categories) == ["M", "F"]
    assert [str(kind).split("[")[0] for kind in rows.dtypes] == [
        "category",
        "boolean",
        "datetime64",
        "float64",
        "Int64",
    ]
    for name, value in filled.items():
        stands = usual[name].astype(str) == str(value)
        assert stands.any(), name
        assert list(rows[name].isna()) == list(stands), name
        assert list(rows[name][~stands].astype(str)) == list(usual[name][~stands].astype(str)), name


def chart_of(folder: Path, order: int) -> tuple[dprelease.Workspace, dict[str, bytes], str]:
    workspace, release, _ = made(folder, people(500), order=order, rows=200)
    contents = snapshot(release.write(folder / "b"))
    return workspace, contents, contents["charts/rows.report.svg"].decode()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_heat_map_shows_all_pairs_and_hatches_those_not_measured(tmp_path: Path, order: int) -> None:
    _, contents, svg = chart_of(tmp_path, order)
    report = pandas.read_csv(BytesIO(contents["tables/rows.report.csv"]))
    pairs = report[[name.count("_") <= 1 for name in report["table"]]]
    hatched = svg.count('fill="url(#')
    assert hatched == ((pairs["covered"] != "yes") | (pairs["grade"] == "N")).sum()
    assert len(re.findall(r'<path [^>]*fill="(?:rgb|url)', svg)) == len(pairs)
    drawn = json.loads(contents["charts/rows.report.vl.json"])["datasets"].values()
    shown = {row["value"] for rows in drawn for row in rows} - {None}
    assert shown == set(pairs["value"][(pairs["covered"] == "yes") & (pairs["grade"] != "N")])
    assert bool(hatched) is (order == 1)
    assert "hatched was not measured" in svg


@pytest.mark.full
def test_many_columns_have_a_map_of_colours_without_numbers(tmp_path: Path) -> None:
    columns = {f"c{place}": {"type": "category", "categories": ["a", "b"]} for place in range(12)}
    table = pandas.DataFrame({name: ["a", "b"] * 20 for name in columns})
    workspace = dprelease.Workspace.create(tmp_path / "w")
    workspace.add_population("all", unit="row", neighbors="add_remove", epsilon=1000)
    workspace.add_dataset("t", table, population="all", columns=columns)
    asked = {"id": "rows", "kind": "synthetic", "columns": list(columns), "order": 1, "rows": 40}
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 60}
    plan_id = workspace.plans.submit(
        dprelease.Plan.parse({"dprelease": 1, "dataset": "t", "privacy": privacy, "statistics": [asked]})
    )
    workspace.plans.approve(plan_id)
    assert dprelease.verify(workspace.publish(plan_id).write(tmp_path / "b"))

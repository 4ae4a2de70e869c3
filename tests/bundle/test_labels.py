"""Labels beside tables: readers of other projects return the label for a code; what is signed knows no label."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import csvw
import pandas
import pytest
from frictionless import Package

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.schema import Schema
from dprelease.model.texts import ColumnTexts, LabelledCodes, Texts
from dprelease.statements.phrases import conditions
from tests.bundle.entries import key_of
from tests.model.test_texts import TEXTS, listed
from tests.verdict.forging import signed

COLUMNS: dict[str, Any] = {
    "region": {"type": "category", "categories": ["north", "south", "east"]},
    "income": {"type": "number", "lower": 0, "upper": 100, "resolution": 1},
}
STATISTICS = [
    {"id": "n", "kind": "count", "by": ["region"]},
    {"id": "m", "kind": "mean", "column": "income", "by": ["region"]},
]


def published(folder: Path, texts: dict[str, Any] | None, statistics: Any = STATISTICS, columns: Any = COLUMNS) -> Path:
    """The bundle of two tables by region."""
    workspace = dprelease.Workspace.create(folder / "home")
    rows = pandas.DataFrame({"region": ["north", "south", "east"] * 100, "income": [10] * 300})
    workspace.add_dataset("people", rows, epsilon=5, columns=columns)
    plan: dict[str, Any] = {
        "dprelease": 1,
        "title": "Regions",
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 2},
        "statistics": statistics,
    }
    release = workspace.publish(dprelease.Plan.parse(plan | ({} if texts is None else {"texts": texts})))
    return next((folder / "home" / "public").glob(f"**/{release.id}/release.json")).parent


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    whole = {"north": {"es": "Norte", "en": "The north"}, "south": {"es": "Sur"}, "east": {"es": "Este"}}
    return published(tmp_path_factory.mktemp("labelled"), TEXTS | listed(whole))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_without_texts_there_are_no_such_files(tmp_path: Path) -> None:
    plain = published(tmp_path, None)
    assert not [path for path in plain.rglob("*") if path.name == "csv-metadata.json" or "label" in str(path)]


def test_the_signed_table_has_codes_and_its_labelled_one_the_same_rows(bundle: Path) -> None:
    signed_rows = rows(bundle / "tables" / "n.csv")
    assert [row["region"] for row in signed_rows] == ["north", "south", "east"]
    for language, labels in (("es", ["Norte", "Sur", "Este"]), ("en", ["The north", "Sur", "Este"])):
        told = rows(bundle / "labelled" / f"n.{language}.csv")
        assert [row.pop("region_label") for row in told] == labels, "what has no label is that of the first language"
        assert told == signed_rows


def test_a_code_without_a_label_is_its_own(tmp_path: Path) -> None:
    """Also where a column has a label that no statistic looks at."""
    path = published(tmp_path, TEXTS, STATISTICS[:1])
    assert [row["region_label"] for row in rows(path / "labelled" / "n.es.csv")] == ["Norte", "Sur", "east"]
    described = json.loads((path / "csv-metadata.json").read_text())
    assert "foreignKeys" not in described["tables"][0]["tableSchema"], "its list does not hold every code"
    assert dprelease.verify(path).findings == ()


def test_the_code_list_has_a_column_a_language(bundle: Path) -> None:
    assert rows(bundle / "codelists" / "regions.csv")[:2] == [
        {"code": "north", "label_es": "Norte", "label_en": "The north"},
        {"code": "south", "label_es": "Sur", "label_en": ""},
    ]


def test_frictionless_returns_the_label_for_a_code(bundle: Path) -> None:
    field = Package(str(bundle / "datapackage.json")).get_resource("n").schema.get_field("region").to_descriptor()
    assert field["title"] == "Región"
    assert {each["value"]: each["label"] for each in field["categories"]} == {
        "north": "Norte",
        "south": "Sur",
        "east": "Este",
    }


def test_csvw_follows_a_code_to_its_label(bundle: Path) -> None:
    group = csvw.TableGroup.from_file(bundle / "csv-metadata.json")
    tables = {table.url.string: table for table in group.tables}
    key = tables["tables/n.csv"].tableSchema.foreignKeys[0]
    labels = {row["code"]: row["label_es"] for row in tables[key.reference.resource.string]}
    assert [labels[row["region"]] for row in tables["tables/n.csv"]] == ["Norte", "Sur", "Este"]
    group.check_referential_integrity()


def test_questions_have_the_labels_of_columns(bundle: Path) -> None:
    page = (bundle / "index.html").read_text()
    assert "What is the mean of Ingresos (euros al año), by Part of the country?" in page


FORGED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "another label": ("codelists/regions.csv", lambda data: data.replace(b"Norte", b"Sur-Este")),
    "another number": ("labelled/n.es.csv", lambda data: data.replace(b"Norte,", b"Norte,1")),
    "another title": ("csv-metadata.json", lambda data: data.replace("Región".encode(), b"Rango")),
}


@pytest.mark.parametrize(("path", "change"), FORGED.values(), ids=FORGED)
def test_what_does_not_follow_is_refused(
    bundle: Path, tmp_path: Path, path: str, change: Callable[[bytes], bytes]
) -> None:
    files = {str(each.relative_to(bundle)): each.read_bytes() for each in bundle.rglob("*") if each.is_file()}
    files = {name: data for name, data in files.items() if name not in ("SHA256SUMS", "SHA256SUMS.sig", "ledger.json")}
    files[path] = change(files[path])
    with pytest.raises(IntegrityError, match=path.replace(".", r"\.")):
        dprelease.verify(signed(files, tmp_path, key_of(9)))


def test_its_page_calls_codes_columns_and_statistics_by_their_labels(bundle: Path) -> None:
    page = (bundle / "index.html").read_text()
    assert '<p class="q"><bdi>Personas</bdi></p>' in page, "the title stands below the finding"
    assert "Part of the country" in page
    assert ">region<" not in page
    assert '<th scope="row"><bdi>The north</bdi></th>' in page
    assert '<th scope="row"><span lang="es"><bdi>Sur</bdi></span></th>' in page
    assert "<bdi>north</bdi>" not in page, "codes stand in the files"
    chart = (bundle / "charts" / "n.svg").read_text()
    assert ">The north<" in chart
    assert ">north<" not in chart


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<bdi>The north</bdi></th>", "<bdi>Sur</bdi></th>"),
        ("<bdi>The north</bdi></th>", "<bdi>north</bdi></th>"),
        ("<bdi>Personas</bdi></p>", "<bdi>Hogares</bdi></p>"),
    ],
)
def test_a_page_with_another_label_is_refused(bundle: Path, tmp_path: Path, before: str, after: str) -> None:
    contents = {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    page = contents["index.html"].decode()
    assert before in page
    forged = contents | {"index.html": page.replace(before, after, 1).encode()}
    with pytest.raises(IntegrityError, match="page"):
        dprelease.verify(signed(forged, tmp_path, key_of(8)))


def test_a_chart_with_the_label_of_another_bar_is_refused(bundle: Path, tmp_path: Path) -> None:
    contents = {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    chart = contents["charts/n.svg"].decode()
    swapped = chart.replace(">The north<", ">@<").replace(">Sur<", ">The north<").replace(">@<", ">Sur<")
    assert swapped != chart
    with pytest.raises(IntegrityError, match="charts/n"):
        dprelease.verify(signed(contents | {"charts/n.svg": swapped.encode()}, tmp_path, key_of(8)))


def test_a_long_label_stands_behind_its_code_in_charts(tmp_path: Path) -> None:
    long = {"north": {"en": f"The north, {'far ' * 20}away"}, "south": {"en": f"The south, {'far ' * 30}away"}}
    path = published(tmp_path, TEXTS | listed(long), STATISTICS[:1])
    assert ">north The north, far" in (path / "charts" / "n.svg").read_text()
    assert dprelease.verify(path).checks


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # they leave files open
def test_readers_of_sdmx_return_labels_and_observations(bundle: Path) -> None:
    """sdmx1 reads the table by the structure message; pysdmx validates it by the schemas of SDMX-ML 2.1."""
    import sdmx
    from pysdmx.io import read_sdmx

    message = sdmx.read_sdmx(BytesIO((bundle / "sdmx" / "structure.xml").read_bytes()))
    codes = message.codelist["CL_REGION"]
    assert {code.id: dict(code.name.localizations) for code in codes} == {
        "north": {"es": "Norte", "en": "The north"},
        "south": {"es": "Sur"},
        "east": {"es": "Este"},
    }
    own = next(each for name, each in message.structure.items() if name.endswith("_N"))
    (data,) = sdmx.read_sdmx(bundle / "sdmx" / "n.csv", structure=own).data
    told = {str(each.dimension.values["REGION"].value): float(each.value) for each in data.obs}
    assert told == {row["region"]: float(row["value"]) for row in rows(bundle / "tables" / "n.csv")}
    found = read_sdmx(bundle / "sdmx" / "structure.xml", validate=True).get_codelists()
    assert [(code.id, code.name) for code in found[0].items][:2] == [("north", "The north"), ("south", "Sur")]


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")
def test_the_reader_of_croissant_returns_the_labels(bundle: Path, mlcroissant: Any) -> None:
    described = mlcroissant.Dataset(jsonld=str(bundle / "croissant.json"))
    assert described.metadata.ctx.issues.report() == ""
    told = {row["codes-regions/code"]: row["codes-regions/label_es"] for row in described.records("codes-regions")}
    told = {as_text(code): as_text(label) for code, label in told.items()}
    assert told == {"north": "Norte", "south": "Sur", "east": "Este"}
    assert [as_text(row["n/0-region"]) for row in described.records("n")] == ["north", "south", "east"]


def as_text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def test_codes_that_sdmx_does_not_know_are_texts_in_it_and_stay_what_they_are(tmp_path: Path) -> None:
    import sdmx

    columns = COLUMNS | {"region": {"type": "category", "categories": ["0-4 años", "5+"]}}
    path = published(tmp_path, None, STATISTICS[:1], columns)
    message = sdmx.read_sdmx(BytesIO((path / "sdmx" / "structure.xml").read_bytes()))
    assert not message.codelist
    assert [row["REGION"] for row in rows(path / "sdmx" / "n.csv")] == ["0-4 años", "5+"]


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list that has a label for totals too, answers that are categories, a note in two lines."""
    whole = {"_T": {"en": "All regions"}, "north": {"en": "The north"}, "south": {"es": "Sur"}, "east": {"es": "Este"}}
    statistics = [
        {"id": "n", "kind": "crosstab", "columns": ["region", "income"], "bins": {"income": 2}, "margins": True},
        {"id": "most", "kind": "top", "column": "region", "k": 1},
        {"id": "one", "kind": "mode", "column": "region"},
    ]
    said = {"statistics": {"n": {"note": {"en": "First line.\nSecond line."}}}}
    return published(tmp_path_factory.mktemp("awkward"), TEXTS | listed(whole) | said, statistics)


def test_totals_are_called_so_and_answers_by_their_labels(awkward: Path) -> None:
    page = (awkward / "index.html").read_text()
    assert "All regions" not in page
    assert "First line. Second line." in page
    answers = re.findall(r'(?:td class="text"|p class="one")><bdi>\(?(?:The north|Sur|Este)\)?<', page)
    assert len(answers) >= 2
    assert dprelease.verify(awkward).checks


def test_a_page_with_the_label_of_another_answer_is_refused(awkward: Path, tmp_path: Path) -> None:
    contents = {str(path.relative_to(awkward)): path.read_bytes() for path in awkward.rglob("*") if path.is_file()}
    page = contents["index.html"].decode()
    forged = re.sub(r'((?:td class="text"|p class="one")><bdi>\(?)(The north|Sur|Este)', r"\1Oeste", page, count=1)
    assert forged != page
    with pytest.raises(IntegrityError, match="page"):
        dprelease.verify(signed(contents | {"index.html": forged.encode()}, tmp_path, key_of(8)))


def test_conditions_have_the_labels_of_codes() -> None:
    texts = Texts(
        languages=("en",),
        columns={"ill": ColumnTexts(label={"en": "Health"}, codelist="health")},
        codelists={"health": LabelledCodes(codes={"true": {"en": "Ill"}, "false": {"en": "Well"}})},
    )
    columns = Schema.parse({"ill": {"type": "boolean"}}).called(texts)
    assert list(conditions([{"column": "ill", "equals": True}], columns)) == ["Health is Ill"]


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")
def test_codes_of_digits_are_described_and_join_nothing(tmp_path: Path, mlcroissant: Any) -> None:
    """Its reader takes `01` in a CSV file for 1, whatever its type is said to be: a reference would find no label."""
    codes = {"01": {"en": "Araba"}, "02": {"en": "Albacete"}}
    texts = {
        "languages": ["en"],
        "columns": {"region": {"codelist": "provinces"}},
        "codelists": {"provinces": {"codes": codes}},
    }
    columns = {"region": {"type": "category", "categories": ["01", "02"]}}
    path = published(tmp_path, texts, STATISTICS[:1], columns)
    described = mlcroissant.Dataset(jsonld=str(path / "croissant.json"))
    assert described.metadata.ctx.issues.report() == ""
    assert len(list(described.records("n"))) == 2
    assert "references" not in str(json.loads((path / "croissant.json").read_text())["recordSet"])
    told = {
        as_text(row["codes-provinces/code"]): as_text(row["codes-provinces/label_en"])
        for row in described.records("codes-provinces")
    }
    assert told == {"01": "Araba", "02": "Albacete"}

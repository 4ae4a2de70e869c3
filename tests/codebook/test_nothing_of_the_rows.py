"""D and D' with equal headers: what is proposed is, byte for byte, the same.

Values are drawn at random and placed where a file can hold them: in rows beside a dictionary, in a second sheet, in
dictionaries of Parquet and categories of pandas, in statistics beside declarations, in data inside metadata.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dprelease.codebook import apart, labels, propose, read
from dprelease.ui.data.settling import proposed
from dprelease.ui.data.sheet import ColumnSheet
from dprelease.workspace import Workspace
from tests.codebook.files import DESIGN, workbook

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True, scope="module")
def here() -> Iterator[None]:
    """The library in this process: a new one for each example takes a minute."""
    with pytest.MonkeyPatch.context() as patch:

        def told(_: str, ending: str, content: bytes) -> Any:
            return json.loads(json.dumps(apart.told_of(ending, BytesIO(content))))

        patch.setattr(labels, "read_apart", told)
        yield


NAMES = ("age", "region", "zone")
TEXTS = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
ROWS = st.lists(st.tuples(st.integers(-999, 10**6), TEXTS, TEXTS), min_size=1, max_size=12)
Rows = list[tuple[int, str, str]]
CODED = {"age": {-1: "none"}, "region": {"n": "North"}}


def labelled(ending: str) -> Callable[[Rows], bytes]:
    def written(rows: Rows) -> bytes:
        frame = pandas.DataFrame(rows, columns=NAMES).astype({"age": "float64"})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"file.{ending}"
            labels: Any = {"age": CODED["age"]}
            if ending == "dta":
                pyreadstat.write_dta(frame, path, variable_value_labels=labels)
            else:
                pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges={"age": [-1]})
            return path.read_bytes()

    return written


def sheets(rows: Rows) -> bytes:
    """A codebook whose workbook holds rows too, under headings that a codebook has as well."""
    data: list[list[object]] = [["age", "code", "label"], *map(list, rows)]
    return workbook({**DESIGN, "Datos": data, "más": [["Variable"], *([text] for _, text, _ in rows)]})


def statistics(rows: Rows) -> bytes:
    lines = ["name;type;min;max;mean", *(f"{name};integer;{rows[0][0]};{rows[-1][0]};{len(rows)}" for name in NAMES)]
    return "\n".join(lines).encode()


def counted(rows: Rows) -> bytes:
    var = "".join(
        f'<var name="{name}"><varFormat type="numeric"/><sumStat type="min">{rows[0][0]}</sumStat>'
        f"<catgry><catValu>1</catValu><catStat>{len(rows)}</catStat></catgry></var>"
        for name in NAMES
    )
    return f"<codeBook><dataDscr>{var}</dataDscr></codeBook>".encode()


def package(rows: Rows) -> bytes:
    fields = [{"name": name, "type": "integer", "stats": {"min": rows[0][0]}} for name in NAMES]
    return json.dumps({"resources": [{"name": "t", "data": rows, "schema": {"fields": fields}}]}).encode()


def csvw(rows: Rows) -> bytes:
    columns = [{"name": name, "titles": name, "datatype": "integer", "dc:extent": rows[0][0]} for name in NAMES]
    schema = {"columns": columns, "rowTitles": [rows[0][1]]}
    return json.dumps(
        {"@context": "http://www.w3.org/ns/csvw", "notes": [{"rows": rows}], "tableSchema": schema}
    ).encode()


def sdmx(rows: Rows) -> bytes:
    """Structure and data in one message, as 2.1 lets a message have both."""
    structure = (Path(__file__).parent / "written" / "structure.xml").read_text()
    data = "".join(f"<Obs town='{text}' spent='{number}'/>" for number, text, _ in rows)
    return structure.replace("</mes:Structure>", f"<DataSet>{data}</DataSet></mes:Structure>").encode()


CODEBOOKS: dict[str, Callable[[Rows], bytes]] = {
    "file.sav": labelled("sav"),
    "file.dta": labelled("dta"),
    "design.xlsx": sheets,
    "codebook.csv": statistics,
    "study.xml": counted,
    "datapackage.json": package,
    "t.csv-metadata.json": csvw,
    "structure.xml": sdmx,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("filename", CODEBOOKS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=ROWS, other=ROWS)
def test_a_codebook_says_the_same_whatever_rows_are_beside_it(filename: str, one: Rows, other: Rows) -> None:
    books = [read(filename, CODEBOOKS[filename](rows)) for rows in (one, other)]
    assert repr(books[0]) == repr(books[1])
    proposals = [propose(book, (*NAMES, "SEXO", "town"), {}) for book in books]
    assert repr(proposals[0]) == repr(proposals[1])


def parquet(rows: Rows) -> bytes:
    """Texts are dictionary-encoded, and pandas' categories stand in the metadata."""
    frame = pandas.DataFrame(rows, columns=NAMES).astype({"region": "category", "zone": "category"})
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pandas(frame), file)
    return file.getvalue()


def excel(rows: Rows) -> bytes:
    first: list[list[object]] = [list(NAMES), [1, "n", "z"]]
    return workbook({"t": first, "Diseño": [["Variable", "Tipo", "Mínimo"], *([*row] for row in rows)]})


def csv(rows: Rows) -> bytes:
    return "\n".join([",".join(NAMES), *(f"{number},{text},{other}" for number, text, other in rows)]).encode()


TABLES: dict[str, Callable[[Rows], bytes]] = {
    "t.parquet": parquet,
    "t.xlsx": excel,
    "t.csv": csv,
    "t.sav": labelled("sav"),
    "t.dta": labelled("dta"),
}


FEW: Rows = [(1, "n", "z")]
OTHERS: Rows = [(-1, "secret", "rows"), (10**6, "true", "2025"), (17, "n", "NA")]


@pytest.mark.parametrize("filename", TABLES)
def test_the_sheet_of_a_table_begins_the_same_whatever_its_rows_hold(filename: str, tmp_path: Path) -> None:
    ws = Workspace.create(tmp_path / "home")
    ws.add_population("p", unit="person", neighbors="add_remove", epsilon=1)
    found = []
    for place, rows in enumerate((FEW, OTHERS)):
        (tmp_path / filename).write_bytes(TABLES[filename](rows))
        name = f"t{place}"
        reading = {"sheet": "t"} if filename.endswith(".xlsx") else None
        ws.add_dataset(name, tmp_path / filename, population="p", reading=reading)
        names = ws.datasets.columns(name)
        book = ws.datasets.codebook(name)
        sheet = ColumnSheet.of(names, {})
        taken = ColumnSheet({each: proposed(row) for each, row in sheet.rows.items()})
        changes = None if book is None else propose(book, names, {})
        found.append(json.dumps([sheet.body(), taken.body(), repr(book).replace(f"'{name}'", ""), repr(changes)]))
    assert found[0] == found[1]
    assert "age" in found[0]

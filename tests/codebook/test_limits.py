"""A codebook is counted before it is trimmed or built: a small file of much nothing is refused after little work."""

from __future__ import annotations

import csv
import io
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dprelease.codebook import CodebookError, apart, limits, plain_xml, read
from dprelease.codebook.codefile import read_codes
from dprelease.codebook.plain_xml import LimitedTreeBuilder
from dprelease.model import yaml_text
from dprelease.words.language import speaking
from tests.codebook.files import DESIGN, statistical, workbook

pytestmark = pytest.mark.quick

SHEET, STYLES = "xl/worksheets/sheet1.xml", "xl/styles.xml"


def rewritten(part: str, text: str) -> bytes:
    """A workbook with another part in the place of one."""
    source, target = zipfile.ZipFile(io.BytesIO(workbook({"a": [["name", "type"]]}))), io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        for each in source.namelist():
            written.writestr(each, text if each == part else source.read(each))
    return target.getvalue()


def sheet(rows: str) -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return rewritten(SHEET, f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>')


def refusal(name: str, content: bytes) -> str:
    with pytest.raises(CodebookError) as error:
        read(name, content)
    (problem,) = error.value.problems
    assert problem.found
    assert problem.remedy
    return problem.allowed.id.removeprefix("codebook.most_")


def test_empty_cells_at_the_end_of_rows_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five thousand rows of one empty cell in column XFD are 82 million cells, in 30 kB: after 74 it is enough."""
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    visited: list[int] = []
    real: Any = ReadOnlyWorksheet._get_row

    def counted(*args: Any, **options: Any) -> Any:
        row = real(*args, **options)
        visited.append(len(row))
        return row

    monkeypatch.setattr(ReadOnlyWorksheet, "_get_row", counted)
    content = sheet("".join(f'<row><c r="XFD{place}"/></row>' for place in range(1, 5001)))
    assert len(content) < 50_000
    assert refusal("a.xlsx", content) == "cells"
    assert sum(visited) <= limits.CELLS.most + 2**14


@pytest.mark.parametrize(
    ("part", "text", "limit"),
    [
        (STYLES, "<sst>" + "<si><t>a</t></si>" * 130_000 + "</sst>", "tags"),
        (SHEET, "<worksheet>" + "<a>" * 600_000 + "</worksheet>", "tags"),
        (SHEET, "<worksheet " + " ".join(f'a{place}="1"' for place in range(40_000)) + "/>", "gap"),
        (STYLES, "<sst><si><t>" + "a" * 300_000 + "</t></si></sst>", "gap"),
        (STYLES, "<sst>" + "<!--" + "a" * 2**25 + "--></sst>", "gap"),
    ],
)
def test_a_workbook_is_counted_before_a_library_reads_it(
    part: str, text: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = rewritten(part, text)
    monkeypatch.setattr("openpyxl.load_workbook", lambda *_, **__: pytest.fail("it was read"))
    assert refusal("a.xlsx", content) == limit


def test_a_row_with_a_number_beyond_every_sheet_is_refused() -> None:
    assert refusal("a.xlsx", sheet('<row r="999999999999"><c><v>1</v></c></row>')) == "cells"


def test_a_sheet_whose_last_row_is_written_is_read() -> None:
    """As some programs write one, with a format and no cell."""
    heads = "".join(f'<c t="inlineStr"><is><t>{word}</t></is></c>' for word in ("name", "type"))
    cells = "".join(f'<c t="inlineStr"><is><t>{word}</t></is></c>' for word in ("age", "integer"))
    book = read("a.xlsx", sheet(f'<row>{heads}</row><row>{cells}</row><row r="1048576"/>'))
    assert [entry.name for entry in book.entries] == ["age"]


@pytest.mark.parametrize(
    ("content", "limit"),
    [
        (b"<a>" * 1_600_000, "levels"),
        (b"<codeBook>" + b"<a/>" * 3_100, "elements"),
        (b"<codeBook " + b" ".join(b'a%d="1"' % place for place in range(3_100)) + b"/>", "elements"),
        (b"<codeBook><labl>" + b"a" * 140_000, "text"),
        (b"<codeBook><labl>" + b"&lt;" * 140_000, "text"),
        (b'<codeBook><var name="' + b"a" * 140_000 + b'"/></codeBook>', "text"),
    ],
)
def test_a_tree_of_xml_is_counted_while_it_is_built(
    content: bytes, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_xml, "ELEMENTS", limits.ELEMENTS._replace(most=3_000))
    built: list[LimitedTreeBuilder] = []
    real = LimitedTreeBuilder.__init__

    def kept(self: LimitedTreeBuilder, source: str) -> None:
        built.append(self)
        real(self, source)

    monkeypatch.setattr(LimitedTreeBuilder, "__init__", kept)
    assert refusal("a.xml", content) == limit
    assert built[0].elements <= 3_001 + 3_100
    if limit == "levels":
        assert built[0].elements == limits.LEVELS.most + 1


STRUCTURE = b'<Structure xmlns="http://sdmx"><Codelist id="A">%b</Codelist><DataStructure id="d"><DimensionList>%b'
STRUCTURE += b"</DimensionList></DataStructure></Structure>"
NAMES_IT = b"<LocalRepresentation><Enumeration><Ref id='A'/></Enumeration></LocalRepresentation>"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "content", "limit"),
    [
        ("a.csv", b"name,type\n" + b"," * 1_300_000, "cells"),
        ("a.csv", b"name,type" + b",a" * 20_000, "width"),
        ("a.csv", b'name,type\n"' + b"a" * 140_000, "text"),
        ("a.csv", b"name,value\n" + b"a,1\n" * 170_000, "codes"),
        ("a.csv", b"name,codelist\n" + b"".join(b"v%d,subdivisions\n" % place for place in range(99)), "codes"),
        ("a.csv", b'name,type,missing_codes\na,integer,"' + b"1;" * 65_000 + b'"', "codes"),
        (
            "a.csv",
            b"name,type,outside\n" + b"".join(b"v%d,integer,%b\n" % (place, b"a" * 100_000) for place in range(10)),
            "yaml",
        ),
        (
            "a.xml",
            STRUCTURE
            % (
                b"".join(b"<Code id='c%d'/>" % place for place in range(4000)),
                b"".join(b"<Dimension id='d%d'>%b</Dimension>" % (place, NAMES_IT) for place in range(60)),
            ),
            "codes",
        ),
    ],
)
def test_what_a_codebook_describes_is_counted_before_it_is_kept(name: str, content: bytes, limit: str) -> None:
    """Also where a table was read before, for which the reader of CSV was let take longer cells."""
    csv.field_size_limit(10**9)
    assert refusal(name, content) == limit


def test_values_of_yaml_are_counted_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MAX_VALUES", 1_000)
    monkeypatch.setattr("yaml.load", lambda *_, **__: pytest.fail("it was built"))
    with pytest.raises(CodebookError, match="more than 1000 keys and values"):
        read("a.yaml", b"fields: [" + b"a," * 1_100 + b"]")


def test_more_columns_than_a_table_has_are_refused_at_the_first_beyond() -> None:
    with pytest.raises(CodebookError, match="10001 columns"):
        read(
            "a.xml", b"<codeBook>" + b"".join(b'<var name="v%d"/>' % place for place in range(10_100)) + b"</codeBook>"
        )


@pytest.mark.full
def test_a_code_list_as_long_as_may_be_declared_is_read() -> None:
    content = b"code,label\n" + b"".join(b"c%05d,Label %d\n" % (place, place) for place in range(100_000))
    assert len(read_codes("codes.csv", content, source="WHO", version="10").labels) == 100_000


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_limit_has_words_and_a_record_design_has_a_tenth_of_it_at_most(language: str) -> None:
    with speaking(language):
        for limit in limits.EVERY:
            with pytest.raises(CodebookError, match=r"a\.xlsx"):
                limit.check("a.xlsx", limit.most + 1)
    with zipfile.ZipFile(io.BytesIO(workbook(DESIGN))) as archive:
        assert sum(archive.read(part).count(b"<") for part in archive.namelist()) < limits.TAGS.most / 10


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_dictionary_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "python"
    slow.write_text("#!/bin/sh\nkill -XCPU $$\n")
    slow.chmod(0o700)
    monkeypatch.setattr(apart.sys, "executable", str(slow))
    with pytest.raises(CodebookError, match="2 seconds of processor"):
        read("a.sav", statistical("sav"))


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits")
def test_the_process_that_reads_a_dictionary_ends_by_its_limits() -> None:
    told = "from dprelease.codebook.apart import _limit; _limit('sav', 0)\n"
    for rest, code in (("while True: pass", -signal.SIGXCPU), ("bytearray(2**32)", 1)):
        done = subprocess.run([sys.executable, "-c", told + rest], capture_output=True, timeout=60)
        assert done.returncode in (code, -signal.SIGKILL)

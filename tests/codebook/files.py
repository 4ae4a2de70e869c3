"""Codebooks as people write them."""

from __future__ import annotations

import tempfile
from pathlib import Path

DDI = b"""<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5"><dataDscr>
  <var ID="V1" name="sex" intrvl="discrete" dcml="0">
    <labl>Sex of the respondent</labl><varFormat type="numeric"/>
    <catgry><catValu>1</catValu><labl>Male</labl><catStat type="freq">4711</catStat></catgry>
    <catgry><catValu>2</catValu><labl>Female</labl><catStat type="freq">4712</catStat></catgry>
    <catgry missing="Y"><catValu>9</catValu><labl>No answer</labl></catgry>
  </var>
  <var ID="V2" name="income" intrvl="contin" dcml="2" measUnit="EUR">
    <labl>Net income</labl><qstn><qstnLit>What do you earn in a month?</qstnLit></qstn>
    <valrng><range min="0" max="20000"/></valrng>
    <invalrng><item VALUE="99999"/><range max="-1"/></invalrng>
    <sumStat type="min">3.17</sumStat><sumStat type="max">19876.54</sumStat><varFormat type="numeric"/>
  </var>
  <var ID="V3" name="remarks"><labl>Remarks</labl><varFormat type="character"/></var>
</dataDscr></codeBook>
"""
ENTITY = b"""<?xml version="1.0"?><!DOCTYPE codeBook [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<codeBook><dataDscr><var name="a"><labl>&x;</labl></var></dataDscr></codeBook>"""
TABLE_SCHEMA = b"""{"fields": [
  {"name": "age", "type": "integer", "title": "Age", "constraints": {"minimum": 0, "maximum": 120}},
  {"name": "region", "type": "string", "constraints": {"enum": ["n", "s"]}},
  {"name": "sex", "type": "integer", "categories": [{"value": 1, "label": "Male"}, {"value": 2, "label": "Female"},
    {"value": -9, "label": "Refused"}]},
  {"name": "day", "type": "date", "constraints": {"minimum": "2025-01-01", "maximum": "2025-12-31"}},
  {"name": "remarks", "type": "string"}, {"name": "place", "type": "geopoint"}
], "missingValues": ["", "-9"]}"""
PACKAGE = b"""{"name": "p", "resources": [
  {"name": "people", "schema": {"fields": [{"name": "age", "type": "integer"}]}},
  {"name": "visits", "schema": {"fields": [{"name": "ward", "type": "string", "constraints": {"enum": ["a"]}}]}}
]}"""


def statistical(ending: str) -> bytes:
    """A file of SPSS or Stata: two rows, and a dictionary."""
    import pandas
    import pyreadstat

    frame = pandas.DataFrame({"sex": [1.0, 2.0], "age": [3141.0, 2718.0], "note": ["secret", "rows"]})
    labels = {"sex": {1: "Male", 2: "Female", 9: "No answer"}}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file.{ending}"
        texts = ["Sex", "Age in years", ""]
        if ending == "dta":
            pyreadstat.write_dta(frame, path, column_labels=texts, variable_value_labels=labels)
        else:
            pyreadstat.write_sav(
                frame,
                path,
                column_labels=texts,
                variable_value_labels=labels,
                missing_ranges={"sex": [9], "age": [99.0, {"lo": float("-inf"), "hi": -1.0}]},
                variable_measure={"age": "scale"},
                variable_format={"age": "F8.0"},
            )
        return path.read_bytes()


def workbook(sheets: dict[str, list[list[object]]]) -> bytes:
    """An Excel workbook, written by openpyxl."""
    import io

    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


DESIGN: dict[str, list[list[object]]] = {
    "Diseño": [
        ["Encuesta de hogares: diseño de registro"],
        [],
        ["Variable", "Longitud", "Tipo", "Decimales", "Posición", "Diccionario de la variable", "Descripción"],
        ["SEXO", 1, "N", None, 1, "T_SEXO", "Sexo del sustentador principal"],
        ["EDAD", 3, "N", 0, 2, "T_EDAD", "Edad en años"],
        ["TAMAMU", 1, "A", None, 5, "T_TAMAMU", "Tamaño del municipio"],
        ["GASTO", 9, "N", 2, 6, None, "Gasto total anual"],
        ["OBS", 80, "A", None, 15, None, "Observaciones"],
    ],
    "Tablas1": [
        ["T_SEXO", None, None, "T_EDAD"],
        ["Código", "Descripción", None, "Código", "Descripción"],
        ["1", "Hombre", None, "000-120", "Años"],
        [6, "Mujer", None, "999", "No consta"],
        [],
        ["T_OTRA"],
        ["Código", "Descripción"],
        ["x", "de otra tabla"],
    ],
    "Tablas2": [
        ["Lista", "Código", "Etiqueta_es", "Label_en", "Sin respuesta"],
        ["T_TAMAMU", "1", "Más de 100 000 hab.", "Over 100,000 inh.", None],
        ["T_TAMAMU", "5", "Menos de 10 000 hab.", "Under 10,000 inh.", None],
        ["T_TAMAMU", "9", "No consta", "Not stated", "sí"],
    ],
}
"""A record design as statistics offices publish them: variables, and dictionaries under titles, or in a list."""

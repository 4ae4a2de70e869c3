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

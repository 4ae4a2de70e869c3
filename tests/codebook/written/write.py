"""Writes the fixtures of this folder with the formats' own libraries, which the project does not need otherwise.

    pip install sdmx1==2.28.0 csvw==4.1.1
    python tests/codebook/written/write.py

sdmx1 writes `structure.xml` (SDMX-ML 2.1); csvw reads `survey.csv-metadata.json` back, and says whether it is valid
beside a table with these columns.
"""

from __future__ import annotations

import csv
from pathlib import Path

import csvw
import sdmx
import sdmx.urn
from sdmx.model import common, v21

FOLDER = Path(__file__).parent
AGENCY = common.Agency(id="TEST")


def structure() -> None:
    """A data structure: two dimensions with code lists, one number with bounds."""
    towns = common.Codelist(id="CL_TOWN", maintainer=AGENCY, version="1.0", name={"en": "Towns", "es": "Municipios"})
    for code, english, spanish in (
        ("1", "Over 100,000 inh.", "Más de 100 000 hab."),
        ("5", "Under 10,000 inh.", "Menos de 10 000 hab."),
        ("_T", "Total", "Total"),
    ):
        towns.append(common.Code(id=code, name={"en": english, "es": spanish}))
    ages = common.Codelist(id="CL_BAND", maintainer=AGENCY, version="1.0", name={"en": "Age bands"})
    original = v21.Annotation(id="ORIGINAL_CODE", title="0-4 años")
    ages.append(common.Code(id="C001", name={"en": "0 to 4"}, annotations=[original]))
    ages.urn = sdmx.urn.make(ages)
    concepts = common.ConceptScheme(id="CONCEPTS", maintainer=AGENCY, version="1.0")
    town = common.Concept(id="town", name={"en": "Size of the town", "es": "Tamaño del municipio"})
    band = common.Concept(id="band")
    band.core_representation = common.Representation(enumerated=ages)
    spent = common.Concept(id="spent", name={"en": "Expenditure"})
    for concept in (town, band, spent):
        concepts.append(concept)
    form = common.Facet(
        type=common.FacetType(min_value=0, max_value=90000),
        value_type=common.FacetValueType["decimal"],
    )
    design = v21.DataStructureDefinition(id="SURVEY", maintainer=AGENCY, version="1.0")
    design.dimensions.append(
        v21.Dimension(id="town", concept_identity=town, local_representation=common.Representation(enumerated=towns))
    )
    design.dimensions.append(v21.Dimension(id="band", concept_identity=band))
    design.measures.append(
        v21.PrimaryMeasure(
            id="spent", concept_identity=spent, local_representation=common.Representation(non_enumerated=[form])
        )
    )
    message = sdmx.message.StructureMessage()
    for each in (towns, ages, concepts, design):
        message.add(each)
    (FOLDER / "structure.xml").write_bytes(sdmx.to_xml(message, pretty_print=True))


def web() -> None:
    """Checks the metadata, beside a table of its columns."""
    table = FOLDER / "survey.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(
            [["edad", "sexo", "gasto", "nacido", "notas"], ["40", "1", "12.5", "2001-01-31", ""]]
        )
    try:
        found = csvw.CSVW(str(FOLDER / "survey.csv-metadata.json"), validate=True)
        assert found.is_valid, found.warnings
    finally:
        table.unlink()


if __name__ == "__main__":
    structure()
    web()

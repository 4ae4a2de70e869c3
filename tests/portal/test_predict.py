"""Models that visitors try in their browser: the page, and that model.js works out what Python does."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dprelease
from dprelease.bundle.model_card import NamedModel
from dprelease.model.function.facts import ModelFacts
from dprelease.model.function.fitted import FittedModel
from dprelease.portal.pages import TEMPLATES, Portal
from dprelease.portal.predict import MODEL_SCRIPT, in_browser
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.site import ListedFolder, write_site
from dprelease.words.language import speaking
from tests.model.function.made import MODELS, rows
from tests.workspace import models

MANY = 200
ASKED = """
const { readFileSync } = require("fs");
require("vm").runInThisContext(readFileSync(process.argv[1], "utf8"));
const { models, rows } = JSON.parse(readFileSync(0, "utf8"));
const told = models.map((whole, at) => rows[at].map((typed) => {
  const [model, raws] = ofGroup(whole, typed);
  const found = scored(model, raws);
  return found && { parts: found.parts, scores: found.scores, ...predicted(model, found) };
}));
process.stdout.write(JSON.stringify(told));
"""


def named(name: str) -> NamedModel:
    schema = dprelease.Plan.parse({**models.plan("linear"), "columns": models.COLUMNS}).schema
    return NamedModel(ModelFacts.read(MODELS[name]), schema)


def test_a_browser_works_out_what_python_does() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node; the browser's tests try some values")
    columns, many = rows(MANY), list(MODELS)
    with models.listed():
        told = {name: named(name) for name in many}
        asked: dict[str, Any] = {"models": [in_browser(told[name], name) for name in many], "rows": []}
    for name in many:
        each = [columns[given.column] for given in told[name].facts.inputs]
        texts = [[str(value).lower() if isinstance(value, bool) else value for value in values] for values in each]
        asked["rows"].append([list(row) for row in zip(*texts, strict=True)])
    told_by = subprocess.run(
        [node, "-e", ASKED, str(TEMPLATES / MODEL_SCRIPT)],
        input=json.dumps(asked),
        capture_output=True,
        check=True,
        text=True,
    )
    for name, answers in zip(many, json.loads(told_by.stdout), strict=True):
        _compare(FittedModel(told[name].facts), columns, answers)


def _compare(model: FittedModel, columns: dict[str, list[Any]], answers: list[Any]) -> None:
    parts, scores, predicted = model.contributions(columns), model.scores(columns), model.predict(columns)
    shares = model.predict_proba(columns) if model.classes else None
    ranges = model.interval(columns) if model.kind == "linear" else None
    assert len({place for place in range(MANY) if answers[place] is not None}) > MANY / 3
    for place, answer in enumerate(answers):
        if answer is None:
            assert np.isnan(scores[place]).all()
            continue
        if model.groups:  # whose constant is where the browser begins
            assert answer["parts"] == pytest.approx(parts[place, 1:], rel=1e-12, abs=1e-12)
        else:
            assert answer["parts"] == pytest.approx(parts[place], rel=1e-12, abs=1e-12)
        assert answer["scores"] == pytest.approx(scores[place], rel=1e-12, abs=1e-12)
        if model.kind in ("logistic", "scorecard"):
            assert shares is not None
            assert answer["value"] == pytest.approx(shares[place, 1], rel=1e-12)
        elif shares is not None:
            assert answer["shares"] == pytest.approx(shares[place], rel=1e-12, abs=1e-300)
            assert model.classes[answer["value"]] == predicted[place]
        else:
            assert answer["value"] == pytest.approx(predicted[place], rel=1e-12)
        if ranges is not None:
            assert answer["range"] == pytest.approx(ranges[place], rel=1e-12)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with models.listed():
        made = models.workspace()
        stated = models.plan("linear", "fuzzy")
        stated["statistics"].append({"id": "n", "kind": "count"})
        yield models.published(made, stated).write(tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="module")
def pages(bundle: Path) -> dict[str, str]:
    portal = Portal(BundleIndex(ListedFolder(bundle.parent, (bundle.name,))))
    found = {}
    for code in ("en", "es"):
        with speaking(code):
            found[code] = portal.release(portal.shelf.bundle(bundle.name))
    return found


def test_a_page_has_the_form_and_reads_without_a_script(pages: dict[str, str]) -> None:
    page = pages["en"]
    assert page.count('<form class="try" data-model=') == 2
    assert page.count("model.js") == 1
    assert 'data-model="linear" aria-labelledby="try-linear" autocomplete="off" hidden' in page
    assert "<noscript><p>With scripts the model can be tried here." in page
    assert "Not to conclude" in page
    assert "−8\u202f500" in page
    assert "nada de lo que escriba sale de él" in pages["es"]
    assert 'src="../../../model.js"' in pages["es"]


def test_the_data_of_a_model_cannot_end_its_element(pages: dict[str, str]) -> None:
    data = pages["en"].partition('id="models">')[2].partition("</script>")[0]
    assert "<" not in data
    told = json.loads(data)["models"][0]
    assert told["inputs"][2]["categories"] == ["F", "M", "=x <b>"]
    assert told["base"] == [-8500.0]


def test_the_form_begins_with_declared_values(pages: dict[str, str]) -> None:
    """The middle of the bounds: nothing of it is known from rows."""
    assert 'type="number" min="18" max="90" step="1" inputmode="decimal" value="54"' in pages["en"]
    assert 'type="date" min="2024-01-01" max="2025-12-31" value="2024-12-31"' in pages["en"]
    assert '<option value="=x &lt;b&gt;">=x &lt;b&gt;</option>' in pages["en"]


@pytest.mark.full
def test_a_static_site_has_the_script_where_there_is_a_model(bundle: Path, tmp_path: Path) -> None:
    write_site([bundle], tmp_path / "site")
    assert (tmp_path / "site" / MODEL_SCRIPT).read_bytes() == (TEMPLATES / MODEL_SCRIPT).read_bytes()
    made = models.workspace()
    counted = {**models.plan(), "statistics": [{"id": "n", "kind": "count"}]}
    plain = models.published(made, counted).write(tmp_path / "bundles")
    write_site([plain], tmp_path / "plain")
    assert not (tmp_path / "plain" / MODEL_SCRIPT).exists()
    assert "model.js" not in (tmp_path / "plain" / "release" / plain.name / "index.html").read_text()

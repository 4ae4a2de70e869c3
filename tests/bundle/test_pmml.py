"""Models in PMML predict what `load_model` predicts, by a reader that shares no code with what writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import dprelease
from dprelease.bundle.pmml import known, pmml
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError
from dprelease.model.function.facts import ModelFacts
from dprelease.model.function.fitted import FittedModel
from dprelease.model.release import FittedOutput
from tests.bundle.reading_pmml import Scorer
from tests.model.function.made import MODELS, rows
from tests.verdict.forging import signed
from tests.workspace import models

SAID = [name for name in MODELS if name != "components"]
MANY = 300


@pytest.mark.parametrize("name", SAID)
def test_it_predicts_the_same(name: str) -> None:
    facts = ModelFacts.read(MODELS[name])
    model, scorer, columns = FittedModel(facts), Scorer(pmml(facts, name)), rows(MANY)
    predicted = model.predict(columns)
    shares = model.predict_proba(columns) if model.classes else None
    none = 0
    for place in range(MANY):
        found = scorer.score({column: values[place] for column, values in columns.items()})
        value = predicted[place]
        if found is None:
            none += 1
            assert value is None or value != value
        elif facts.kind == "clusters":
            assert int(found) == value
        elif shares is None:
            assert found == pytest.approx(value, rel=1e-12)
        else:
            expected = dict(zip(model.classes, shares[place], strict=True))
            if not isinstance(found, dict):
                found = {"true": found, "false": 1 - found}
            assert found == pytest.approx(expected, rel=1e-8)
    assert 0 < none < MANY / 2


def test_the_same_facts_give_the_same_bytes() -> None:
    facts = ModelFacts.read(json.loads(json.dumps(MODELS["linear"])))
    assert pmml(facts, "risk") == pmml(ModelFacts.read(MODELS["linear"]), "risk")


def test_another_function_is_left_out() -> None:
    """A kind of somebody's own may publish what this version cannot compute."""
    assert known(FittedOutput(parts={}, facts={"share": 0.5})) is None
    assert known(FittedOutput(parts={}, facts={**MODELS["linear"], "model": 2})) is None


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with models.listed():
        made = models.workspace()
        yield models.published(made, models.plan("linear", "components")).write(tmp_path_factory.mktemp("bundles"))


def test_a_bundle_has_it_described(bundle: Path) -> None:
    assert sorted(path.name for path in (bundle / "models").iterdir()) == [
        "components.json",
        "linear.json",
        "linear.pmml",
    ]
    package = json.loads((bundle / "datapackage.json").read_text())
    (told,) = (each for each in package["resources"] if each["name"] == "linear.pmml")
    assert told["path"] == "models/linear.pmml"
    assert told["bytes"] == (bundle / "models" / "linear.pmml").stat().st_size
    files = [each["@id"] for each in json.loads((bundle / "croissant.json").read_text())["distribution"]]
    assert {"models/linear.json", "models/linear.pmml", "models/components.json"} <= {*files}
    assert 'href="models/linear.pmml"' in (bundle / "index.html").read_text()
    assert dprelease.load_model(bundle / "models" / "linear.json").kind == "linear"


def test_verification_writes_it_again(bundle: Path) -> None:
    dprelease.verify(bundle)
    files = {path.relative_to(bundle).as_posix(): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    path = "models/linear.pmml"
    files[path] = files[path].replace(b'coefficient="21.5"', b'coefficient="21.6"')
    with pytest.raises(IntegrityError, match=r"models/linear\.pmml"):
        dprelease.verify(signed(files, bundle.parent / "forged", SigningKey.in_memory()))

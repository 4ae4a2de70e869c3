"""datapackage.json describes the tables so that others' tools read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from frictionless import Package

from dprelease.bundle.descriptor import shapes
from dprelease.codebook import propose, read
from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from dprelease.model.schema import Schema


@pytest.mark.parametrize("bundle", ["written", "hostile_written"])
@pytest.mark.filterwarnings("ignore")
def test_frictionless_finds_nothing_wrong(bundle: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(bundle)
    report = Package(str(folder / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "message"])


def test_each_table_has_what_a_reader_needs(written: Path) -> None:
    package = json.loads((written / "datapackage.json").read_text())
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert package["title"] == "Hospital visits 2025"
    tables = {path.relative_to(written).as_posix() for path in (written / "tables").iterdir()}
    assert {resource["path"] for resource in package["resources"]} == {*tables, "all.csv", "all.parquet"}
    for resource in (each for each in package["resources"] if each["path"] in tables):
        header = (written / resource["path"]).read_text().splitlines()[0].split(",")
        assert [field["name"] for field in resource["schema"]["fields"]] == header
        assert all(field["description"] for field in resource["schema"]["fields"])
        assert resource["bytes"] == (written / resource["path"]).stat().st_size
    ages = next(resource for resource in package["resources"] if resource["name"] == "ages")
    assert [field["type"] for field in ages["schema"]["fields"]] == [*["integer"] * 5, "string"]
    assert ages["schema"]["primaryKey"] == ["age_from", "age_to"]
    assert ages["schema"]["fields"][0]["description"] == "age (years)"


def test_it_is_a_codebook_of_the_table_that_was_asked(release: Release, written: Path) -> None:
    """How the cells of a column were read is public, as its bounds are."""
    asked = release.certificate.columns
    book = read("datapackage.json", (written / "datapackage.json").read_bytes())
    found = propose(book, list(asked.columns), {})
    assert Schema.parse({each.name: each.then for each in found.changes}).to_mapping() == asked.to_mapping()


@pytest.mark.parametrize(
    "descriptor",
    [
        {},
        {"resources": 3},
        {"resources": [{"name": "a", "axes": []}]},
        {"resources": [{"name": "a", "axes": [{"names": ["x"], "cells": -1}], "schema": {"fields": []}}]},
        {"resources": [{"name": "a", "axes": [{"names": [3], "cells": 1}], "schema": {"fields": []}}]},
    ],
)
def test_a_descriptor_of_another_kind_is_refused(descriptor: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError):
        shapes(descriptor)

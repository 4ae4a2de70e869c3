"""The bytes of certificate and tables, made in one place, and their hash for the ledger."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dprelease.bundle.listing import facts_of, parts
from dprelease.bundle.outputs import outputs_hash, release_files
from dprelease.model.encoding import digest
from dprelease.model.release import Release
from tests.bundle.releases import REGION, snapshot, table


def told_by(release: Release) -> dict[str, bytes]:
    return {path: b"".join(parts(content)) for path, content in release_files(release).items()}


def hash_of(contents: Mapping[str, bytes]) -> str:
    return outputs_hash(facts_of(contents))


def test_the_files_are_those_of_the_bundle(release: Release, written: Path) -> None:
    contents = snapshot(written)
    told = told_by(release)
    assert told.keys() == {name for name in contents if name == "release.json" or name.startswith("tables/")}
    assert told.items() <= contents.items()
    assert hash_of(contents) == hash_of(told) == outputs_hash(facts_of(release_files(release)))
    assert hash_of(told) == json.loads(contents["ledger.json"])["published"]["event"]["facts"]["outputs"]


def test_the_hash_is_that_of_each_files_hash(release: Release) -> None:
    told = told_by(release)
    assert hash_of(told) == digest({name: hashlib.sha256(data).hexdigest() for name, data in told.items()})
    for name in told:
        assert hash_of(told | {name: told[name] + b"\n"}) != hash_of(told)
        assert hash_of({other: data for other, data in told.items() if other != name}) != hash_of(told)
    assert hash_of(told | {"tables/more.csv": b""}) != hash_of(told)
    assert hash_of(told | {"index.html": b"", "tables/a/b.csv": b"", "tables.csv": b""}) == hash_of(told)


def test_the_answers_of_a_survey_count_in(release: Release) -> None:
    survey = replace(table([REGION], [4, 3, 2, 1, 0], 1), extra={"perturbed": [1, 2, 0, 0, 1]})
    told = release_files(replace(release, outputs={**release.outputs, "n": survey}))
    assert "tables/n.answers.csv" in told


def test_nothing_that_draws_is_loaded_for_it() -> None:
    code = "import sys, dprelease.bundle.outputs, dprelease.bundle.history; "
    code += "print({'altair', 'vl_convert', 'jinja2', 'pandas', 'rfc3161_client'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout == "set()\n"

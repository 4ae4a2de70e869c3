"""The same questions about releases, answered to the last digit by Python, by the reader, in a browser and in R."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.reader.ask import answered
from tests.reader.conftest import ASKED, QUESTIONS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def told(answers: dict[str, str]) -> dict[str, Any]:
    return {name: json.loads(answer) if answer[0] == "[" else answer for name, answer in answers.items()}


def test_what_has_an_answer_is_answered_and_the_rest_refused(answers: dict[str, str]) -> None:
    refused = {name for name, answer in answers.items() if answer == "refused"}
    refusals = {name for name in ASKED if name.startswith(("refused", "a file with", "a release of"))}
    assert refused == refusals
    assert answers["a number minus itself"] == '[0, 0, 0, 0.95, "records"]'
    assert answers["share of a number in itself"] == '[1, 1, 1, 0.95, ""]'
    assert answers["ratio of a denominator that may be zero"].startswith("[null, null, null")
    assert json.loads(answers["difference of two means"])[3] == 0.9
    assert (answers["epsilon of a release"], answers["releases of its population by then"]) == ("3", "1")
    value, lower, upper, *_ = json.loads(answers["share of a part in its whole"])
    assert lower < value < upper
    assert abs(value - 1 / 3) < 0.1


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node on this machine")
def test_the_module_of_browsers_answers_alike(releases: Path, answers: dict[str, str]) -> None:
    module = ROOT / "dprelease/portal/templates/reader.js"
    found = answered("node", HERE / "ask.js", module, QUESTIONS, releases)
    assert told(found) == told(answers)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="there is no R on this machine")
def test_the_package_for_r_answers_alike(releases: Path, answers: dict[str, str]) -> None:
    found = answered("Rscript", HERE / "ask.R", ROOT / "adapters/r/R/dprelease.R", QUESTIONS, releases)
    assert told(found) == told(answers)

"""Plans in code beside type checkers: the stub is made of the declarations, and finds typical mistakes."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import dprelease
from dprelease.statistics import PLACES, kind_functions
from tests.plans.stub import stub

FOLDER = Path(__file__).parent
GOOD, BAD = FOLDER / "good/visits.py", FOLDER / "bad/visits.py"
STUB = Path(kind_functions.__file__).with_suffix(".pyi")


def module_of(path: Path) -> ModuleType:
    found = importlib.util.spec_from_file_location(path.parent.name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


MISTAKES = [name for name, _ in re.findall(r"^def (\w+)\(\)( )", BAD.read_text(), re.M)]
BY_TYPES = BAD.read_text().count("  # error\n")


def test_the_stub_is_made_of_the_declarations() -> None:
    if os.environ.get("UPDATE_STUB"):
        STUB.write_text(stub(), encoding="utf-8")
    assert STUB.read_text(encoding="utf-8") == stub(), "UPDATE_STUB=1 pytest tests/plans/test_stub.py"
    assert len(re.findall(r"\bAny\b", STUB.read_text())) <= 1 + 2 * 5  # missing codes and readings alone


@pytest.mark.parametrize("kind", sorted(PLACES))
def test_each_function_has_the_parameters_of_its_stub(kind: str) -> None:
    declared = re.search(rf"^def {kind}\((.*?)\) -> Statistic", STUB.read_text(), re.M | re.S)
    assert declared is not None
    told = re.findall(r"(?:^|[\s(])(\w+): ", declared[1])
    assert told == list(inspect.signature(getattr(dprelease, kind)).parameters)


def test_the_package_lists_every_kind() -> None:
    assert dprelease.KINDS.split() == sorted(PLACES)
    assert dir(dprelease) == sorted(dprelease.__all__)
    assert all(hasattr(dprelease, name) for name in dprelease.__all__)


def test_twenty_mistakes_are_known() -> None:
    assert (len(MISTAKES), BY_TYPES) == (20, 16)


@pytest.fixture(scope="module")
def bad() -> ModuleType:
    return module_of(BAD)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_refused_with_what_to_do(mistake: str, bad: ModuleType) -> None:
    with pytest.raises((dprelease.InputError, AttributeError)) as refused:
        getattr(bad, mistake)()
    said = str(refused.value)
    assert "allowed: " in said or "Did you mean" in said or "plan.replace" in said


def test_a_good_plan_is_priced() -> None:
    plan = module_of(GOOD).plan
    assert [each.id for each in dprelease.price(plan).statistics] == [
        "count",
        "monthly",
        "mean_income_by_region",
        "histogram_age",
        "proportion_urgent",
        "synthetic_age_region",
        "threshold_age",
        "median_income",
    ]


def marked(path: Path) -> set[int]:
    return {number for number, line in enumerate(path.read_text().splitlines(), 1) if line.endswith("  # error")}


@pytest.mark.full
def test_mypy_finds_the_marked_lines_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(GOOD), str(BAD)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parents[1]).stdout
    lines = re.findall(r"^tests/plans/(\w+)/visits\.py:(\d+): error", found.replace(str(FOLDER), "tests/plans"), re.M)
    assert {int(line) for folder, line in lines if folder == "bad"} == marked(BAD), found
    assert not [line for folder, line in lines if folder == "good"], found


PYRIGHT = next(filter(None, map(shutil.which, ("pyright", "basedpyright"))), None)


@pytest.mark.full
@pytest.mark.skipif(PYRIGHT is None, reason="280 MB with its Node: pip install basedpyright")
def test_pyright_finds_the_marked_lines_alone(tmp_path: Path) -> None:
    assert PYRIGHT is not None
    asked = {"include": [str(GOOD), str(BAD)], "typeCheckingMode": "standard", "extraPaths": [str(FOLDER.parents[1])]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(asked))
    command = [PYRIGHT, "-p", str(tmp_path), "--pythonpath", sys.executable]
    found = subprocess.run(command, capture_output=True, text=True).stdout
    lines = re.findall(r"/(\w+)/visits\.py:(\d+):\d+ - error", found)
    assert {int(line) for folder, line in lines if folder == "bad"} == marked(BAD), found
    assert not [line for folder, line in lines if folder == "good"], found

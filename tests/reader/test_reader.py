"""dprelease-reader: built from the same sources, small, and with the same answers."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import dprelease
from tests.bundle.servers import serving_folder
from tests.reader.ask import answered
from tests.reader.conftest import QUESTIONS
from tests.supply.reader import NAME, build, lay, modules, renamed

MEGABYTES = 25
ASK = Path(__file__).with_name("ask.py")
BLOCKED = ("babel", "dprelease", "numpy", "opendp", "pandas", "pyarrow")


@pytest.fixture(scope="session")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    lay(folder)
    return folder


@pytest.fixture
def reader(laid: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(laid)
    yield importlib.import_module(NAME)
    for name in [each for each in sys.modules if each.partition(".")[0] == NAME]:
        del sys.modules[name]


def test_reading_takes_three_packages_and_no_numbers_library() -> None:
    taken, others = modules()
    assert others == {"cryptography", "msgspec", "rfc8785"}
    assert not {"charts", "mechanisms", "statistics", "table", "workspace"} & {name.split(".")[1] for name in taken}


def test_only_imports_and_places_of_modules_are_renamed() -> None:
    source = 'from dprelease.words import phrase\nA = "dprelease.words:phrase"\nB = "dprelease.events", "dprelease"\n'
    assert renamed(source) == source.replace("dprelease.words", f"{NAME}.words")


def test_the_reader_answers_alike(reader: ModuleType, laid: Path, releases: Path, answers: dict[str, str]) -> None:
    blocked = f"import runpy, sys; sys.modules.update(dict.fromkeys({BLOCKED})); sys.argv.pop(0)"
    code = f"{blocked}; runpy.run_path(sys.argv[0], None, '__main__')"
    assert answered(sys.executable, "-c", code, ASK, NAME, QUESTIONS, releases, PYTHONPATH=str(laid)) == answers


def test_the_reader_says_what_it_does_not_work_out(reader: Any, releases: Path) -> None:
    told = reader.verify(releases / "visits", pictures=False)
    whole = dprelease.verify(releases / "visits", pictures=False)
    assert "cannot.facts_only" in {each.code for each in told.cannot_show}
    assert {each.code for each in told.checks} < {each.code for each in whole.checks}
    assert "check.loss" not in {each.code for each in told.checks}
    release = reader.load(releases / "visits")
    assert "regions" in release
    assert release.certificate.guarantee.unit in repr(release)
    with pytest.raises(reader.InputError, match="pip install dprelease"):
        release["regions"].plot()
    with pytest.raises(AttributeError, match="dprelease makes them"):
        reader.Workspace  # noqa: B018


@pytest.mark.parametrize("own", [True, False])
def test_a_release_is_read_from_a_folder_a_zip_file_and_an_address(
    reader: Any, releases: Path, tmp_path: Path, own: bool
) -> None:
    module = dprelease if own else reader
    for name in ("visits", "changed"):
        shutil.make_archive(str(tmp_path / name), "zip", releases, name)
    key = module.verify(releases / "visits", pictures=False).fingerprint
    with serving_folder(releases) as folders, serving_folder(tmp_path) as files:
        for place in (releases / "visits", tmp_path / "visits.zip", f"{folders}/visits/", f"{files}/visits.zip"):
            found = module.load(place, key)
            assert (found.signer_known, len(found["regions"])) == (True, 3)
        for place in (releases / "changed", tmp_path / "changed.zip", f"{folders}/changed", f"{files}/changed.zip"):
            with pytest.raises(module.IntegrityError, match="regions"):
                module.load(place)


@pytest.mark.full
def test_the_wheel_is_small_and_lives_beside_an_older_pandas(
    releases: Path, answers: dict[str, str], tmp_path: Path
) -> None:
    wheel = build(tmp_path)
    uv = str(Path(sys.executable).with_name("uv"))
    python = tmp_path / "env/bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "env"], check=True)
    into = [uv, "pip", "install", "--quiet", "--python", str(python)]
    subprocess.run([*into, "--compile-bytecode", str(wheel)], check=True)
    size = sum(path.stat().st_size for path in (tmp_path / "env/lib").rglob("*") if path.is_file())
    assert size < MEGABYTES * 1_000_000
    assert answered(python, ASK, NAME, QUESTIONS, releases) == answers
    subprocess.run([*into, "pandas==2.2.*", "numpy==1.26.*"], check=True)
    told = f"import {NAME} as dp; print(dp.load({str(releases / 'visits')!r})['regions'].to_pandas().to_json())"
    done = subprocess.run([python, "-c", told], check=True, capture_output=True, text=True)
    frame = dprelease.load(releases / "visits")["regions"].to_pandas()
    assert json.loads(done.stdout) == json.loads(frame.to_json())
    assert answered(python, ASK, NAME, QUESTIONS, releases) == answers

"""A bundle of a later version of format 1: its facts and tables are checked as ever, its page and pictures are not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.cli import main
from dprelease.errors import InputError, IntegrityError, NewerFormatError
from dprelease.model.encoding import pretty
from dprelease.words.language import speaking
from tests.bundle.entries import key_of
from tests.verdict.forging import FRAME, PLAN, PRIVACY, published, signed, written
from tests.verdict.test_stated import forged
from tests.verdict.test_verify import CERTIFICATES, TABLES

KEY = key_of(9)
PATCH, MINOR = "1.0.7", "1.3.0"
Files = dict[str, bytes]
Change = Callable[[Any], Any]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return published(tmp_path_factory.mktemp("bundle"), epsilon=4)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """One with files of numbers and labels beside its tables."""
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    texts = {
        "languages": ["en"],
        "columns": {"c": {"label": {"en": "Side"}, "codelist": "sides"}},
        "codelists": {"sides": {"codes": {"a": {"en": "Left"}, "b": {"en": "Right"}}}},
    }
    plan = {
        **PLAN,
        "privacy": PRIVACY | {"epsilon": 4},
        "texts": texts,
        "statistics": [
            {"id": "x", "kind": "crosstab", "columns": ["c", "x"], "bins": {"x": 2}},
            {"id": "line", "kind": "linear", "outcome": "x", "on": ["c"]},
        ],
    }
    return written(workspace, plan, tmp_path_factory.mktemp("exported"))


def later(certificate: Any, version: str = MINOR) -> None:
    """States that a later version wrote it."""
    certificate["versions"]["dprelease"] = version
    certificate["format"] = f"1.{version.split('.')[1]}"


def of_later(files: Files, version: str = MINOR, change: Change = lambda _: None) -> Files:
    certificate = json.loads(files["release.json"])
    later(certificate, version)
    change(certificate)
    return files | {"release.json": pretty(certificate)}


def refused(files: Files, folder: Path) -> str:
    with pytest.raises(IntegrityError) as caught:
        dprelease.verify(signed(files, folder, KEY))
    return str(caught.value)


@pytest.mark.parametrize("version", [PATCH, MINOR])
def test_an_honest_bundle_verifies_in_part(bundle: Files, tmp_path: Path, version: str) -> None:
    verdict = dprelease.verify(signed(of_later(bundle, version), tmp_path, KEY))
    assert verdict.compared == {"page": "not_compared", "charts": "not_compared"}
    assert verdict.warning is not None
    assert verdict.warning.words == (
        f"The page and the pictures were written by {version}; this is {dprelease.__version__}. "
        "They were not compared with the tables. The tables were."
    )
    assert verdict.warning in verdict.cannot_show
    assert verdict.words.endswith("verified in part")
    names = {check.code.removeprefix("check.") for check in verdict.checks}
    assert {"certificate", "sensitivity", "loss", "cap", "tables", "grades", "formats", "event"} <= names
    assert not {"page", "charts"} & names


def test_the_warning_is_said_in_spanish(bundle: Files, tmp_path: Path) -> None:
    verdict = dprelease.verify(signed(of_later(bundle), tmp_path, KEY))
    assert verdict.warning is not None
    with speaking("es"):
        assert verdict.warning.words.startswith(f"La página y los gráficos los escribió {MINOR}; este programa es ")


def test_the_command_tells_it_above_the_verdict(
    bundle: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, other = (
        str(signed(files, tmp_path / name, KEY)) for name, files in (("own", bundle), ("later", of_later(bundle)))
    )
    assert main(["verify", ours]) == 0
    assert "not compared" not in capsys.readouterr().out
    assert main(["verify", other]) == 9
    assert capsys.readouterr().out.splitlines()[0].startswith(f"The page and the pictures were written by {MINOR}")
    assert main(["verify", other, "--json"]) == 9
    assert json.loads(capsys.readouterr().out)["compared"] == {"page": "not_compared", "charts": "not_compared"}
    assert main(["verify", other, "--tables-only"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert "intact" in first
    assert any("were not compared with the tables" in line for line in rest)


def test_the_tables_alone_are_checked_where_somebody_asks(bundle: Files, tmp_path: Path) -> None:
    false = bundle | {"index.html": b"<!doctype html><title>x</title>"}
    verdict = dprelease.verify(signed(false, tmp_path, KEY), tables_only=True)
    assert verdict.compared == {"page": "not_compared", "charts": "not_compared"}
    assert any("you asked for the tables alone" in each.words for each in verdict.cannot_show)
    assert not verdict.warning


def test_a_lie_on_the_page_is_refused_by_the_version_that_is_named(bundle: Files, tmp_path: Path) -> None:
    lie = bundle | {"index.html": bundle["index.html"].replace(b"The guarantee, exactly", b"Nothing is noisy")}
    verdict = dprelease.verify(signed(of_later(lie), tmp_path / "later", KEY))
    assert verdict.warning
    assert refused(lie, tmp_path / "own").startswith("index.html, line ")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("version", [PATCH, MINOR])
@pytest.mark.parametrize(("check", "change"), CERTIFICATES.values(), ids=CERTIFICATES)
def test_the_same_certificates_are_refused(
    bundle: Files, tmp_path: Path, check: str, change: Change, version: str
) -> None:
    with pytest.raises(IntegrityError) as caught:
        dprelease.verify(forged(bundle, lambda c: (later(c, version), change(c)), tmp_path))
    assert str(caught.value).partition(":")[0] == check


@pytest.mark.parametrize(("check", "statistic", "table"), TABLES.values(), ids=TABLES)
def test_the_same_tables_are_refused(bundle: Files, tmp_path: Path, check: str, statistic: str, table: str) -> None:
    files = of_later(bundle) | {f"tables/{statistic}.csv": table.encode()}
    assert refused(files, tmp_path).startswith(check)


def test_exports_of_numbers_are_compared_and_those_of_prose_are_not(exported: Files, tmp_path: Path) -> None:
    files = of_later(exported)
    numbers = [name for name in files if name.startswith(("wide/", "labelled/", "codelists/", "pmml/"))]
    assert {name.partition("/")[0] for name in numbers} >= {"wide", "codelists"}
    assert dprelease.verify(signed(files, tmp_path / "honest", KEY)).warning
    for place, name in enumerate(numbers):
        message = refused(files | {name: files[name] + b"\n"}, tmp_path / str(place))
        assert message == f"{name}: it does not say what release.json and the tables say"
    prose = {name: files[name].replace(b"a", b"e") for name in ("croissant.json", "dcat.jsonld")}
    assert dprelease.verify(signed(files | prose, tmp_path / "prose", KEY)).warning


def test_fields_of_a_later_minor_version_are_left_and_named(bundle: Files, tmp_path: Path) -> None:
    def further(certificate: Any) -> None:
        certificate["colour"] = "blue"
        certificate["population"]["region"] = {"name": "north"}
        certificate["statistics"][1]["further"] = [1, 2]

    files = of_later(bundle, change=further)
    verdict = dprelease.verify(signed(files, tmp_path, KEY))
    (told,) = [each.words for each in verdict.cannot_show if each.code == "cannot.keys_unread"]
    assert {"colour", "population.region", "statistics[1].further"} == set(told.partition(": ")[2].split(", "))


def test_a_field_further_hides_no_lie(bundle: Files, tmp_path: Path) -> None:
    check, change = next(iter(CERTIFICATES.values()))
    with pytest.raises(IntegrityError, match=f"^{check}"):
        dprelease.verify(forged(bundle, lambda c: (later(c), c.update(more=1), change(c)), tmp_path))


NEWER: dict[str, Change] = {
    "another format": lambda c: c.update(format="2.0"),
    "a feature": lambda c: c.update(features=["what_nobody_knows"]),
}


@pytest.mark.parametrize("change", NEWER.values(), ids=NEWER)
@pytest.mark.parametrize("code", ["en", "es"])
def test_what_this_program_cannot_read_is_refused_as_newer(
    bundle: Files, tmp_path: Path, change: Change, code: str
) -> None:
    folder = signed(of_later(bundle, change=change), tmp_path, KEY)
    with speaking(code), pytest.raises(NewerFormatError) as caught:
        dprelease.verify(folder)
    (problem,) = caught.value.problems
    assert problem.to_mapping()["found"] == {"code": "errors.newer_format", "values": {}}
    assert "1.0" in str(problem.allowed)


@pytest.mark.parametrize("change", [lambda c: c.update(dprelease_release=2), lambda c: c.update(format="0.9")])
@pytest.mark.parametrize("code", ["en", "es"])
def test_a_bundle_of_before_the_format_is_refused_in_one_sentence(
    bundle: Files, tmp_path: Path, change: Change, code: str
) -> None:
    def before(certificate: Any) -> None:
        del certificate["format"]
        change(certificate)

    files = of_later(bundle, change=before) | {"index.html": b"whatever it was"}
    folder = signed(files, tmp_path, KEY)
    with speaking(code), pytest.raises(InputError) as caught:
        dprelease.verify(folder)
    (problem,) = caught.value.problems
    assert not isinstance(caught.value, NewerFormatError)
    assert problem.to_mapping()["found"] == {"code": "errors.before_format", "values": {}}
    assert "1.x" in str(problem.allowed)
    assert "\n" not in str(caught.value)


def test_without_pictures_nothing_that_draws_is_loaded(bundle: Files, tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path, KEY)
    program = f"""
import sys, dprelease
verdict = dprelease.verify({str(folder)!r}, pictures=False)
assert dict(verdict.compared) == {{"page": "same", "charts": "not_compared"}}, verdict.compared
assert any("you asked to leave them out" in each.words for each in verdict.cannot_show)
assert not {{"altair", "vl_convert"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(dprelease.__file__).parents[1])

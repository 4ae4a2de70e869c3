"""What is not combined, each by name, and with what to do instead."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

import dprelease
from dprelease.errors import InputError, IntegrityError
from tests.extras.federation.combining import COLUMNS, STATISTICS, Site, plan


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [Site(seed).publish(tmp_path_factory.mktemp("site"), plan()) for seed in (1, 2)]


def test_a_bundle_that_does_not_verify_is_named(pair: list[Path], tmp_path: Path) -> None:
    altered = copytree(pair[1], tmp_path / "altered")
    table = altered / "tables" / "ages.csv"
    table.write_text(table.read_text().replace("9", "8", 1))
    with pytest.raises(IntegrityError, match=r"altered.*ages\.csv"):
        dprelease.combine(pair[0], altered)


def test_a_key_is_of_each_signer(pair: list[Path]) -> None:
    keys = [dprelease.verify(path).fingerprint for path in pair]
    assert [each["signer"] for each in dprelease.combine(*pair, keys=keys).facts["sites"]] != []
    with pytest.raises(IntegrityError, match="expected"):
        dprelease.combine(*pair, keys=keys[::-1])
    with pytest.raises(InputError, match="one key for each"):
        dprelease.combine(*pair, keys=keys[:1])


def test_a_release_counts_once_and_one_is_not_several(pair: list[Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two or more"):
        dprelease.combine(pair[0])
    with pytest.raises(InputError, match="twice"):
        dprelease.combine(pair[0], pair[1], copytree(pair[0], tmp_path / "copy"), same_population=True)


def test_two_releases_of_one_population_are_refused_unless_attested(tmp_path: Path) -> None:
    site = Site()
    one, two = (site.publish(tmp_path / each, plan(title=each)) for each in ("one", "two"))
    with pytest.raises(InputError, match=r"one population.*--same-population"):
        dprelease.combine(one, two)
    found = dprelease.combine(one, two, same_population=True)
    assert "may be of one population" in found.files()["README.txt"].decode()
    assert found.facts["persons"][1]["epsilon"] == 2 * found.facts["persons"][0]["epsilon"]
    assert dprelease.check_combined(found.write(tmp_path / "out"), one, two).facts == found.facts
    other = site.publish(tmp_path / "other", plan(dataset="else"))
    assert len(dprelease.combine(one, other).facts["sites"]) == 2  # another population of the same ledger
    site.workspace.populations.attest_overlap("patients", "others", "same")
    later = site.publish(tmp_path / "later", plan(dataset="else", title="later"))
    with pytest.raises(InputError, match="one population"):
        dprelease.combine(one, later)


BINS = [STATISTICS[0], STATISTICS[1], {**STATISTICS[2], "bins": 20}]
YEARS = {**COLUMNS, "age": {**COLUMNS["age"], "upper": 109}}
NAMES = {**COLUMNS, "sex": {**COLUMNS["sex"], "categories": ["F", "M", "X"]}}
UNITS = {"unit": {"column": "id", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 3}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("of", "changed", "said"),
    [
        ({}, {"statistics": BINS}, r"ages.options.bins: found 10 in .*, 20 in"),
        ({}, {"columns": YEARS}, r"ages.columns.age.upper: found 99 in .*, 109 in"),
        ({}, {"columns": NAMES}, r"sexes.columns.sex.categories"),
        ({}, {"where": [{"column": "ill", "equals": True}]}, r"^where: found \[\] in"),
        ({}, {"privacy": UNITS}, r"^privacy.unit: found row in"),
        ({"unit": "household"}, {}, r"population.unit: found person in .*, household in"),
        ({}, {"statistics": STATISTICS[:2]}, r"statistics.ages: found histogram in .*, nothing in"),
        ({}, {"postprocess": ["nonnegative"], "statistics": STATISTICS[::2]}, r"postprocess"),
        (
            {"neighbors": "substitute"},
            {"privacy": {"unit": "row", "neighbors": "substitute", "epsilon": 3}},
            r"neighbors: found add_remove in .*, substitute in",
        ),
        (
            {"currency": "zcdp", "delta": 1e-6},
            {"privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 3, "delta": 1e-6}},
            r"currency: found pure in .*, zcdp in",
        ),
    ],
)
def test_plans_that_mean_something_else_are_refused_by_name(
    pair: list[Path], tmp_path: Path, of: dict[str, Any], changed: dict[str, Any], said: str
) -> None:
    site = Site(7, **of)
    if "privacy" in changed and changed["privacy"] is UNITS:
        site.workspace.add_population("units", unit="person", neighbors="add_remove", epsilon=9)
        site.workspace.add_dataset("people2", site.frame, population="units", columns=COLUMNS, unit_column="id")
        changed = {**changed, "dataset": "people2"}
    other = site.publish(tmp_path, plan(**changed))
    with pytest.raises(InputError) as error:
        dprelease.combine(pair[0], other)
    assert re.search(said, str(error.value).replace('"', "").replace("'", ""))


@pytest.mark.full
def test_what_two_releases_have_in_common_is_combined(pair: list[Path], tmp_path: Path) -> None:
    other = Site(8).publish(
        tmp_path / "site", plan(statistics=[*BINS, {"id": "older", "kind": "median", "column": "age"}])
    )
    found = dprelease.combine(pair[0], other, only=["n", "sexes"])
    assert [*found.tables] == ["n", "sexes"]
    assert dprelease.check_combined(found.write(tmp_path / "out"), other, pair[0]).facts == found.facts
    with pytest.raises(InputError, match=r"a statistic of the releases: n, sexes, ages.*Did you mean"):
        dprelease.combine(*pair, only=["age"])


ASKED = {"label": "high", "where": [{"column": "age", "at_least": 50}]}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("statistic", "said"),
    [
        ({"kind": "median", "column": "age"}, "a selection.*histogram of the column"),
        ({"kind": "mode", "column": "sex"}, "a selection.*histogram of the column"),
        ({"kind": "variance", "column": "age"}, "and not these.*sum and count"),
        ({"kind": "cdf", "column": "age"}, "and not these"),
        ({"kind": "mean", "column": "pay", "method": "centred"}, "and not these"),
        ({"kind": "threshold", "threshold": 5, "answers": 1, "questions": [ASKED]}, "stop after"),
    ],
)
def test_what_does_not_add_up_is_refused_with_what_does(tmp_path: Path, statistic: dict[str, Any], said: str) -> None:
    asked = plan(statistics=[STATISTICS[1], {"id": "asked", **statistic}])
    paths = [Site(seed).publish(tmp_path / str(seed), asked) for seed in (1, 2)]
    with pytest.raises(InputError, match=said) as error:
        dprelease.combine(*paths)
    assert [each.path for each in error.value.problems] == ["statistics.asked"]
    assert [*dprelease.combine(*paths, only=["sexes"]).tables] == ["sexes"]


def test_answers_that_were_changed_at_random_are_refused(tmp_path: Path) -> None:
    privacy = {"unit": "row", "neighbors": "substitute", "epsilon": 3}
    asked = plan(privacy=privacy, statistics=[{"id": "asked", "kind": "survey", "column": "ill"}])
    paths = [Site(seed, neighbors="substitute").publish(tmp_path / str(seed), asked) for seed in (1, 2)]
    with pytest.raises(InputError, match=r"changed at random.*histogram of the answers"):
        dprelease.combine(*paths)


def test_a_withheld_release_has_nothing_to_add(pair: list[Path], tmp_path: Path) -> None:
    accept = [{"statistic": "n", "relative_error": 0.000001}]
    other = Site(9).publish(tmp_path, plan(accept=accept))
    with pytest.raises(InputError, match="withheld"):
        dprelease.combine(pair[0], other)

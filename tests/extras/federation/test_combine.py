"""Releases of several sites added up: integers, intervals, what is promised to whom, and that anyone gets the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.cli import main
from dprelease.errors import IntegrityError
from tests.extras.federation.combining import COLUMNS, STATISTICS, WAYS, Site, people, plan, tables


@pytest.fixture(scope="module", params=WAYS)
def bundles(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three sites with other rows, and the last one with another ε."""
    privacy = {"unit": "row", "neighbors": "add_remove", **({} if request.param == "pure" else {"delta": 1e-6})}
    return [
        Site(seed, rows, **WAYS[request.param]).publish(
            tmp_path_factory.mktemp("site"),
            plan(statistics=STATISTICS, privacy={**privacy, "epsilon": epsilon}, expected={"rows": 1000}),
        )
        for seed, rows, epsilon in ((1, 900, 9), (2, 2000, 9), (3, 1500, 6))
    ]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [Site(seed).publish(tmp_path_factory.mktemp("site"), plan()) for seed in (1, 2)]


@pytest.mark.full
def test_the_integers_are_the_sums_of_those_of_the_sites(bundles: list[Path]) -> None:
    found, sites = dprelease.combine(*bundles), [tables(path) for path in bundles]
    assert set(found.tables) == set(sites[0])
    for name in ("n", "sexes", "ages", "each", "pays"):
        apart = found.estimates[name]["value"] - sum(each[name]["value"] for each in sites)
        # What follows from a mean's integers is rounded once, and by each site once.
        assert apart.abs().max() <= (len(sites) + 1) / 2 * (name == "n")
        keys = [*sites[0][name].columns[: -3 if name != "sexes" else -6]]
        assert found.estimates[name][keys].equals(sites[0][name][keys])
    for name in ("tables", "line"):
        file = "measured" if name == "tables" else "models"
        listed = [json.loads((path / file / f"{name}.json").read_text())["integers"] for path in bundles]
        added = [np.sum(each, axis=0).tolist() for each in zip(*listed, strict=True)]
        assert json.loads(found.files()[f"{file}/{name}.json"])["integers"] == added


@pytest.mark.one_in(2)
def test_what_is_computed_is_of_all_rows_together(bundles: list[Path]) -> None:
    """With ε of 6 to 9 all intervals are a few per cent; a number misses its interval fivefold in under 10^-7."""
    found = dprelease.combine(*bundles).estimates
    rows = pandas.concat([people(size, seed) for seed, size in ((1, 900), (2, 2000), (3, 1500))])
    truth = {
        "n": [len(rows)],
        "pay": rows.groupby("sex")["pay"].mean().tolist(),
        "part": [rows["ill"].mean()],
        "tables.sex": rows["sex"].value_counts().sort_index().tolist(),
    }
    for name, true in truth.items():
        table = found[name]
        for value, lower, upper, number in zip(table["value"], table["lower95"], table["upper95"], true, strict=True):
            assert lower <= value <= upper
            assert lower - 4 * (value - lower) <= number <= upper + 4 * (upper - value), name


@pytest.mark.full
def test_intervals_are_those_of_the_sum_of_the_noises(bundles: list[Path]) -> None:
    found, sites = dprelease.combine(*bundles), [tables(path) for path in bundles]
    for name in ("n", "ages", "each", "pays", "pay", "part", "tables.sex_ill"):
        whole, each = found.estimates[name], [site[name] for site in sites]
        widths = [float((table["upper95"] - table["lower95"]).mean()) for table in (whole, *each)]
        if name in ("pay", "part"):  # quotients: the more rows, the narrower
            assert widths[0] < max(widths[1:])
        else:
            together = sum(width**2 for width in widths[1:]) ** 0.5
            assert 0.85 * together < widths[0] < 1.1 * together
    noise = {each["id"]: each["mechanisms"][0] for each in found.facts["measurements"]}["each"]
    assert noise["scale"] ** 2 == pytest.approx(sum(scale**2 for scale in noise["scales"]))
    assert len(set(noise["scales"])) == 2


@pytest.mark.full
def test_it_says_of_whom_it_is_and_what_is_promised(bundles: list[Path]) -> None:
    facts = dprelease.combine(*bundles).facts
    assert facts["trust"] == "open"
    assert facts["cost"] == {"epsilon_nano": 0, "delta_atto": 0}
    releases = [dprelease.verify(path).release for path in bundles]
    assert {each["release"] for each in facts["sites"]} == {release.id for release in releases}
    losses = sorted((release.certificate.loss.exactly for release in releases), key=lambda loss: -loss.nano)
    for count, told in enumerate(facts["persons"], 1):
        assert told["sites"] == count
        assert sum(each.nano for each in losses[:count]) in told["loss"].values()
        assert sum(each.delta_atto for each in losses[:count]) == told["loss"]["delta_atto"]


@pytest.mark.full
def test_anyone_gets_the_same_files_in_any_order(
    bundles: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *others = map(str, bundles)
    out = tmp_path / "together"
    assert main(["combine", first, *others, "--out", str(out)]) == 0
    assert "Trust: open" in capsys.readouterr().out
    assert main(["combine", *others, first, "--check", str(out)]) == 0
    assert "byte for byte" in capsys.readouterr().out
    assert main(["combine", first, *others, "--out", str(out)]) == 3  # what stands there is kept
    assert main(["combine", first, *others]) == 3
    assert main(["combine", first, *others, "--out", str(out), "--check", str(out)]) == 3
    assert main(["combine", *others, "--check", str(out)]) == 6  # of one site less
    listed = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert listed.keys() == {each.relative_to(out).as_posix() for each in out.rglob("*.*")}
    assert all(site["outputs_sha256"] in (out / "README.txt").read_text() for site in told(out)["sites"])


def told(folder: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((folder / "combined.json").read_text())
    return facts


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", ["combined.json", "tables/ages.csv", "README.txt", "SHA256SUMS"])
def test_a_changed_byte_is_found(pair: list[Path], tmp_path: Path, name: str) -> None:
    out = dprelease.combine(*pair).write(tmp_path / "out")
    assert dprelease.check_combined(out, *pair).facts == told(out)
    text = (out / name).read_text()
    (out / name).write_text(text.replace("2", "3", 1))
    with pytest.raises(IntegrityError):
        dprelease.check_combined(out, *pair)
    (out / name).write_text(text)
    (out / "more.csv").touch()
    with pytest.raises(IntegrityError, match=r"more\.csv"):
        dprelease.check_combined(out, *pair)
    (out / "more.csv").unlink()
    (out / name).unlink()
    with pytest.raises(IntegrityError, match=name.replace(".", r"\.")):
        dprelease.check_combined(out, *pair)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("statistic", "file"),
    [
        ({"kind": "synthetic", "columns": ["sex", "ill"]}, "measured"),
        ({"kind": "scorecard", "outcome": "ill", "on": ["sex"]}, "models"),
        ({"kind": "clusters", "on": ["age", "pay"], "k": 2, "grid": 4}, "models"),
        ({"kind": "logistic", "outcome": "ill", "on": ["age"], "rounds": 0}, "models"),
    ],
)
def test_whatever_is_made_of_one_round_of_tallies_adds_up(tmp_path: Path, statistic: dict[str, Any], file: str) -> None:
    asked = plan(statistics=[{"id": "asked", **statistic}], expected={"rows": 1000})
    paths = [Site(seed).publish(tmp_path / str(seed), asked) for seed in (1, 2)]
    found = dprelease.combine(*paths)
    listed = [json.loads((path / file / "asked.json").read_text())["integers"] for path in paths]
    added = [np.sum(each, axis=0).tolist() for each in zip(*listed, strict=True)]
    assert json.loads(found.files()[f"{file}/asked.json"])["integers"] == added
    dprelease.check_combined(found.write(tmp_path / "out"), *paths)


@pytest.mark.full
def test_what_became_of_a_release_is_told(pair: list[Path], tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_population("patients", unit="person", neighbors="add_remove", epsilon=100)
    workspace.add_dataset("people", people(500, 5), population="patients", columns=COLUMNS)
    release = workspace.publish(dprelease.Plan.parse(plan()))
    path, corrected = release.write(tmp_path), workspace.releases.bundle(release.id)
    assert dprelease.combine(pair[0], path).remarks == {}
    workspace.releases.add_erratum(release.id, "Ages are off by one.")
    ((named, remark),) = dprelease.combine(pair[0], corrected).remarks.items()
    assert named == release.id
    assert [check.code for check in remark] == ["state.intact_signer_unknown", "state.corrected"]
    assert dprelease.combine(pair[0], corrected).files() == dprelease.combine(path, pair[0]).files()


def test_counts_of_integers_that_are_not_published_add_up_as_they_were_rounded(tmp_path: Path) -> None:
    asked = plan(statistics=[{"id": "spread", "kind": "variance", "column": "age"}, STATISTICS[0]])
    paths = [Site(seed).publish(tmp_path / str(seed), asked) for seed in (1, 2, 3)]
    found, each = dprelease.combine(*paths, only=["n"]), [tables(path)["n"].iloc[0] for path in paths]
    assert found.facts["statistics"][0]["derivation"] == "counts"
    value, lower, upper = found.estimates["n"].iloc[0]
    assert value == sum(site["value"] for site in each)
    halves = [site["upper95"] - site["value"] for site in each]
    assert value - lower == upper - value
    assert sum(half**2 for half in halves) ** 0.5 - 1 <= upper - value <= sum(halves) + 3
    assert lower - 4 * (value - lower) <= 1500 <= upper + 4 * (upper - value)  # beyond in under 10^-7


def test_quantiles_follow_from_counts_that_add_up(tmp_path: Path) -> None:
    each = {"id": "each", "kind": "histogram", "column": "age", "bins": 100}
    asked = plan(statistics=[{"id": "middle", "kind": "median", "column": "age"}, each], expected={"rows": 5000})
    found = dprelease.combine(*(Site(seed).publish(tmp_path / str(seed), asked) for seed in (1, 2)))
    assert [told["derivation"] for told in found.facts["statistics"]] == ["ranks", "own"]
    true = pandas.concat([people(500, seed) for seed in (1, 2)])["age"].median()
    value, lower, upper = found.estimates["middle"].iloc[0][["value", "lower95", "upper95"]]
    assert lower - 4 * (value - lower) <= true <= upper + 4 * (upper - value)  # beyond in under 10^-7


@pytest.mark.full
def test_sites_without_rows_and_one_category(tmp_path: Path) -> None:
    one = {**COLUMNS, "sex": {**COLUMNS["sex"], "categories": ["F"], "count_missing_as": "F"}}
    asked = plan(columns=one, statistics=[STATISTICS[0], {"id": "sex", "kind": "histogram", "column": "sex"}])
    paths = [Site(seed, rows).publish(tmp_path / str(seed), asked) for seed, rows in ((1, 0), (2, 0), (3, 40))]
    for chosen in (paths[:2], paths):
        found, each = dprelease.combine(*chosen), [tables(path) for path in chosen]
        for name in ("n", "sex"):
            assert found.estimates[name]["value"].tolist() == [sum(int(site[name]["value"][0]) for site in each)]


def test_adjusted_tables_are_adjusted_again_together(tmp_path: Path) -> None:
    asked = plan(
        statistics=[{"id": "sexes", "kind": "crosstab", "columns": ["sex", "ill"]}, STATISTICS[2]],
        postprocess=["consistent", "nonnegative", "integer"],
    )
    paths = [Site(seed).publish(tmp_path / str(seed), asked) for seed in (1, 2)]
    found, each = dprelease.combine(*paths), [tables(path) for path in paths]
    for name in ("sexes", "ages"):
        assert found.estimates[name]["raw"].tolist() == sum(site[name]["raw"] for site in each).tolist()
    assert found.estimates["sexes"]["value"].sum() == found.estimates["ages"]["value"].sum()

"""How much numbers moved to the release that replaces one: signed with the notice, shown, and worked out again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.bundle.notices import Notice
from dprelease.bundle.read import ReadBundle, read
from dprelease.errors import IntegrityError
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.source import PublicFolder
from dprelease.verdict.moved import check_moved
from dprelease.words.pages import tell
from tests.bundle.test_page import Page
from tests.workspace.test_publish import approved


def plan(upper: int, currency: str) -> dict[str, Any]:
    delta = {} if currency == "pure" else {"delta": 1e-6}
    return {
        "dprelease": 1,
        "title": f"Visits up to {upper}",
        "dataset": "t",
        "charts": False,
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 4, **delta},
        "columns": {
            "region": {"type": "category", "categories": ["east", "west", "north"]},
            "age": {"type": "integer", "lower": 0, "upper": upper},
        },
        "statistics": [
            {"id": "regions", "kind": "count", "by": ["region"]},
            {"id": "all", "kind": "count"},
            {"id": "ages", "kind": "histogram", "column": "age", "bins": 2},
            {"id": "middle", "kind": "mean", "column": "age"},
            {"id": "half", "kind": "median", "column": "age"},
        ],
    }


@pytest.fixture(scope="module", params=["pure", "zcdp"])
def replaced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str, str]:
    """The numbers of the west are beyond any noise (1 in 10^40) 500 more in the second release."""
    folder = tmp_path_factory.mktemp("moved")
    workspace = dprelease.Workspace.create(folder / "home")
    workspace.add_population(
        "people", unit="row", neighbors="add_remove", epsilon=20, delta="1e-4", currency=request.param
    )
    rows = [["east", 30]] * 300 + [["west", 50]] * 200 + [["north", 40]] * 100
    ids = []
    for number, (more, upper) in enumerate(((0, 99), (500, 120))):
        frame = pandas.DataFrame([*rows, *[["west", 50]] * more], columns=["region", "age"])
        workspace.add_dataset(f"t{number}", frame, population="people")
        asked = dprelease.Plan.parse({**plan(upper, request.param), "dataset": f"t{number}"})
        older = {"supersedes": ids[0]} if ids else {}
        ids.append(workspace.publish(approved(workspace, asked), **older).id)
    return workspace, ids[0], ids[1]


@pytest.fixture(scope="module")
def told(replaced: tuple[Any, str, str]) -> dict[str, Any]:
    (notice,) = replaced[0].releases.notices(replaced[1])
    return json.loads(json.dumps(notice.statement["statement"]["moved"]))


@pytest.fixture(scope="module")
def both(replaced: tuple[Any, str, str]) -> tuple[ReadBundle, ReadBundle]:
    workspace, *ids = replaced
    first, second = (read(workspace.releases.bundle(each)) for each in ids)
    return first, second


def test_the_notice_has_it_as_values_by_the_noise_of_both(told: dict[str, Any]) -> None:
    assert (told["cells"], told["tables"]) == (4, ["regions", "all"])
    assert told["moved"] >= 2
    assert float(told["most"]["difference"]) == pytest.approx(500, abs=100)
    assert float(told["most"]["lower"]) < float(told["most"]["difference"]) < float(told["most"]["upper"])
    assert told["differ"] == [{"table": each, "what": "columns.age.upper"} for each in ("ages", "middle", "half")]
    assert told["untested"] == []


def test_verify_works_it_out_again_where_both_lie_beside_each_other(
    replaced: tuple[Any, str, str], told: dict[str, Any], both: tuple[ReadBundle, ReadBundle], tmp_path: Path
) -> None:
    workspace, old, new = replaced
    verdict = dprelease.verify(workspace.releases.bundle(old))
    assert [each.values for each in verdict.checks if each.code == "check.moved"] == [{"by": new, "count": 4}]
    assert check_moved(told, *both) == 4
    alone = tmp_path / "public"
    for path in Path(workspace.releases.folder).rglob("*"):
        if path.is_file() and new not in path.parts:
            target = alone / path.relative_to(workspace.releases.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    assert {"cannot.moved"} <= {each.code for each in dprelease.verify(alone / old).cannot_show}


@pytest.mark.parametrize(
    "change",
    [
        {"moved": 0, "most": None},
        {"cells": 3},
        {"median": "0.001"},
        {"tables": ["regions"], "cells": 3},
        {"tables": ["all"], "untested": ["regions"], "cells": 1},
        {"tables": ["all"], "differ": [{"table": "regions", "what": "x"}], "cells": 1},
        {"most": {"table": "regions", "keys": ["west"], "difference": "490", "lower": "400", "upper": "580"}},
        {"differ": []},
    ],
)
def test_another_statement_is_refused(
    change: dict[str, Any], told: dict[str, Any], both: tuple[ReadBundle, ReadBundle]
) -> None:
    with pytest.raises(IntegrityError, match="notices: how much numbers moved"):
        check_moved({**told, **change}, *both)


def test_history_says_it_in_words(replaced: tuple[Any, str, str]) -> None:
    shelf = BundleIndex(PublicFolder(Path(replaced[0].releases.folder)))
    page = Page(Portal(shelf).release(shelf.bundle(replaced[1])))
    text = page.text[page.text.index(tell("history")) :]
    assert "of 4 numbers moved by more than noise explains; most: " in text
    assert "Records by age: cannot be compared: age upper is another." in text


def test_a_notice_that_does_not_say_it_is_none(replaced: tuple[Any, str, str]) -> None:
    (notice,) = replaced[0].releases.notices(replaced[1])
    given = json.loads(json.dumps(notice.statement))
    Notice.read(given)
    for moved in (None, {"cells": "x"}, {**given["statement"]["moved"], "more": 1}):
        with pytest.raises(IntegrityError):
            Notice.read({**given, "statement": {**given["statement"], "moved": moved}})

"""Every public name and every operation has an example in its docstring, and all of them run."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease as dp
from dprelease.workspace import Workspace
from dprelease.workspace.operations import EXAMPLES, Operations, examples

NOUNS = {name: each for name, each in vars(Workspace.in_memory()).items() if isinstance(each, Operations)}
OPERATIONS = [("workspace", Workspace), *((name, type(noun)) for name, noun in NOUNS.items())]
EXAMPLE = re.compile(r"Example:(?: `(.+?)`(?: (raises) )?|\n```\n(.+?)```)", re.S)
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def told(name: str) -> Any:
    return EXAMPLE.search(inspect.cleandoc(getattr(dp, name).__doc__ or ""))


def test_every_operation_has_an_example_in_its_docstring() -> None:
    public = {
        (noun, name): inspect.getdoc(getattr(cls, name))
        for noun, cls in OPERATIONS
        for name in dir(cls)
        if not name.startswith("_")
    }
    assert [place for place, said in public.items() if "Example:\n    >>> " not in (said or "")] == []
    assert {(noun, name) for noun, each in examples().items() for name in each} == set(public)


def test_the_examples_of_operations_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"^# .*$", "", EXAMPLES.read_text(encoding="utf-8"), flags=re.M)
    story = doctest.DocTestParser().get_doctest(text, {}, "examples", str(EXAMPLES), 0)
    heard: list[str] = []
    found = doctest.DocTestRunner(optionflags=OPTIONS).run(story, out=heard.append)
    assert found.attempted > 200
    assert found.failed == 0, "".join(heard)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Names that the examples in docstrings use, as docs/python.md and the examples of operations make them."""
    folder = tmp_path_factory.mktemp("out")
    made: dict[str, Any] = {"dp": dp, "token": "dpr_" + "x" * 43}
    exec(told("Columns")[3], made)
    rows = pandas.DataFrame({"age": [20 + n % 60 for n in range(300)], "ward": ["A", "B", "B"] * 100})
    rows["urgent"] = rows.ward.eq("A") ^ rows.age.mod(5).eq(0)

    class Visits(dp.Columns):
        age = dp.integer(0, 100)
        ward = dp.category("A", "B")
        urgent = dp.boolean()

    asked = dp.plan("visits", Visits, unit="row", neighbors="add_remove", epsilon=40).add(
        dp.histogram(Visits.age, bins=5, id="ages"),
        dp.synthetic([Visits.age, Visits.ward], id="invented"),
        dp.logistic(Visits.urgent, [Visits.age], rounds=0, id="risk"),
        dp.crosstab([Visits.ward, Visits.urgent]),
    )
    for name in ("other", "bundle"):
        ws = Workspace.in_memory()
        columns = asked.schema.said()
        ws.add_dataset("visits", rows, population=ws.add_population(name, unit="row", **CAP).name, columns=columns)
        release = ws.publish(asked)
        made |= {name: release.write(folder), "ws": ws, "release": release, "plan": asked, "rows": rows}
    dp.combine(made["bundle"], made["other"]).write(folder / "together")
    return made


CAP: dict[str, Any] = {"neighbors": "add_remove", "epsilon": 60}
PLAIN = set(dp.__all__) - set(dp.KINDS.split()) - set(dp.MADE.split())
"""Names whose examples tests/plans does not try."""


@pytest.mark.parametrize("name", sorted({*PLAIN, "per", "error"} - {"errors"}))
def test_the_example_of_a_public_name_runs(name: str, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(name)
    assert found is not None, "an example is missing"
    monkeypatch.chdir(names["bundle"].parent)
    code, raises, block = found.groups()
    if block:
        exec(block, names)
    elif raises:
        with pytest.raises(getattr(dp, name)):
            eval(code, names)
    else:
        eval(code, names)

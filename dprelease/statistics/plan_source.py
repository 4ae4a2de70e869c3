"""Code and notebooks that make a plan: its columns as a class, its statistics as calls. Made of the plan alone."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import dprelease.statistics  # noqa: F401 (fills KINDS)
from dprelease.model.code import Columns
from dprelease.model.column import DISCOVER
from dprelease.model.column_options import (
    ColumnName,
    ColumnNames,
    ColumnSets,
    LevelByColumn,
    MissingByColumn,
    WholeByColumn,
)
from dprelease.model.condition import Condition
from dprelease.model.model_options import PairOption
from dprelease.model.options import Conditions, Option, Questions
from dprelease.model.plan import Plan
from dprelease.model.plan_code import CHANGES, PRIVACY_KEYS, usual_id
from dprelease.model.schema import Schema
from dprelease.model.statistic import SHARE_KEYS, Statistic
from dprelease.words import phrase

WIDTH = 100


class _Source:
    """Source of a plan, or of columns: by which words these are named."""

    def __init__(self, dataset: str, columns: Mapping[str, Any]) -> None:
        self.columns = columns
        words = re.sub(r"[^A-Za-z0-9]+", " ", dataset).title().replace(" ", "")
        self.name = words if words.isidentifier() and not keyword.iskeyword(words) else "Table"
        self.is_class = all(map(_is_word, self.columns))

    def column(self, name: str) -> str:
        if name not in self.columns:
            return f"dp.col({name!r})"
        return f"{self.name}.{name}" if self.is_class else f"{self.name}[{name!r}]"

    def declarations(self) -> str:
        if not self.columns:
            return ""
        lines = {name: self._declared(dict(said)) for name, said in self.columns.items()}
        if self.is_class:
            body = "\n".join(f"    {name} = {said}" for name, said in lines.items())
            return f"class {self.name}(dp.Columns):\n{body}\n\n\n"
        body = "".join(f"    {name!r}: {said},\n" for name, said in lines.items())
        return f"{self.name} = dp.Columns.of({{\n{body}}})\n"

    def _declared(self, said: dict[str, Any]) -> str:
        if "made" in said:
            return _call("dp.made", [repr(said.pop("made"))], said)
        type_, given = said.pop("type"), [repr(said.pop(end)) for end in ("lower", "upper") if end in said]
        if said.get("categories") == DISCOVER:
            said["discover"] = said.pop("categories") == DISCOVER
        given += [repr(each) for each in said.pop("categories", ())]
        return _call(f"dp.{type_}", given, said)

    def condition(self, said: Mapping[str, Any]) -> str:
        """Return one condition; as in a plan file where code has no word for it."""
        column, tests = self.column(said["column"]), {key: each for key, each in said.items() if key != "column"}
        listed = "" if tests.keys() != {"in"} else ", ".join(map(repr, tests["in"]))
        words = {
            ("at_least",): f"({column} >= {tests.get('at_least')!r})",
            ("at_most",): f"({column} <= {tests.get('at_most')!r})",
            ("at_least", "at_most"): f"{column}.between({tests.get('at_least')!r}, {tests.get('at_most')!r})",
            ("equals",): f"{column}.is_({tests.get('equals')!r})",
            ("in",): f"{column}.isin({listed})",
        }
        return words.get(tuple(tests)) or repr(dict(said))

    def conditions(self, said: Sequence[Condition]) -> str:
        found = [self.condition(each.to_mapping()) for each in said]
        return f"[{', '.join(found)}]" if any(each[0] == "{" for each in found) else " & ".join(found)

    def value(self, reader: Option, value: Any) -> str:
        if isinstance(reader, Conditions):
            return self.conditions(value)
        if isinstance(reader, Questions):
            return _literal({repr(label): self.conditions(each) for label, each in value})
        said = reader.write(value)
        if isinstance(reader, ColumnName):
            return self.column(said)
        if isinstance(reader, ColumnNames):
            names = [self.column(each) for each in said]
            return names[0] if len(names) == 1 else f"[{', '.join(names)}]"
        if isinstance(reader, LevelByColumn | MissingByColumn | WholeByColumn):
            return _literal({self.column(name): repr(each) for name, each in said.items()})
        if isinstance(reader, ColumnSets | PairOption) and not isinstance(said, str):
            return "[" + ", ".join("[" + ", ".join(map(self.column, each)) + "]" for each in said) + "]"
        return repr(said)

    def statistic(self, statistic: Statistic, said: Mapping[str, Any]) -> str:
        options = statistic.options()
        given = [self.value(options[key], getattr(statistic, key)) for key in statistic.required()]
        others = [key for key in options if key in said and key not in statistic.required()]
        named = {key: self.value(options[key], getattr(statistic, key)) for key in others}
        if statistic.target_error is not None:
            target = statistic.target_error
            named["target_error"] = f"dp.error({_number(target.value)}, {_number(target.confidence)})"
        named |= {key: repr(said[key]) for key in SHARE_KEYS if key in said and key != "target_error"}
        if statistic.id != usual_id(statistic):
            named["id"] = repr(statistic.id)
        return _line(f"dp.{statistic.kind}", [*given, *(f"{key}={each}" for key, each in named.items())])

    def text(self, plan: Plan) -> str:
        mapping = plan.to_mapping()
        unit, privacy = plan.unit, mapping["privacy"]
        said: dict[str, str] = {"unit": "'row'"}
        if unit.column is not None:
            rest = {key: each for key, each in unit.to_mapping().items() if key != "column"}
            said["unit"] = _call("dp.per", [self.column(unit.column)], rest)
        said |= {key: repr(privacy[key]) for key in PRIVACY_KEYS[1:] if privacy[key] != 0}
        for key in CHANGES:
            if key in mapping and key not in {"dataset", "columns", *PRIVACY_KEYS}:
                said[key] = self.conditions(plan.where) if key == "where" else repr(mapping[key])
        given = [repr(plan.dataset), *([self.name] if self.columns else [])]
        lines = [f"    {each},\n" for each in [*given, *(f"{key}={each}" for key, each in said.items())]]
        pairs = zip(plan.statistics, mapping["statistics"], strict=True)
        asked = "".join(f"    {self.statistic(*each)},\n" for each in pairs)
        late = [key for key in ("lead", "texts", "derived", "accept") if key in said]
        if late:  # they name statistics, which are there once they are added
            lines = [line for line in lines if line.strip().partition("=")[0] not in late]
        more = f".replace({', '.join(f'{key}={said[key]}' for key in late)})" if late else ""
        return f"plan = dp.plan(\n{''.join(lines)}).add(\n{asked}){more}\n"


def _is_word(name: str) -> bool:
    """Return True if a column can be an attribute of a class of columns."""
    return name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_" and not hasattr(Columns, name)


def _number(number: Decimal) -> str:
    return str(number) if "E" not in str(number) else repr(str(number))


def _call(name: str, given: Sequence[str], named: Mapping[str, Any]) -> str:
    return f"{name}({', '.join([*given, *(f'{key}={value!r}' for key, value in named.items())])})"


def _line(name: str, given: Sequence[str]) -> str:
    line = f"{name}({', '.join(given)})"
    return line if len(line) <= WIDTH else f"{name}(\n{''.join(f'        {each},{chr(10)}' for each in given)}    )"


def _literal(pairs: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}"


def script(plan: Plan) -> str:
    """Return Python code that makes the plan: of the same digest, and so the same release when it is published."""
    source = _Source(plan.dataset, plan.schema.to_mapping())
    return f"import dprelease as dp\n\n\n{source.declarations()}{source.text(plan)}"


def columns(dataset: str, schema: Schema) -> str:
    """Return Python code that declares the columns of a registered table as a class."""
    return f"import dprelease as dp\n\n\n{_Source(dataset, schema.to_mapping()).declarations().rstrip()}\n"


def notebook(plan: Plan) -> str:
    """Return a notebook (nbformat 4.5) that makes, prices, tries on look-alike rows and publishes the plan.

    It is made of the plan alone, in the language that is spoken, and the same bytes each time.
    """
    source = _Source(plan.dataset, plan.schema.to_mapping())
    code = {
        "columns": f"import dprelease as dp\n\n\n{source.declarations().rstrip()}".rstrip(),
        "plan": f"{source.text(plan)}assert plan.hash == {plan.hash!r}",
        "price": "workspace = dp.Workspace.open('data/workspace')\nworkspace.price(plan)",
        "sweep": f"dp.sweep(workspace.price(plan).plan, epsilon=[{', '.join(_rungs(plan))}]).plot()",
        "look": "look = workspace.plans.look(plan, invented=True)  # no row is read\nlook.draw(look.names[0])",
        "publish": "release = workspace.publish(plan)\nrelease",
        "tables": "{name: release.estimates[name] for name in release.tables}",
    }
    cells = [_cell("title", "markdown", f"# {plan.title or plan.dataset}")]
    for key, text in code.items():
        cells += [
            _cell(f"{key}-words", "markdown", str(phrase(f"statistics.notebook_{key}"))),
            _cell(key, "code", text),
        ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    book = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _rungs(plan: Plan) -> list[str]:
    return [_number((plan.epsilon * times).normalize()) for times in (Decimal("0.5"), Decimal(1), Decimal(2))]


def _cell(name: str, type_: str, text: str) -> dict[str, Any]:
    made: dict[str, Any] = {"execution_count": None, "outputs": []} if type_ == "code" else {}
    return {"cell_type": type_, "id": name, "metadata": {}, "source": text.splitlines(keepends=True), **made}

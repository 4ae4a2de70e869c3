"""Trial of a model in the browser: the form for its inputs, and the data from which model.js predicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from dprelease.bundle.coefficients import coefficients, unborne
from dprelease.bundle.model_card import NamedModel, named_model
from dprelease.model.function.facts import (
    Bayes,
    ByGroup,
    ClusterFacts,
    ComponentFacts,
    Input,
    LinearFacts,
    Nothing,
    ScorecardFacts,
    categories,
)
from dprelease.model.function.fitted import FittedModel
from dprelease.model.function.inputs import FIRST_DAY, InputReader
from dprelease.model.function.parts import Steps
from dprelease.model.release import Release
from dprelease.model.statistic import statistic_of
from dprelease.statements.display import shown_key
from dprelease.statements.question import StatisticLabel
from dprelease.words.releases import say

MODEL_SCRIPT = "model.js"
MAX_INPUTS = 40
MAX_CHOICES = 500
"""Largest number of categories in a list: a model with a longer one is tried with a program."""


def tried(release: Release, table: str) -> Mapping[str, Any] | None:
    """Return the form of a model that predicts, before the first of its tables, and its data; None elsewhere."""
    statistic = statistic_of(table)
    named = named_model(release, table)
    if named is None or table != release.certificate.statistic(table).tables[0] or not _may_be_tried(named):
        return None
    if unborne(coefficients(release, statistic))[0]:
        return None  # a prediction would rest on digits that noise made; the card says so
    question = StatisticLabel.of(release.certificate, table).name
    return {"id": statistic, "question": question, "fields": list(_fields(named)), "data": in_browser(named, statistic)}


def _may_be_tried(named: NamedModel) -> bool:
    inputs, predicts = named.facts.inputs, not isinstance(named.facts.function, Nothing)
    return predicts and 0 < len(inputs) <= MAX_INPUTS and all(len(categories(each)) <= MAX_CHOICES for each in inputs)


def _fields(named: NamedModel) -> Iterator[Mapping[str, Any]]:
    """Yield the form's fields: set to the middle of the declared bounds, or to the first category."""
    for given in named.facts.inputs:
        label = named.title(given.column)
        if not given.is_ordered:
            choices = [(each, named.value(given.column, each)) for each in categories(given)]
            yield {"label": label, "choices": choices, "type": "select", "help": ""}
            continue
        first, last = (shown_key(end) for end in (given.lower, given.upper))
        yield {
            "label": label,
            "choices": (),
            "type": "date" if given.type == "date" else "number",
            "lower": given.lower,
            "upper": given.upper,
            "step": given.resolution if given.type == "integer" else "any",
            "begin": middle(given),
            "help": say("range", first=first, last=last),
        }


def middle(given: Input) -> str:
    """Return the declared value nearest to the middle of the bounds, as a form has it."""
    lower, upper = InputReader(given).bounds
    step = float(given.resolution or 1)
    found = lower + step * round((upper - lower) / 2 / step)
    if given.type == "date":
        return date.fromordinal(int(found) + FIRST_DAY).isoformat()
    return f"{found:.12g}"


def in_browser(named: NamedModel, statistic: str) -> Mapping[str, Any]:
    """Return the function as model.js takes it: the same numbers as in models/ID.json, one part per input."""
    facts, function = named.facts, named.facts.function
    if isinstance(function, ByGroup):
        return _by_group(named, function, statistic)
    model = FittedModel(facts)
    told: dict[str, Any] = {
        "id": statistic,
        "link": function.link,
        "base": list(model.base),
        "measure": named.outcome,
        "outputs": _outputs(named),
        "inputs": [_input(named, reader, part) for reader, part in model.parts],
    }
    if isinstance(function, LinearFacts | ScorecardFacts):
        told["positive"] = named.positive
        if function.covariance:
            told |= {"covariance": [list(row) for row in function.covariance], "design": list(_design(named))}
    if isinstance(function, LinearFacts):
        told |= {"lower": function.lower, "upper": function.upper}
    if isinstance(function, ClusterFacts):
        told["fuzziness"] = function.fuzziness
    return told


def _by_group(named: NamedModel, function: ByGroup, statistic: str) -> Mapping[str, Any]:
    """Return the functions of all groups; the input of the group selects one of them in its part."""
    groups = [in_browser(own, statistic) for _, own in named.groups]
    inputs = {each["column"]: each for each in groups[0]["inputs"]}
    (by,) = [each for each in named.facts.inputs if each.column == function.column]
    own = _input(named, InputReader(by), Steps(tuple((float(place),) for place in range(len(groups)))))
    every = [inputs.get(each.column, own) for each in named.facts.inputs]
    return {"id": statistic, "by": named.facts.inputs.index(by), "groups": groups, "inputs": every}


def _input(named: NamedModel, reader: InputReader, part: Any) -> Mapping[str, Any]:
    given = reader.given
    told: dict[str, Any] = {
        "column": given.column,
        "label": named.title(given.column),
        "type": given.type,
        "part": part.to_mapping(),
    }
    if given.is_ordered:
        lower, upper = reader.bounds
        told |= {"lower": lower, "upper": upper, "starts": list(reader.starts), "begin": middle(given)}
        told["ends"] = [shown_key(end) for end in (given.lower, given.upper)]
    else:
        told["categories"] = list(categories(given))
        told["begin"] = told["categories"][0] if told["categories"] else ""
    return told | ({"labels": named.values(given)} if isinstance(part, Steps) else {})


def _outputs(named: NamedModel) -> list[str]:
    """Return the name of each score."""
    function = named.facts.function
    if isinstance(function, Bayes):
        outcome = named.facts.outcome
        return [named.value(outcome.column, each) if outcome else each for each in function.classes]
    if isinstance(function, ClusterFacts):
        return [say("model_group", number=place + 1) for place in range(len(function.centres))]
    if isinstance(function, ComponentFacts):
        return [say("model_component", number=place + 1) for place in range(len(function.axes))]
    return [named.positive or named.outcome]


def _design(named: NamedModel) -> Iterator[tuple[int, int | None]]:
    """Yield, for each parameter after the intercept, the places of its input and bin or category; None for a number."""
    function, inputs = named.facts.function, {each.column: place for place, each in enumerate(named.facts.inputs)}
    assert isinstance(function, LinearFacts | ScorecardFacts)
    if isinstance(function, ScorecardFacts):
        for points in function.terms:
            yield from ((inputs[points.column], place) for place in range(len(points.points)))
        return
    for term in function.terms:
        own = inputs[term.column]
        yield own, None if term.category is None else categories(named.facts.inputs[own]).index(term.category)

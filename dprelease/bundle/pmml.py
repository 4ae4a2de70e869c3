"""Published model in the Predictive Model Markup Language 4.4 of the Data Mining Group: models/ID.pmml.

Inputs outside of the declared bounds are cut, missing and undeclared ones are invalid, as in `FittedModel`. Memberships
of fuzzy clusters and principal components have no element there: the former are given as the nearest centre, the
latter have no such file.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from dprelease.bundle.coefficients import coefficients, unborne
from dprelease.errors import InputError
from dprelease.model.function.facts import (
    Bayes,
    ByGroup,
    ClusterFacts,
    ComponentFacts,
    Input,
    Likelihood,
    LinearFacts,
    ModelFacts,
    Nothing,
    ScorecardFacts,
)
from dprelease.model.function.facts import categories as declared
from dprelease.model.function.inputs import InputReader
from dprelease.model.release import FittedOutput, Release
from dprelease.model.statistic import statistic_of
from dprelease.words.phrases import visible

PMML = "http://www.dmg.org/PMML-4_4"
TYPES = {
    "integer": ("double", "continuous"),  # values between whole numbers count too
    "number": ("double", "continuous"),
    "date": ("double", "continuous"),  # days since 1970-01-01: readers cannot cut dates of their own type at bounds
    "boolean": ("string", "categorical"),
    "category": ("string", "categorical"),
}
DAYS = "days since 1970-01-01"


def pmml_files(release: Release) -> dict[str, bytes]:
    """Return every such file by its path: of each model that this version knows and PMML can express."""
    return {pmml_path(name): pmml(facts, name) for name in release.outputs if (facts := _sayable(release, name))}


def pmml_of(release: Release, table: str) -> str | None:
    """Return the PMML path of the model that a table belongs to; None where there is none."""
    name = statistic_of(table)
    return pmml_path(name) if _sayable(release, name) else None


def _sayable(release: Release, statistic: str) -> ModelFacts | None:
    """Return the model's facts where PMML can express it and each of its coefficients can be quoted; else None."""
    output = release.outputs.get(statistic)
    facts = known(output) if isinstance(output, FittedOutput) else None
    if facts is None or isinstance(facts.function, ComponentFacts | Nothing):
        return None
    hidden, _ = unborne(coefficients(release, statistic))
    return None if hidden else facts


def pmml_path(statistic: str) -> str:
    """Return the path of a model as PMML."""
    return f"models/{statistic}.pmml"


def known(output: FittedOutput) -> ModelFacts | None:
    """Return a model's facts; None where this version cannot compute it."""
    try:
        return ModelFacts.read(output.facts)
    except InputError:
        return None


def pmml(facts: ModelFacts, name: str) -> bytes:
    """Write the file; the same bytes for the same facts. `name`: of the model."""
    root = Element("PMML", {"xmlns": PMML, "version": "4.4"})
    SubElement(SubElement(root, "Header"), "Application", {"name": "dprelease"})
    dictionary = SubElement(root, "DataDictionary")
    for each in facts.inputs:
        _data_field(dictionary, each)
    if facts.outcome is not None:
        _data_field(dictionary, _target(facts))
    function = facts.function
    if isinstance(function, LinearFacts):
        _regression(root, facts, function, name)
    elif isinstance(function, ByGroup):
        _by_group(root, facts, function, name)
    elif isinstance(function, ScorecardFacts):
        _scorecard(root, facts, function, name)
    elif isinstance(function, Bayes):
        _bayes(root, facts, function, name)
    elif isinstance(function, ClusterFacts):
        _clusters(root, facts, function, name)
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _target(facts: ModelFacts) -> Input:
    """Return the outcome; in a model of classes with its classes as categories."""
    assert facts.outcome is not None
    function = facts.function
    if not isinstance(function, Bayes) and not (isinstance(function, LinearFacts) and function.link == "logit"):
        return facts.outcome
    return Input(column=facts.outcome.column, type="category", categories=_classes(facts))


def _classes(facts: ModelFacts) -> tuple[str, ...]:
    function = facts.function
    if isinstance(function, Bayes):
        return function.classes
    assert isinstance(function, LinearFacts) and function.positive is not None
    others = [each for each in (declared(facts.outcome) if facts.outcome else ()) if each != function.positive]
    return (others[0] if len(others) == 1 else f"not {function.positive}", function.positive)


def _data_field(dictionary: Element, given: Input) -> None:
    kind, operations = TYPES[given.type]
    field = SubElement(dictionary, "DataField", {"name": _said(given.column), "optype": operations, "dataType": kind})
    if given.type == "date":
        field.attrib["displayName"] = DAYS
    for category in () if given.is_ordered else declared(given):
        SubElement(field, "Value", {"value": _said(category)})


def _model(root: Element, tag: str, facts: ModelFacts, name: str, **told: str) -> Element:
    """Add an element with its mining schema."""
    model = SubElement(root, tag, {"modelName": name, **told})
    schema = SubElement(model, "MiningSchema")
    for each in facts.inputs:
        field = SubElement(
            schema, "MiningField", {"name": _said(each.column), "missingValueTreatment": "returnInvalid"}
        )
        if each.is_ordered:
            lower, upper = InputReader(each).bounds
            field.attrib |= {"outliers": "asExtremeValues", "lowValue": _text(lower), "highValue": _text(upper)}
    if facts.outcome is not None:
        SubElement(schema, "MiningField", {"name": _said(facts.outcome.column), "usageType": "target"})
    return model


def _regression(root: Element, facts: ModelFacts, function: LinearFacts, name: str) -> None:
    if function.link == "logit":
        told = {"functionName": "classification", "normalizationMethod": "logit"}
        model = _model(root, "RegressionModel", facts, name, **told)
        other, positive = classes = _classes(facts)
        _probabilities(model, classes)
        _table(model, function, targetCategory=_said(positive))
        SubElement(model, "RegressionTable", {"intercept": "0", "targetCategory": _said(other)})
        return
    model = _model(root, "RegressionModel", facts, name, functionName="regression")
    bounds = {"min": function.lower, "max": function.upper}
    told = {end: _text(bound) for end, bound in bounds.items() if bound is not None}
    if told and facts.outcome is not None:
        SubElement(SubElement(model, "Targets"), "Target", {"field": _said(facts.outcome.column), **told})
    _table(model, function)


def _by_group(root: Element, facts: ModelFacts, function: ByGroup, name: str) -> None:
    """Add a regression for each category of an input; a row uses that of its own category."""
    model = _model(root, "MiningModel", facts, name, functionName="regression")
    chosen = SubElement(model, "Segmentation", {"multipleModelMethod": "selectFirst"})
    for place, (category, own) in enumerate(facts.by_group, start=1):
        segment = SubElement(chosen, "Segment", {"id": f"{place}"})
        told = {"field": _said(function.column), "operator": "equal", "value": _said(category)}
        SubElement(segment, "SimplePredicate", told)
        assert isinstance(own.function, LinearFacts)
        _regression(segment, own, own.function, f"{name} {place}")


def _probabilities(model: Element, classes: Sequence[str]) -> None:
    output = SubElement(model, "Output")
    for each in classes:
        told = {"name": f"probability({_said(each)})", "optype": "continuous", "dataType": "double"}
        SubElement(output, "OutputField", {**told, "feature": "probability", "value": _said(each)})


def _table(model: Element, function: LinearFacts, **told: str) -> None:
    table = SubElement(model, "RegressionTable", {"intercept": _text(function.intercept), **told})
    numbers = [each for each in function.terms if each.category is None]
    for each in numbers:  # these come first, as the schema of PMML wants it
        SubElement(table, "NumericPredictor", {"name": _said(each.column), "coefficient": _text(each.coefficient)})
    for each in function.terms:
        if each.category is not None:
            told = {"name": _said(each.column), "value": _said(each.category), "coefficient": _text(each.coefficient)}
            SubElement(table, "CategoricalPredictor", told)


def _scorecard(root: Element, facts: ModelFacts, function: ScorecardFacts, name: str) -> None:
    """Add a scorecard. The score is the log-odds; its output `probability` is that of the positive class."""
    told = {"functionName": "regression", "initialScore": _text(function.intercept), "useReasonCodes": "false"}
    score_only = ModelFacts(kind=facts.kind, inputs=facts.inputs, outcome=None, function=function)
    model = _model(root, "Scorecard", score_only, name, **told)
    output = SubElement(model, "Output")
    for field, feature in (("score", "predictedValue"), ("probability", "transformedValue")):
        told = {"name": field, "optype": "continuous", "dataType": "double", "feature": feature}
        SubElement(output, "OutputField", told)
    _one_over_one_plus_exp(output[-1])
    characteristics = SubElement(model, "Characteristics")
    inputs = {each.column: each for each in facts.inputs}
    for term in function.terms:
        own = SubElement(characteristics, "Characteristic", {"name": _said(term.column)})
        for points, place in zip(term.points, range(len(term.points)), strict=True):
            _within(SubElement(own, "Attribute", {"partialScore": _text(points)}), inputs[term.column], place)


def _one_over_one_plus_exp(field: Element) -> None:
    apply = SubElement(field, "Apply", {"function": "/"})
    SubElement(apply, "Constant", {"dataType": "double"}).text = "1"
    whole = SubElement(apply, "Apply", {"function": "+"})
    SubElement(whole, "Constant", {"dataType": "double"}).text = "1"
    power = SubElement(SubElement(whole, "Apply", {"function": "exp"}), "Apply", {"function": "*"})
    SubElement(power, "Constant", {"dataType": "double"}).text = "-1"
    SubElement(power, "FieldRef", {"field": "score"})


def _within(attribute: Element, given: Input, place: int) -> None:
    """Add the predicate of a bin or category."""
    field = _said(given.column)
    if not given.edges:
        told = {"field": field, "operator": "equal", "value": _said(declared(given)[place])}
        SubElement(attribute, "SimplePredicate", told)
        return
    lower, upper = _margins(given)[place]
    ends = [("greaterOrEqual", lower), ("lessThan", upper)]
    stated = [{"field": field, "operator": way, "value": _text(end)} for way, end in ends if end is not None]
    if not stated:
        SubElement(attribute, "True")
        return
    into = attribute if len(stated) == 1 else SubElement(attribute, "CompoundPredicate", {"booleanOperator": "and"})
    for told in stated:
        SubElement(into, "SimplePredicate", told)


def _margins(given: Input) -> list[tuple[float | None, float | None]]:
    """Return the start of each bin and of the next; the first and the last have no end, since values are clipped."""
    starts = InputReader(given).starts
    return list(zip((None, *starts), (*starts, None), strict=True))


def _bayes(root: Element, facts: ModelFacts, function: Bayes, name: str) -> None:
    """Add a naive Bayes model with shares as counts: the likelihood is a count over their sum, which is 1."""
    model = _model(root, "NaiveBayesModel", facts, name, functionName="classification", threshold="0")
    _probabilities(model, function.classes)
    own, inputs = SubElement(model, "BayesInputs"), {each.column: each for each in facts.inputs}
    for term in function.terms:
        given = inputs[term.column]
        line = SubElement(own, "BayesInput", {"fieldName": _said(term.column)})
        if term.means:
            _normal(line, function, term)
            continue
        values = [f"{place}" for place in range(len(term.logs[0]))] if given.edges else [*map(_said, declared(given))]
        if given.edges:
            _discretize(line, given)
        for place, value in enumerate(values):
            counts = SubElement(SubElement(line, "PairCounts", {"value": value}), "TargetValueCounts")
            for label, row in zip(function.classes, term.logs, strict=True):
                told = {"value": _said(label), "count": _text(_share(row[place]))}
                SubElement(counts, "TargetValueCount", told)
    assert facts.outcome is not None
    output = SubElement(model, "BayesOutput", {"fieldName": _said(facts.outcome.column)})
    counts = SubElement(output, "TargetValueCounts")
    for label, prior in zip(function.classes, function.priors, strict=True):
        SubElement(counts, "TargetValueCount", {"value": _said(label), "count": _text(_share(prior))})


def _normal(line: Element, function: Bayes, term: Likelihood) -> None:
    stats = SubElement(line, "TargetValueStats")
    for label, mean, deviation in zip(function.classes, term.means, term.deviations, strict=True):
        told = {"mean": _text(mean), "variance": _text(deviation * deviation)}
        SubElement(SubElement(stats, "TargetValueStat", {"value": _said(label)}), "GaussianDistribution", told)


def _discretize(line: Element, given: Input) -> None:
    field = _said(given.column)
    told = {"name": f"{field} bin", "optype": "categorical", "dataType": "string"}
    bins = SubElement(SubElement(line, "DerivedField", told), "Discretize", {"field": field})
    for place, (lower, upper) in enumerate(_margins(given)):
        ends = {"leftMargin": lower, "rightMargin": upper}
        closure = "closedOpen" if lower is not None else "openOpen"
        margins = {name: _text(end) for name, end in ends.items() if end is not None}
        SubElement(
            SubElement(bins, "DiscretizeBin", {"binValue": f"{place}"}), "Interval", {"closure": closure, **margins}
        )


def _clusters(root: Element, facts: ModelFacts, function: ClusterFacts, name: str) -> None:
    """Add a clustering model with squared distances in widths."""
    told = {"modelClass": "centerBased", "numberOfClusters": f"{len(function.centres)}"}
    model = _model(root, "ClusteringModel", facts, name, functionName="clustering", **told)
    SubElement(SubElement(model, "ComparisonMeasure", {"kind": "distance"}), "squaredEuclidean")
    for each, width in zip(facts.inputs, function.widths, strict=True):
        weight = _text(1 / (width * width))
        told = {"field": _said(each.column), "compareFunction": "absDiff", "fieldWeight": weight}
        SubElement(model, "ClusteringField", told)
    for place, centre in enumerate(function.centres):
        numbers = SubElement(
            SubElement(model, "Cluster", {"id": f"{place}"}), "Array", {"n": f"{len(centre)}", "type": "real"}
        )
        numbers.text = " ".join(map(_text, centre))


def _share(log: float) -> float:
    """Return exp(log) to nine digits: machines may differ in the last one of an exponential."""
    return float(f"{exp(log):.9g}")


def _text(number: float) -> str:
    """Return the shortest decimal that is the same double."""
    return repr(number)


def _said(text: str) -> str:
    """Return a name or category without characters that XML cannot hold."""
    return visible(text)

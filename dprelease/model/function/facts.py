"""Fields of models/ID.json: the inputs that a model takes, and the function that makes a value of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import Struct

from dprelease.errors import InputError
from dprelease.words import phrase

VERSION = 1
"""Version of the file's format."""
Number = int | float
Edge = Number | str
"""A number, or the day of a date column."""


class Input(Struct, frozen=True, kw_only=True):
    """A declared column that the function looks at, or the one that it is about."""

    column: str
    type: Literal["integer", "number", "boolean", "category", "date"]
    lower: Edge | None = None
    upper: Edge | None = None
    resolution: Number | None = None
    categories: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    """Edges of bins: k + 1 for k bins, the last bin closed; none of a column that enters as a number or by its
    categories.
    """

    @property
    def is_ordered(self) -> bool:
        return self.type not in ("boolean", "category")


class CoefficientFacts(Struct, frozen=True, kw_only=True):
    """A slope, or what a category adds."""

    column: str
    coefficient: Number
    category: str | None = None


class PointFacts(Struct, frozen=True, kw_only=True):
    """Log-odds by bin or category, in the order of the input."""

    column: str
    points: tuple[Number, ...]


class Likelihood(Struct, frozen=True, kw_only=True):
    """Likelihood of a value in each class: log-probabilities by bin, or a normal distribution."""

    column: str
    logs: tuple[tuple[Number, ...], ...] = ()
    means: tuple[Number, ...] = ()
    deviations: tuple[Number, ...] = ()


class LinearFacts(Struct, frozen=True, kw_only=True):
    """intercept + Σ coefficient · value: as it is, cut at `lower` and `upper`, or as log-odds of `positive`."""

    link: Literal["identity", "logit"]
    intercept: Number
    terms: tuple[CoefficientFacts, ...]
    lower: Number | None = None
    upper: Number | None = None
    positive: str | None = None
    method: str | None = None
    """Another way to fit it than the usual one of its kind."""
    through_origin: bool = False
    """The intercept is 0 as was asked, not as was found: the table of coefficients has no row for it."""
    intervals: Literal["normal", "region", "quotient", "none"] | None = None
    """Kind of a line's intervals: one clear solution, a region of all coefficients, or the quotient of two sums."""
    bins_used: int | None = None
    """Number of input bins with rows that stand out of the noise, for a line through medians."""
    covariance: tuple[tuple[Number, ...], ...] = ()
    """Covariance of the intercept and each coefficient, due to the noise alone; empty where it is not stated."""


class Nothing(Struct, frozen=True, kw_only=True):
    """No function: fewer than two bins of the input had rows, so that no line through their medians is told."""

    link: Literal["none"]
    method: str
    bins_used: int


class GroupFacts(Struct, frozen=True, kw_only=True):
    """The function of the rows that have one category."""

    category: str
    function: LinearFacts


class ByGroup(Struct, frozen=True, kw_only=True):
    """A function for each category of an input, in the order of the input."""

    link: Literal["by"]
    column: str
    groups: tuple[GroupFacts, ...]


class ScorecardFacts(Struct, frozen=True, kw_only=True):
    """intercept + Σ points: the log-odds of `positive`."""

    link: Literal["logit"]
    positive: str
    intercept: Number
    terms: tuple[PointFacts, ...]
    joint: Literal["whole", "sampled", "none", "constant"] | None = None
    """Joint distribution of all inputs that it was fitted by, where pairs of them were counted."""
    covariance: tuple[tuple[Number, ...], ...] = ()
    """Covariance of the intercept and all points in their order, as in `LinearFacts`."""


class Bayes(Struct, frozen=True, kw_only=True):
    """priors + Σ log-likelihoods, by class."""

    link: Literal["bayes"]
    classes: tuple[str, ...]
    priors: tuple[Number, ...]
    terms: tuple[Likelihood, ...]


class ClusterFacts(Struct, frozen=True, kw_only=True):
    """Centres, and how wide each input is: distances are taken in widths."""

    link: Literal["nearest", "fuzzy"]
    centres: tuple[tuple[Number, ...], ...]
    widths: tuple[Number, ...]
    fuzziness: Number = 2


class ComponentFacts(Struct, frozen=True, kw_only=True):
    """Σ loading · (value − mean) / width, by component."""

    link: Literal["project"]
    means: tuple[Number, ...]
    widths: tuple[Number, ...]
    axes: tuple[tuple[Number, ...], ...]
    intervals: Literal["approximate"] = "approximate"
    """Kind of intervals: those of the tables hold about as often as 95 % do, by a first-order rule."""


Function = LinearFacts | Nothing | ByGroup | ScorecardFacts | Bayes | ClusterFacts | ComponentFacts
FUNCTIONS: Mapping[str, type[Struct]] = {
    "linear": LinearFacts,
    "logistic": LinearFacts,
    "scorecard": ScorecardFacts,
    "naive_bayes": Bayes,
    "clusters": ClusterFacts,
    "components": ComponentFacts,
}
"""Class of function by kind of statistic."""
OTHERS: Mapping[tuple[str, str], type[Struct]] = {("linear", "by"): ByGroup, ("linear", "none"): Nothing}
"""Classes of function that `linear` has instead, by link."""


class ModelFacts(Struct, frozen=True, kw_only=True):
    """All facts of a model file."""

    FILE: ClassVar[str] = "models/ID.json"
    kind: str
    inputs: tuple[Input, ...]
    outcome: Input | None
    function: Function
    held_out: Number | None = None
    """Part of the units that it was tested on, and not fitted to."""

    @property
    def by_group(self) -> tuple[tuple[str, ModelFacts], ...]:
        """Categories of the grouping input, each with the model of its rows; else empty."""
        function = self.function
        if not isinstance(function, ByGroup):
            return ()
        inputs = tuple(each for each in self.inputs if each.column != function.column)
        return tuple(
            (each.category, ModelFacts(kind=self.kind, inputs=inputs, outcome=self.outcome, function=each.function))
            for each in function.groups
        )

    @classmethod
    def read(cls, facts: object) -> ModelFacts:
        """Return the facts of a model. Raises InputError for what is none, or one of a later format."""
        if not isinstance(facts, Mapping) or "function" not in facts:
            raise InputError("model", found=phrase("model.another_file"), allowed=phrase("model.a_model"))
        if facts.get("model") != VERSION or facts.get("kind") not in FUNCTIONS:
            raise InputError("model", found=facts.get("kind"), allowed=phrase("model.a_model_known"))
        try:
            inputs = msgspec.convert(facts["inputs"], tuple[Input, ...])
            outcome = msgspec.convert(facts.get("outcome"), Input | None)
            held_out = msgspec.convert(facts.get("held_out"), Number | None)
            kind = OTHERS.get((facts["kind"], facts["function"].get("link")), FUNCTIONS[facts["kind"]])
            function: Any = msgspec.convert(facts["function"], kind)
        except (msgspec.ValidationError, KeyError, AttributeError):
            raise _broken() from None
        found = cls(kind=facts["kind"], inputs=inputs, outcome=outcome, function=function, held_out=held_out)
        if not found._fits():
            raise _broken()
        return found

    def _fits(self) -> bool:
        """Return True if all lists have matching lengths, and each number is one."""
        columns = {each.column: each for each in self.inputs}
        function, sizes = self.function, {name: _places(each) for name, each in columns.items()}
        if len(columns) != len(self.inputs) or not _finite(msgspec.to_builtins(function)):
            return False
        if any(each.is_ordered and (each.lower is None or each.upper is None) for each in self.inputs):
            return False
        if isinstance(function, ByGroup):
            declared = categories(columns[function.column]) if function.column in columns else ()
            named = tuple(each.category for each in function.groups)
            return len(named) > 0 and named == declared and all(each._fits() for _, each in self.by_group)
        if isinstance(function, LinearFacts | ScorecardFacts | Bayes) and any(
            each.column not in columns for each in function.terms
        ):
            return False
        if isinstance(function, Nothing):
            return True
        if isinstance(function, LinearFacts):
            return (function.link == "identity" or function.positive is not None) and all(
                columns[each.column].is_ordered
                if each.category is None
                else each.category in categories(columns[each.column])
                for each in function.terms
            )
        if isinstance(function, ScorecardFacts):
            return all(len(each.points) == sizes[each.column] for each in function.terms)
        if isinstance(function, Bayes):
            many = len(function.classes)
            return len(function.priors) == many > 0 and all(
                (len(each.means) == len(each.deviations) == many and min(each.deviations) > 0)
                if each.means
                else len(each.logs) == many and all(len(row) == sizes[each.column] for row in each.logs)
                for each in function.terms
            )
        rows = function.centres if isinstance(function, ClusterFacts) else function.axes
        widths = len(function.widths) == len(self.inputs) and all(width > 0 for width in function.widths)
        return widths and len(rows) > 0 and all(len(row) == len(self.inputs) for row in rows)


def categories(given: Input) -> tuple[str, ...]:
    """Return the declared values of a listed column."""
    return given.categories or (("false", "true") if given.type == "boolean" else ())


def _places(given: Input) -> int:
    """Return the number of bins or categories of an input."""
    return len(given.edges) - 1 if given.edges else len(categories(given))


def _finite(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_finite, value))
    return not isinstance(value, int | float) or isfinite(value)


def _broken() -> InputError:
    return InputError("model", found=phrase("model.broken_model"), allowed=phrase("model.a_model"))

"""A published model that predicts: `dprelease.load_model("…/models/risk.json")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import read_json
from dprelease.model.function import grouped
from dprelease.model.function.facts import (
    Bayes,
    ByGroup,
    ClusterFacts,
    ComponentFacts,
    LinearFacts,
    ModelFacts,
    Nothing,
    ScorecardFacts,
    categories,
)
from dprelease.model.function.inputs import InputReader
from dprelease.model.function.parts import Part, Steps, parts
from dprelease.words import phrase

Floats = NDArray[np.float64]
Frame = Any
"""A DataFrame, or anything that gives the values of a column by its name."""
MAX_BYTES = 50_000_000
NORMAL95 = 1.959963984540054


def load_model(path: str | Path) -> FittedModel:
    """Return a model out of the file models/ID.json of a bundle. Raises InputError where it is none.

    Whether the file is the one that was signed is for `dprelease.verify` to say.

    Example: `dp.load_model(bundle / "models/risk.json").predict(rows)`.
    """
    try:
        data = Path(path).read_bytes()
    except OSError:
        raise InputError("model", found=str(path), allowed=phrase("model.a_model")) from None
    try:
        facts = read_json(data, Path(path).name) if len(data) <= MAX_BYTES else None
    except IntegrityError:
        facts = None
    return FittedModel(ModelFacts.read(facts))


@dataclass(frozen=True)
class FittedModel:
    """score = base + Σ what each input adds; a value is made of the scores.

    A value that is missing, unreadable or not declared gives no prediction: NaN, or None where classes or groups are
    predicted. Ordered values are cut at the declared bounds. Rows come one by one: none changes what another gets.
    """

    facts: ModelFacts

    @property
    def kind(self) -> str:
        """Kind of the statistic that the model was fitted by."""
        return self.facts.kind

    @property
    def columns(self) -> tuple[str, ...]:
        """The inputs, in order."""
        return tuple(each.column for each in self.facts.inputs)

    @cached_property
    def groups(self) -> Mapping[str, FittedModel]:
        """Model of each group's rows, by category of the grouping input; empty where all rows have the same model."""
        return {category: FittedModel(facts) for category, facts in self.facts.by_group}

    @cached_property
    def parts(self) -> list[tuple[InputReader, Part]]:
        """Reader of each input, and the part that it adds."""
        return parts(self.facts)

    @cached_property
    def base(self) -> tuple[float, ...]:
        """The score of each output before any input."""
        function = self.facts.function
        if isinstance(function, LinearFacts | ScorecardFacts):
            return (float(function.intercept),)
        if isinstance(function, Bayes):
            return tuple(map(float, function.priors))
        if isinstance(function, ByGroup | Nothing):
            return (0.0,)
        return (0.0,) * len(function.centres if isinstance(function, ClusterFacts) else function.axes)

    @property
    def states_noise(self) -> bool:
        """True if the file states the changes that noise may have caused."""
        function = self.facts.function
        return isinstance(function, LinearFacts | ScorecardFacts) and bool(function.covariance)

    @property
    def is_regression(self) -> bool:
        """True if the model predicts a number of the outcome."""
        return self.facts.function.link in ("identity", "by", "none")

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """Columns of `predict_proba`: classes, or the numbers of groups, the first being 0.

        Of log-odds: all that is not the positive class (the one other class by its name, several as None), then that.
        """
        function = self.facts.function
        if isinstance(function, Bayes):
            return function.classes
        if isinstance(function, ClusterFacts):
            return tuple(range(len(function.centres)))
        if isinstance(function, ComponentFacts | ByGroup | Nothing) or function.positive is None:
            return ()
        declared = categories(self.facts.outcome) if self.facts.outcome else ()
        others = [name for name in declared if name != function.positive]
        return (others[0] if len(others) == 1 else None, function.positive)

    def contributions(self, frame: Frame) -> Floats:
        """Return the contribution of each input to the score of each output: rows × inputs × outputs.

        Scores are in units of the outcome (linear; by group the input that tells it adds the constant of its function),
        log-odds (logistic, scorecard), log-probabilities by class up to a constant (naive_bayes), squared distances in
        widths by group (clusters), or components. All of a row is NaN where it gives no prediction. Raises InputError
        where a column is missing, and of a model that predicts nothing.
        """
        if isinstance(self.facts.function, Nothing):
            raise InputError(
                "model", found=phrase("model.predicts_nothing"), allowed=phrase("model.a_model_that_predicts")
            )
        if self.groups:
            return grouped.contributions(self, partial(_column, frame))
        each = [part.of(_read(reader, part, _column(frame, reader.given.column))) for reader, part in self.parts]
        found = np.stack(each, axis=1) if each else np.zeros((_rows(frame), 0, len(self.base)))
        found[np.isnan(found).any(axis=(1, 2))] = np.nan
        return found

    def scores(self, frame: Frame) -> Floats:
        """Return the score of each output: rows × outputs. Added up input by input, as browsers do."""
        found = self.contributions(frame)
        total = np.tile(np.array(self.base), (len(found), 1))
        for place in range(found.shape[1]):
            total = total + found[:, place]
        return total

    def predict(self, frame: Frame) -> NDArray[Any]:
        """Return a value per row: a number within its bounds (linear), a class, a group's number, or components."""
        return self._predicted(self.scores(frame))

    def predict_proba(self, frame: Frame) -> Floats:
        """Return rows × `classes`: how probable each class is; of groups how much a row belongs to each.

        `nearest` gives 1 to one group; `fuzzy` the memberships of fuzzy c-means. Raises InputError for a model of
        numbers.
        """
        if not self.classes:
            raise InputError("predict_proba", found=self.kind, allowed=phrase("model.a_model_with_classes"))
        return self._shares(self.scores(frame))

    def interval(self, frame: Frame) -> Floats:
        """Return rows × (lower, upper): 95 % of what noise may have changed in each prediction (linear) or probability.

        ± 1.96 √(x′Vx) in the score, V the covariance of the coefficients that is due to the noise, as the file states
        it; NaN in groups of which it is not stated. Says nothing of sampling, of shrinkage or of how well the model
        fits. Raises InputError where it is not stated at all.
        """
        if any(model.states_noise for model in self.groups.values()):
            return grouped.interval(self, partial(_column, frame))
        function = self.facts.function
        if not isinstance(function, LinearFacts | ScorecardFacts) or not function.covariance:
            raise InputError("interval", found=self.kind, allowed=phrase("model.a_model_with_noise"))
        design = self._with_intercept(frame)
        spread = np.sqrt(np.maximum(0.0, ((design @ np.array(function.covariance)) * design).sum(axis=1)))
        scores = self.scores(frame)
        ends = np.concatenate([scores - NORMAL95 * spread[:, None], scores + NORMAL95 * spread[:, None]], axis=1)
        return self._cut(ends) if self.is_regression else _logistic(ends)

    def design(self, frame: Frame) -> Floats:
        """Return the features for an estimator of `to_sklearn`: rows × features, NaN where a row gives no prediction.

        A feature is a term of `function.terms` (a number, or 1 and 0 of a category or bin), else an input as a number,
        of clusters divided by its width. By group each has features of its own, the first of which is 1 in its rows.
        """
        if self.groups:
            return grouped.design(self, partial(_column, frame))
        function, columns = self.facts.function, []
        read = {reader.given.column: (reader, part) for reader, part in self.parts}
        values = {name: _read(*each, _column(frame, name)) for name, each in read.items()}
        if isinstance(function, LinearFacts):
            for term in function.terms:
                own, names = values[term.column], categories(read[term.column][0].given)
                columns.append(own if term.category is None else _holds(own, names.index(term.category)))
        elif isinstance(function, ScorecardFacts):
            for points in function.terms:
                columns += [_holds(values[points.column], place) for place in range(len(points.points))]
        else:
            widths = function.widths if isinstance(function, ClusterFacts) else (1.0,) * len(self.columns)
            columns = [values[name] / width for name, width in zip(self.columns, widths, strict=True)]
        return np.stack(columns, axis=1) if columns else np.zeros((_rows(frame), 0))

    def to_sklearn(self) -> Any:
        """Return the same as an estimator of scikit-learn, which must be installed; it takes what `design` gives.

        LinearRegression, LogisticRegression, GaussianNB or KMeans; InputError where there is none of the kind. It does
        not cut predictions at the bounds of the outcome.
        """
        from dprelease.model.function.scikit import estimator

        return estimator(self)

    def _predicted(self, scores: Floats) -> NDArray[Any]:
        function = self.facts.function
        if isinstance(function, ComponentFacts):
            return scores
        if self.is_regression:
            return self._cut(scores)[:, 0]
        given = ~np.isnan(scores).any(axis=1)
        found = np.full(len(scores), None, dtype=object)
        own = scores[given]
        if isinstance(function, ClusterFacts):
            best = np.argmin(own, axis=1)
        elif isinstance(function, Bayes):
            best = np.argmax(own, axis=1)
        else:
            best = (own[:, 0] >= 0).astype(np.int64)
        names = np.array(self.classes, dtype=object)
        found[given] = names[best]
        return found

    def _shares(self, scores: Floats) -> Floats:
        function = self.facts.function
        if isinstance(function, ClusterFacts):
            return _memberships(scores, None if function.link == "nearest" else float(function.fuzziness))
        if isinstance(function, Bayes):
            powers = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
            return np.asarray(powers / powers.sum(axis=1, keepdims=True))
        share = _logistic(scores)
        return np.concatenate([1 - share, share], axis=1)

    def _cut(self, values: Floats) -> Floats:
        function = self.facts.function
        if self.groups:
            function = grouped.functions(self)[0]
        assert isinstance(function, LinearFacts)
        lower = -np.inf if function.lower is None else function.lower
        return np.clip(values, lower, np.inf if function.upper is None else function.upper)

    def _with_intercept(self, frame: Frame) -> Floats:
        """Return the multiplier of each parameter: rows × (intercept and terms, in their order)."""
        return np.concatenate([np.ones((_rows(frame), 1)), self.design(frame)], axis=1)


def _memberships(squares: Floats, fuzziness: float | None) -> Floats:
    """Return memberships by squared distances d²: 1 / Σ (d_k² / d_l²)^(1/(m−1)), shared where a row is on a centre."""
    if fuzziness is None or fuzziness <= 1:
        found = (np.arange(squares.shape[1]) == np.argmin(squares, axis=1)[:, None]).astype(np.float64)
    else:
        least = squares.min(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(squares == 0, 1.0, np.where(least == 0, 0.0, (least / squares) ** (1 / (fuzziness - 1))))
        found /= found.sum(axis=1, keepdims=True)
    return np.asarray(np.where(np.isnan(squares).any(axis=1, keepdims=True), np.nan, found))


def _logistic(scores: Floats) -> Floats:
    small = np.exp(-np.abs(scores))
    return np.asarray(np.where(scores >= 0, 1 / (1 + small), small / (1 + small)))


def _holds(places: NDArray[np.int64], place: int) -> Floats:
    return np.asarray(np.where(places < 0, np.nan, places == place))


def _read(reader: InputReader, part: Part, values: Sequence[Any]) -> Any:
    return reader.places(values) if isinstance(part, Steps) else reader.numbers(values)


def _column(frame: Frame, name: str) -> Sequence[Any]:
    try:
        found = frame[name]
    except (KeyError, IndexError, TypeError, ValueError):
        raise InputError(
            "frame", found=phrase("model.no_such_column", name=name), allowed=phrase("model.all_inputs")
        ) from None
    return found.to_numpy() if hasattr(found, "to_numpy") else found  # type: ignore[no-any-return]


def _rows(frame: Frame) -> int:
    if isinstance(frame, Mapping):
        return len(next(iter(frame.values()), ()))
    return len(frame)

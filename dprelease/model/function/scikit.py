"""A published model as an estimator of scikit-learn, filled with the published numbers; nothing is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dprelease.errors import InputError
from dprelease.model.function.facts import Bayes, ByGroup, ClusterFacts, LinearFacts
from dprelease.model.function.grouped import functions
from dprelease.model.function.parts import Bowl
from dprelease.words import phrase, verbatim

if TYPE_CHECKING:
    from dprelease.model.function.fitted import FittedModel


def estimator(model: FittedModel) -> Any:
    """Return LinearRegression, LogisticRegression, GaussianNB or KMeans, by kind. Raises InputError for other kinds."""
    function = model.facts.function
    try:
        if isinstance(function, LinearFacts):
            return _linear(model, function)
        if isinstance(function, ByGroup):
            return _by_group(functions(model))
        bowls = [part for _, part in model.parts if isinstance(part, Bowl)]
        if isinstance(function, Bayes) and len(bowls) == len(model.parts):
            return _bayes(bowls, function)
        if isinstance(function, ClusterFacts):
            return _clusters(function)
    except ImportError:
        raise InputError("to_sklearn", found=phrase("model.not_installed"), allowed=verbatim("scikit-learn")) from None
    raise InputError("to_sklearn", found=model.kind, allowed=phrase("model.a_model_of_scikit_learn"))


def _linear(model: FittedModel, function: LinearFacts) -> Any:
    from sklearn.linear_model import LinearRegression, LogisticRegression

    coefficients = np.array([float(term.coefficient) for term in function.terms])
    if function.link == "identity":
        made = LinearRegression()
        made.coef_, made.intercept_ = coefficients, float(function.intercept)
    else:
        made = LogisticRegression()
        made.coef_, made.intercept_ = coefficients[None, :], np.array([float(function.intercept)])
        made.classes_ = np.array(["" if name is None else name for name in model.classes])
    made.n_features_in_ = len(coefficients)
    return made


def _by_group(functions: Sequence[LinearFacts]) -> Any:
    """Return one estimator, in which each group has a constant and slopes of its own."""
    from sklearn.linear_model import LinearRegression

    made = LinearRegression()
    numbers = [[each.intercept, *(term.coefficient for term in each.terms)] for each in functions]
    made.coef_, made.intercept_ = np.array([float(number) for own in numbers for number in own]), 0.0
    made.n_features_in_ = len(made.coef_)
    return made


def _bayes(bowls: Sequence[Bowl], function: Bayes) -> Any:
    from sklearn.naive_bayes import GaussianNB

    made = GaussianNB()
    made.theta_ = np.array([bowl.centres for bowl in bowls]).T
    made.var_ = np.array([bowl.widths for bowl in bowls]).T ** 2
    made.classes_, made.class_prior_ = np.array(function.classes), np.exp(np.array(function.priors, dtype=np.float64))
    made.epsilon_, made.n_features_in_ = 0.0, len(bowls)
    return made


def _clusters(function: ClusterFacts) -> Any:
    from sklearn.cluster import KMeans

    made = KMeans(n_clusters=len(function.centres), n_init=1)
    made.cluster_centers_ = np.array(function.centres, dtype=np.float64) / np.array(function.widths)
    made.n_features_in_, made._n_threads = len(function.widths), 1
    return made

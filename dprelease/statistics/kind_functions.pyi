"""Made by tests/plans/stub.py of the declarations of statistics and columns: not to be edited."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dprelease.model.code import (
    AnyColumn,
    AtLevel,
    Boolean,
    Category,
    Date,
    Integer,
    Number,
    Quantity,
    Text,
    Where,
)
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.statistic import Statistic, TargetError

__all__ = [
    "answered",
    "boolean",
    "bounds",
    "category",
    "cdf",
    "clusters",
    "components",
    "correlation",
    "count",
    "covariance",
    "crosstab",
    "date",
    "error",
    "five_numbers",
    "histogram",
    "integer",
    "linear",
    "logistic",
    "mean",
    "median",
    "mode",
    "naive_bayes",
    "number",
    "per",
    "proportion",
    "quantiles",
    "rate",
    "ratio",
    "scorecard",
    "std",
    "sum",
    "survey",
    "synthetic",
    "text",
    "threshold",
    "top",
    "units",
    "variance",
    "workload",
]

def boolean(
    *,
    unit: str = ...,
    missing_codes: Sequence[Any] = ...,
    reading: Mapping[str, Any] = ...,
    count_missing_as: str | bool | Quantity = ...,
    randomized: Mapping[str, object] = ...,
    description: str = ...,
) -> Boolean: ...
def category(
    *categories: str,
    unit: str = ...,
    other: bool = ...,
    discover: bool = ...,
    missing_codes: Sequence[Any] = ...,
    reading: Mapping[str, Any] = ...,
    levels: Mapping[str, Mapping[str, object]] = ...,
    count_missing_as: str | bool | Quantity = ...,
    randomized: Mapping[str, object] = ...,
    description: str = ...,
) -> Category: ...
def date(
    lower: datetime.date | str,
    upper: datetime.date | str,
    *,
    unit: str = ...,
    missing_codes: Sequence[Any] = ...,
    reading: Mapping[str, Any] = ...,
    outside: Literal["clip", "missing"] | Mapping[str, str] = ...,
    count_missing_as: str | bool | Quantity = ...,
    description: str = ...,
) -> Date: ...
def integer(
    lower: int,
    upper: int,
    *,
    resolution: Quantity = ...,
    unit: str = ...,
    missing_codes: Sequence[Any] = ...,
    reading: Mapping[str, Any] = ...,
    outside: Literal["clip", "missing"] | Mapping[str, str] = ...,
    levels: Mapping[str, Mapping[str, object]] = ...,
    count_missing_as: str | bool | Quantity = ...,
    description: str = ...,
) -> Integer: ...
def number(
    lower: Quantity,
    upper: Quantity,
    *,
    resolution: Quantity = ...,
    unit: str = ...,
    missing_codes: Sequence[Any] = ...,
    reading: Mapping[str, Any] = ...,
    outside: Literal["clip", "missing"] | Mapping[str, str] = ...,
    count_missing_as: str | bool | Quantity = ...,
    description: str = ...,
) -> Number: ...
def text(*, unit: str = ..., description: str = ...) -> Text: ...
def answered(
    columns: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn | AtLevel],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    detail: bool = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def bounds(
    column: Integer | Number | AnyColumn,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def cdf(
    column: Date | Integer | Number | AnyColumn,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    bins: int = ...,
    edges: Sequence[Quantity | datetime.date] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def clusters(
    on: Integer | Number | AnyColumn | Sequence[Integer | Number | AnyColumn],
    k: int,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    method: Literal["kmeans", "fuzzy"] = ...,
    fuzziness: Quantity = ...,
    grid: int = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def components(
    on: Integer | Number | AnyColumn | Sequence[Integer | Number | AnyColumn],
    k: int,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def correlation(
    columns: Integer | Number | AnyColumn | Sequence[Integer | Number | AnyColumn],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def count(
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    survey_weights: Integer | Number | AnyColumn | AtLevel = ...,
    margins: bool = ...,
    column: Boolean | Category | Date | Integer | Number | AnyColumn | AtLevel = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def covariance(
    columns: Integer | Number | AnyColumn | Sequence[Integer | Number | AnyColumn],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def crosstab(
    columns: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn | AtLevel],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    survey_weights: Integer | Number | AnyColumn | AtLevel = ...,
    margins: bool = ...,
    max_rows_per_cell: Literal[1] = ...,
    shares: Sequence[Literal["row", "column", "table"]] = ...,
    bins: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, int] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def five_numbers(
    column: Date | Integer | Number | AnyColumn | AtLevel,
    *,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    cells: int = ...,
    candidates: Sequence[Quantity | datetime.date] = ...,
    interval: bool = ...,
    whiskers: Sequence[Quantity] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def histogram(
    column: Boolean | Category | Date | Integer | Number | AnyColumn | AtLevel,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    survey_weights: Integer | Number | AnyColumn | AtLevel = ...,
    max_rows_per_cell: Literal[1] = ...,
    bins: int = ...,
    edges: Sequence[Quantity | datetime.date] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def linear(
    outcome: Integer | Number | AnyColumn,
    on: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    by: Boolean | Category | AnyColumn | Sequence[Boolean | Category | AnyColumn] = ...,
    method: Literal["moments", "functional", "medians"] = ...,
    intercept: bool = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def logistic(
    outcome: Boolean | Category | AnyColumn,
    on: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    held_out: Quantity = ...,
    positive: Literal["last", "first"] = ...,
    rounds: int = ...,
    method: Literal["rounds", "functional"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def mean(
    column: Integer | Number | AnyColumn | AtLevel,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    survey_weights: Integer | Number | AnyColumn | AtLevel = ...,
    sampling: bool = ...,
    effect: Quantity = ...,
    method: Literal["one_sided", "centred", "sum_and_count"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def median(
    column: Date | Integer | Number | AnyColumn | AtLevel,
    *,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    cells: int = ...,
    candidates: Sequence[Quantity | datetime.date] = ...,
    interval: bool = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def mode(
    column: Boolean | Category | Date | Integer | AnyColumn | AtLevel,
    *,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def naive_bayes(
    outcome: Boolean | Category | AnyColumn,
    on: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    held_out: Quantity = ...,
    bins: Mapping[
        Boolean | Category | Date | Integer | Number | Text | AnyColumn, int | Sequence[Quantity | datetime.date]
    ] = ...,
    method: Literal["bins", "normal"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def proportion(
    where: Where | Sequence[Where],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    survey_weights: Integer | Number | AnyColumn | AtLevel = ...,
    sampling: bool = ...,
    effect: Quantity = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def quantiles(
    column: Date | Integer | Number | AnyColumn | AtLevel,
    probs: Sequence[Quantity],
    *,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    cells: int = ...,
    candidates: Sequence[Quantity | datetime.date] = ...,
    interval: bool = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def rate(
    where: Where | Sequence[Where],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    per: Quantity = ...,
    column: Integer | Number | AnyColumn | AtLevel = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def ratio(
    numerator: Integer | Number | AnyColumn | AtLevel,
    denominator: Integer | Number | AnyColumn | AtLevel,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    survey_weights: Integer | Number | AnyColumn | AtLevel = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def scorecard(
    outcome: Boolean | Category | AnyColumn,
    on: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn],
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    held_out: Quantity = ...,
    bins: Mapping[
        Boolean | Category | Date | Integer | Number | Text | AnyColumn, int | Sequence[Quantity | datetime.date]
    ] = ...,
    together: Literal["auto", "none", "all"]
    | Sequence[
        tuple[
            Boolean | Category | Date | Integer | Number | Text | AnyColumn,
            Boolean | Category | Date | Integer | Number | Text | AnyColumn,
        ]
    ] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def std(
    column: Integer | Number | AnyColumn | AtLevel,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def sum(
    column: Integer | Number | AnyColumn | AtLevel,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    survey_weights: Integer | Number | AnyColumn | AtLevel = ...,
    margins: bool = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def survey(
    column: Boolean | Category | AnyColumn,
    *,
    method: Literal["auto", "response", "subset", "unary"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def synthetic(
    columns: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn],
    *,
    order: int = ...,
    rows: int = ...,
    bins: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, int] = ...,
    method: Literal["residual_tree", "mwem", "pmw", "dual_query"] = ...,
    rounds: int = ...,
    source: str | Statistic = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def threshold(
    questions: Mapping[str, Where],
    threshold: int,
    *,
    answers: int = ...,
    numeric: bool = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def top(
    column: Boolean | Category | Date | Integer | AnyColumn,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    k: int = ...,
    method: Literal["counts", "noisy_top_k"] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def units(
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def variance(
    column: Integer | Number | AnyColumn | AtLevel,
    *,
    noise: Literal["laplace", "gaussian"] = ...,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    by: Boolean
    | Category
    | Date
    | Integer
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | AnyColumn | AtLevel] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def workload(
    columns: Boolean
    | Category
    | Date
    | Integer
    | Number
    | AnyColumn
    | AtLevel
    | Sequence[Boolean | Category | Date | Integer | Number | AnyColumn | AtLevel],
    *,
    levels: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, str] = ...,
    partial: Literal["keep", "drop"] = ...,
    missing: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, Literal["group"]] = ...,
    order: int = ...,
    tables: Sequence[Sequence[Boolean | Category | Date | Integer | Number | Text | AnyColumn]] = ...,
    objective: Literal["equalise", "minimise", "means"] = ...,
    bins: Mapping[Boolean | Category | Date | Integer | Number | Text | AnyColumn, int] = ...,
    id: str = ...,
    weight: Quantity = ...,
    epsilon: Quantity = ...,
    target_error: TargetError = ...,
) -> Statistic: ...
def per(
    column: Text | Integer | Category | AnyColumn,
    *,
    max_rows: int,
    max_groups: int = ...,
    missing_codes: Sequence[str] = ...,
) -> PrivacyUnit: ...
def error(value: Quantity, confidence: Quantity = ...) -> TargetError: ...

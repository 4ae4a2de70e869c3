"""The English words of bundles and sites; what never varies stands in the templates."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from dprelease.bundle.display import visible

ENGLISH: Mapping[str, str] = {
    # What a statistic asks. Kinds without a question of their own have `other`.
    "count": "How many records are there?",
    "count_by": "How many records are there, by {by}?",
    "sum": "What is the total of {column}?",
    "sum_by": "What is the total of {column}, by {by}?",
    "mean": "What is the mean of {column}?",
    "mean_by": "What is the mean of {column}, by {by}?",
    "median": "What is the median of {column}?",
    "median_by": "What is the median of {column}, by {by}?",
    "quantiles": "Below which {column} do given shares of the records lie?",
    "quantiles_by": "Below which {column} do given shares of the records lie, by {by}?",
    "histogram": "How are the records spread over {column}?",
    "crosstab": "How many records are there, by {by}?",
    "other": "{kind} of {column}",
    "other_by": "{kind} of {column}, by {by}",
    "and": "{first} and {last}",
    "with_unit": "{name} ({unit})",
    "records": "records",
    # Charts.
    "noise_only": "Intervals: 95 %, noise only",
    "noise_band": "Band: 95 % interval, noise only",
    "noise_margin": "± : 95 % interval, noise only",
    "noise_widest": "95 % intervals, noise only, reach at most {margin} to each side",
    "no_interval": "No interval is published for these numbers",
    "without_value": "Cells without a published value: {count}",
    "too_large": "This table has {cells} cells: too many to draw. They are all in the CSV file.",
    "not_numbers": "The answers are words, not numbers. They are in the table.",
    "no_value": "No value was published.",
    "interval": "95 % interval {lower} to {upper}",
    "each_cell": "{name}: {cells} cells in the declared order",
    "range": "{first} to {last}",
    "blank": "(blank)",
    "share": "Share of the records below",
    "chart": "Chart: {question} The table below has the same numbers.",
    # Filters: which records a release is about.
    "where_at_least": "{column} at least {value}",
    "where_at_most": "{column} at most {value}",
    "where_equals": "{column} is {value}",
    "where_in": "{column} is one of {value}",
    # Mechanisms.
    "discrete_laplace": "Discrete Laplace noise",
    "permute_and_flip": "Permute-and-flip choice",
    # Relations.
    "add_remove": "add or remove one {unit}",
    "substitute": "exchange one {unit}",
    "add_remove_long": "One table has a {unit} that the other lacks (add/remove, unbounded).",
    "substitute_long": "One {unit}'s records, none included, become any others (substitute, bounded).",
    # The guarantee.
    "loss": "ε = {epsilon}, δ = {delta}",
    "loss_whole": "ε = {epsilon}, δ = {delta} per {unit} (neighbouring tables: {relation}; at most {rows} used of each "
    "{unit}). Up to this release, the population has spent ε = {total_epsilon}, δ = {total_delta} in {releases}.",
    "unit_row": "Each record is one {unit}.",
    "unit_column": "All records with the same identifier are one {unit}; at most {rows} of each are used.",
    "exchange": "Exchanging the records of one {unit} for others: at most ε = {epsilon}.",
    "size": "Declared size: {size}.",
    "l1": "{number} (L1)",
    "l2": "{number} (L2)",
    "linf": "{number} (L∞)",
    "estimate": "Estimate",
    "lower95": "Lower 95 %",
    "upper95": "Upper 95 %",
    "field_value": "Estimate, noise included: {measure}",
    "field_lower95": "Lower end of a 95 % interval, noise only: not sampling, clipping or row-cutting",
    "field_upper95": "Upper end of a 95 % interval, noise only: not sampling, clipping or row-cutting",
    "values": "Values: {measure}.",
    "values_with_intervals": "Values: {measure}. Intervals bound the noise only: not sampling, clipping or "
    "row-cutting.",
    "table": "Table: {question}",
    "error_mechanism": "± {error}",
    "error_expected": "± {error}, expected",
    "first_rows": "The first {rows} of {cells} rows.",
    "all_rows": "{cells} rows.",
    "one_row": "1 row.",
    "one_record": "one record",
    "many_records": "{count} records",
    "one_release": "one release, this one",
    "many_releases": "{count} releases, this one included",
    "promise_add_remove": "Whether or not any one {unit}'s records were used, every result here would have been almost "
    "equally likely: with those records no outcome is more than {factor} times as likely as without them, and "
    "without them none is more than {factor} times as likely as with them.",
    "promise_substitute": "Whatever any one {unit}'s records had said, every result here would have been almost "
    "equally likely: had they been any others, no outcome would be more than {factor} times as likely as it was.",
    "wide_promise_add_remove": "Whether or not any one {unit}'s records were used, every result here would have been "
    "possible: with those records no outcome is more than {factor} times as likely as without them, and without them "
    "none is more than {factor} times as likely as with them.",
    "wide_promise_substitute": "Whatever any one {unit}'s records had said, every result here would have been "
    "possible: had they been any others, no outcome would be more than {factor} times as likely as it was.",
    "weak_promise": "A factor this large promises little.",
    "delta_promise": "This holds up to a probability of {delta} (δ).",
}
WORDS = ENGLISH


class Html(str):
    """Text that is HTML already: templates do not escape it again."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def say(key: str, /, **values: Any) -> str:
    """A sentence as plain text, its values made visible."""
    return WORDS[key].format(**{name: visible(str(value)) for name, value in values.items()})


def say_html(key: str, /, **values: Any) -> Html:
    """A sentence as HTML, each value escaped and kept from changing the direction of what surrounds it."""
    return Html(escape(WORDS[key], quote=False).format(**{name: isolated(value) for name, value in values.items()}))


def isolated(value: Any) -> Html:
    """A value as HTML: escaped, hidden characters shown, its direction its own affair."""
    return value if isinstance(value, Html) else Html(f"<bdi>{escape(visible(str(value)))}</bdi>")


def enumerate_words(items: list[str]) -> str:
    """a; a and b; a, b and c."""
    return say("and", first=", ".join(items[:-1]), last=items[-1]) if len(items) > 1 else items[0]

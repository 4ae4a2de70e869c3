"""The words of releases: in English of bundles and sites, where what never varies stands in the templates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from dprelease.bundle.display import visible
from dprelease.bundle.spanish import SPANISH
from dprelease.model.language import Words

ENGLISH: Mapping[str, str] = {
    # What a statistic asks. Kinds without a question of their own have `other`.
    "ask_count": "How many records are there?",
    "ask_count_by": "How many records are there, by {by}?",
    "ask_count_of": "How many records have a value of {column}?",
    "ask_count_of_by": "How many records have a value of {column}, by {by}?",
    "ask_units": "How many are there, counting each {unit} once?",
    "ask_units_by": "How many are there by {by}, counting each {unit} once in a group?",
    "ask_sum": "What is the total of {column}?",
    "ask_sum_by": "What is the total of {column}, by {by}?",
    "ask_mean": "What is the mean of {column}?",
    "ask_mean_by": "What is the mean of {column}, by {by}?",
    "ask_ratio": "What is the total of {column} divided by the total of {divisor}?",
    "ask_ratio_by": "What is the total of {column} divided by the total of {divisor}, by {by}?",
    "ask_proportion": "For which share of the records does this hold: {where}?",
    "ask_proportion_by": "For which share of the records, by {by}, does this hold: {where}?",
    "ask_rate": "Of every {per} records, for how many does this hold: {where}?",
    "ask_rate_by": "Of every {per} records, by {by}, for how many does this hold: {where}?",
    "ask_rate_of": "For every {per} of {column}, for how many records does this hold: {where}?",
    "ask_rate_of_by": "For every {per} of {column}, by {by}, for how many records does this hold: {where}?",
    "ask_variance": "What is the variance of {column}?",
    "ask_variance_by": "What is the variance of {column}, by {by}?",
    "ask_std": "What is the standard deviation of {column}?",
    "ask_std_by": "What is the standard deviation of {column}, by {by}?",
    "ask_median": "What is the median of {column}?",
    "ask_median_by": "What is the median of {column}, by {by}?",
    "ask_quantiles": "Below which {column} do given shares of the records lie?",
    "ask_quantiles_by": "Below which {column} do given shares of the records lie, by {by}?",
    "ask_histogram": "How are the records spread over {column}?",
    "ask_crosstab": "How many records are there, by {by}?",
    "ask_cdf": "Which share of the records is at or below each {column}?",
    "ask_five_numbers": "Between which {column} do the middle half and nearly all of the records lie?",
    "ask_five_numbers_by": "Between which {column} do the middle half and nearly all of the records lie, by {by}?",
    "ask_mode": "What is the most common value of {column}?",
    "ask_mode_by": "What is the most common value of {column}, by {by}?",
    "ask_top": "What are the most common values of {column}?",
    "ask_threshold": "Which of these counts reach {threshold}?",
    "ask_covariance": "How do {by} vary together?",
    "ask_correlation": "How closely do {by} go together?",
    "ask_survey": "Which share of the records has each answer to {column}?",
    "ask_bounds": "Between which bounds do nearly all values of {column} lie?",
    "ask_other": "{kind} of {column}",
    "ask_other_by": "{kind} of {column}, by {by}",
    "and": "{first} and {last}",
    "with_unit": "{name} ({unit})",
    # What the values are.
    "records": "records",
    "units_measure": "units ({unit})",
    "ratio_measure": "{column} per {divisor}",
    "share_measure": "share of the records",
    "rate_measure": "records of every {per}",
    "rate_of_measure": "records for every {per} of {column}",
    "variance_measure": "variance of {column}",
    "std_measure": "standard deviation of {column}",
    "covariance_measure": "covariance",
    "correlation_measure": "correlation, from −1 to 1",
    "threshold_measure": "whether the count of records reaches {threshold}",
    "weighted": "{measure}, weighted by {weights}",
    "squared": "{unit}²",
    # Charts.
    "noise_only": "Intervals: 95 %, noise only",
    "noise_band": "Band: 95 % interval, noise only",
    "noise_margin": "± : 95 % interval, noise only",
    "noise_widest": "95 % intervals, noise only, reach at most {margin} to each side",
    "no_interval": "(u): no interval is published for these numbers, so nothing says how far off they may be",
    "unsure": "{value} (u)",
    "without_value": "Cells without a published value: {count}",
    "without_end": "(u): values of which no interval, or only one end, is known: {count}",
    "too_large": "This table has {cells} cells: too many to draw. They are all in the CSV file.",
    "not_drawn": "This table could not be drawn. Its numbers are in the CSV file.",
    "not_numbers": "These answers are words, and too many to draw. They are all in the table.",
    "no_category": "No category reached the threshold, so none is published.",
    "no_value": "No value was published.",
    "interval": "95 % interval {lower} to {upper}",
    "each_step": "Steps: the share of the records up to each value",
    "box": "Box: the middle half, with the median. Lines: from {first} % to {last} % of the records",
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
    "mechanism_discrete_laplace": "Discrete Laplace noise",
    "mechanism_discrete_gaussian": "Discrete Gaussian noise",
    "mechanism_permute_and_flip": "Permute-and-flip choice",
    "mechanism_exponential": "Exponential mechanism choice",
    "mechanism_noisy_top_k": "Noisy top-k choice",
    "mechanism_sparse_vector": "Sparse vector technique",
    "mechanism_randomized_response": "Randomized response",
    "mechanism_thresholded_laplace": "Discrete Laplace noise with a threshold",
    "follows": "None: its counts follow from those of {source}",
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
    "exchange_delta": "Exchanging the records of one {unit} for others: at most ε = {epsilon}, δ = {delta}.",
    "counted": "Counted as ρ = {rho}; the population has spent ρ = {total_rho} up to this release.",
    "group": "Any {units} together: ε = {epsilon}, δ = {delta}.",
    "group_nothing": "Any {units} together: nothing is promised any more (δ = 1).",
    "composition_pure": "The ε and the δ of the statistics are summed, and those of all releases of the population are "
    "summed: this holds also where one was chosen after seeing another.",
    "composition_zcdp": "The ρ and the δ of the statistics are summed, and those of all releases of the population are "
    "summed: this holds also where one was chosen after seeing another. ρ means an ε beside a δ, a smaller ε beside a "
    "larger δ: so the ε of all releases, beside the larger δ of the cap, may be below that of one release.",
    "spent_in_period": "In the period {period}, for which the cap holds: ε = {epsilon}, δ = {delta}.",
    "spent_by_same": "The population {population}, the same {unit}s as is attested, has spent ε = {epsilon}, δ = "
    "{delta}.",
    "spent_by_some": "The population {population}, some of the same {unit}s as is attested, has spent ε = {epsilon}, δ "
    "= {delta}.",
    "spent_together": "Whoever is in all of them: ε = {epsilon}, δ = {delta} together.",
    "size": "Declared size: {size}.",
    "l1": "{number} (L1)",
    "l2": "{number} (L2)",
    "linf": "{number} (L∞)",
    # The headings of a table.
    "head_estimate": "Estimate",
    "head_answer": "Answer",
    "head_value": "Value",
    "head_lower95": "Lower 95 %",
    "head_upper95": "Upper 95 %",
    "head_raw": "Noisy value before post-processing",
    "head_count": "Count",
    "head_count_lower95": "Count, lower 95 %",
    "head_count_upper95": "Count, upper 95 %",
    "head_perturbed": "Answers after perturbation",
    "nothing": "no value",
    "answer_above": "reaches it",
    "answer_below": "does not reach it",
    "answer_not_reached": "not asked any more",
    "field_value": "Estimate, noise included: {measure}",
    "field_lower95": "Lower end of a 95 % interval, noise only: not sampling, clipping or row-cutting",
    "field_upper95": "Upper end of a 95 % interval, noise only: not sampling, clipping or row-cutting",
    "field_status": "A: normal. U: low reliability, as no interval is known, or only one end, or the margin is more "
    "than half of the value. O: no value",
    "field_raw": "The noisy value before post-processing",
    "field_count": "Count of records, noise included",
    "field_count_lower95": "Lower end of a 95 % interval of the count, noise only",
    "field_count_upper95": "Upper end of a 95 % interval of the count, noise only",
    "field_perturbed": "How many records have this answer after answers were changed at random",
    "values": "Values: {measure}. (u): no interval is published, so how far off a value may be is not known.",
    "counts_with_intervals": "Counts: records. Intervals bound the noise only: not sampling, clipping or row-cutting.",
    "values_with_intervals": "Values: {measure}. Intervals bound the noise only: not sampling, clipping or "
    "row-cutting.",
    "table": "Table: {question}",
    "error_mechanism": "± {error}",
    "error_expected": "± {error}, expected",
    "error_bound": "at most {error}",
    "first_rows": "The first {rows} of {cells} rows.",
    "all_rows": "{cells} rows.",
    "one_row": "1 row.",
    "one_record": "one record",
    "many_records": "{count} records",
    "one_release": "one release, this one",
    "many_releases": "{count} releases, this one included",
    "promise_add_remove": "Whether or not any one {unit}'s records were used, every result here would have been almost "
    "equally likely: with those records no outcome is more than {factor} times as likely as without them, and without "
    "them none is more than {factor} times as likely as with them.",
    "promise_substitute": "Whatever any one {unit}'s records had said, every result here would have been almost "
    "equally likely: had they been any others, no outcome would be more than {factor} times as likely as it was.",
    "wide_promise_add_remove": "Whether or not any one {unit}'s records were used, every result here would have been "
    "possible: with those records no outcome is more than {factor} times as likely as without them, and without them "
    "none is more than {factor} times as likely as with them.",
    "wide_promise_substitute": "Whatever any one {unit}'s records had said, every result here would have been "
    "possible: had they been any others, no outcome would be more than {factor} times as likely as it was.",
    "promise_add_remove_delta": "Whether or not any one {unit}'s records were used, whatever can be read off these "
    "results would have been almost equally likely: its probability with those records is at most {factor} times its "
    "probability without them, plus {delta} (δ), and the other way round.",
    "promise_substitute_delta": "Whatever any one {unit}'s records had said, whatever can be read off these results "
    "would have been almost equally likely: its probability is at most {factor} times what it would be had they said "
    "anything else, plus {delta} (δ).",
    "wide_promise_add_remove_delta": "Of whatever can be read off these results, the probability with any one {unit}'s "
    "records is at most {factor} times the probability without them, plus {delta} (δ), and the other way round.",
    "wide_promise_substitute_delta": "Of whatever can be read off these results, the probability is at most {factor} "
    "times what it would be had any one {unit}'s records said anything else, plus {delta} (δ).",
    "weak_promise": "A factor this large promises little.",
    "noisy": "Every number has noise in it.",
    "key_holder": "the holder of the key in signer.pub",
    "withheld": "No table is published: the release failed what its plan had asked of it before any noise was drawn. "
    "What it cost stays spent.",
    "criterion_error": "Each value errs by at most {limit}, with 95 % confidence.",
    "criterion_relative_error": "Each value errs by at most {limit} % of itself, all together with 95 % confidence.",
    "criterion_ranking_one": "The largest value is truly the largest, with 95 % confidence.",
    "criterion_ranking_many": "The {limit} largest values are in their true order, with 95 % confidence.",
    "field_criterion_statistic": "The statistic of which it was asked.",
    "field_criterion_asked": "What the plan asked of it beforehand.",
    "field_criterion_held": "Whether it was found to hold, by declared facts and the noisy values.",
    # Audit reports.
    "audit_kind": "Audit report",
    "audit_title": "{population}: releases and spending",
    "audit_lead": "Every release of this population, every charge, decision, refused attempt and preview in the "
    "ledger, {range}. It holds no value from a row and no preview.",
    "audit_range": "from {since} to {until}",
    "audit_all": "from the beginning to {until}",
    "audit_unit": "Whose privacy",
    "audit_relation": "Neighbouring tables",
    "audit_relation_add_remove": "add or remove one {unit}",
    "audit_relation_substitute": "exchange one {unit}",
    "audit_size": "Declared size",
    "audit_open": "not declared",
    "audit_cap": "Cap",
    "audit_cap_period": "{cap} for the period {period}",
    "audit_spent": "Spent in all",
    "audit_spent_range": "Spent in these days",
    "audit_left": "Left",
    "audit_previews": "Previews taken in these days",
    "audit_mode": "Decisions",
    "audit_mode_solo": "by one person alone",
    "audit_mode_team": "by two people",
    "audit_chain": "Ledger",
    "audit_chain_whole": "intact: {count} events, the chain and every sum were checked for this report",
    "audit_chain_broken": "NOT INTACT: {problem}",
    "audit_key": "Signing key",
    "audit_made": "Made on",
    "audit_releases": "Releases",
    "audit_charges": "Charges without a release",
    "audit_charges_text": "Budget that was spent though nothing is published, as after an interruption, or what "
    "another copy of the ledger had spent.",
    "audit_decisions": "Plans and decisions",
    "audit_caps": "Caps and periods",
    "audit_refused": "Refused attempts",
    "audit_looks": "Previews",
    "audit_looks_text": "Who looked at true values of which plan. What they saw is kept nowhere.",
    "audit_notices": "Errata and superseded releases",
    "audit_overlaps": "Other populations",
    "audit_earlier": "Earlier releases without such a guarantee",
    "audit_none": "None.",
    "audit_access_invitation": "{name}, let in by a link from {by}",
    "audit_access_reset": "{name}, let in by a reset from {by}",
    "audit_access_terminal": "{name}, let in by a link from the server's terminal",
    "audit_when": "When (UTC)",
    "audit_who": "Who",
    "audit_what": "What",
    "audit_plan": "Plan",
    "audit_release": "Release",
    "audit_loss": "Spent",
    "audit_total": "Spent by then",
    "audit_approver": "Approved by",
    "audit_comment": "Comment",
    "audit_asked": "Asked for",
    "audit_remaining": "Left then",
    "audit_dataset": "Dataset",
    "audit_population": "Population",
    "audit_overlap": "In common",
    "audit_overlap_same": "the same units",
    "audit_overlap_some": "some units",
    "audit_overlap_none": "none",
    "audit_overlap_open": "not attested",
    "audit_recovered": "spent by another copy of the ledger",
    "audit_unpublished": "charged, not published",
    "audit_event_plan_submitted": "submitted",
    "audit_event_plan_approved": "approved",
    "audit_event_plan_returned": "returned",
    "audit_event_plan_delegated": "another reviewer asked",
    "audit_event_population_created": "population registered",
    "audit_event_cap_raised": "cap raised",
    "audit_event_period_opened": "period opened",
    "audit_event_superseded": "superseded",
    "audit_event_erratum": "erratum",
}
WORDS = Words({"en": ENGLISH, "es": SPANISH})


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


def json_html(value: Mapping[str, Any]) -> Html:
    """JSON inside a page: no character in it can end the element that it is in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def enumerate_words(items: list[str]) -> str:
    """a; a and b; a, b and c."""
    return say("and", first=", ".join(items[:-1]), last=items[-1]) if len(items) > 1 else items[0]

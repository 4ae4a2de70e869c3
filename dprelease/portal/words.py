"""The words of the public portal, in English and Spanish."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from dprelease.bundle.display import visible
from dprelease.bundle.words import Html, isolated
from dprelease.model.language import Words
from dprelease.portal.spanish import SPANISH

ENGLISH: Mapping[str, str] = {
    "kind": "Statistics with a differential privacy guarantee",
    "catalogue": "Statistical releases",
    "lead": "Every number in these releases has noise in it, which limits what anyone can learn about a single person. "
    "Each release states by how much, and can be checked.",
    "skip": "Skip to the content",
    "language": "Language",
    "search": "Search",
    "search_for": "Words",
    "population": "Population",
    "publisher": "Publisher",
    "topic": "Topic",
    "since": "Published from",
    "until": "Published until",
    "any": "any",
    "find": "Find",
    "all_again": "Show all",
    "found": "Releases found: {count}",
    "none_found": "No release fits. Try fewer words, or another population.",
    "newer": "Newer releases",
    "older": "Older releases",
    "nothing_yet": "Nothing has been released yet.",
    "published_on": "Published {day}",
    "of_population": "Population: {name}",
    "by_publisher": "Publisher: {name}",
    "spending": "What each population has spent",
    "spending_text": "In all its releases together, by the publisher's checkpoint of {day}, a signed statement of its "
    "ledger.",
    "spending_none": "The publisher has given out no checkpoint yet.",
    "head_population": "Population",
    "head_unit": "Protected",
    "head_relation": "Neighbouring tables",
    "head_spent": "Spent",
    "head_cap": "Cap",
    "head_releases": "Releases",
    "add_remove": "add or remove one",
    "substitute": "exchange one",
    "for_period": "for the period {period}",
    "period_spent": "in the period {period}: ε = {epsilon}, δ = {delta}",
    "loss": "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{epsilon}, δ\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{delta}",
    "feeds": "Feeds of new releases:",
    "superseded": "Superseded",
    "erratum": "Erratum",
    "status_superseded": "Superseded",
    "status_corrected": "Corrected",
    "status_unknown": "Notices missing",
    "notices_missing": "Its publisher's ledger lists notices about this release that this copy withholds or has "
    "altered: {count}. Do not rely on it before you have asked the publisher.",
    "notices_refused": "Beside this release lie statements that are not its publisher's, and are not shown: {count}.",
    "said_on": "({day})",
    "supersedes": "This release supersedes {release}.",
    "by_release": "by {release}",
    "back": "All releases",
    "promise": "What is promised",
    "promise_more": "The results are not exact: noise of a size that was fixed before any record was read is part of "
    "every number. The promise holds whatever else a reader knows, and whatever is done with these results later.",
    "contents": "Contents",
    "results": "Results",
    "rows_shown": "The first {rows} of {cells} rows; the files have all.",
    "estimate_of": "Values: {measure}. Intervals bound the noise only: not sampling, clipping or row-cutting.",
    "values_of": "Values: {measure}. (u): no interval is published, so how far off a value may be is not known.",
    "csv": "CSV",
    "sdmx": "SDMX-CSV",
    "chart_svg": "Chart",
    "compare_link": "Could a difference be noise?",
    "no_rows": "No cell is published.",
    "withheld_mark": "Withheld",
    "asked": "What the plan asked of the release before any noise was drawn:",
    "head_asked": "Asked",
    "head_found": "Found",
    "held": "held",
    "not_held": "failed",
    "exactly": "The guarantee, exactly",
    "loss_head": "Privacy loss",
    "unit_head": "Privacy unit",
    "relation_head": "Neighbouring tables",
    "groups_head": "Groups",
    "composition_head": "Composition",
    "spent_head": "Spent beside it",
    "population_head": "Population",
    "population_text": "{name}. Its cap: {cap}, for all releases together, with the same unit and neighbouring tables.",
    "size_text": "Declared size: {size}.",
    "where_head": "Records used",
    "ledger_head": "Ledger entry",
    "plan_head": "Plan",
    "made_head": "Made with",
    "processing_head": "Post-processing",
    "processing_none": "None beyond the arithmetic of each statistic on its noisy numbers.",
    "processing_steps": "Noisy counts were made: {steps}. The noisy counts stay beside them in the tables.",
    "consistent": "consistent",
    "nonnegative": "not negative",
    "integer": "whole",
    "mechanisms": "Mechanisms",
    "mechanisms_text": "Each {symbol} is a share of the whole above. Scale and sensitivity are in steps of the "
    "smallest "
    "unit counted; the error is half a 95 % interval, in the unit of the statistic.",
    "head_statistic": "Statistic",
    "head_mechanism": "Mechanism",
    "head_scale": "Scale",
    "head_sensitivity": "Sensitivity",
    "head_cells": "Cells",
    "head_error": "Error",
    "limits": "What is not protected",
    "limits_everyone": "What the results say about everyone can be used to guess something about one {unit}, used or "
    "not: conclusions from the whole are what a release is for.",
    "as_stated": "As the certificate states it, in English:",
    "history": "Errata and versions",
    "history_none": "By the publisher's checkpoint of {day}, nothing was said of this release since it was published.",
    "check": "Check this release",
    "check_here": "Check it in this browser",
    "check_text": "Or with dprelease, on your own machine, which also recomputes sensitivity, loss, sum and cap. "
    "Compare "
    "the key with one that the publisher has made known elsewhere:",
    "address": "ADDRESS stands for where this site lies; a folder on your own machine will do.",
    "cite": "Cite",
    "cite_as": "In APA style",
    "cite_bibtex": "For BibTeX",
    "cite_datacite": "For a registration agency: {link}",
    "licence": "Licence",
    "licence_none": "No licence is stated: ask the publisher before you republish it.",
    "use_it": "Use it",
    "use_text": "The first table, read where this page came from:",
    "files": "Files",
    "files_whole": "The release as one page",
    "files_zip": "All files (zip)",
    "certificate": "Certificate",
    "ledger_json": "Place in the ledger",
    "formats": "Descriptions for programs",
    "made_by": "Made with dprelease. Every published result is an estimate with noise.",
    "compare": "Could this difference be noise?",
    "compare_lead": "Choose two cells, or look at many at once. The answer counts the noise that was added, and "
    "nothing "
    "else: not sampling, not what changed in the world.",
    "compare_way": "Compare",
    "way_pair": "two cells",
    "way_next": "each cell with the one before (a trend)",
    "way_all": "the first cell with every other",
    "compare_first": "First cell",
    "compare_second": "Second cell",
    "compare_level": "Confidence",
    "compare_do": "Compare",
    "answer_more": "{first} is higher than {second}: noise alone does not explain it.",
    "answer_less": "{first} is lower than {second}: noise alone does not explain it.",
    "answer_noise": "The difference between {first} and {second} could be noise.",
    "answer_same": "Choose two different cells.",
    "answer_interval": "The difference is {value}, with a {level} interval from {lower} to {upper}.",
    "answer_many": "{sure} of {count} differences are more than noise. All intervals together hold with {level}.",
    "answer_many_each": "{sure} of {count} differences are more than noise. Each interval alone holds with {level}; "
    "together they hold with less.",
    "answer_fixed": "Only intervals at 95 % are published for these numbers. Two of them hold together with 90 %, "
    "which "
    "is the level of each answer here.",
    "answer_none": "No interval is published for these numbers, so no difference can be judged.",
    "answer_large": "This table has too many cells for this page: the files have their intervals.",
    "head_compared": "Compared",
    "head_difference": "Difference",
    "head_interval": "Interval",
    "head_answer": "Answer",
    "short_more": "higher",
    "short_less": "lower",
    "short_noise": "could be noise",
    "than": "{first} and {second}",
    "whole_table": "the whole",
    "intervals": "Intervals of every cell",
    "intervals_text": "As CSV files:",
    "compare_method": "How it is computed: the noise in each cell is one independent draw of a published distribution, "
    "so that the distribution of a difference is known. Where many are compared, each gets its share of the risk "
    "(Bonferroni). Where post-processing changed the values, the noisy ones are compared.",
    "verify": "Check this release in your browser",
    "verify_lead": "Your browser recomputes the checksums of all files, the publisher's signature, and the proof "
    "that the "
    "release stands in the publisher's ledger. Nothing is sent anywhere.",
    "verify_key": "The publisher's key, from elsewhere (ed25519:…)",
    "verify_key_help": "From paper, an article, another site. Without one the answer can only be: intact, signer "
    "unknown.",
    "verify_served": "Check what this site serves",
    "verify_chosen": "Or check a folder that you saved",
    "verify_noscript": "This check needs a script. Without one, use the command below, or sha256sum and openssl.",
    "verify_wait": "Checking…",
    "verify_not": "Your browser cannot do this check here (it takes a secure page and Ed25519). Use the command below.",
    "verify_offline": "This page was opened from a file, so it cannot read the files beside it by itself. Choose the "
    "folder of the release instead.",
    "verify_ok_known": "Intact, and signed by the key that you gave.",
    "verify_ok_unknown": "Intact. It is signed by {key}. Whose key that is, this page cannot tell: compare it with one "
    "that the publisher has made known elsewhere.",
    "verify_bad": "Do not use this copy: {why}",
    "verify_files": "All {count} listed files have their checksums",
    "verify_signature": "The list of checksums is signed by {key}",
    "verify_event": "The ledger's event {seq} states this release, its day and the hash of its results",
    "verify_charge": "Event {seq} states its charge: the same plan, loss and sum that the certificate states",
    "verify_inclusion": "Both are in the ledger of the checkpoint, of {size} events, by their Merkle proofs",
    "verify_rotations": "The key you gave handed over to the signing key, on {days}",
    "verify_notices": "Notices about this release that its publisher signed and its ledger lists, up to {day}: {count}",
    "verify_notices_none": "Nothing was said of this release up to {day}, by the publisher's last checkpoint here",
    "verify_notices_apart": "Whether it was corrected or superseded since, its folder does not tell: that stands on "
    "the publisher's site",
    "verify_checkpoint": "The checkpoint of {day} is signed by the same key",
    "why_missing": "{name} is missing",
    "why_changed": "{name} is not what was signed",
    "why_unlisted": "{name} is not listed",
    "why_signature": "the signature is not that of the key in the bundle",
    "why_key": "it is signed by another key than the one you gave (where the publisher has a new key since, the "
    "command below follows from one to the other)",
    "why_event": "the event in ledger.json is not of this release",
    "why_charge": "the charge in ledger.json is not what the certificate says was spent",
    "why_rotations": "the hand-overs from one key to the next in ledger.json do not hold",
    "why_no_checkpoint": "checkpoint.json is not given out here, so nothing shows whether notices about this "
    "release are withheld",
    "why_missing_notices": "notices that the publisher's ledger lists about this release are withheld or altered here "
    "({count})",
    "why_refused_notices": "notices lie beside this release that are not its publisher's ({count})",
    "why_inclusion": "the proof does not show the event in the ledger",
    "why_checkpoint": "the checkpoint is not signed by the same key",
    "why_format": "{name} cannot be read",
    "verify_cannot": "What this cannot show",
    "cannot_noise": "That noise was really drawn, and only once.",
    "cannot_spent": "That the budget was not spent in another place.",
    "cannot_recomputed": "That sensitivity, loss and sum follow from the plan: the command recomputes them.",
    "cannot_served": "That this page is honest: it comes from the same place as the release. A copy of dprelease from "
    "elsewhere does not.",
    "cannot_later": "What was said of the release after the last checkpoint that is here; of a folder that you chose, "
    "what was said of it at all.",
}
WORDS = Words({"en": ENGLISH, "es": SPANISH})


def tell(key: str, /, **values: Any) -> str:
    """A sentence as plain text, its values made visible."""
    return WORDS[key].format(**{name: visible(str(value)) for name, value in values.items()})


def tell_html(key: str, /, **values: Any) -> Html:
    """A sentence as HTML, each value escaped and kept from changing the direction of what surrounds it."""
    return Html(escape(WORDS[key], quote=False).format(**{name: isolated(value) for name, value in values.items()}))

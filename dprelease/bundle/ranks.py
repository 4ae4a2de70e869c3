"""How far values that were chosen privately may be from the ones that were asked for, counted in rows."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import ceil, log
from typing import Any

from dprelease.charts.display import shown
from dprelease.model.certificate import Certificate
from dprelease.model.stated import StatedMechanism
from dprelease.words.releases import WORDS, say

SELECTIONS = ("permute_and_flip", "exponential")
MISS = 0.05
WHISKERS = ("0.05", "0.95")
QUARTILES = ("0.25", "0.5", "0.75")


def rank_statement(certificate: Certificate, table: str) -> str:
    """Says in one sentence how many rows the values of a table may be off; empty of tables of another kind."""
    off = rank_reach(certificate, table) if "rank_off" in WORDS else None
    if off is None:
        return ""
    asked, rows = certificate.asked(table), shown(ceil(off * (1 - 1e-9)))
    if asked["kind"] == "mode":
        return say("rank_off_mode", rows=rows)
    alone, cells = say("rank_off", rows=rows), _chosen(certificate, table)[0].shape[1]
    column = certificate.columns[asked["column"]]
    return alone if cells == column.codes else say("rank_off_cells", off=alone, cells=shown(cells))


def rank_reach(certificate: Certificate, table: str) -> float | None:
    """How many rows the values of a group may be off, all of them together with 95 %; None of other tables.

    A cell whose score is t below the best is chosen with probability at most e^(−t/scale), so with 1 − β none of N
    cells that is more than scale·ln(N/β) below it. The best score of a quantile α = p/q is at least 0, and its scores
    are q times rows. So each of k chosen cells has at most T = max_i scale_i/q_i · ln(N·k/0.05) rows too many below it,
    and above it: sorting keeps that, since T is the same for all. A mode has at most scale·ln((N − 1)/0.05) rows fewer
    than the most common value. Of candidates nothing is said: none of these may come near.
    """
    asked, chosen = certificate.asked(table), _chosen(certificate, table)
    if not chosen or asked.get("candidates"):
        return None
    cells, shares = chosen[0].shape[1], _shares(asked)
    if asked["kind"] == "mode":
        return chosen[0].scale * log((cells - 1) / MISS) if cells > 1 else 0.0
    if len(shares) != len(chosen):
        return None
    return max(map(_per_row, chosen, shares)) * log(cells * len(shares) / MISS)


def _chosen(certificate: Certificate, table: str) -> list[StatedMechanism]:
    """The mechanisms that chose its values."""
    rests_on = certificate.rests_on(certificate.statistic(table))
    return [each for each in rests_on if each.name in SELECTIONS and len(each.shape) > 1]


def _shares(asked: Mapping[str, Any]) -> list[Decimal]:
    """The α of each answer."""
    if asked["kind"] == "quantiles":
        return [Decimal(str(share)) for share in asked["probs"]]
    if asked["kind"] == "five_numbers":
        low, high = map(str, asked.get("whiskers", WHISKERS))
        return [Decimal(share) for share in (low, *QUARTILES, high)]
    return [Decimal("0.5")] if asked["kind"] == "median" else []


def _per_row(mechanism: StatedMechanism, share: Decimal) -> float:
    return mechanism.scale / share.as_integer_ratio()[1]

"""Values that were chosen by rank: the number of rows that may lie on their wrong side, and when that is small."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from itertools import product
from math import ceil, floor, log

from dprelease.model.certificate import Certificate
from dprelease.model.presentation import ChartType, Trait, ValueKind
from dprelease.model.release import Estimates
from dprelease.model.stated import StatedMechanism
from dprelease.model.statement import Rank

SELECTIONS = ("permute_and_flip", "exponential")
MISS = 0.05
WHISKERS = ("0.05", "0.95")
QUARTILES = ("0.25", "0.5", "0.75")


ALIKE = ("by", "levels", "missing", "partial")
"""Options in which a count of answers by group has to agree with the values."""
NEVER = ("survey_weights", "sampling", "max_rows_per_cell", "margins", "detail")
"""Options with which a count is not of all rows of a group."""


def ranks(certificate: Certificate, tables: Mapping[str, Estimates]) -> dict[str, Rank]:
    """Return T and rows of each table of values without intervals whose number of rows is published too.

    Where a quantile α of n rows is at most T rows off, T <= n·min(α, 1 − α)/3, it is told by rank: then it is a
    quantile between α ± min(α, 1 − α)/3. n is the lower end of the interval of a count of the rows with a value in the
    column (of all rows, where a missing one is declared to count as some value), by the same groups: where the plan
    does not pay for that, nothing is told.
    """
    found = {}
    for table, estimates in tables.items():
        off = rank_reach(certificate, table)
        if off is None or cells_chosen(certificate, table) or {*estimates.lower95} != {None}:
            continue  # in a cell of several values rows may lie on either side of the one that is told
        own, rows = shares(certificate, table), _answers(certificate, table, tables)
        if not own or len(rows) * len(own) != len(estimates):
            continue
        most = ceil(off * (1 - 1e-9))
        each = enumerate(product(rows, own))
        places = tuple(place for place, (many, share) in each if 3 * most <= many * min(share, 1 - share))
        if places:
            found[table] = Rank(off=most, rows=tuple(rows), places=places)
    return found


def is_by_rank(certificate: Certificate, table: str) -> bool:
    """Return True if some value of a table is told by its rank: then a text states how far off it may be."""
    return bool(certificate.statements) and table in certificate.statements.ranks  # type: ignore[union-attr]


def rank_of(certificate: Certificate, table: str, place: int, cells: int) -> tuple[int, int] | None:
    """Return T and the least number of rows for a table's row that is told by rank; None for others."""
    stated = certificate.statements.ranks.get(table) if certificate.statements else None
    if stated is None or place not in stated.places:
        return None
    return stated.off, stated.rows[place * len(stated.rows) // cells]


def _answers(certificate: Certificate, table: str, tables: Mapping[str, Estimates]) -> list[int]:
    """Return the least number of rows of each group with a value, with 97.5 %, by the first such table; else none."""
    asked = certificate.asked(table)
    for name, estimates in tables.items():
        other, column = certificate.asked(name), None
        shown, keys = certificate.statistic(name).presentation, other.get("columns", ())
        if shown.has(Trait.COUNTS_ROWS) and len(estimates.axes) == len(other.get("by", ())):
            declared = certificate.columns.get(asked.get("column"))
            column = other.get("column", declared.name if declared is not None and declared.complete else None)
        if shown.has(Trait.OF_COLUMNS) and len(keys) == 1:
            (column,) = keys
        alike = all(asked.get(option) == other.get(option) for option in ALIKE)
        if column is None or column != asked.get("column") or not alike or any(map(other.get, NEVER)):
            continue
        ends = estimates.lower95[::2] if keys else estimates.lower95
        if all(isinstance(end, int | float) for end in ends):
            return [max(0, floor(end)) for end in ends]  # type: ignore[arg-type]
    return []


def rank_reach(certificate: Certificate, table: str) -> float | None:
    """Return the margin in rows of the values of a group, all of them together with 95 %; None for other tables.

    A cell whose score is t below the best is chosen with probability at most e^(−t/scale), so with 1 − β none of N
    cells that is more than scale·ln(N/β) below it. The best score of a quantile α = p/q is at least 0, and its scores
    are q times rows. So each of k chosen cells has at most T = max_i scale_i/q_i · ln(N·k/0.05) rows too many below it,
    and above it: sorting keeps that, since T is the same for all. A mode has at most scale·ln((N − 1)/0.05) rows fewer
    than the most common value. Of candidates nothing is said: none of these may come near.
    """
    asked, drawn = certificate.asked(table), chosen(certificate, table)
    if not drawn or asked.get("candidates"):
        return None
    shown, cells, own = certificate.statistic(table).presentation, drawn[0].shape[1], shares(certificate, table)
    if shown.values is ValueKind.NAMED and not shown.has(Trait.RANKED):
        return drawn[0].scale * log((cells - 1) / MISS) if cells > 1 else 0.0
    if len(own) != len(drawn):
        return None
    return max(map(_per_row, drawn, own)) * log(cells * len(own) / MISS)


def chosen(certificate: Certificate, table: str) -> list[StatedMechanism]:
    """Return the mechanisms that chose its values."""
    rests_on = certificate.rests_on(certificate.statistic(table))
    return [each for each in rests_on if each.name in SELECTIONS and len(each.shape) > 1]


def cells_chosen(certificate: Certificate, table: str) -> int:
    """Return the number of cells among which its values were chosen, where these hold several values each; else 0."""
    cells = chosen(certificate, table)[0].shape[1]
    return 0 if cells == certificate.columns[certificate.asked(table)["column"]].codes else cells


def shares(certificate: Certificate, table: str) -> list[Decimal]:
    """Return the α of each answer."""
    asked, shown = certificate.asked(table), certificate.statistic(table).presentation
    if not shown.has(Trait.QUANTILE):
        return []
    if shown.look is ChartType.BOXES:
        low, high = map(str, asked.get("whiskers", WHISKERS))
        return [Decimal(share) for share in (low, *QUARTILES, high)]
    return [Decimal(str(share)) for share in asked.get("probs", ("0.5",))]


def _per_row(mechanism: StatedMechanism, share: Decimal) -> float:
    return mechanism.scale / share.as_integer_ratio()[1]

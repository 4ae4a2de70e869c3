"""Tables derived from published counts, some with public figures: no rows are read, nothing is measured, no cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from dprelease.model.encoding import plain
from dprelease.model.report import Report
from dprelease.model.statistic import ID
from dprelease.words import phrase

MAX_DERIVED = 100
RATE_KEYS, COMPARED_KEYS = ("id", "of", "per", "times", "standardise"), ("id", "of", "over", "base", "lag")
MIN_TIMES, MAX_TIMES = Decimal("0.000001"), Decimal(10**9)
MAX_LAG = 10_000
COMPARED_ALONE = {"over", "base", "lag"}
"""Keys of an index or a change that a rate has not."""


@dataclass(frozen=True, slots=True)
class Standard:
    """Direct standardisation: rates of groups, weighted as these are in a standard population."""

    over: str
    """The key column whose groups are weighted."""
    weights: str
    """The public table with a figure for each of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedRate:
    """A rate: each count of a table, divided by a public figure with the same keys, times a number.

    value = times · y / P, and so each end of its interval: as P is exact, the interval holds as often as the count's.
    Standardised: Σ_a w_a · times · y_a / P_a with Σ w_a = 1, with the interval of that sum of noises.
    """

    id: str
    of: str
    """The statistic whose counts are divided."""
    per: str
    """The public table that they are divided by."""
    times: Decimal = Decimal(1)
    standardise: Standard | None = None

    @property
    def figures(self) -> tuple[str, ...]:
        """The public tables that it takes."""
        return (self.per,) if self.standardise is None else (self.per, self.standardise.weights)

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file."""
        times = {} if self.times == 1 else {"times": plain(self.times)}
        own = {} if self.standardise is None else {"standardise": asdict(self.standardise)}
        return {"id": self.id, "of": self.of, "per": self.per, **times, **own}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Each count of a table beside one that differs from it in one key alone.

    An index, with a base b: 100 · y_t / y_b. A change, with a lag l: 100 · (y_t / y_(t−l) − 1), in percent. Each
    interval has the quotients of true counts that the two noisy ones do not reject (Fieller 1954).
    """

    id: str
    of: str
    """The statistic whose counts are compared."""
    over: str
    """The key column along which: the first of its key."""
    base: str | None = None
    """The code of the cell that is 100, as in the table's file."""
    lag: int | None = None
    """Number of cells between a count and the earlier one that it is compared with."""

    @property
    def figures(self) -> tuple[str, ...]:
        """Public tables that it takes: none."""
        return ()

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file."""
        return {key: value for key, value in asdict(self).items() if value is not None}


Derived = DerivedRate | Compared


def read_derived(
    value: object, statistics: Iterable[str], tables: Iterable[str], report: Report
) -> tuple[Derived, ...]:
    """Read what stands under `derived` in a plan. `statistics`, `tables`: the ids of what it may be made of."""
    if value is None:
        return ()
    taken, public = [*statistics], [*tables]
    found: list[Derived] = []
    for index, each in enumerate(report.sequence(value, "derived", longest=MAX_DERIVED)):
        path, before = f"derived[{index}]", len(report.problems)
        compares = isinstance(each, Mapping) and "per" not in each and not COMPARED_ALONE.isdisjoint(each)
        fields = report.mapping(
            each,
            path,
            allowed=COMPARED_KEYS if compares else RATE_KEYS,
            required=("id", "of", "over" if compares else "per"),
        )
        if fields.get("id") is not None and not (isinstance(fields["id"], str) and ID.fullmatch(fields["id"])):
            report.add(f"{path}.id", found=fields["id"], allowed=phrase("model.z_0_9_beginning"))
        elif fields.get("id") in (*taken, *(other.id for other in found)):
            report.add(f"{path}.id", found=fields["id"], allowed=phrase("model.id_no_other_statistic"))
        if fields.get("of") is not None:
            report.choice(fields["of"], f"{path}.of", taken)
        own = (_compared if compares else partial(_rate, public=public))(fields, path, report)
        if len(report.problems) == before:
            found.append(own)
    return tuple(found)


def _rate(fields: Mapping[str, Any], path: str, report: Report, *, public: Sequence[str]) -> Derived:
    if fields.get("per") is not None:
        report.choice(fields["per"], f"{path}.per", public)
    times: Decimal | None = Decimal(1)
    if fields.get("times") is not None:
        times = report.decimal(fields["times"], f"{path}.times", allowed=phrase("model.derived_times"))
        if times is not None and not MIN_TIMES <= times <= MAX_TIMES:
            report.add(f"{path}.times", found=fields["times"], allowed=phrase("model.derived_times"))
    standard = _standard(fields.get("standardise"), f"{path}.standardise", public, report)
    own = {key: fields.get(key, "") for key in ("id", "of", "per")}
    return DerivedRate(**own, times=times or Decimal(1), standardise=standard)


def _compared(fields: Mapping[str, Any], path: str, report: Report) -> Derived:
    base, lag = fields.get("base"), fields.get("lag")
    if (base is None) == (lag is None):
        found = phrase("model.compared_neither" if base is None else "model.compared_both")
        report.add(path, found=found, allowed=phrase("model.compared_one"))
    if fields.get("over") is not None:
        report.text(fields["over"], f"{path}.over", shortest=1)
    code = None if base is None else str(base) if type(base) is int else report.text(base, f"{path}.base", shortest=1)
    if lag is not None:
        lag = report.integer(lag, f"{path}.lag", lowest=1, highest=MAX_LAG)
    return Compared(id=fields.get("id", ""), of=fields.get("of", ""), over=fields.get("over", ""), base=code, lag=lag)


def _standard(value: object, path: str, public: Iterable[str], report: Report) -> Standard | None:
    if value is None:
        return None
    fields = report.mapping(value, path, allowed=("over", "weights"), required=("over", "weights"))
    over = report.text(fields["over"], f"{path}.over", shortest=1) if fields.get("over") is not None else ""
    if fields.get("weights") is not None:
        report.choice(fields["weights"], f"{path}.weights", public)
    return Standard(over, fields["weights"]) if over and isinstance(fields.get("weights"), str) else None

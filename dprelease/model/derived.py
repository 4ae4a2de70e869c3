"""What is computed of published counts and public figures: it reads no rows, measures nothing and costs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from dprelease.model.encoding import plain
from dprelease.model.report import Report
from dprelease.model.statistic import ID
from dprelease.words import phrase

MOST_DERIVED = 100
KEYS = ("id", "of", "per", "times", "standardise")
LEAST_TIMES, MOST_TIMES = Decimal("0.000001"), Decimal(10**9)


@dataclass(frozen=True, slots=True)
class Standard:
    """Direct standardisation: rates of groups, weighted as these are in a standard population."""

    over: str
    """The key column whose groups are weighted."""
    weights: str
    """The public table with a figure for each of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
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
        """Returns it as in a plan file."""
        times = {} if self.times == 1 else {"times": plain(self.times)}
        own = {} if self.standardise is None else {"standardise": asdict(self.standardise)}
        return {"id": self.id, "of": self.of, "per": self.per, **times, **own}


def read_derived(
    value: object, statistics: Iterable[str], tables: Iterable[str], report: Report
) -> tuple[Derived, ...]:
    """Reads what stands under `derived` in a plan. `statistics`, `tables`: the ids of what it may be made of."""
    if value is None:
        return ()
    taken, public = [*statistics], [*tables]
    found: list[Derived] = []
    for index, each in enumerate(report.sequence(value, "derived", longest=MOST_DERIVED)):
        path, before = f"derived[{index}]", len(report.problems)
        fields = report.mapping(each, path, allowed=KEYS, required=("id", "of", "per"))
        if fields.get("id") is not None and not (isinstance(fields["id"], str) and ID.fullmatch(fields["id"])):
            report.add(f"{path}.id", found=fields["id"], allowed=phrase("model.z_0_9_beginning"))
        elif fields.get("id") in (*taken, *(other.id for other in found)):
            report.add(f"{path}.id", found=fields["id"], allowed=phrase("model.id_no_other_statistic"))
        for key, names in (("of", taken), ("per", public)):
            if fields.get(key) is not None:
                report.choice(fields[key], f"{path}.{key}", names)
        times: Decimal | None = Decimal(1)
        if fields.get("times") is not None:
            times = report.decimal(fields["times"], f"{path}.times", allowed=phrase("model.derived_times"))
            if times is not None and not LEAST_TIMES <= times <= MOST_TIMES:
                report.add(f"{path}.times", found=fields["times"], allowed=phrase("model.derived_times"))
        standard = _standard(fields.get("standardise"), f"{path}.standardise", public, report)
        if len(report.problems) == before and times is not None:
            own = {key: fields[key] for key in ("id", "of", "per")}
            found.append(Derived(**own, times=times, standardise=standard))
    return tuple(found)


def _standard(value: object, path: str, public: Iterable[str], report: Report) -> Standard | None:
    if value is None:
        return None
    fields = report.mapping(value, path, allowed=("over", "weights"), required=("over", "weights"))
    over = report.text(fields["over"], f"{path}.over", shortest=1) if fields.get("over") is not None else ""
    if fields.get("weights") is not None:
        report.choice(fields["weights"], f"{path}.weights", public)
    return Standard(over, fields["weights"]) if over and isinstance(fields.get("weights"), str) else None

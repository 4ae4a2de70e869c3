"""Policy of a workspace for plans: a file that its administrator writes, read at every review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

from dprelease.errors import InputError
from dprelease.model.encoding import plain, read_mapping
from dprelease.model.forbidden import MAX_RULES, Forbidden
from dprelease.model.privacy import ATTO, NANO, read_delta, read_epsilon
from dprelease.model.report import Report
from dprelease.model.stated import USUAL, Grades, as_json
from dprelease.words import phrase, verbatim

VERSION = 1
LIMITS = ("fewest_rows", "looks", "seen_before_hours")
KEYS = ("dprelease", "release", "units", "row_unit", "delta_times_size", "required", "grades", "forbidden", *LIMITS)
MAX_UNITS = 100
MAX_ROWS = 10**9


class PlanCheck(StrEnum):
    """Check made in every plan before it is decided. Each has its words, and says what it found."""

    EPSILON = "epsilon"
    DELTA = "delta"
    DELTA_AND_SIZE = "delta_and_size"
    UNIT = "unit"
    ROW_UNIT = "row_unit"
    BUDGET = "budget"
    EXACT_BOUNDS = "exact_bounds"
    MISSING_CODES = "missing_codes"
    NOISY_CELLS = "noisy_cells"
    EXPECTED = "expected"
    IDENTIFIER_KEYS = "identifier_keys"
    PUBLISHED_BEFORE = "published_before"
    DISCOVERED = "discovered"
    FREE_TEXT = "free_text"
    AFTER_PREVIEW = "after_preview"
    OVERLAPS = "overlaps"
    WIDE_BOUNDS = "wide_bounds"
    MODEL_CELLS = "model_cells"
    RARE_OUTCOME = "rare_outcome"
    UNTRIED_MODEL = "untried_model"
    READING_PROPOSED = "reading_proposed"
    NARROW_FILTER = "narrow_filter"
    FORBIDDEN = "forbidden"
    CREEPING = "creeping"
    MAX_ROWS = "max_rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits on one release, allowed units, and the checks that a plan has to pass to be approved."""

    epsilon_nano: int | None = None
    """The largest ε of one release; None where only the population's cap limits it."""
    delta_atto: int | None = None
    units: tuple[str, ...] = ()
    """Words that a population's unit may be, such as person; empty where any may."""
    row_unit: bool = True
    """True if a row may be a unit because the curator attests it."""
    delta_times_size: Decimal | None = Decimal("0.1")
    """The largest δ × declared size: how many units a failure may be expected to concern. Dwork & Roth 2014, 2.3."""
    required: tuple[PlanCheck, ...] = ()
    """Required checks: without a serious finding, or the plan cannot be approved."""
    grades: Grades = USUAL
    """Limits on the reach of intervals: of all releases alike, or they would be chosen after the numbers are seen."""
    fewest_rows: int = 20
    """Expected rows under a filter; one that would leave fewer may single out a person."""
    forbidden: tuple[Forbidden, ...] = ()
    looks: int = 3
    """Maximum looks at true values of one plan with different ε, before it was submitted; more are serious."""
    seen_before_hours: int = 24
    """Longest time before its hour, in hours, for which others than author and approver see an embargoed release."""

    @classmethod
    def load(cls, path: Path) -> Policy:
        """Return the policy in a file; where there is none, the ordinary one. Raises InputError with every problem."""
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return cls()
        except OSError as cause:
            raise InputError(
                "policy", found=path.name, allowed=phrase("model.file_can_read"), remedy=verbatim(cause.strerror or "")
            ) from None
        return cls.parse(read_mapping(text, error=InputError, what="policy"))

    @classmethod
    def parse(cls, value: Mapping[str, Any]) -> Policy:
        """Read a mapping as in `policy.yaml`."""
        report = Report()
        fields = report.mapping(value, "", allowed=KEYS, required=("dprelease",))
        if fields.get("dprelease") not in (None, VERSION) or fields.get("dprelease") is True:
            report.add(
                "dprelease", found=fields["dprelease"], allowed=phrase("model.version_policy_format", version=VERSION)
            )
        parts: dict[str, Any] = {}
        if fields.get("release") is not None:
            release = report.mapping(fields["release"], "release", allowed=("epsilon", "delta"))
            if release.get("epsilon") is not None:
                parts["epsilon_nano"] = read_epsilon(release["epsilon"], "release.epsilon", report)
            if release.get("delta") is not None:
                parts["delta_atto"] = read_delta(release["delta"], "release.delta", report)
        if fields.get("units") is not None:
            units = report.sequence(fields["units"], "units", longest=MAX_UNITS)
            parts["units"] = tuple(
                report.text(each, f"units[{place}]", longest=60, shortest=1) for place, each in enumerate(units)
            )
        if fields.get("row_unit") is not None:
            parts["row_unit"] = report.flag(fields["row_unit"], "row_unit")
        if fields.get("delta_times_size") is not None:
            parts["delta_times_size"] = _share(fields["delta_times_size"], report)
        if fields.get("required") is not None:
            names = report.sequence(fields["required"], "required", longest=len(PlanCheck))
            chosen = (report.choice(name, f"required[{place}]", list(PlanCheck)) for place, name in enumerate(names))
            parts["required"] = tuple(PlanCheck(name) for name in chosen if name)
        if fields.get("grades") is not None:
            parts["grades"] = _grades(fields["grades"], report)
        if fields.get("forbidden") is not None:
            rules = report.sequence(fields["forbidden"], "forbidden", longest=MAX_RULES)
            read = (Forbidden.read(each, f"forbidden[{place}]", report) for place, each in enumerate(rules))
            parts["forbidden"] = tuple(read)
        for name in LIMITS:
            if fields.get(name) is not None:
                parts[name] = report.integer(fields[name], name, lowest=0, highest=MAX_ROWS)
        report.raise_any(InputError)
        return cls(**parts)

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in `policy.yaml`."""
        limits = {
            "epsilon": None if self.epsilon_nano is None else plain(Decimal(self.epsilon_nano) / NANO),
            "delta": None if self.delta_atto is None else plain(Decimal(self.delta_atto) / ATTO),
        }
        release = {name: limit for name, limit in limits.items() if limit is not None}
        result: dict[str, Any] = {"dprelease": VERSION}
        if release:
            result["release"] = release
        if self.units:
            result["units"] = list(self.units)
        result["row_unit"] = self.row_unit
        if self.delta_times_size is not None:
            result["delta_times_size"] = plain(self.delta_times_size)
        if self.required:
            result["required"] = [check.value for check in self.required]
        if self.grades != USUAL:
            result["grades"] = as_json(self.grades)
        if self.forbidden:
            result["forbidden"] = [rule.to_mapping() for rule in self.forbidden]
        result |= {name: getattr(self, name) for name in LIMITS}
        return result


def _share(value: object, report: Report) -> Decimal | None:
    allowed = phrase("model.number_above_0_at")
    number = report.decimal(value, "delta_times_size", allowed=allowed)
    if number is not None and not 0 < number <= 1_000_000:
        report.add("delta_times_size", found=value, allowed=allowed)
    return number


def _grades(value: object, report: Report) -> Grades:
    allowed, own = phrase("model.number_above_0_at_most_1"), USUAL
    given = report.mapping(value, "grades", allowed=("caution", "unreliable"))
    caution, unreliable = (
        own_limit if given.get(name) is None else report.decimal(given[name], f"grades.{name}", allowed=allowed)
        for name, own_limit in (("caution", own.caution), ("unreliable", own.unreliable))
    )
    if caution is None or unreliable is None:
        return own
    for name, limit in (("caution", caution), ("unreliable", unreliable)):
        if not 0 < limit <= 1:
            report.add(f"grades.{name}", found=given.get(name), allowed=allowed)
    if caution > unreliable:
        report.add("grades.caution", found=float(caution), allowed=phrase("model.at_most_unreliable"))
    return Grades(caution=float(caution), unreliable=float(unreliable))

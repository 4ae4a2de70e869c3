"""Rules of a policy on what may not be asked: columns, pairs of columns, kinds, or columns only at coarser levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.model.plan import Plan
from dprelease.model.report import Report, join
from dprelease.model.statistic import Statistic
from dprelease.words import phrase

KEYS = ("columns", "kinds", "levels", "reason")
MAX_RULES, MAX_NAMES = 200, 50


@dataclass(frozen=True, slots=True)
class Forbidden:
    """One rule: no statistic of `kinds` (any where empty) may look at all of `columns` together.

    With `levels` it may, where each of these columns that it looks at is asked at one of those levels.
    """

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    levels: tuple[str, ...]
    reason: str
    """The sentence that whoever asks for it reads."""

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Forbidden:
        """Read one rule as in `policy.yaml`, adding problems to a report."""
        fields = report.mapping(value, path, allowed=KEYS, required=("reason",))
        lists = {key: _names(fields.get(key), join(path, key), report) for key in ("columns", "kinds", "levels")}
        if isinstance(value, Mapping) and not lists["columns"] and not lists["kinds"]:
            report.add(path, found=phrase("model.nothing"), allowed=phrase("model.columns_or_kinds"))
        return cls(**lists, reason=report.optional_text(fields, "reason", path, shortest=1))

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in `policy.yaml`."""
        lists = {key: list(getattr(self, key)) for key in ("columns", "kinds", "levels") if getattr(self, key)}
        return {**lists, "reason": self.reason}

    def forbids(self, statistic: Statistic, plan: Plan) -> bool:
        """Return True if a statistic of a complete plan is against the rule; its filter counts as asked."""
        asked = statistic.to_mapping()
        if self.kinds and asked["kind"] not in self.kinds:
            return False
        named = dict.fromkeys((*statistic.used_columns(), *(condition.column for condition in plan.where)))
        if not {*self.columns} <= {*plan.schema.with_inputs(named)}:
            return False
        levels = asked.get("levels", {})
        return not self.levels or any(levels.get(name) not in self.levels for name in self.columns)


def forbidden(rules: Sequence[Forbidden], plan: Plan) -> Iterator[tuple[int, Statistic, Forbidden]]:
    """Yield each statistic of a complete plan that is against a rule: its place in the plan, itself, the rule."""
    for place, statistic in enumerate(plan.statistics):
        yield from ((place, statistic, rule) for rule in rules if rule.forbids(statistic, plan))


def _names(value: object, path: str, report: Report) -> tuple[str, ...]:
    if value is None:
        return ()
    names = report.sequence(value, path, longest=MAX_NAMES)
    return tuple(report.text(each, f"{path}[{place}]", shortest=1) for place, each in enumerate(names))

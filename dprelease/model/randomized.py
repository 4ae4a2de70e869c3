"""Randomized response: answers changed at random before they arrived, a public fact of how they were collected."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dprelease.model.encoding import plain
from dprelease.model.privacy import NANO, read_epsilon
from dprelease.model.report import Report, join
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    from dprelease.model.column import Column

RESPONSE = "response"
METHODS = (RESPONSE,)
"""Methods: one changed answer a row. Subsets and unary codes would be several columns, which no statistic reads."""


@dataclass(frozen=True, slots=True)
class Randomized:
    """Randomized response: each answer was replaced before it arrived, k-ary, over exactly the declared values.

    The true one stayed with probability e^ε / (e^ε + k − 1), else each of the k − 1 others came with the same chance,
    independently of all else. Nobody can check that from the table: whoever declares it vouches for it.
    """

    epsilon_nano: int
    method: str = RESPONSE

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file."""
        return {"method": self.method, "epsilon": plain(Decimal(self.epsilon_nano) / NANO)}

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Randomized | None:
        """Read `{method: response, epsilon: 1}`; None where it has problems."""
        before = len(report.problems)
        fields = report.mapping(value, path, allowed=("method", "epsilon"), required=("method", "epsilon"))
        if len(report.problems) > before:
            return None
        report.choice(fields["method"], join(path, "method"), METHODS)
        epsilon = read_epsilon(fields["epsilon"], join(path, "epsilon"), report)
        return None if len(report.problems) > before else cls(epsilon)


def check_randomized(column: Column, listed: bool, path: str, report: Report) -> None:
    """Add a problem where answers in such a column cannot have been changed so. `listed`: whether it lists values."""
    if column.randomized is None:
        return
    path = join(path, "randomized")
    if not listed or column.discover or column.other or column.codes < 2:
        report.add(
            path,
            found=phrase("model.randomized_elsewhere"),
            allowed=phrase("model.randomized_where"),
            remedy=phrase("model.list_each_answer"),
        )
    elif not column.complete:
        report.add(
            path,
            found=phrase("model.randomized_incomplete"),
            allowed=phrase("model.randomized_complete"),
            remedy=phrase("model.add_count_missing_as", column=quoted(column.name)),
        )

"""Expected errors of a plan at several ε: what a notebook looks at before it decides. Reads no rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dprelease.model.code import Quantity
from dprelease.model.plan import Plan
from dprelease.model.schema import Schema
from dprelease.statistics.planning.price import price

if TYPE_CHECKING:
    import pandas

COLUMNS = ("epsilon", "statistic", "error95")


@dataclass(frozen=True)
class ErrorSweep:
    """Expected errors by ε and statistic."""

    rows: tuple[tuple[float, str, float | None], ...]
    """ε, the id of a statistic, and its expected error in its own units; None where it depends on the rows."""

    def __iter__(self) -> Iterator[tuple[float, str, float | None]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        epsilons = sorted({row[0] for row in self.rows})
        return f"<errors of {len({row[1] for row in self.rows})} statistics at ε = {', '.join(map(str, epsilons))}>"

    def to_pandas(self) -> pandas.DataFrame:
        """Return a DataFrame: epsilon, statistic, error95."""
        import pandas

        return pandas.DataFrame(list(self.rows), columns=list(COLUMNS))

    def plot(self) -> Any:
        """Return an Altair chart: expected error by ε, a line a statistic, on logarithmic scales."""
        from dprelease.charts.lines import error_lines

        return error_lines([dict(zip(COLUMNS, row, strict=True)) for row in self.rows if row[2]])


def sweep(plan: Plan, epsilon: Sequence[Quantity], schema: Schema | None = None) -> ErrorSweep:
    """Price a plan at several ε. Raises PlanError where one of them cannot pay its statistics.

    Example: `dp.sweep(plan, epsilon=[0.1, 0.5, 1]).to_pandas()`
    """
    priced = (price(plan.replace(epsilon=each), schema) for each in epsilon)
    return ErrorSweep(
        tuple((float(each.plan.epsilon), item.id, item.error95) for each in priced for item in each.statistics)
    )

"""Private data release: confidential tables in, statistics with a differential privacy guarantee out.

Names are imported when first used, so that `import dprelease` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dprelease.model.version import VERSION
from dprelease.registry import added

__version__ = VERSION

if TYPE_CHECKING:
    from dprelease.bundle.loading import load_rows as load_rows
    from dprelease.model.actor import Actor as Actor
    from dprelease.model.function.fitted import load_model as load_model
    from dprelease.model.release import Release as Release
    from dprelease.model.schema import Schema as Schema
    from dprelease.statistics import Plan as Plan
    from dprelease.statistics.kit.check import check_statistic as check_statistic
    from dprelease.statistics.planning.price import Price as Price
    from dprelease.statistics.planning.price import price as price
    from dprelease.verdict.model_from import model_from as model_from
    from dprelease.verdict.rows_from import rows_from as rows_from
    from dprelease.verdict.verify import Verdict as Verdict
    from dprelease.verdict.verify import verify as verify
    from dprelease.workspace import Workspace as Workspace

_HOMES = {
    "Actor": "dprelease.model.actor",
    "Plan": "dprelease.statistics",
    "Price": "dprelease.statistics.planning.price",
    "Release": "dprelease.model.release",
    "Schema": "dprelease.model.schema",
    "Verdict": "dprelease.verdict.verify",
    "Workspace": "dprelease.workspace",
    "check_statistic": "dprelease.statistics.kit.check",
    "load_model": "dprelease.model.function.fitted",
    "load_rows": "dprelease.bundle.loading",
    "model_from": "dprelease.verdict.model_from",
    "price": "dprelease.statistics.planning.price",
    "rows_from": "dprelease.verdict.rows_from",
    "verify": "dprelease.verdict.verify",
}
_HOMES.update({name: place.partition(":")[0] for name, place in added("exports").items()})
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

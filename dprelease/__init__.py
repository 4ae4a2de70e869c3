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
    from dprelease import errors as errors
    from dprelease.bundle.arithmetic import share as share
    from dprelease.bundle.arithmetic import total as total
    from dprelease.bundle.loading import load_rows as load_rows
    from dprelease.errors import AccessError as AccessError
    from dprelease.errors import BudgetError as BudgetError
    from dprelease.errors import DPReleaseError as DPReleaseError
    from dprelease.errors import InputError as InputError
    from dprelease.errors import IntegrityError as IntegrityError
    from dprelease.errors import NotFoundError as NotFoundError
    from dprelease.errors import PlanError as PlanError
    from dprelease.errors import SchemaError as SchemaError
    from dprelease.model.actor import Actor as Actor
    from dprelease.model.code import Columns as Columns
    from dprelease.model.code import col as col
    from dprelease.model.code import made as made
    from dprelease.model.function.fitted import load_model as load_model
    from dprelease.model.plan import plan as plan
    from dprelease.model.release import Release as Release
    from dprelease.model.schema import Schema as Schema
    from dprelease.statistics import Plan as Plan
    from dprelease.statistics.kind_functions import *  # noqa: F403 (its stub has one function a kind)
    from dprelease.statistics.kit.check import check_statistic as check_statistic
    from dprelease.statistics.planning.price import Price as Price
    from dprelease.statistics.planning.price import price as price
    from dprelease.statistics.planning.sweep import sweep as sweep
    from dprelease.verdict.loading import load as load
    from dprelease.verdict.model_from import model_from as model_from
    from dprelease.verdict.rows_from import rows_from as rows_from
    from dprelease.verdict.verify import Verdict as Verdict
    from dprelease.verdict.verify import verify as verify
    from dprelease.workspace import Workspace as Workspace

_HOMES = {
    "Actor": "dprelease.model.actor",
    "Columns": "dprelease.model.code",
    "Plan": "dprelease.statistics",
    "Price": "dprelease.statistics.planning.price",
    "Release": "dprelease.model.release",
    "Schema": "dprelease.model.schema",
    "Verdict": "dprelease.verdict.verify",
    "Workspace": "dprelease.workspace",
    "check_statistic": "dprelease.statistics.kit.check",
    "col": "dprelease.model.code",
    "errors": "dprelease",
    "load": "dprelease.verdict.loading",
    "load_model": "dprelease.model.function.fitted",
    "load_rows": "dprelease.bundle.loading",
    "made": "dprelease.model.code",
    "model_from": "dprelease.verdict.model_from",
    "plan": "dprelease.model.plan",
    "price": "dprelease.statistics.planning.price",
    "rows_from": "dprelease.verdict.rows_from",
    "share": "dprelease.bundle.arithmetic",
    "sweep": "dprelease.statistics.planning.sweep",
    "total": "dprelease.bundle.arithmetic",
    "verify": "dprelease.verdict.verify",
}
ERRORS = "AccessError BudgetError DPReleaseError InputError IntegrityError NotFoundError PlanError SchemaError"
KINDS = (
    "answered bounds cdf clusters components correlation count covariance crosstab five_numbers histogram linear "
    "logistic mean median mode naive_bayes proportion quantiles rate ratio scorecard std sum survey synthetic "
    "threshold top units variance workload"
)
MADE = "boolean category date error integer number per text"
_HOMES.update(dict.fromkeys(ERRORS.split(), "dprelease.errors"))
_HOMES.update(dict.fromkeys(f"{KINDS} {MADE}".split(), "dprelease.statistics.kind_functions"))
_HOMES.update({name: place.partition(":")[0] for name, place in added("exports").items()})
__all__ = sorted(_HOMES)

if not TYPE_CHECKING:  # else type checkers would find every name here

    def __getattr__(name: str) -> Any:
        if name == "errors":
            return import_module("dprelease.errors")
        if name not in _HOMES:
            from difflib import get_close_matches

            near = get_close_matches(name, __all__, n=1)
            said = f". Did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{said}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__

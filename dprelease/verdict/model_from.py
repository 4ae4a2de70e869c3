"""Models that anybody may fit to the tables of a published release: at no cost, for nothing but these is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InputError
from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.release import Model, Release
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.model.tally import Key
from dprelease.statistics.binned import Binned
from dprelease.statistics.kinds.crosstab import Crosstab
from dprelease.statistics.planning.derivation import Own
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.verdict.recompute import stated_price
from dprelease.verdict.verify import verify
from dprelease.words import phrase, quoted

KINDS = ("scorecard", "naive_bayes")


@dataclass(frozen=True)
class ModelFrom:
    """A model with the release and the tables that it was fitted to."""

    release: str
    tables: tuple[str, ...]
    """One for each input, in order."""
    model: Model

    @property
    def facts(self) -> dict[str, Any]:
        """Returns what the file of a model says: as those in bundles, for `dprelease.load_model`."""
        return dict(self.model.facts)


def model_from(
    path: str | Path, outcome: str, on: Sequence[str], kind: str = "scorecard", *, key: str | None = None
) -> ModelFrom:
    """Fits a scorecard or a naive Bayes model to cross tables of the outcome with each input, out of a bundle.

    The bundle is verified first; `key` as there. The ε is 0: it is computed of published integers alone, by the
    formulas of the kind, whose intervals are by the noise of these tables. Rows without a value in an input are in no
    cell of its table. Raises InputError where there is no such table or model, IntegrityError where the bundle does not
    verify.
    """
    if kind not in KINDS:
        raise InputError("kind", found=kind, allowed=phrase("verdict.kinds_of_models", kinds=", ".join(KINDS)))
    release = verify(path, key).release
    priced = stated_price(release.certificate)
    schema = priced.plan.schema
    for name in (outcome, *on):
        if name not in schema:
            raise InputError(
                "on",
                found=name,
                allowed=phrase("verdict.columns_of_release", names=", ".join(each.name for each in schema)),
            )
    counted = [_table(priced.statistics, schema, outcome, name) for name in on]
    bins = {
        name: bins
        for name, (item, own) in zip(on, counted, strict=True)
        if (bins := _bins(item, own, schema)) is not None
    }
    asked: dict[str, Any] = {"id": "model", "kind": kind, "outcome": outcome, "on": list(on)}
    asked |= {"bins": bins} if bins else {}
    asked |= {"together": "none"} if kind == "scorecard" else {}
    report = Report()
    statistic = read_statistic(asked, "model", report)
    if statistic is not None and not report.problems:
        statistic.check("model", schema, report)
    report.raise_any(InputError)
    assert isinstance(statistic, Binned)
    for own, (item, cells) in zip(statistic.keys(schema), counted, strict=True):
        if own != cells:
            raise InputError("on", found=own.column, allowed=phrase("verdict.equal_bins", table=quoted(item.id)))
    drawn = [_integers(release, item, outcome, schema) for item, _ in counted]
    mechanisms: list[Mechanism] = [item.mechanisms[0] for item, _ in counted]
    made = statistic.answered(schema, drawn, mechanisms)
    assert isinstance(made, Model)
    return ModelFrom(release.id, tuple(item.id for item, _ in counted), made)


def _table(items: Sequence[StatisticPrice], schema: Schema, outcome: str, name: str) -> tuple[StatisticPrice, Key]:
    """The most precise cross table of an input and the outcome that was measured itself, and the input's cells."""
    found = []
    for item in items:
        statistic = item.statistic
        if not isinstance(statistic, Crosstab) or not isinstance(item.derivation, Own):
            continue
        if not replace(statistic, margins=False).is_plain(schema):
            continue
        keys = {key.column: key for key in statistic.keys(schema)}
        if len(keys) == 2 and keys.keys() == {name, outcome} and keys[outcome].cells == schema[outcome].codes:
            found.append((item.count_variance, item.id, item, keys[name]))
    if not found:
        allowed = phrase("verdict.crosstab_of_both", outcome=quoted(outcome), name=quoted(name))
        raise InputError("on", found=name, allowed=allowed)
    *_, best, cells = min(found, key=lambda each: each[:2])
    return best, cells


def _bins(item: StatisticPrice, own: Key, schema: Schema) -> Any:
    """How a model says the cells of a table: none of listed values."""
    column = schema[own.column]
    assert isinstance(item.statistic, Crosstab)
    return None if column.type.value in ("category", "boolean") else own.cells


def _integers(release: Release, item: StatisticPrice, outcome: str, schema: Schema) -> NDArray[np.int64]:
    """The noisy counts of a cross table by (input, outcome): those that were drawn, without totals."""
    table = release.tables.get(item.id)
    if table is None:
        raise InputError(
            "release", found=phrase("verdict.withheld_release"), allowed=phrase("verdict.published_tables")
        )
    assert isinstance(item.statistic, Crosstab)
    keys = item.statistic.keys(schema)
    shape = tuple(key.cells for key in keys)
    numbers = np.array(table.extra.get("raw", table.value), dtype=object)
    whole = numbers.reshape([len(axis.cells) for axis in table.axes])
    counts = whole[tuple(slice(cells) for cells in shape)].astype(np.int64)
    assert counts.size == prod(shape)
    assert isinstance(item.mechanisms[0], Noise)
    return counts if keys[1].column == outcome else counts.T

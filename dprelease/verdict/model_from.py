"""Models that anybody may fit to the tables of a published release: at no cost, for nothing but these is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.bundle.coefficients import Coefficients, of_tables, unborne
from dprelease.bundle.model_card import card_text
from dprelease.bundle.pmml import known, pmml
from dprelease.errors import InputError
from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism, ResidualGaussian
from dprelease.model.certificate import Certificate
from dprelease.model.column import LISTED
from dprelease.model.plan import Expected
from dprelease.model.release import Estimates, FittedOutput, MeasuredTables, Output, Release
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS as STATISTICS
from dprelease.model.statistic import read_statistic
from dprelease.model.tally import Key
from dprelease.statistics.algebra.estimated import Estimated, estimated
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.algebra.linear import Rule
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.binned import Binned, variance
from dprelease.statistics.kinds.scorecard import ALL, NONE, Scorecard
from dprelease.statistics.kinds.workload import Workload
from dprelease.statistics.planning.derivation import Own
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.planning.tabled import Pair, pair_tables
from dprelease.verdict.recompute import stated_price
from dprelease.verdict.verify import verify
from dprelease.words import phrase, quoted

SCORECARD = "scorecard"
KINDS = (SCORECARD, "naive_bayes")


@dataclass(frozen=True)
class ModelFrom:
    """A model with the release and the tables that it was fitted to."""

    release: str
    tables: tuple[str, ...]
    """One for each input, in order; then those of pairs of inputs."""
    model: FittedOutput
    certificate: Certificate
    """Certificate of the release, whose guarantee is the model's."""

    @property
    def facts(self) -> dict[str, Any]:
        """Returns what the file of a model says: as those in bundles, for `dprelease.load_model`.

        Where it was fitted to estimates, the counts stand for the integers.
        """
        facts = dict(self.model.facts)
        listed = facts.pop("integers")
        is_whole = all(isinstance(number, int) for numbers in listed for number in numbers)
        return facts | {"integers" if is_whole else "counts": listed}

    @property
    def coefficients(self) -> Coefficients:
        """Returns what can be quoted of its function."""
        return of_tables(self.model, self.certificate.grades)

    @property
    def pmml(self) -> bytes | None:
        """Returns the same function in PMML, as bundles have it; None where some coefficient cannot be quoted."""
        facts = known(self.model)
        assert facts is not None
        return None if unborne(self.coefficients)[0] else pmml(facts, "model")

    @property
    def card(self) -> str:
        """Returns what the model is, for what and at which cost, in Markdown."""
        facts = known(self.model)
        assert facts is not None
        return card_text(facts, self.certificate, self.tables, self.coefficients, says_nothing=self.says_nothing)

    @property
    def says_nothing(self) -> bool:
        """True if no bin stands out: each interval has an end at most, so noise alone may give such a model."""
        points = self.model.parts["points"]
        return not any(
            low is not None and high is not None for low, high in zip(points.lower95, points.upper95, strict=True)
        )


@dataclass(frozen=True, eq=False)
class _Table:
    """Noisy counts by two keys, as they were drawn."""

    name: str
    rule: Rule
    keys: Pair
    counts: NDArray[Any]
    mechanism: Mechanism

    @property
    def turned(self) -> _Table:
        """Returns the same by the second key and the first."""
        return replace(self, keys=self.keys[::-1], counts=self.counts.T)


def model_from(
    path: str | Path, outcome: str, on: Sequence[str], kind: str = SCORECARD, *, key: str | None = None
) -> ModelFrom:
    """Fit a scorecard or a naive Bayes model to tables of the outcome with each input, out of a bundle.

    These are cross tables, or tables of a workload: those that got noise as they are, else its estimates. The bundle is
    verified first; `key` as there. The ε is 0: it is computed of published numbers alone, by the formulas of the kind,
    whose intervals are by the noise of these tables. A scorecard takes pairs of inputs together where all their tables
    are there, of the same rows, drawn as they are, and stand out of their noise. Rows without a value in an input are
    in no cell of its table. Raises InputError where there is no such table or model, IntegrityError where the bundle
    does not verify.

    Example: `dp.model_from(bundle, "ward", ["urgent"])`.
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
    tables = [each for item in priced.statistics for each in _tables(release, item, schema)]
    labels = [_of_outcome(tables, each_value(schema[outcome]), name) for name in on]
    statistic = _model(kind, outcome, on, labels, schema)
    used = list(labels)
    if isinstance(statistic, Scorecard) and (pairs := _pairs(statistic, tables, labels, schema)):
        statistic, used = replace(statistic, together=ALL), [*labels, *pairs]
    made = statistic.answered(schema, [each.counts for each in used], [each.mechanism for each in used])
    assert isinstance(made, FittedOutput)
    return ModelFrom(release.id, tuple(each.name for each in used), made, release.certificate)


def _model(kind: str, outcome: str, on: Sequence[str], labels: Sequence[_Table], schema: Schema) -> Binned:
    """Return the model whose tables these are, without pairs. Raises InputError where there is none."""
    bins = {each.keys[0].column: each.keys[0].cells for each in labels}
    asked: dict[str, Any] = {"id": "model", "kind": kind, "outcome": outcome, "on": list(on)}
    asked["bins"] = {name: many for name, many in bins.items() if schema[name].type not in LISTED}
    asked |= {"together": NONE} if "together" in STATISTICS[kind].options() else {}
    report = Report()
    statistic = read_statistic({name: value for name, value in asked.items() if value != {}}, "model", report)
    if statistic is not None and not report.problems:
        statistic.check("model", schema, report)
    report.raise_any(InputError)
    assert isinstance(statistic, Binned)
    for own, table in zip(statistic.keys(schema), labels, strict=True):
        if own != table.keys[0]:
            raise InputError("on", found=own.column, allowed=phrase("verdict.equal_bins", table=quoted(table.name)))
    return statistic


def _of_outcome(tables: Sequence[_Table], classes: Key, name: str) -> _Table:
    """Return the most precise table of an input and the classes."""
    found = [each for each in tables if each.keys[1] == classes and each.keys[0].column == name]
    if not found:
        allowed = phrase("verdict.table_of_both", outcome=quoted(classes.column), name=quoted(name))
        raise InputError("on", found=name, allowed=allowed)
    return min(found, key=lambda each: (variance(each.mechanism), each.name))


def _pairs(statistic: Scorecard, tables: Sequence[_Table], labels: Sequence[_Table], schema: Schema) -> list[_Table]:
    """Return the tables of all pairs of inputs, where they pay by the model's own rule; none where one is missing."""
    rule, found = labels[0].rule, []
    for one, other in combinations(statistic.keys(schema), 2):
        alike = (each for each in tables if each.keys == (one, other) and each.rule == rule)
        own = [each for each in alike if not isinstance(each.mechanism, Estimated)]
        if not own:
            return []
        found.append(min(own, key=lambda each: (variance(each.mechanism), each.name)))
    if not found or any(each.rule != rule or isinstance(each.mechanism, Estimated) for each in labels):
        return []
    rows = max(1, int(labels[0].counts.sum()))
    together, noises = replace(statistic, together=ALL), [each.mechanism for each in (*labels, *found)]
    return found if together.uncertainty(schema, noises, Expected(rows)) == 0 else []


def _tables(release: Release, item: StatisticPrice, schema: Schema) -> Iterator[_Table]:
    """Yield a release's tables of rows by two columns, as drawn: each table both ways round."""
    if not isinstance(item.derivation, Own):
        return
    for rule, keys, place in pair_tables(item.statistic, schema):
        output = release.outputs.get(item.id)
        if output is None:
            found, allowed = phrase("verdict.withheld_release"), phrase("verdict.published_tables")
            raise InputError("release", found=found, allowed=allowed)
        counts = _counts(output, place, (keys[0].cells, keys[1].cells))
        noise = item.mechanisms[min(place, len(item.mechanisms) - 1)]
        if counts is not None and isinstance(noise, DiscreteLaplace | DiscreteGaussian):
            name = item.id if isinstance(output, Estimates) else f"{item.id}.{keys[0].column}_{keys[1].column}"
            found_table = _Table(name, rule, keys, counts, noise)
            yield found_table
            yield found_table.turned
    if isinstance(item.statistic, Workload) and isinstance(item.mechanisms[0], ResidualGaussian):
        yield from _estimated(release, item, item.statistic, item.mechanisms[0], schema)


def _estimated(
    release: Release, item: StatisticPrice, workload: Workload, noise: ResidualGaussian, schema: Schema
) -> Iterator[_Table]:
    """Yield the tables over two columns of a workload whose noise went on residuals: estimates, that agree."""
    output, keys = release.outputs[item.id], workload.keys(schema)
    assert isinstance(output, MeasuredTables)
    rule: Rule = (None, left_out(keys, schema))
    cells = {place: key.cells for place, key in enumerate(keys)}
    for (name, places), table in zip(workload.parts.items(), output.parts.values(), strict=True):
        if len(places) == 2:
            first, last = places
            counts = np.array(table.value, dtype=np.float64).reshape(cells[first], cells[last])
            for one, other, numbers in ((first, last, counts), (last, first, counts.T)):
                law = estimated(noise, cells, (one, other), item.id)
                yield _Table(f"{item.id}.{name}", rule, (keys[one], keys[other]), numbers, law)


def _counts(output: Output, place: int, shape: tuple[int, int]) -> NDArray[np.int64] | None:
    """Return the noisy counts of a table, without totals; None where noise went on other integers."""
    if isinstance(output, MeasuredTables):
        numbers = output.integers[place] if place < len(output.integers) else ()
        return np.array(numbers, dtype=np.int64).reshape(shape) if len(numbers) == shape[0] * shape[1] else None
    if not isinstance(output, Estimates):
        return None
    whole = np.array(output.extra.get("raw", output.value), dtype=object)
    cells = whole.reshape([len(axis.cells) for axis in output.axes])
    return cells[: shape[0], : shape[1]].astype(np.int64)

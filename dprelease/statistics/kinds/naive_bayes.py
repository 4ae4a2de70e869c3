"""Naive Bayes classifier: the class of a row, by each column on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import NUMERIC
from dprelease.model.options import Choice, option
from dprelease.model.presentation import Presentation
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates, FittedOutput, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra.agreed import NoisySource, ReconciledTables, agreed, priors, smoothed
from dprelease.statistics.algebra.odds import Spans, ends
from dprelease.statistics.algebra.sensitivity import quotient
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.binned import PRESENTATION, Binned, LogOdds, noised
from dprelease.statistics.normals import BINS as OF_A_BELL
from dprelease.statistics.normals import ClassNormals, Normals
from dprelease.statistics.tabulated import Integers, Measurement
from dprelease.words import phrase

BINS, NORMAL = "bins", "normal"


@dataclass(frozen=True, kw_only=True)
class NaiveBayes(Binned):
    """Classes by columns that are taken to be independent within a class: by their bins, or normally distributed.

    ln P(class | row) = ln P(class) + Σ ln P(value | class) + a constant. Noisy counts by (bin, class) of each column
    are made to agree, and smoothed as strongly as there is noise. Sensitivity L1 of each table: m under add_remove, 2m
    under substitute; each gets the same part of the share. Discrete Laplace noise, or Gaussian in zcdp. Published are
    the log-odds of each bin in each class beside the first class, with the intervals that the noisy counts allow. With
    method normal numeric columns without bins are measured by `Normals` instead: mean and standard deviation by class.
    """

    kind: ClassVar[str] = "naive_bayes"
    presentation: ClassVar[Presentation] = PRESENTATION
    method: str = option(Choice((BINS, NORMAL)), default=BINS)
    """bins: counts by bin and class of every column. normal: numeric columns that `bins` does not name are taken to be
    normally distributed within a class."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        if self.method == NORMAL and self.held_out is not None:
            report.add(f"{path}.method", found=self.method, allowed=phrase("statistics.held_out_by_bins"))

    def normals(self, schema: Schema) -> Normals:
        """Return the columns that are taken to be normally distributed; none of one value."""
        binned = dict(self.bins)
        names = [name for name in self.on if self.method == NORMAL and name not in binned]
        own = tuple(name for name in names if schema[name].type in NUMERIC and schema[name].codes > 1)
        return Normals(schema, own, self.classes(schema), self.on)

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        normal = self.normals(schema).names
        return tuple(key for key in super().keys(schema) if key.column not in normal)

    def told_by_tables(self, schema: Schema) -> tuple[tuple[tuple[Key, Key], ...], ...]:
        return () if self.normals(schema).names else super().told_by_tables(schema)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (*super().queries(schema), *self.normals(schema).queries())

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        return (*super().measurements(schema, terms), *self.normals(schema).measurements(self.noise_for(terms), terms))

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        many = len(self.keys(schema))
        return (*tallies[:many], *self.normals(schema).exact(tallies[many:]))

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        """Return 1 of rows, and that of sums of squares."""
        place -= len(self.keys(schema))
        names = self.normals(schema).names
        if not 0 <= place < len(names):
            return Decimal(1)
        lattice = schema[names[place]].lattice
        return lattice.resolution**2 * quotient(lattice.steps**2)

    def told_by(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> list[tuple[str, int, float]]:
        normals, counted = self.normals(schema), super().told_by(schema, mechanisms)
        variances = normals.variances(mechanisms[len(counted) :][: len(normals.names)])
        return [*counted, *((name, 1, 3.0 * each) for name, each in zip(normals.names, variances, strict=True))]

    def as_bins(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> list[tuple[int, float]]:
        told, many = self.told_by(schema, mechanisms), len(self.keys(schema))
        return [(cells, each) for _, cells, each in told[:many]] + [(OF_A_BELL, each / 1.5) for *_, each in told[many:]]

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        without = set() if self.keys(schema) else {f"{self.id}.points"}
        bells = [f"{self.id}.{part}" for part in ("means", "deviations") if self.normals(schema).names]
        counted = [name for name in super().table_names(schema) if name not in without]
        return (*bells, *counted)

    def log_odds(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> LogOdds:
        tables = [noised(each, mechanism) for each, mechanism in zip(drawn, mechanisms, strict=True)]
        found = agreed(tables)
        base = priors(found)
        points = [[nine(float(row[1])) - nine(float(row[0])) for row in own] for own in smoothed(found, tables)]
        return nine(float(base[1])) - nine(float(base[0])), points

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        noises, own_drawn = self.of_itself(mechanisms), self.of_itself(drawn)
        many, normals = len(self.keys(schema)), self.normals(schema)
        tables = [noised(each, mechanism) for each, mechanism in zip(own_drawn[:many], noises[:many], strict=True)]
        labels = [*tables, *normals.rows(own_drawn[many:], noises[many:])]
        found = agreed(labels)
        logs = smoothed(found, labels)[:many]
        bells = normals.bells(own_drawn[many:], noises[many:])
        parts = self._bell_tables(schema, bells) if bells else {}
        if tables:
            parts["points"] = self._points(schema, found, tables, logs, noises)
        parts |= {"classes": class_shares(self, schema, found, mechanisms[: len(self.on)])}
        parts |= self.tried(drawn, mechanisms)
        terms: dict[str, dict[str, Any]] = {
            key.column: {"logs": [[nine(float(log)) for log in column] for column in own.T]}
            for key, own in zip(self.keys(schema), logs, strict=True)
        }
        terms |= {bell.name: {"means": bell.means, "deviations": bell.deviations} for bell in bells}
        function = {
            "link": "bayes",
            "classes": list(schema[self.outcome].labels),
            "priors": [nine(float(log)) for log in priors(found)],
            "terms": [{"column": name, **terms[name]} for name in self.on],
        }
        return FittedOutput(parts=parts, facts=self.facts(schema, function, drawn))

    def _points(
        self,
        schema: Schema,
        found: ReconciledTables,
        tables: Sequence[NoisySource],
        logs: Sequence[Any],
        noises: Sequence[Mechanism],
    ) -> Estimates:
        """Return the log-odds of each bin in each class beside the first class."""
        value, lower, upper = [], [], []
        for noise, table, own in zip(noises, tables, logs, strict=False):
            assert isinstance(noise, Noise)
            spans = Spans.of(found, noise)
            for counts, row in zip(table.counts, own, strict=True):
                for place in range(1, len(row)):
                    odds = float(row[place] - row[0])
                    low, high = spans.log_odds(float(counts[place]), float(counts[0]), place, 0)
                    value.append(nine(odds))
                    lower.append(ends(min(low, odds)))
                    upper.append(ends(max(high, odds)))
        axes = (self.bin_axis(schema), self.class_axis(schema, 1))
        return Estimates(axes=axes, value=value, lower95=lower, upper95=upper)

    def _bell_tables(self, schema: Schema, bells: Sequence[ClassNormals]) -> dict[str, Estimates]:
        """Return means and standard deviations of each column in each class."""
        axes = (Axis(("input",), tuple((bell.name,) for bell in bells)), self.class_axis(schema))
        found = {}
        for part, rows in (
            ("means", [each.mean for each in bells]),
            ("deviations", [each.deviation for each in bells]),
        ):
            value, lower, upper = ([cell for row in column for cell in row] for column in zip(*rows, strict=True))
            found[part] = Estimates(axes=axes, value=value, lower95=lower, upper95=upper)
        return found

    def size(self, schema: Schema) -> int:
        classes, cells = schema[self.outcome].codes, sum(key.cells for key in self.keys(schema))
        bells = 2 * classes * len(self.normals(schema).names)
        return bells + cells * (classes - 1) + classes + self.rows_tried


def class_shares(model: Binned, schema: Schema, found: ReconciledTables, mechanisms: Sequence[Mechanism]) -> Estimates:
    """Return the share of each class in all rows, with an interval."""
    noise = mechanisms[0]
    assert isinstance(noise, Noise)
    spans, shares = Spans.of(found, noise, cells=0.0), found.classes / found.rows
    pairs = [spans.share(place) for place in range(len(shares))]
    return Estimates(
        axes=(model.class_axis(schema),),
        value=[nine(float(share)) for share in shares],
        lower95=[nine(min(low, float(share))) for (low, _), share in zip(pairs, shares, strict=True)],
        upper95=[nine(max(high, float(share))) for (_, high), share in zip(pairs, shares, strict=True)],
    )

"""Which class a row is in, by each column on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.presentation import Presentation
from dprelease.model.release import Estimates, Model, Output
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.agreed import Agreed, agreed, priors, smoothed
from dprelease.statistics.algebra.odds import Spans, ends
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.binned import PRESENTATION, Binned, LogOdds, noised


@dataclass(frozen=True, kw_only=True)
class NaiveBayes(Binned):
    """Classes by bins of columns that are taken to be independent within a class.

    ln P(class | row) = ln P(class) + Σ ln P(bin | class) + a constant. Noisy counts by (bin, class) of each column are
    made to agree, and smoothed as strongly as there is noise. Sensitivity L1 of each table: m under add_remove, 2m
    under substitute; each gets the same part of the share. Discrete Laplace noise, or Gaussian in zcdp. Published are
    the log-odds of each bin in each class beside the first class, with the intervals that the noisy counts allow.
    """

    kind: ClassVar[str] = "naive_bayes"
    presentation: ClassVar[Presentation] = PRESENTATION

    def log_odds(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> LogOdds:
        tables = [noised(each, mechanism) for each, mechanism in zip(drawn, mechanisms, strict=True)]
        found = agreed(tables)
        base = priors(found)
        points = [[nine(float(row[1])) - nine(float(row[0])) for row in own] for own in smoothed(found, tables)]
        return nine(float(base[1])) - nine(float(base[0])), points

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        noises, own_drawn = self.of_itself(mechanisms), self.of_itself(drawn)
        tables = [noised(each, mechanism) for each, mechanism in zip(own_drawn, noises, strict=True)]
        found = agreed(tables)
        logs, base = smoothed(found, tables), priors(found)
        value, lower, upper = [], [], []
        for noise, table, own in zip(noises, tables, logs, strict=True):
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
        points = Estimates(axes=axes, value=value, lower95=lower, upper95=upper)
        terms = [
            {"column": name, "logs": [[nine(float(log)) for log in column] for column in own.T]}
            for name, own in zip(self.on, logs, strict=True)
        ]
        function = {
            "link": "bayes",
            "classes": list(schema[self.outcome].labels),
            "priors": [nine(float(log)) for log in base],
            "terms": terms,
        }
        parts = {"points": points, "classes": class_shares(self, schema, found, mechanisms[: len(self.on)])}
        parts |= self.tried(drawn, mechanisms)
        return Model(parts=parts, facts=self.facts(schema, function, drawn))

    def size(self, schema: Schema) -> int:
        classes = schema[self.outcome].codes
        return sum(key.cells for key in self.keys(schema)) * (classes - 1) + classes + self.rows_tried


def class_shares(model: Binned, schema: Schema, found: Agreed, mechanisms: Sequence[Mechanism]) -> Estimates:
    """The share of each class in all rows, with an interval."""
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

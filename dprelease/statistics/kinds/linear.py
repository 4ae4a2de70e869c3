"""Linear regression of a number on other columns: a line by least squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import prod, sqrt
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.model.column import CODED, LISTED, NUMERIC, Column, ColumnType
from dprelease.model.column_options import ColumnName, ColumnNames
from dprelease.model.options import Choice, Flag, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import TERMS, Axis, Cell, Estimates, FittedOutput, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat
from dprelease.model.tally import Key, Query, Shape
from dprelease.statistics.algebra.grouping import axes, group_keys
from dprelease.statistics.algebra.line import Enclosed, Solution, ThroughOrigin, between
from dprelease.statistics.algebra.prediction import mean_square
from dprelease.statistics.algebra.products import Changes
from dprelease.statistics.algebra.region import reach
from dprelease.statistics.algebra.solving import Matrix, Vector, nine, product, times
from dprelease.statistics.algebra.weighing import BY_SQUARES, BY_SUM, EQUAL, OBJECTIVE, Weights, of_objective, of_origin
from dprelease.statistics.medians import MedianLine, Medians
from dprelease.statistics.modelled import across, deviation, ends_of, half, middle, named, stated_column
from dprelease.statistics.predictors import Predictors, Term, largest, predictors
from dprelease.statistics.summed import Summed
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, Pick
from dprelease.words import phrase, quoted

MOMENTS, FUNCTIONAL, MEDIANS = "moments", "functional", "medians"
MAX_COLUMNS, MAX_TERMS, MAX_COEFFICIENTS = 12, 60, 600
BOTH = ("lower95_both", "upper95_both")
INTERVALS = "intervals"
"""Field of a file that names the basis of its intervals: one solution (normal), a region, or none."""
LINK, NOTHING = "by", "none"
"""Names of a function that is another one in each group, and of none."""


@dataclass(frozen=True, kw_only=True)
class Linear(Summed):
    """A linear regression: an outcome as a constant and a slope for each other column, and a step for each category.

    Terms t and the outcome y lie between -1 and 1. Measured together are Σ of all products of two of (1, t, y), each
    with a whole weight w: sensitivity m·Σw (L1) and m·√(Σw²) (L2), under substitute `Weights.changes`; discrete Laplace
    noise, or Gaussian in zcdp. With `by` these of each group; a row may move to another one: 2m·Σw. All else is
    post-processing: coefficients drawn towards 0 as strongly as the noise (`Sums.shrunk`), which predict; and the
    solution of least squares with intervals by the noise, and by noise and sampling: of one solution where noise leaves
    one clear, else of all that it does not rule out (`Sums.enclosed`). Wang 2018 (AdaSSP); docs/privacy.md, J. Without
    an intercept only products of terms and of these with the outcome (`of_origin`); of one column Fieller's interval.
    """

    kind: ClassVar[str] = "linear"
    presentation: ClassVar[Presentation] = shown(Quantity.NUMBER, Trait.UNLIKE)
    outcome: str = option(ColumnName(NUMERIC))
    """A numeric column."""
    on: tuple[str, ...] = option(ColumnNames(CODED, most=MAX_COLUMNS))
    """Predictor columns. Of categories each has a term of its own but the first."""

    method: str = option(Choice((MOMENTS, FUNCTIONAL, MEDIANS)), default=MOMENTS)
    """moments: products that slopes come from are the most precise, and what predicts is drawn towards 0 as strongly as
    the noise. functional: the same noise on each coefficient of the objective of least squares (Zhang 2012), whose
    minimum is told if it has one. medians: of one numeric column, a line through the medians of the outcome in eight
    bins of it, which is another line than that of least squares; bins whose rows do not stand out of the noise are left
    out, and where fewer than two stay there is no line."""
    by: tuple[str, ...] = option(ColumnNames(LISTED, most=1), default=())
    """A column of categories: a line for each of them, also for those without rows."""
    intercept: bool = option(Flag(), default=True)
    """Without it the line is 0 where all columns are 0 (numbers) or have their first category, and no constant, number
    of rows or Σ y² is measured: products of values by the largest declared one alone (docs/privacy.md, J‴)."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        if self.outcome in self.on:
            found = phrase("statistics.outcome_among_on", name=quoted(self.outcome))
            report.add(f"{path}.on", found=found, allowed=phrase("statistics.other_columns"))
        if len(report.problems) == before and len(self.predictors(schema).terms) > MAX_TERMS:
            found = phrase("statistics.terms", count=len(self.predictors(schema).terms))
            remedy = phrase("statistics.fewer_categories")
            report.add(f"{path}.on", found=found, allowed=phrase("model.at_most", max_text=MAX_TERMS), remedy=remedy)
        if self.method == MEDIANS and (len(self.on) != 1 or schema[self.on[0]].type not in NUMERIC):
            found = phrase("statistics.several_or_categories")
            report.add(f"{path}.on", found=found, allowed=phrase("statistics.one_numeric"))
        if self.method == MEDIANS and self.noise is not None:
            report.add(f"{path}.noise", found=self.noise, allowed=phrase("statistics.no_noise_of_choices"))
        if not self.intercept and len(report.problems) == before:
            self._check_origin(path, schema, report)
        if self.by and len(report.problems) == before:
            self._check_groups(f"{path}.by", schema, report)

    def _check_origin(self, path: str, schema: Schema, report: Report) -> None:
        days = [name for name in self.on if schema[name].type is ColumnType.DATE]
        if self.method == MEDIANS:
            found, allowed = "false", phrase("statistics.medians_have_a_start")
            report.add(f"{path}.intercept", found=found, allowed=allowed)
        elif days:
            found, allowed = quoted(days[0]), phrase("statistics.days_have_no_zero")
            report.add(f"{path}.on", found=found, allowed=allowed, remedy=phrase("statistics.with_intercept"))
        elif not self.predictors(schema).terms:
            found, allowed = quoted(self.on[0]), phrase("statistics.two_values_on")
            report.add(f"{path}.on", found=found, allowed=allowed, remedy=phrase("statistics.with_intercept"))

    def _check_groups(self, path: str, schema: Schema, report: Report) -> None:
        if self.by[0] in self.on:
            found = phrase("statistics.groups_among_on", name=quoted(self.by[0]))
            report.add(path, found=found, allowed=phrase("statistics.other_than_on"))
        elif self.method == MEDIANS:
            allowed = phrase("statistics.groups_without_medians")
            report.add(
                path, found=quoted(self.by[0]), allowed=allowed, remedy=phrase("statistics.other_method_or_no_groups")
            )
        elif self.size(schema) > MAX_COEFFICIENTS:
            found = phrase("statistics.coefficients", count=self.size(schema))
            remedy = phrase("statistics.fewer_categories")
            report.add(path, found=found, allowed=phrase("model.at_most", max_text=MAX_COEFFICIENTS), remedy=remedy)

    def predictors(self, schema: Schema) -> Predictors:
        """Return the columns as terms."""
        return predictors(tuple(schema[name] for name in self.on), schema[self.outcome], origin=not self.intercept)

    def group_keys(self, schema: Schema) -> tuple[Key, ...]:
        return group_keys(schema, self.by)

    @property
    def medians(self) -> Medians | None:
        """Medians asked in place of sums of products; None with other methods."""
        return Medians.of(self.id, self.outcome, self.on[0]) if self.method == MEDIANS else None

    def caveats(self, schema: Schema, terms: Terms, mechanisms: Sequence[Mechanism]) -> Iterator[Caveat]:
        if self.medians is not None or not self.intercept:
            yield Caveat.of("line_of_noise_alone", statistic=self.id)
        if self.medians is not None:
            (key,), least = self.medians.group_keys(schema), self.medians.least_rows(mechanisms[1])
            along = self.medians.along
            yield Caveat.of("bins_left_out", statistic=self.id, column=along, bins=key.cells, rows=least)

    def queries(self, schema: Schema) -> tuple[Query, ...]:
        return self.medians.queries(schema) if self.medians else super().queries(schema)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        return self.medians.measurements(schema, terms) if self.medians else super().measurements(schema, terms)

    def given(
        self, schema: Schema, tallies: Sequence[Integers], mechanisms: Sequence[type[Mechanism]]
    ) -> tuple[Integers, ...]:
        return self.medians.exact(schema, tallies) if self.medians else super().given(schema, tallies, mechanisms)

    def exact_after(self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any]) -> tuple[Any, ...]:
        medians = self.medians
        return medians.exact_after(schema, tallies, drawn) if medians else super().exact_after(schema, tallies, drawn)

    def drawn(self, schema: Schema, noisy: Sequence[Any], pick: Pick) -> tuple[Any, ...]:
        return self.medians.drawn(schema, noisy, pick) if self.medians else super().drawn(schema, noisy, pick)

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        return self.medians.lattice_step(schema, place) if self.medians else super().lattice_step(schema, place)

    def sealed_shapes(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> list[Shape]:
        first, *others = super().sealed_shapes(schema, mechanisms)
        return [first[:1] if self.medians else first, *others]

    def may_be_drawn(self, schema: Schema, drawn: Sequence[Any]) -> bool:
        return self.medians is None or self.medians.could_be_drawn(schema, drawn)

    @property
    def one_sided(self) -> bool:
        return self.method == FUNCTIONAL

    def changes(self, schema: Schema, noise: type[Mechanism]) -> Changes:
        own = self.predictors(schema)
        if not self.intercept:
            return of_origin(self.weights(noise), len(own.columns), own.grouped, signed=own.signed)
        if not self.one_sided:
            return super().changes(schema, noise)
        square, grouped = Term(own.outcome).is_square, own.grouped > 0
        return of_objective(len(own.columns), own.squares, outcome_squared=square, grouped=grouped)

    def weights(self, noise: type[Mechanism]) -> Weights:
        if self.one_sided:
            return OBJECTIVE
        if not self.intercept:
            return EQUAL
        return BY_SUM if issubclass(noise, DiscreteLaplace) else BY_SQUARES

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        if not self.by:
            return self._fitted(schema, drawn, mechanisms)
        alone = replace(self, by=())
        each = [alone._fitted(schema, [group], mechanisms) for group in np.asarray(drawn[0])]
        return _joined(schema[self.by[0]], self.axes(schema)[0], each)

    def _fitted(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> FittedOutput:
        """Return the line of all rows, or of one group's."""
        turned = self._turned(schema)
        further: dict[str, Any] = {} if self.method == MOMENTS else {"method": self.method}
        if self.medians:
            line = self.medians.line(schema, drawn, mechanisms)
            further["bins_used"] = len(line.x)
            if len(line.x) < 2:
                nothing = [None] * 2
                table = self._estimates(schema, nothing, nothing, [nothing] * 2, [nothing] * 2)
                return self._model(schema, table, {"link": NOTHING, **further}, drawn)
            predicts, table = self._through(schema, line, turned)
        else:
            sums = self.sums(schema, drawn[0], mechanisms[0])
            least = sums.least() if self.one_sided else None
            beta, ridge = (least, 0.0) if least else (sums.flat, 0.0) if self.one_sided else sums.shrunk()
            predicts, solution = self._in_units(schema, turned, beta), sums.solution
            normal = not isinstance(mechanisms[0], DiscreteLaplace)
            farthest = reach(sums.many, normal=normal)
            if isinstance(sums, ThroughOrigin) and sums.many == 1:
                table, told = self._quotient(schema, turned, predicts, sums, farthest)
            else:
                found = solution.wider(normal=normal) if solution else sums.enclosed(farthest)
                told = "normal" if solution else "region" if found else "none"
                table = self._table(schema, turned, predicts, found, told=least is not None)
            further[INTERVALS] = told
            if not self.one_sided:
                further["shrinkage"] = nine(ridge)
            if solution is not None:
                covariance = [list(map(nine, row)) for row in between(turned, solution.noise)]
                further["covariance"] = covariance if self.intercept else _beside_nothing(covariance)
        start, slopes = (predicts[0], predicts[1:]) if self.intercept else (0.0, predicts)
        if not self.intercept:
            further["through_origin"] = True
        terms = zip(map(named, self.predictors(schema).terms), slopes, strict=True)
        function = {
            "link": "identity",
            "intercept": start,
            "terms": [
                {"column": column, **({"category": category} if category else {}), "coefficient": number}
                for (column, category), number in terms
            ],
            "lower": schema[self.outcome].value(0),
            "upper": schema[self.outcome].value(schema[self.outcome].lattice.steps),
            **further,
        }
        return self._model(schema, table, function, drawn)

    def _model(
        self, schema: Schema, table: Estimates, function: Mapping[str, Any], drawn: Sequence[Any]
    ) -> FittedOutput:
        facts = {
            "model": 1,
            "kind": self.kind,
            "inputs": [stated_column(schema[name]) for name in self.on],
            "outcome": stated_column(schema[self.outcome]),
            "function": function,
            "integers": [np.ravel(each).tolist() for each in drawn],
        }
        return FittedOutput(parts={"coefficients": table}, facts=facts)

    def _through(self, schema: Schema, line: MedianLine, turned: Matrix) -> tuple[Vector, Estimates]:
        """Return the coefficients of a line through medians, in the columns' own units, with its intervals."""
        rows = product(turned, [list(part) for part in line.parts])
        start = self._place(Term(schema[self.outcome]))[0]
        found = [
            [nine(number + (0.0 if place else start)) for number in line.told(row)] for place, row in enumerate(rows)
        ]
        value, lower, upper = (list(each) for each in zip(*found, strict=True))
        return value, self._estimates(schema, value, value, [lower, upper], [[None] * len(value)] * 2)

    def _table(
        self, schema: Schema, turned: Matrix, predicts: Vector, solution: Solution | Enclosed | None, *, told: bool
    ) -> Estimates:
        """Return the table of coefficients. `told`: what predicts is the solution, with or without an interval."""
        nothing: list[Cell] = [None] * len(predicts)
        value, ends, both = [*predicts] if told else nothing, [nothing, nothing], [nothing, nothing]
        if solution is not None:
            found = self._in_units(schema, turned, solution.theta)
            value = list(found)
            noise, wider = solution.halves(turned)
            ends = ends_of(found, noise)
            both = both if wider is None else ends_of(found, wider)
        return self._estimates(schema, predicts, value, ends, both)

    def _quotient(
        self, schema: Schema, turned: Matrix, predicts: Vector, sums: ThroughOrigin, farthest: float
    ) -> tuple[Estimates, str]:
        """Return for one term without a constant Σ t·y/Σ t² and Fieller's interval; and the basis of its interval."""
        found, nothing = sums.quotient(farthest), [[None]] * 2
        if found is None:
            value = predicts if self.one_sided and sums.least() else [None]
            return self._estimates(schema, predicts, value, nothing, nothing), "none"
        value = self._in_units(schema, turned, [sums.entries[0, 1] / sums.entries[0, 0]])
        ends = [self._in_units(schema, turned, [end]) for end in found]
        return self._estimates(schema, predicts, value, ends, nothing), "quotient"

    def _estimates(
        self,
        schema: Schema,
        predicts: Sequence[float | None],
        value: Sequence[Cell],
        ends: Sequence[Sequence[Cell]],
        both: Sequence[Sequence[Cell]],
    ) -> Estimates:
        widths = [across(term) * half(term) for term in self.predictors(schema).terms]
        own = len(predicts) - len(widths)
        extra: dict[str, Sequence[Cell]] = {
            "predicts": list(predicts),
            "across": [
                *([None] * own),
                *(
                    None if number is None else nine(width * number)
                    for width, number in zip(widths, predicts[own:], strict=True)
                ),
            ],
        }
        return Estimates(
            axes=self.axes(schema),
            value=value,
            lower95=ends[0],
            upper95=ends[1],
            extra=extra | dict(zip(BOTH, both, strict=True)),
        )

    def _place(self, term: Term) -> tuple[float, float]:
        """Return the value at which a term is 0, and the step of it by 1, in the column's own units."""
        if not self.intercept:
            resolution = 1 if term.column.type in LISTED else term.column.lattice.resolution
            return 0.0, 1.0 if term.category is not None else float(largest(term) * resolution)
        if not self.one_sided or term.category is not None:
            return middle(term), half(term)
        return middle(term) - half(term), 2.0 * half(term)

    def _turned(self, schema: Schema) -> Matrix:
        """Return the matrix from terms' coefficients to those in the columns' own units, but for the outcome's zero."""
        places = [self._place(term) for term in self.predictors(schema).terms]
        _, outcome = self._place(Term(schema[self.outcome]))
        rows = [[outcome, *(-outcome * start / step for start, step in places)]]
        for place, (_, step) in enumerate(places, start=1):
            rows.append([outcome / step if place == at else 0.0 for at in range(1 + len(places))])
        return rows if self.intercept else [row[1:] for row in rows[1:]]

    def _in_units(self, schema: Schema, turned: Matrix, beta: Sequence[float]) -> Vector:
        found = times(turned, beta)
        if self.intercept:
            found[0] += self._place(Term(schema[self.outcome]))[0]
        return list(map(nine, found))

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Estimate the error by noise of a prediction, as a root mean square over rows spread evenly over columns.

        In the outcome's units, at a confidence; it ranks the methods as their releases do (docs/privacy.md, section 3).
        By group n is its even part. It comes near half of the outcome's width where noise leaves nothing.
        """
        if expected is None:
            return None
        rows, least = max(1.0, expected.rows / self._groups(schema)), half(Term(schema[self.outcome]))
        reach = NormalDist().inv_cdf((1 + confidence) / 2) if confidence else 1.0
        if self.medians:
            return ExpectedError(self.medians.error_of_prediction(schema, mechanisms, rows, reach), "expected")
        own, weights = self.predictors(schema), self.weights(type(mechanisms[0]))
        unit = deviation(mechanisms[0], self.unit(schema)) * (2.0 if self.one_sided and self.intercept else 1.0)
        least = least if self.intercept else self._place(Term(schema[self.outcome]))[1]
        far = reach * unit * sqrt(mean_square(own, weights, one_sided=self.one_sided)) / rows
        return ExpectedError(least * far / sqrt(1.0 + far * far), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        """Return half of the outcome's width."""
        return half(Term(schema[self.outcome]))

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        cells = [
            (f"{column}: {category}" if category else column,)
            for column, category in map(named, self.predictors(schema).terms)
        ]
        return (
            *axes(schema, self.group_keys(schema)),
            Axis(TERMS, ((("(intercept)",),) if self.intercept else ()) + tuple(cells)),
        )

    def size(self, schema: Schema) -> int:
        return self._groups(schema) * (self.intercept + len(self.predictors(schema).terms))

    def _groups(self, schema: Schema) -> int:
        """Return the number of lines."""
        return prod(key.cells for key in self.group_keys(schema))


def _beside_nothing(covariance: Matrix) -> Matrix:
    """Return the covariance of the terms and of a constant which is 0 for certain."""
    return [[0.0] * (1 + len(covariance)), *([0.0, *row] for row in covariance)]


def _joined(by: Column, axis: Axis, models: Sequence[FittedOutput]) -> FittedOutput:
    """Return one model of those of all groups, in the order of the column's codes: the column becomes its first input.

    Tables get the groups as their first key, facts a function for each, and the integers of one follow the others'.
    """
    first = models[0]
    parts = {part: _below(axis, [model.parts[part] for model in models]) for part in first.parts}
    groups = [
        {"category": category, "function": model.facts["function"]}
        for category, model in zip(by.labels, models, strict=True)
    ]
    listed = zip(*(model.facts["integers"] for model in models), strict=True)
    facts: dict[str, Any] = {
        **first.facts,
        "inputs": [stated_column(by), *first.facts["inputs"]],
        "function": {"link": LINK, "column": by.name, "groups": groups},
        "integers": [[number for numbers in each for number in numbers] for each in listed],
    }
    return FittedOutput(parts=parts, facts=facts)


def _below(axis: Axis, tables: Sequence[Estimates]) -> Estimates:
    """Return tables of the same cells, one below the other."""

    def column(name: str) -> list[Cell]:
        return [cell for table in tables for cell in table.numbers[name]]

    return Estimates(
        axes=(axis, *tables[0].axes),
        value=column("value"),
        lower95=column("lower95"),
        upper95=column("upper95"),
        extra={name: column(name) for name in tables[0].extra},
    )

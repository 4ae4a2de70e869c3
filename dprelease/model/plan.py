"""Plan of one release: a value that can be written, compared and reviewed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Unpack

from dprelease.errors import NotFoundError, PlanError, SchemaError
from dprelease.model.about import About, series_name
from dprelease.model.code import AnyColumns, Quantity
from dprelease.model.condition import Condition, read_conditions
from dprelease.model.criterion import Criterion, read_criteria
from dprelease.model.derived import Derived, read_derived
from dprelease.model.encoding import digest, plain, read_mapping
from dprelease.model.missing import Code, read_codes, to_list
from dprelease.model.plan_code import CHANGES, PlanInCode, PlanKeys, refuse_assignment, replaced
from dprelease.model.privacy import ATTO, NANO, NeighboringRelation, PrivacyUnit, read_delta, read_epsilon
from dprelease.model.public import PublicTable, read_public, with_files
from dprelease.model.recurring import Recurrence, check_run, dated, edition, whole
from dprelease.model.reference import check_reference
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic, read_statistic
from dprelease.model.texts import Texts
from dprelease.words import phrase, verbatim

VERSION = 1
PLAN_KEYS = (
    "dprelease",
    "title",
    "description",
    "about",
    "dataset",
    "run",
    "privacy",
    "expected",
    "columns",
    "missing_codes",
    "texts",
    "where",
    "weights",
    "postprocess",
    "charts",
    "lead",
    "public",
    "statistics",
    "derived",
    "accept",
)
MINIMISE = "minimise"
WEIGHTS = ("equalise", MINIMISE)
"""`auto` means `equalise`."""
STEPS = ("consistent", "nonnegative", "integer")
MAX_DESCRIPTION = 10_000
MAX_STATISTICS = 2000
MAX_EXPECTED = 10**12


@dataclass(frozen=True, slots=True)
class Expected:
    """Public guesses, used only to price errors that depend on the data: rows and units left after `where`."""

    rows: int
    units: int | None = None

    def to_mapping(self) -> dict[str, int]:
        return {"rows": self.rows} if self.units is None else {"rows": self.rows, "units": self.units}


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(PlanInCode):
    """Statistics, filter, privacy unit, ε and δ of one release of one dataset.

    Example: `dp.Plan.parse(plan.to_mapping()) == plan`.
    """

    dataset: str
    unit: PrivacyUnit
    neighbors: NeighboringRelation
    epsilon_nano: int
    delta_atto: int = 0
    statistics: tuple[Statistic, ...]
    title: str = ""
    description: str = ""
    about: About = field(default_factory=About)
    """Publisher and terms of publication."""
    run: Recurrence | None = None
    """Periods for each of which the plan is answered, under one charge: its ε and δ are those of all together."""
    expected: Expected | None = None
    schema: Schema = Schema({})
    """Columns declared in the plan itself; the dataset's registered schema holds the others."""
    missing_codes: tuple[Code, ...] | None = None
    """Codes for a missing answer in all columns, beside their own."""
    texts: Texts = field(default_factory=Texts)
    """Texts for readers, by language: they decide no number."""
    where: tuple[Condition, ...] = ()
    weights: str = ""
    """Rule for sharing the budget where statistics have no share of their own: by their weights, or so that expected
    relative errors are `equalise`d or their sum is `minimise`d.
    """
    postprocess: tuple[str, ...] = ()
    """Post-processing of noisy counts after they are drawn, at no cost: see STEPS."""
    charts: bool = True
    """True if the bundle has charts beside its tables; drawing them takes most of the time that a bundle takes to
    write.
    """
    lead: str = ""
    """The id of the statistic of which is told first what is found in it; of none where the numbers choose."""
    public: tuple[PublicTable, ...] = ()
    """Figures from elsewhere that are published with it, such as how many live where."""
    derived: tuple[Derived, ...] = ()
    """Tables derived from the published counts and those figures, at no cost."""
    accept: tuple[Criterion, ...] = ()
    """Criteria that the release must meet; else only that it failed is published, and what it cost."""

    @classmethod
    def load(cls, path: str | Path, public: Mapping[str, str | Path] | None = None) -> Plan:
        """Read a YAML or JSON plan file. Raises PlanError with every problem.

        `public`: files by the name that the plan has for them, whose lines become its public figures.
        """
        try:
            text = Path(path).read_bytes()
        except FileNotFoundError as cause:
            reason = verbatim(str(cause.strerror))
            raise NotFoundError("plan", found=str(path), allowed=phrase("model.file_can_read"), remedy=reason) from None
        except OSError as cause:
            raise PlanError(
                "plan", found=str(path), allowed=phrase("model.file_can_read"), remedy=verbatim(str(cause.strerror))
            ) from None
        value = read_mapping(text, error=PlanError, what="plan")
        return cls.parse(with_files(value, public) if public else value)

    @classmethod
    def parse_text(cls, text: str | bytes) -> Plan:
        """Read YAML or JSON text."""
        return cls.parse(read_mapping(text, error=PlanError, what="plan"))

    @classmethod
    def parse(cls, value: Mapping[str, Any], *, unfinished: bool = False) -> Plan:
        """Read a mapping as in a plan file. Raises PlanError with every problem.

        `unfinished`: a plan that has no statistics yet is read too; it is never priced.
        """
        report = Report()
        given: object = value
        if isinstance(given, str | bytes):
            remedy = verbatim("Plan.parse_text(text), Plan.load(path)")
            raise PlanError("plan", found=value, allowed=phrase("model.mapping_keys_values"), remedy=remedy)
        fields = report.mapping(
            value, "", allowed=PLAN_KEYS, required=("dprelease", "dataset", "privacy", "statistics")
        )
        if fields.get("dprelease") not in (None, VERSION) or fields.get("dprelease") is True:
            report.add(
                "dprelease", found=fields["dprelease"], allowed=phrase("model.version_plan_format", version=VERSION)
            )
        privacy = _read_privacy(fields.get("privacy"), report)
        is_empty = unfinished and fields.get("statistics") == []
        statistics = [] if is_empty else _read_statistics(fields.get("statistics"), report)
        schema = Schema.read(fields["columns"], "columns", report) if fields.get("columns") is not None else Schema({})
        where = read_conditions(fields["where"], "where", report) if fields.get("where") is not None else ()
        parts: dict[str, Any] = {
            "title": report.optional_text(fields, "title", ""),
            "description": report.optional_text(fields, "description", "", longest=MAX_DESCRIPTION),
            "about": About.read(fields.get("about"), report),
            "dataset": report.optional_text(fields, "dataset", "", shortest=1),
            "run": Recurrence.read(fields.get("run"), report),
            "expected": _read_expected(fields.get("expected"), report),
            "missing_codes": _read_codes(fields.get("missing_codes"), report),
            "texts": Texts.read(fields.get("texts"), report),
            "weights": _read_weights(fields.get("weights"), report),
            "postprocess": _read_steps(fields.get("postprocess"), report),
            "charts": fields.get("charts") is None or report.flag(fields["charts"], "charts"),
            "accept": read_criteria(fields.get("accept"), report),
            "public": read_public(fields.get("public"), report),
        }
        ids = [item.id for item in statistics if item is not None]
        if None not in statistics and len(parts["public"]) == len(fields.get("public") or ()):
            tables = [each.name for each in parts["public"]]
            parts["derived"] = read_derived(fields.get("derived"), ids, tables, report)
        _check_criteria(parts["accept"], statistics, report)
        if fields.get("lead") is not None and None not in statistics:
            parts["lead"] = report.choice(fields["lead"], "lead", ids) or ""
        parts["texts"].check(ids, report)
        _check_columns(statistics, where, schema, report, declared_only=True)
        report.raise_any(PlanError)
        schema = schema.called(parts["texts"])
        plan = cls(**privacy, **parts, statistics=tuple(filter(None, statistics)), schema=schema, where=where)
        check_run(plan, report)
        report.raise_any(PlanError)
        return plan

    @property
    def whole(self) -> Plan:
        """Plan of the run that this is an edition of; any other plan is itself."""
        return whole(self)

    def edition(self, period: str) -> Plan:
        """Return the plan of one edition of the run of a complete plan. Raises PlanError for a period it has not."""
        if self.run is None or period not in self.run.periods:
            allowed = phrase("model.run_none") if self.run is None else self.run.allowed
            raise PlanError("run.period", found=period, allowed=allowed)
        return edition(self, period)

    def used_columns(self) -> tuple[str, ...]:
        """Return the columns that statistics and `where` look at, each once, in order of first use."""
        names = [] if self.run is None else [self.run.column]
        names += [condition.column for condition in self.where]
        names += [name for statistic in self.statistics for name in statistic.used_columns()]
        return tuple(dict.fromkeys(names))

    def check(self, schema: Schema) -> None:
        """Raise PlanError with every problem that shows only beside the declared columns."""
        report = Report()
        _check_columns(self.statistics, self.where, schema, report)
        if not report.problems:
            check_reference(self.about, self.used_columns(), self.where, schema, report)
        report.raise_any(PlanError)

    def with_schema(self, schema: Schema) -> Plan:
        """Return the complete plan: a registered schema's columns, replaced or joined by the plan's own; checked."""
        if self.run is not None and not self.run.period:
            return self._recurring(schema)
        return self._complete(schema)

    def _recurring(self, schema: Schema) -> Plan:
        """Return the complete plan of a run: its column of dates has the days of the run, and orders its editions."""
        assert self.run is not None
        report, name = Report(), self.run.column
        column = dated(self, schema.updated(self.schema).get(name), report)
        report.raise_any(PlanError)
        assert column is not None
        series = self.about.series or series_name(self.title or self.dataset)
        about = replace(self.about, reference=name, series=series)
        own = self.schema.updated(Schema({name: column}))
        plan = replace(self, about=about, schema=own)._complete(schema)
        changed = [each.name for each in plan.schema if each.randomized]
        if changed:
            path = f"columns.{changed[0]}.randomized"
            raise PlanError(path, found=changed[0], allowed=phrase("model.run_no_survey"))
        return plan

    def _complete(self, schema: Schema) -> Plan:
        report = Report()
        if not self.statistics:
            remedy = verbatim("plan.add(dprelease.count())")
            report.add(
                "statistics", found=phrase("model.nothing"), allowed=phrase("model.at_least", fewest=1), remedy=remedy
            )
            report.raise_any(PlanError)
        complete = schema.updated(self.schema)
        complete.check_made((*self.schema.waiting, *self.used_columns()), report)
        report.raise_any(PlanError)
        self.check(complete)
        if self.texts and schema.columns:  # a published plan has the columns that it uses alone
            report = Report()
            self.texts.check_columns({column.name: column.labels for column in complete}, report)
            report.raise_any(PlanError)
        return replace(self, schema=self._with_codes(complete).called(self.texts))

    def _with_codes(self, complete: Schema) -> Schema:
        """Return the used columns of a schema and their inputs, each with the plan's own codes beside its own."""
        used = [complete[name] for name in complete.with_inputs(self.used_columns())]
        if self.missing_codes is None:
            return Schema({column.name: column for column in used})
        try:
            return Schema({column.name: column.with_codes(self.missing_codes) for column in used})
        except SchemaError as error:
            raise PlanError.from_problems(error.problems) from None

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file. `Plan.parse(plan.to_mapping()) == plan`."""
        result: dict[str, Any] = {"dprelease": VERSION}
        for name in ("title", "description"):
            if getattr(self, name):
                result[name] = getattr(self, name)
        if self.about != About():
            result["about"] = self.about.to_mapping()
        result["dataset"] = self.dataset
        if self.run is not None:
            result["run"] = self.run.to_mapping()
        result["privacy"] = {
            "unit": self.unit.to_mapping(),
            "neighbors": self.neighbors.value,
            "epsilon": plain(Decimal(self.epsilon_nano) / NANO),
            "delta": plain(Decimal(self.delta_atto) / ATTO),
        }
        if self.expected is not None:
            result["expected"] = self.expected.to_mapping()
        if self.schema.columns or self.schema.waiting:
            result["columns"] = self.schema.to_mapping()
        if self.missing_codes is not None:
            result["missing_codes"] = to_list(self.missing_codes)
        if self.texts:
            result["texts"] = self.texts.to_mapping()
        if self.where:
            result["where"] = [condition.to_mapping() for condition in self.where]
        if self.weights:
            result["weights"] = self.weights
        if self.postprocess:
            result["postprocess"] = list(self.postprocess)
        if not self.charts:
            result["charts"] = False
        if self.lead:
            result["lead"] = self.lead
        if self.public:
            result["public"] = {each.name: each.to_mapping() for each in self.public}
        result["statistics"] = [statistic.to_mapping() for statistic in self.statistics]
        if self.derived:
            result["derived"] = [each.to_mapping() for each in self.derived]
        if self.accept:
            result["accept"] = [criterion.to_mapping() for criterion in self.accept]
        return result

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON of the plan."""
        return digest(self.to_mapping())

    def __hash__(self) -> int:
        return hash(self.hash)


Plan.__setattr__ = refuse_assignment  # type: ignore[assignment,method-assign]


def _read_privacy(value: object, report: Report) -> dict[str, Any]:
    if value is None:
        return {}
    fields = report.mapping(
        value,
        "privacy",
        allowed=("unit", "neighbors", "epsilon", "delta"),
        required=("unit", "neighbors", "epsilon"),
    )
    neighbors = None
    if fields.get("neighbors") is not None:
        neighbors = report.choice(
            fields["neighbors"], "privacy.neighbors", [relation.value for relation in NeighboringRelation]
        )
    return {
        "unit": PrivacyUnit.read(fields["unit"], "privacy.unit", report)
        if fields.get("unit") is not None
        else PrivacyUnit(),
        "neighbors": NeighboringRelation(neighbors or "add_remove"),
        "epsilon_nano": read_epsilon(fields["epsilon"], "privacy.epsilon", report)
        if fields.get("epsilon") is not None
        else 0,
        "delta_atto": read_delta(fields["delta"], "privacy.delta", report) if fields.get("delta") is not None else 0,
    }


def _read_expected(value: object, report: Report) -> Expected | None:
    if value is None:
        return None
    fields = report.mapping(value, "expected", allowed=("rows", "units"), required=("rows",))
    rows, units = (
        report.integer(fields[key], f"expected.{key}", lowest=1, highest=MAX_EXPECTED)
        if fields.get(key) is not None
        else None
        for key in ("rows", "units")
    )
    return Expected(rows, units) if rows else None


def _read_codes(value: object, report: Report) -> tuple[Code, ...] | None:
    return None if value is None else read_codes(value, "missing_codes", report)


def _read_weights(value: object, report: Report) -> str:
    if value is None:
        return ""
    chosen = report.choice(value, "weights", ("auto", *WEIGHTS))
    return WEIGHTS[0] if chosen == "auto" else chosen or ""


def _read_steps(value: object, report: Report) -> tuple[str, ...]:
    if value is None:
        return ()
    items = report.sequence(value, "postprocess", longest=len(STEPS))
    chosen = {report.choice(item, f"postprocess[{index}]", STEPS) for index, item in enumerate(items)}
    return tuple(step for step in STEPS if step in chosen)


def _read_statistics(value: object, report: Report) -> list[Statistic | None]:
    if value is None:
        return []
    items = report.sequence(value, "statistics", longest=MAX_STATISTICS)
    statistics = [read_statistic(item, f"statistics[{index}]", report) for index, item in enumerate(items)]
    seen: set[str] = set()
    for index, statistic in enumerate(statistics):
        if statistic is not None:
            if statistic.id in seen:
                report.add(f"statistics[{index}].id", found=statistic.id, allowed=phrase("model.id_no_other_statistic"))
            seen.add(statistic.id)
    return statistics


def _check_criteria(criteria: Sequence[Criterion], statistics: Sequence[Statistic | None], report: Report) -> None:
    """Add a problem unless each criterion is about a statistic of the plan."""
    ids = [statistic.id for statistic in statistics if statistic is not None]
    if None not in statistics:
        for place, criterion in enumerate(criteria):
            report.choice(criterion.statistic, f"accept[{place}].statistic", ids)


def _check_columns(
    statistics: Sequence[Statistic | None],
    where: tuple[Condition, ...],
    schema: Schema,
    report: Report,
    *,
    declared_only: bool = False,
) -> None:
    """Check beside the declared columns; `declared_only` passes over what uses columns that are declared elsewhere."""
    for index, condition in enumerate(where):
        if condition.column in schema or not declared_only:
            condition.check(f"where[{index}]", schema, report)
    for index, statistic in enumerate(statistics):
        if statistic is not None and not (
            declared_only and any(name not in schema for name in statistic.used_columns())
        ):
            statistic.check(f"statistics[{index}]", schema, report)


def plan(
    dataset: str,
    columns: AnyColumns | None = None,
    *,
    unit: PrivacyUnit | Literal["row"],
    neighbors: Literal["add_remove", "substitute"],
    epsilon: Quantity,
    **keys: Unpack[PlanKeys],
) -> Plan:
    """Return a plan without statistics, which `add` gives it. Raises PlanError with every problem.

    Example: `dp.plan("visits", Visits, unit="row", neighbors="add_remove", epsilon=1).add(dp.count())`
    """
    report = Report()
    given = {"dataset": dataset, "unit": unit, "neighbors": neighbors, "epsilon": epsilon, **keys}
    given = report.mapping(given | ({} if columns is None else {"columns": columns}), "", allowed=CHANGES)
    report.raise_any(PlanError)
    empty = {"dprelease": VERSION, "dataset": "", "privacy": {}, "statistics": []}
    return Plan.parse(replaced(empty, given), unfinished=True)

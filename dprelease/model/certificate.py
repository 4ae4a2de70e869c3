"""Certificate of a release: everything a reader needs to check what was promised, each fact a field."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from typing import Annotated, Any

import msgspec

from dprelease.errors import IntegrityError
from dprelease.model import families
from dprelease.model.about import About
from dprelease.model.derived import Derived, read_derived
from dprelease.model.features import check_format
from dprelease.model.privacy import Currency, PrivacyLoss, total
from dprelease.model.public import PublicTable, read_public
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import (
    Approval,
    Caveat,
    Cumulative,
    Fact,
    Grades,
    Guarantee,
    Hash,
    Place,
    ReleaseId,
    StatedCriterion,
    StatedLoss,
    StatedMeasurement,
    StatedMechanism,
    StatedPopulation,
    StatedPreviews,
    StatedRound,
    StatedRun,
    StatedSelfTest,
    StatedStatistic,
    as_json,
)
from dprelease.model.statement import Statements
from dprelease.model.statistic import statistic_of
from dprelease.model.texts import Texts
from dprelease.model.version import VERSION
from dprelease.words import phrase
from dprelease.words.language import language

Reach = Annotated[float, msgspec.Meta(ge=0)]
INSTANT = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{2}:[0-9]{2}\Z"
"""Pattern of an instant with its offset."""
Format = Annotated[str, msgspec.Meta(pattern=r"\A1\.(0|[1-9][0-9]{0,3})\Z")]


class Certificate(Fact, frozen=True, kw_only=True):
    """The content of release.json."""

    format: Format
    features: tuple[str, ...] = ()
    """Sorted names from `dprelease.model.features` by which its meaning differs from 1.0. Absent: none."""
    id: ReleaseId
    title: str
    description: str
    published: date
    plan: dict[str, Any]
    plan_hash: Hash
    population: StatedPopulation
    guarantee: Guarantee
    measurements: tuple[StatedMeasurement, ...]
    statistics: tuple[StatedStatistic, ...]
    loss: StatedLoss
    ledger: Place
    cumulative: Cumulative
    approval: Approval
    previews: StatedPreviews
    caveats: tuple[Caveat, ...]
    versions: dict[str, str]
    noise_self_test: StatedSelfTest
    earlier_releases: tuple[str, ...]
    supersedes: ReleaseId | None
    notices: str
    criteria: tuple[StatedCriterion, ...]
    grades: Grades
    """Limits by which numbers are graded."""
    reaches: dict[str, tuple[Reach | None, ...]] | msgspec.UnsetType = msgspec.UNSET
    """Reach of the noise in each row, by table of standardised rates; None for a row without a value.

    Not stated where there are no such rates, nor of what is withheld.
    """
    statements: Statements | msgspec.UnsetType = msgspec.UNSET
    """Findings in its tables and the leading statement; not stated of what is withheld."""
    due: Annotated[str, msgspec.Meta(pattern=INSTANT)] | msgspec.UnsetType = msgspec.UNSET
    """Instant at which it was to become public, as decided when it was charged; not stated where that was at once."""
    federation: StatedRound | msgspec.UnsetType = msgspec.UNSET
    """Round of several institutions whose sum is released; not stated where there is one institution."""
    run: StatedRun | msgspec.UnsetType = msgspec.UNSET
    """Run of which it is an edition; not stated of a release with a charge of its own."""

    @classmethod
    def read(cls, value: object) -> Certificate:
        """Raise IntegrityError, saying where, unless this is what a publication states.

        Raises InputError for a format before 1.0, NewerFormatError for one that this program cannot read.
        """
        check_format(value)
        try:
            found = msgspec.convert(value, cls)
            msgspec.json.encode(found)  # which half of a surrogate pair cannot be
        except (msgspec.ValidationError, UnicodeEncodeError) as cause:
            raise IntegrityError(phrase("model.release_json", cause=cause)) from None
        known = {each.id for each in found.measurements}
        if not all(known.issuperset(each.measurements) for each in found.statistics):
            raise IntegrityError(phrase("model.rests_on_unstated"))
        return found

    def to_mapping(self) -> dict[str, Any]:
        """Return the certificate as JSON has it."""
        mapping: dict[str, Any] = as_json(self)
        return mapping

    @property
    def day(self) -> str:
        """Day of publication, as in files: 2026-11-22."""
        return self.published.isoformat()

    @property
    def shown_day(self) -> str:
        """Day on which it was to become public: that of its hour, where it waited for one."""
        return (self.hour or self.day)[: len("2026-11-22")]

    @property
    def hour(self) -> str | None:
        """Instant at which it was to become public; None where that was at once."""
        return None if self.due is msgspec.UNSET else self.due

    @property
    def is_withheld(self) -> bool:
        """True if the release failed its plan's criteria: then only that is published, and what it cost."""
        return not all(criterion.held for criterion in self.criteria)

    @property
    def has_charts(self) -> bool:
        """True if the bundle has charts, which is so unless the plan says otherwise."""
        return self.plan.get("charts") is not False

    @property
    def made_by(self) -> str:
        """The version of this program that made it."""
        return self.versions.get("dprelease", "")

    @property
    def several(self) -> StatedRound | None:
        """Round in which several institutions made it together; None where one did."""
        return None if self.federation is msgspec.UNSET else self.federation

    @property
    def edition_of(self) -> StatedRun | None:
        """Run of which it is an edition; None where it is none."""
        return None if self.run is msgspec.UNSET else self.run

    @property
    def edition(self) -> str:
        """Period or name of the edition of a series; empty where it is of none."""
        return self.about.edition if self.edition_of is None else self.edition_of.period

    @property
    def is_ours(self) -> bool:
        """True if this version made it, so that its page and pictures can be written again and compared."""
        return self.made_by == VERSION

    @property
    def in_rho(self) -> bool:
        """True if privacy losses are counted in ρ."""
        return self.population.currency is Currency.ZCDP

    def asked(self, table: str) -> dict[str, Any]:
        """Return the options of a statistic, by its id or a table of it, as in its plan. KeyError where there is none.

        Of one table of a family the columns are its own.
        """
        return self._families.get(table) or self._asked[statistic_of(table)]

    @cached_property
    def worked_out(self) -> dict[tuple[str, str], Any]:
        """Cache of values that other packages derive from the certificate, by name and language: 400 tables each ask
        for them.
        """
        return {}

    @cached_property
    def _families(self) -> dict[str, dict[str, Any]]:
        """The options of each table of a family."""
        return {
            f"{name}.{part}": own for name, asked in self._asked.items() for part, own in families.parts(asked).items()
        }

    @cached_property
    def _asked(self) -> dict[str, dict[str, Any]]:
        return {each["id"]: each for each in self.plan["statistics"]}

    def statistic(self, table: str) -> StatedStatistic:
        """Find a statistic by its id or a table of it. Raises KeyError where there is none."""
        return self._statistics[statistic_of(table)]

    @cached_property
    def _statistics(self) -> dict[str, StatedStatistic]:
        return {each.id: each for each in self.statistics}

    def mechanisms(self, statistic: StatedStatistic) -> tuple[StatedMechanism, ...]:
        """Return the mechanisms run for this statistic alone; none where its counts follow from another's."""
        return () if statistic.source is not None else self._measurements[statistic.id].mechanisms

    def rests_on(self, statistic: StatedStatistic) -> tuple[StatedMechanism, ...]:
        """Return the mechanisms whose noise is in the statistic's numbers, whoever paid for them."""
        return tuple(each for name in statistic.measurements for each in self._measurements[name].mechanisms)

    def spent_on(self, statistic: StatedStatistic) -> PrivacyLoss:
        """Return the loss charged for a statistic alone."""
        return total(each.loss.exactly for each in self.mechanisms(statistic))

    @cached_property
    def _measurements(self) -> dict[str, StatedMeasurement]:
        return {each.id: each for each in self.measurements}

    @cached_property
    def about(self) -> About:
        """Publisher and terms of the release; what is not readable counts as not stated."""
        return About.read(self.plan.get("about"), Report())

    @property
    def called(self) -> str:
        """The title in the language that is spoken, where the plan has one; else the plan's own."""
        return self.texts.title.get(language()) or self.title

    @cached_property
    def texts(self) -> Texts:
        """Texts for readers, by language."""
        report = Report()
        texts = Texts.read(self.plan.get("texts"), report)
        if report.problems:
            raise IntegrityError(phrase("model.release_json_texts_cannot", problems=report.problems[0]))
        return texts

    @cached_property
    def public(self) -> tuple[PublicTable, ...]:
        """Public figures that it is published with."""
        report = Report()
        found = read_public(self.plan.get("public"), report)
        if report.problems:
            raise IntegrityError(phrase("model.release_json_derived_cannot", problems=report.problems[0]))
        return found

    @cached_property
    def derived(self) -> tuple[Derived, ...]:
        """Tables derived from its counts and those figures."""
        report = Report()
        names = [each.name for each in self.public]
        found = read_derived(self.plan.get("derived"), self._asked, names, report)
        if report.problems:
            raise IntegrityError(phrase("model.release_json_derived_cannot", problems=report.problems[0]))
        return found

    @cached_property
    def columns(self) -> Schema:
        """Columns as the plan declares them."""
        report = Report()
        schema = Schema.read(self.plan["columns"], "columns", report) if self.plan.get("columns") else Schema({})
        if report.problems:
            raise IntegrityError(phrase("model.release_json_columns_cannot", problems=report.problems[0]))
        return schema.called(self.texts)

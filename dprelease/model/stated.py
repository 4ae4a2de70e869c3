"""Parts of certificates: the facts that are stated of a release, each a field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dprelease.model.checkpoint import HASH, MOST
from dprelease.model.criterion import Requirement
from dprelease.model.population import Population
from dprelease.model.presentation import Presentation
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.statistic import ID, TABLE

RELEASE = "[a-z0-9][a-z0-9._-]{0,119}"
RELEASE_ID = re.compile(RELEASE)
"""The id of a release, which is a folder's name too."""
Basis = Literal["mechanism", "expected", "bound"]
"""Basis of an expected error: the noise alone, the plan's expected rows too, or a bound on all rows."""
Number = int | float
Whole = Annotated[int, Meta(ge=0, le=MOST)]
Amount = Whole | Annotated[float, Meta(ge=0, le=1e300)]
"""Amount of ε, ρ or δ, as JSON has it."""
ReleaseId = Annotated[str, Meta(pattern=rf"\A{RELEASE}\Z")]
StatisticId = Annotated[str, Meta(pattern=rf"\A{ID.pattern}\Z")]
TableName = Annotated[str, Meta(pattern=rf"\A{TABLE.pattern}\Z")]
OutputKind = Literal["table", "tables", "rows", "model", "measured"]
"""Kind of a statistic's output: `dprelease.model.release`."""
Hash = Annotated[str, Meta(pattern=rf"\A{HASH.pattern}\Z")]


class Fact(Struct, frozen=True, kw_only=True, dict=True):
    """Part of a certificate. What is read has these fields, each of its type; others are left: `features.unread`."""


def as_json(facts: Fact | Sequence[Fact]) -> Any:
    """Return facts as JSON has them, in dicts and lists."""
    return msgspec.json.decode(msgspec.json.encode(facts))


class StatedSelfTest(Fact, frozen=True, kw_only=True):
    """Self-test that the library which draws noise passed in the workspace that published, before the charge."""

    library: Literal["opendp"]
    version: Annotated[str, Meta(pattern=r"\A[0-9]{1,6}(\.[0-9a-z]{1,12}){1,4}\Z")]
    result: Literal["passed"]


class StatedLoss(Fact, frozen=True, kw_only=True):
    """A `PrivacyLoss` in whole numbers: ε and ρ in 10^-9, δ in 10^-18."""

    epsilon_nano: Whole
    rho_nano: Whole
    delta_atto: Whole

    @classmethod
    def of(cls, loss: PrivacyLoss) -> StatedLoss:
        return cls(epsilon_nano=loss.epsilon_nano, rho_nano=loss.rho_nano, delta_atto=loss.delta_atto)

    @property
    def exactly(self) -> PrivacyLoss:
        return PrivacyLoss(epsilon_nano=self.epsilon_nano, rho_nano=self.rho_nano, delta_atto=self.delta_atto)


class Worth(Fact, frozen=True, kw_only=True):
    """Privacy loss expressed as (ε, δ); in zcdp with the ρ that it comes from."""

    epsilon: Amount
    delta: Amount
    rho: Amount | None


class GroupGuarantee(Fact, frozen=True, kw_only=True):
    """The (ε, δ) that so many units together are protected with."""

    units: Whole
    epsilon: Amount
    delta: Amount


class Guarantee(Worth, frozen=True, kw_only=True):
    """Privacy guarantee of a release: the unit that it protects, the neighbours, and the loss."""

    unit: str
    unit_column: str | None
    """Column that identifies the unit; None where a row is a unit."""
    max_rows: Whole
    max_groups: Whole | None
    neighbors: NeighboringRelation
    groups: tuple[GroupGuarantee, ...]
    exchange_epsilon: Amount | None
    """Loss ε, under add/remove, of exchanging a unit's rows for others."""


class StatedPopulation(Fact, frozen=True, kw_only=True):
    """Population whose budget was charged, with its cap as declared."""

    name: str
    unit: str
    neighbors: NeighboringRelation
    currency: Currency
    epsilon_cap: Amount
    delta_cap: Amount
    size: Whole | None
    period: str | None
    discovers: bool | UnsetType = UNSET
    """False where nothing of it is ever discovered; else unsaid."""

    def declared(self) -> Population:
        """Return the population without the ρ of its cap. Raises InputError where nobody can have declared it."""
        population = Population.read(
            self.name,
            unit=self.unit,
            neighbors=self.neighbors.value,
            epsilon=self.epsilon_cap,
            delta=self.delta_cap,
            currency=self.currency.value,
            size=self.size,
            discovers=self.discovers is not False,
        )
        return replace(population, period=self.period)


class Norms(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Sensitivity of a mechanism's input to one unit: those norms that its loss depends on."""

    l0: Whole | None = None
    l1: Whole | None = None
    l2: Number | None = None
    linf: Whole | None = None
    monotone: bool | None = None


class StatedMechanism(Fact, frozen=True, kw_only=True):
    """A mechanism, the shape of the integers that it is given, their step, and what it costs."""

    name: str
    shape: tuple[Whole, ...]
    step: str | None
    """Value of one step of the integers, a decimal; None where nothing is added to them."""
    scale: Amount
    sensitivity: Norms
    settings: dict[str, int | float | str | bool]
    """Other settings that were chosen or came of calibration, by the mechanism's own names."""
    round: Whole
    """Round in which it was drawn: those of round 1 after the results of round 0 were sealed, and so on."""
    loss: StatedLoss


class StatedMeasurement(Fact, frozen=True, kw_only=True):
    """Measurement: mechanisms that were noised, charged and sealed together."""

    id: StatisticId
    """Id of the statistic by whose options it is measured."""
    mechanisms: tuple[StatedMechanism, ...]
    loss: StatedLoss


class StatedStatistic(Fact, frozen=True, kw_only=True):
    """Statistic as requested, with the meaning of its numbers and the measurements that they are computed from."""

    id: StatisticId
    kind: str
    presentation: Presentation
    output: OutputKind
    tables: tuple[TableName, ...]
    """Names of its tables, as in the bundle: its id, or with a name of their own after a point."""
    cells: Whole
    """Rows of its tables; 0 where their keys are discovered."""
    derivation: str
    """Derivation of its numbers: `own` from what was measured for it, or from others' `counts` or `tables`."""
    measurements: Annotated[tuple[StatisticId, ...], Meta(min_length=1)]
    error95: Amount | None
    basis: Basis | None
    bounded_by: StatisticId | UnsetType = UNSET
    """The statistic by whose published shares its intervals are found; unsaid of all others."""

    @property
    def source(self) -> str | None:
        """The measurement that its counts follow from, where it has none of its own; of several the first."""
        return None if self.id in self.measurements else self.measurements[0]

    @property
    def sources(self) -> tuple[str, ...]:
        """All of these."""
        return () if self.source is None else self.measurements

    @property
    def is_fitted(self) -> bool:
        """True if the statistic is a model of tables that were measured for others."""
        return self.derivation == "tables"


class StatedSite(Fact, frozen=True, kw_only=True):
    """An institution that took part: its name, the fingerprint of its key, and the event that its ledger charged."""

    name: str
    key: str
    charge: Hash


class StatedShare(Fact, frozen=True, kw_only=True):
    """Integers with one scale of noise: what each site added to its own, and what is in the sum."""

    cells: Whole
    l2_squared: Annotated[str, Meta(pattern=r"\A[0-9]{1,40}\Z")]
    """Squared L2 sensitivity of the integers to one unit's rows in one site."""
    rho_nano: Whole
    sigma: Number
    """Noise scale of one site's share, which is discrete Gaussian."""
    deviation: Number
    """Standard deviation of the noise in the sum: σ√K."""


class StatedRest(Fact, frozen=True, kw_only=True):
    """The ρ that is left where so many sites are dishonest and take their own noise out."""

    sites: Whole
    rho_nano: Whole


class StatedRound(Fact, frozen=True, kw_only=True):
    """Round in which several institutions made one sum: the sites, the round, and the noise."""

    trust: Literal["masked"]
    name: str
    roster: Hash
    plan: Hash
    """Hash of the plan of the round: parts, and the plan that all sites approved."""
    attempt: Whole
    round: Hash
    sum: Hash
    """SHA-256 of the published integers."""
    sites: Annotated[tuple[StatedSite, ...], Meta(min_length=2, max_length=100)]
    lost_sites: Whole
    max_sites: Whole
    shares: Annotated[tuple[StatedShare, ...], Meta(min_length=1)]
    losses: Annotated[tuple[StatedRest, ...], Meta(min_length=1)]
    """Losses left by number of dishonest sites, from `lost_sites` on, to all but one."""


class Place(Fact, frozen=True, kw_only=True):
    """The charge in the ledger."""

    seq: Whole
    hash: Hash


class StatedEdition(Fact, frozen=True, kw_only=True):
    """An earlier edition of a run: its period, and the digest of its certificate."""

    period: str
    release: ReleaseId
    hash: Hash


class StatedRun(Fact, frozen=True, kw_only=True):
    """Run that the release is an edition of: its loss is that of all editions, charged before the first one."""

    name: str
    period: str
    number: Whole
    """Place of the period among all, from 1."""
    periods: Whole
    at_most: Whole
    """Editions in which one unit counts."""
    factor: Whole
    """Quotient of the run's loss and that of one edition."""
    attested: Literal["nothing", "row", "unit"]
    """Attested facts, by which no unit counts in more."""
    charge: Place
    closed: tuple[str, ...]
    """Periods before this edition began that can never be published."""
    earlier: tuple[StatedEdition, ...]
    """Editions published before this one began, in order: whoever has two bundles finds one that is hidden."""


class Period(Worth, frozen=True, kw_only=True):
    """Loss in the population's period, and before it."""

    name: str
    before: StatedLoss


class Overlapping(Fact, frozen=True, kw_only=True):
    """Another population that is attested to share units, and what it has spent."""

    population: str
    unit: str
    neighbors: NeighboringRelation
    overlap: Literal["same", "some"]
    epsilon: Amount
    delta: Amount
    loss: StatedLoss
    releases: Whole


class JointLoss(Fact, frozen=True, kw_only=True):
    """A sum of (ε, δ) over populations."""

    epsilon: Amount
    delta: Amount


class Cumulative(Worth, frozen=True, kw_only=True):
    """Cumulative loss of the population in all its releases, this one included, and that of those that overlap it."""

    loss: StatedLoss
    releases: Whole
    period: Period | None
    overlapping: tuple[Overlapping, ...]
    overlap_not_attested: Whole
    """Number of the workspace's populations of which it is not attested whether they overlap."""
    together: JointLoss | None


class Approval(Fact, frozen=True, kw_only=True):
    """Approval of the release: whether two people decided."""

    workspace: Literal["team", "solo"]


class StatedPreviews(Fact, frozen=True, kw_only=True):
    """Disclosure of what previews showed before the charge, and what was chosen after true values were seen."""

    policy: Literal["true", "blind", "none"]
    taken: bool
    plan_changed_after: bool
    schema_changed_after: bool
    changed: Literal["nothing", "budget", "measured"]
    """Extent of changes to the plan: `budget` is its ε, shares or titles only."""
    readings_proposed: tuple[str, ...] | UnsetType = UNSET
    """Columns whose cells proposed how they are read, and their curator accepted it; unsaid where there is none."""


class StatedCriterion(Fact, frozen=True, kw_only=True):
    """Criterion that the plan set for a statistic beforehand, and whether it was found to hold."""

    statistic: str
    requirement: Requirement
    limit: Amount
    held: bool


Part = Annotated[float, Meta(gt=0, le=1)]


class Grades(Fact, frozen=True, kw_only=True):
    """Maximum reach of an interval, as a part of its number, for the grades A and C: one policy of the workspace."""

    caution: Part = 0.333
    """Limit beyond which a number is to be used with caution, C."""
    unreliable: Part = 0.667
    """Limit beyond which a number is unreliable, U."""


USUAL = Grades()
"""Default grades, close to what statistics offices ask: a coefficient of variation of 1/6 and of 1/3."""


class Caveat(Fact, frozen=True, kw_only=True):
    """Caveat, which the guarantee does not cover: a sentence by its key in the catalogues, and what it names."""

    code: Annotated[str, Meta(pattern=r"\A[a-z0-9_]{1,60}\Z")]
    values: dict[str, str | int | float]

    @classmethod
    def of(cls, code: str, /, **values: str | int | float) -> Caveat:
        return cls(code=code, values=values)

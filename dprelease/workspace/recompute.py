"""What a certificate states, worked out again from its plan and compared with the tables and files beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, product, zip_longest

from msgspec import structs, to_builtins

from dprelease.bundle.listing import is_made_of
from dprelease.bundle.read import ReadBundle
from dprelease.bundle.tables import answers_chunks, is_survey
from dprelease.bundle.write import file_names
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.certificate import Certificate, Loss, StatedStatistic
from dprelease.model.encoding import canonical
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.release import Axis, Release
from dprelease.statistics import Plan
from dprelease.statistics.adjust import adjusts, could_be_adjusted, follow
from dprelease.statistics.criteria import Judgement, judge
from dprelease.statistics.price import Price, price
from dprelease.workspace.certificate import Circumstances, certificate
from dprelease.workspace.populations import with_rho


def recompute(bundle: ReadBundle) -> Price:
    """The price of a bundle's plan. Raises IntegrityError where certificate, tables or files do not follow from it."""
    release = bundle.release
    try:
        _check_names(release.certificate)
        currency = release.certificate.population.currency
        recomputed = price(Plan.parse(release.certificate.plan), currency=currency)
        _compare_certificate(release.certificate, recomputed)
        compare_tables(release, recomputed)
    except IntegrityError:
        raise
    except (DPReleaseError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as cause:
        raise IntegrityError(f"certificate: it cannot be recomputed ({type(cause).__name__}: {cause})") from None
    _compare_files(bundle)
    return recomputed


def _check_names(stated: Certificate) -> None:
    """Raises IntegrityError where a certificate states what no publication can, whatever its plan and ledger."""
    if stated.supersedes == stated.id:
        raise IntegrityError("supersedes: a release does not supersede itself")
    names = [stated.population.name, *(each.population for each in stated.cumulative.overlapping)]
    if len(set(names)) != len(names):
        raise IntegrityError("cumulative: a population overlaps itself, or another one twice")


def stated_population(certificate: Certificate) -> Population:
    """The population of a certificate, with the ρ that its cap comes to."""
    return with_rho(certificate.population.declared())


def _compare_certificate(stated: Certificate, recomputed: Price) -> None:
    """Writes the certificate again from what it says of plan, population, ledger and previews, and compares."""
    population, cumulative = stated_population(stated), stated.cumulative
    spent = _in_currency(cumulative.loss, recomputed)
    before = PrivacyLoss() if cumulative.period is None else _in_currency(cumulative.period.before, recomputed)
    if not (before.within(spent) and recomputed.loss.within(spent - before)):
        raise IntegrityError("cap: the stated cumulative loss is less than this release's")
    if not (spent - before).within(population.budget):
        raise IntegrityError("cap: the stated cumulative loss is more than the cap")
    if population.neighbors is not recomputed.plan.neighbors:
        raise IntegrityError("population: its neighbouring relation is not the plan's")
    if not 1 <= cumulative.releases <= stated.ledger.seq:
        raise IntegrityError("ledger: the stated entry and number of releases cannot be")
    previews = stated.previews
    if (previews.plan_changed_after or previews.schema_changed_after) and not previews.taken:
        raise IntegrityError("previews: nothing can have changed after a preview that was not taken")
    again = certificate(
        release_id=stated.id,
        price=recomputed,
        population=population,
        stands=Circumstances(
            seq=stated.ledger.seq,
            hash=stated.ledger.hash,
            spent=spent,
            releases=cumulative.releases,
            before=before,
            overlapping=cumulative.overlapping,
            unattested=cumulative.overlap_not_attested,
            earlier_releases=stated.earlier_releases,
            team=stated.approval.workspace == "team",
            supersedes=stated.supersedes,
        ),
        previewed=previews,
        published=stated.published,
        judgements=_judged(stated, recomputed),
    )
    foreign = stated.made_by != again.made_by
    for name in Certificate.__struct_fields__:
        if name == "versions" or (name == "caveats" and foreign):
            continue
        found, expected = getattr(stated, name), getattr(again, name)
        if name == "statistics" and foreign:  # another version may foresee errors otherwise
            found, expected = (tuple(map(_without_error, each)) for each in (found, expected))
        if canonical(to_builtins(found)) != canonical(to_builtins(expected)):
            raise IntegrityError(f"{name}: the certificate does not state what follows from its plan")


def _judged(stated: Certificate, recomputed: Price) -> list[Judgement]:
    """The criteria of the plan with what is stated of each; of a release with tables, that is compared with them."""
    held = [each.held for each in stated.criteria]
    return [Judgement(*pair) for pair in zip(recomputed.plan.accept, held, strict=True)]


def _without_error(item: StatedStatistic) -> StatedStatistic:
    return structs.replace(item, error95=None, basis=None)


def compare_tables(release: Release, recomputed: Price) -> None:
    if release.is_withheld:
        if release.tables:
            raise IntegrityError("tables: a release that failed its criteria publishes none")
        return
    if sorted(release.tables) != sorted(item.id for item in recomputed.statistics):
        raise IntegrityError("tables: there is not one for each statistic")
    for item in recomputed.statistics:
        table = release.tables[item.id]
        schema = recomputed.plan.schema
        if not item.statistic.discovers(schema) and not _same_keys(table.axes, item.statistic.axes(schema)):
            raise IntegrityError(f"{item.id}: the keys of its table are not the declared ones")
        if not adjusts(item, recomputed) and not item.could_be(schema, table):
            raise IntegrityError(f"{item.id}: its mechanisms cannot give this table")
        if item.source is not None and not follow(item, release.tables):
            raise IntegrityError(f"{item.id}: its counts do not follow from those of {item.source.id}")
    if not all(judgement.held for judgement in judge(recomputed, release.tables)):
        raise IntegrityError("criteria: the tables do not meet what the plan asks of them")
    wrong = could_be_adjusted(recomputed, release.tables)
    if wrong is not None:
        raise IntegrityError(f"{wrong}: its table does not follow from the noisy counts beside it")


def _in_currency(stated: Loss, recomputed: Price) -> PrivacyLoss:
    """A loss, which is in the currency of the release."""
    loss = stated.exactly
    if loss.rho_nano if recomputed.currency is Currency.PURE else loss.epsilon_nano:
        raise IntegrityError("cap: the stated cumulative loss is in another currency")
    return loss


def _compare_files(bundle: ReadBundle) -> None:
    others = bundle.contents.keys() - file_names(bundle.release.tables)
    if others:
        raise IntegrityError(f"{sorted(others)[0]}: a bundle has no such file")
    for name, table in bundle.release.tables.items():
        path = f"tables/{name}.answers.csv"
        if (path in bundle.contents) != is_survey(table) or (
            is_survey(table) and not is_made_of(bundle.contents[path], answers_chunks(table))
        ):
            raise IntegrityError(f"{path}: its answers are not those of tables/{name}.csv")


def _same_keys(found: Sequence[Axis], declared: Sequence[Axis]) -> bool:
    names = [[name for axis in axes for name in axis.names] for axes in (found, declared)]
    rows = [product(*(axis.cells for axis in axes)) for axes in (found, declared)]
    return names[0] == names[1] and all(
        left is not None and right is not None and tuple(chain(*left)) == tuple(chain(*right))
        for left, right in zip_longest(*rows)
    )

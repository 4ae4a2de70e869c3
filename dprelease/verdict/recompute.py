"""Recomputation of a certificate from its plan, compared with the tables and files beside it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, product, zip_longest
from math import isclose

from msgspec import structs, to_builtins

from dprelease.bundle.guarantee import knows
from dprelease.bundle.listing import is_made_of
from dprelease.bundle.outputs import CERTIFICATE, release_files
from dprelease.bundle.read import ReadBundle
from dprelease.bundle.write import file_names
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import canonical
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.recurring import stated_run
from dprelease.model.release import Axis, Estimates, MeasuredTables, Output, Release, SyntheticRows
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat, StatedLoss, StatedPreviews, StatedRun
from dprelease.statistics import Plan
from dprelease.statistics.adjust import adjusts, could_be_adjusted, follow
from dprelease.statistics.beside import follows_integers, tells_integers
from dprelease.statistics.planning.criteria import Judgement, judge
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.planning.reaches import Reaches
from dprelease.statistics.planning.stated import as_stated
from dprelease.verdict.certificate import Circumstances, certificate
from dprelease.verdict.consistency_checks import misfits
from dprelease.verdict.integers import SourceTables, follows
from dprelease.verdict.ledger_checks import stated_population
from dprelease.words import phrase

ELSEWHERE = ("format", "versions", "caveats", "statements")
"""Fields of a certificate that are checked by other means, or by none."""


def recompute(bundle: ReadBundle) -> tuple[Price, list[Caveat]]:
    """Return the price of a bundle's plan, as it is stated, and caveats that this version does not know.

    Raises IntegrityError where certificate, tables or files contradict the plan, the price or one another.
    """
    release = bundle.release
    try:
        _check_names(release.certificate)
        recomputed = stated_price(release.certificate)
        unknown = _compare_certificate(release.certificate, recomputed)
        compare_answers(release, recomputed)
    except IntegrityError:
        raise
    except (DPReleaseError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as cause:
        raise IntegrityError(
            phrase("verdict.certificate_cannot_recomputed", kind=type(cause).__name__, cause=cause)
        ) from None
    _compare_files(bundle)
    return recomputed, unknown


def stated_price(certificate: Certificate) -> Price:
    """Return the price of a certificate's plan with the mechanisms and sources that it states."""
    plan = Plan.parse(certificate.plan).with_schema(Schema({}))
    if plan.run is not None and (not plan.run.period or plan.whole.edition(plan.run.period) != plan):
        raise IntegrityError(phrase("verdict.run_not_of_the_run"))
    stated, discovers = certificate.population, certificate.population.discovers is not False
    return as_stated(
        plan,
        certificate.measurements,
        certificate.statistics,
        currency=stated.currency,
        discovers=discovers,
        loss=certificate.loss.exactly,
    )


def _check_names(stated: Certificate) -> None:
    """Raises IntegrityError where a certificate states what no publication can, whatever its plan and ledger."""
    if stated.supersedes == stated.id:
        raise IntegrityError(phrase("verdict.supersedes_release_does_supersede"))
    names = [stated.population.name, *(each.population for each in stated.cumulative.overlapping)]
    if len(set(names)) != len(names):
        raise IntegrityError(phrase("verdict.cumulative_population_overlaps_itself"))


def _check_previews(previews: StatedPreviews) -> None:
    """Raises IntegrityError where what is said of looks at true values contradicts itself."""
    changed = previews.plan_changed_after or previews.schema_changed_after or previews.changed in ("budget", "measured")
    if changed and not previews.taken:
        raise IntegrityError(phrase("verdict.previews_nothing_can_changed"))
    other = previews.plan_changed_after
    if previews.changed == ("nothing" if other else "measured"):
        raise IntegrityError(phrase("verdict.previews_how_far_changed"))


def _check_proposed(previews: StatedPreviews, schema: Schema) -> None:
    """Raises IntegrityError where readings are said to be proposed of columns that have none."""
    for name in previews.readings_proposed or ():
        if (column := schema.get(name)) is None or column.reading is None:
            raise IntegrityError(phrase("verdict.reading_of_no_column"))


def _compare_certificate(stated: Certificate, recomputed: Price) -> list[Caveat]:
    """Write the certificate again from what it says of plan, population, ledger and previews, and compare.

    Returns caveats that this version does not know.
    """
    population, cumulative = stated_population(stated), stated.cumulative
    spent = _in_currency(cumulative.loss, recomputed)
    before = PrivacyLoss() if cumulative.period is None else _in_currency(cumulative.period.before, recomputed)
    if not (before.within(spent) and recomputed.loss.within(spent - before)):
        raise IntegrityError(phrase("verdict.cap_stated_cumulative_loss"))
    if not (spent - before).within(population.budget):
        raise IntegrityError(phrase("verdict.cap_stated_cumulative_loss_more"))
    if population.neighbors is not recomputed.plan.neighbors:
        raise IntegrityError(phrase("verdict.population_neighbouring_relation_plan"))
    if not 1 <= cumulative.releases <= stated.ledger.seq:
        raise IntegrityError(phrase("verdict.ledger_stated_entry_number"))
    _check_previews(stated.previews)
    _check_proposed(stated.previews, recomputed.plan.schema)
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
            due=stated.hour,
        ),
        previewed=stated.previews,
        published=stated.published,
        judgements=_judged(stated, recomputed),
        limits=stated.grades,
        reaches=_reaches(stated, recomputed),
        several=stated.several,
        run=_run(stated, recomputed.plan),
        noise_library=stated.noise_self_test.version,
    )
    own, other = to_builtins(stated), to_builtins(again)
    for name in Certificate.__struct_fields__:
        if name not in ELSEWHERE and canonical(own.get(name)) != canonical(other.get(name)):
            raise IntegrityError(phrase("verdict.certificate_does_state_what", name=name))
    return _unknown_caveats(stated, again)


def _run(stated: Certificate, plan: Plan) -> StatedRun | None:
    """Return what is stated of its run, with all that follows from its plan."""
    run = stated.edition_of
    if (run is None) != (plan.run is None):
        raise IntegrityError(phrase("verdict.run_not_of_the_run"))
    return run and structs.replace(run, **stated_run(plan))


def _reaches(stated: Certificate, recomputed: Price) -> Reaches:
    """Return the stated reaches, where they are the plan's but for the last digits, which machines differ in."""
    found, own = stated.reaches or {}, recomputed.reaches
    if not stated.is_withheld and not (
        found.keys() == own.keys() and all(_alike(found[name], own[name]) for name in own)
    ):
        raise IntegrityError(phrase("verdict.certificate_does_state_what", name="reaches"))
    return found


def _alike(found: Sequence[float | None], own: Sequence[float | None]) -> bool:
    """Return True if these are the same numbers, to a millionth part."""
    missing = [[each is None for each in every] for every in (found, own)]
    pairs = zip(found, own, strict=False)
    return missing[0] == missing[1] and all(isclose(one or 0, other or 0, rel_tol=1e-6) for one, other in pairs)


def _unknown_caveats(stated: Certificate, again: Certificate) -> list[Caveat]:
    """Return the stated caveats beyond those of this version, by another one perhaps.

    Each of its own has to be there, in their order, and no other one that it knows.
    """
    own = again.caveats
    waiting = iter(stated.caveats)
    if not all(caveat in waiting for caveat in own):
        raise IntegrityError(phrase("verdict.caveats_certificate_does_state"))
    further = [caveat for caveat in stated.caveats if caveat not in own]
    if any(map(knows, further)):
        raise IntegrityError(phrase("verdict.caveats_certificate_states_one"))
    return further


def _judged(stated: Certificate, recomputed: Price) -> list[Judgement]:
    """Return the plan's criteria with what is stated of each; of a release with tables, that is compared with them."""
    held = [each.held for each in stated.criteria]
    return [Judgement(*pair) for pair in zip(recomputed.plan.accept, held, strict=True)]


def compare_answers(release: Release, recomputed: Price) -> None:
    """Raises IntegrityError where no draw of the stated mechanisms gives what is published."""
    if release.is_withheld:
        if release.outputs:
            raise IntegrityError(phrase("verdict.tables_release_failed_criteria"))
        return
    if sorted(release.outputs) != sorted(item.id for item in recomputed.statistics):
        raise IntegrityError(phrase("verdict.tables_there_one_each"))
    schema = recomputed.plan.schema
    for item in recomputed.statistics:
        output = release.outputs[item.id]
        keys = None if item.statistic.discovers(schema) else item.statistic.axes(schema)
        if isinstance(output, Estimates) and keys is not None and not _same_keys(output.axes, keys):
            raise IntegrityError(phrase("verdict.keys_table_declared_ones", item=item.id))
        if not adjusts(item, recomputed) and not item.could_answer(schema, output):
            raise IntegrityError(phrase(f"verdict.mechanisms_cannot_give_{output.kind}", item=item.id))
        noise = item.derivation.measurement.stated().mechanisms
        if isinstance(output, MeasuredTables | SyntheticRows) and output.integers:
            if not follows(output, item.statistic.to_mapping(), noise, _given(item, release)):
                raise IntegrityError(phrase("verdict.tables_of_integers", item=item.id))
            if item.source is not None and output.integers != _integers(release.outputs[item.source.id]):
                raise IntegrityError(phrase("verdict.not_of_one_draw", item=item.id, other=item.source.id))
        if tells_integers(item) and not follows_integers(item, schema, output):
            raise IntegrityError(phrase("verdict.tables_of_integers", item=item.id))
        if item.source is not None and not follow(item, release.tables):
            raise IntegrityError(phrase("verdict.counts_do_follow_from", item=item.id, source=item.source.id))
    for one, other in misfits(recomputed, release.tables):
        raise IntegrityError(phrase("verdict.not_of_one_draw", item=one, other=other))
    if not all(judgement.held for judgement in judge(recomputed, release.outputs)):
        raise IntegrityError(phrase("verdict.criteria_tables_do_meet"))
    wrong = could_be_adjusted(recomputed, release.tables)
    if wrong is not None:
        raise IntegrityError(phrase("verdict.table_does_follow_from", wrong=wrong))


def _given(item: StatisticPrice, release: Release) -> SourceTables | None:
    """Return the tables of which rows are said to be made, where a plan names them."""
    if item.source is None or item.statistic.follows is None:
        return None
    output = release.outputs[item.source.id]
    assert isinstance(output, MeasuredTables | SyntheticRows)
    return SourceTables(item.source.statistic.to_mapping(), output)


def _integers(output: Output) -> Sequence[Sequence[int]]:
    return output.integers if isinstance(output, MeasuredTables | SyntheticRows) else ()


def _in_currency(stated: StatedLoss, recomputed: Price) -> PrivacyLoss:
    """Return a loss, which is in the currency of the release."""
    loss = stated.exactly
    if loss.rho_nano if recomputed.currency is Currency.PURE else loss.epsilon_nano:
        raise IntegrityError(phrase("verdict.cap_stated_cumulative_loss_another"))
    return loss


def _compare_files(bundle: ReadBundle) -> None:
    others = bundle.contents.keys() - file_names(bundle.release)
    if others:
        raise IntegrityError(phrase("verdict.bundle_no_such_file", others=sorted(others)[0]))
    read = {CERTIFICATE, *(f"tables/{name}.csv" for name in bundle.release.tables)}
    for path, content in release_files(bundle.release).items():
        if path not in read and not is_made_of(bundle.contents.get(path, b""), content):
            raise IntegrityError(phrase("verdict.answers_of_tables", path=path))


def _same_keys(found: Sequence[Axis], declared: Sequence[Axis]) -> bool:
    names = [[name for axis in axes for name in axis.names] for axes in (found, declared)]
    rows = [product(*(axis.cells for axis in axes)) for axes in (found, declared)]
    return names[0] == names[1] and all(
        left is not None and right is not None and tuple(chain(*left)) == tuple(chain(*right))
        for left, right in zip_longest(*rows)
    )

"""What a certificate states, worked out again from its plan and compared with the tables and files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, product, zip_longest
from typing import Any

from dprelease.bundle.listing import RELEASE_ID, is_made_of
from dprelease.bundle.read import ReadBundle
from dprelease.bundle.tables import answers_chunks, is_survey
from dprelease.bundle.write import file_names
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.checkpoint import HASH, MOST, is_whole
from dprelease.model.encoding import canonical
from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.release import Axis, Release
from dprelease.statistics import Plan
from dprelease.statistics.adjust import adjusts, could_be_adjusted, follow
from dprelease.statistics.criteria import Judgement, judge
from dprelease.statistics.price import Price, price
from dprelease.store.facts import PreviewPolicy
from dprelease.workspace.certificate import Circumstances, Overlapping, certificate
from dprelease.workspace.populations import with_rho


def recompute(bundle: ReadBundle) -> Price:
    """The price of a bundle's plan. Raises IntegrityError where certificate, tables or files do not follow from it."""
    release = bundle.release
    try:
        _check_types(release.certificate)
        currency = Currency(release.certificate["population"]["currency"])
        recomputed = price(Plan.parse(release.certificate["plan"]), currency=currency)
        _compare_certificate(release.certificate, recomputed)
        compare_tables(release, recomputed)
    except IntegrityError:
        raise
    except (DPReleaseError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as cause:
        raise IntegrityError(f"certificate: it cannot be recomputed ({type(cause).__name__}: {cause})") from None
    _compare_files(bundle)
    return recomputed


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_amount(value: object) -> bool:
    """Of ε or δ."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_release(value: object) -> bool:
    return isinstance(value, str) and RELEASE_ID.fullmatch(value) is not None


def _is_software(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value.values()))


TYPES: dict[tuple[str, ...], Callable[[Any], bool]] = {
    ("id",): _is_release,
    ("supersedes",): lambda value: value is None or _is_release(value),
    ("published",): _is_text,
    ("earlier_releases",): _are_texts,
    ("caveats",): _are_texts,
    ("versions",): _is_software,
    ("ledger", "seq"): is_whole,
    ("ledger", "hash"): lambda value: _is_text(value) and HASH.fullmatch(value) is not None,
    ("population", "name"): _is_text,
    ("population", "size"): lambda value: value is None or is_whole(value),
    ("population", "period"): lambda value: value is None or _is_text(value),
    ("cumulative", "releases"): is_whole,
    ("cumulative", "overlap_not_attested"): is_whole,
    ("cumulative", "overlapping"): lambda value: isinstance(value, list) and all(map(_is_overlapping, value)),
}
"""What a certificate states that does not follow from its plan, by where it stands."""
LOSS = frozenset({"epsilon_nano", "rho_nano", "delta_atto"})
OVERLAPPING: dict[str, Callable[[Any], bool]] = {
    "population": _is_text,
    "unit": _is_text,
    "neighbors": lambda value: value in list(NeighboringRelation),
    "overlap": lambda value: value in (Overlap.SAME, Overlap.SOME),
    "epsilon": _is_amount,
    "delta": _is_amount,
    "loss": lambda value: _is_loss(value),
    "releases": is_whole,
}


def _is_loss(value: object) -> bool:
    return isinstance(value, Mapping) and value.keys() <= LOSS and all(map(is_whole, value.values()))


def _is_overlapping(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and value.keys() == OVERLAPPING.keys()
        and all(fits(value[key]) for key, fits in OVERLAPPING.items())
    )


def _check_types(stated: Mapping[str, Any]) -> None:
    """Raises IntegrityError where a certificate states what no publication can, whatever its plan and ledger."""
    for path, fits in TYPES.items():
        value: Any = stated
        for key in path:
            value = value[key]
        if not fits(value):
            raise IntegrityError(f"{'.'.join(path)}: not what a publication states there")
    if stated["supersedes"] == stated["id"]:
        raise IntegrityError("supersedes: a release does not supersede itself")
    names = [stated["population"]["name"], *(each["population"] for each in stated["cumulative"]["overlapping"])]
    if len(set(names)) != len(names):
        raise IntegrityError("cumulative: a population overlaps itself, or another one twice")


def stated_population(declared: Mapping[str, Any]) -> Population:
    """The population of a certificate."""
    population = Population.read(
        declared["name"],
        unit=declared["unit"],
        neighbors=declared["neighbors"],
        epsilon=declared["epsilon_cap"],
        delta=declared["delta_cap"],
        currency=declared["currency"],
        size=declared["size"],
    )
    return replace(with_rho(population), period=declared["period"])


def _compare_certificate(stated: Mapping[str, Any], recomputed: Price) -> None:
    """Writes the certificate again from what it says of plan, population, ledger and previews, and compares."""
    population, cumulative = stated_population(stated["population"]), stated["cumulative"]
    spent = _loss(cumulative["loss"], recomputed)
    period = cumulative.get("period")
    before = PrivacyLoss() if period is None else _loss(period["before"], recomputed)
    if not (before.within(spent) and recomputed.loss.within(spent - before)):
        raise IntegrityError("cap: the stated cumulative loss is less than this release's")
    if not (spent - before).within(population.budget):
        raise IntegrityError("cap: the stated cumulative loss is more than the cap")
    if population.neighbors is not recomputed.plan.neighbors:
        raise IntegrityError("population: its neighbouring relation is not the plan's")
    seq, releases = stated["ledger"]["seq"], cumulative["releases"]
    if not 1 <= releases <= seq:
        raise IntegrityError("ledger: the stated entry and number of releases cannot be")
    again = certificate(
        release_id=stated["id"],
        price=recomputed,
        population=population,
        stands=Circumstances(
            seq=seq,
            hash=stated["ledger"]["hash"],
            spent=spent,
            releases=releases,
            before=before,
            overlapping=tuple(Overlapping(**each) for each in cumulative["overlapping"]),
            unattested=cumulative["overlap_not_attested"],
            earlier_releases=tuple(stated["earlier_releases"]),
            team=stated["approval"]["workspace"] == "team",
            supersedes=stated["supersedes"],
        ),
        previewed=_previewed(stated["previews"]),
        published=date.fromisoformat(stated["published"]),
        judgements=_judged(stated, recomputed),
    )
    same_program = stated["versions"].get("dprelease") == again["versions"]["dprelease"]
    for key in sorted(again.keys() | stated.keys()):
        if key == "versions" or (key == "caveats" and not same_program):
            continue
        if key == "statistics" and not same_program:  # another version may foresee errors otherwise
            stated, again = ({**each, key: [_without_errors(item) for item in each[key]]} for each in (stated, again))
        if key not in stated or key not in again or canonical(stated[key]) != canonical(again[key]):
            raise IntegrityError(f"{key}: the certificate does not state what follows from its plan")


def _judged(stated: Mapping[str, Any], recomputed: Price) -> list[Judgement]:
    """The criteria of the plan with what is stated of each; of a release with tables, that is compared with them."""
    held = [each["held"] is True for each in stated.get("criteria", ())]
    return [Judgement(*pair) for pair in zip(recomputed.plan.accept, held, strict=True)]


def _previewed(stated: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of previews, as far as it can be so; earlier versions did not say what the policy was."""
    told: dict[str, Any] = {}
    if "policy" in stated or "taken" in stated:
        told |= {"policy": PreviewPolicy(stated["policy"]).value, "taken": stated["taken"] is True}
    for name in ("plan_changed_after", "schema_changed_after"):
        told[name] = stated[name] is True and told.get("taken", True)
    return told


def _without_errors(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in ("error95", "basis")}


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


def _loss(stated: Mapping[str, Any], recomputed: Price) -> PrivacyLoss:
    """A loss in the currency of the release, in whole numbers."""
    known = {"epsilon_nano", "rho_nano", "delta_atto"}
    if not stated.keys() <= known or any(type(part) is not int or part < 0 for part in stated.values()):
        raise IntegrityError("cap: the stated cumulative loss is not in whole numbers")
    loss = PrivacyLoss(**stated)
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

"""The sum of a finished round as a release: made by the first site of the roster, and the same in every workspace."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import structs

from dprelease.bundle.container import read_files
from dprelease.bundle.entry import ProvenLine
from dprelease.bundle.listing import LEDGER, SIGNATURE, SIGNER
from dprelease.bundle.outputs import ROUND_FOLDER, packed
from dprelease.bundle.read import read
from dprelease.errors import IntegrityError
from dprelease.extras.federation.check import Finished
from dprelease.extras.federation.checks.masked import check_masked
from dprelease.extras.federation.round_plans import drawn_of
from dprelease.model.actor import Actor
from dprelease.model.certificate import Certificate
from dprelease.model.release import Release
from dprelease.model.stated import StatedRest, StatedRound, StatedShare, StatedSite
from dprelease.statements.lead import stated as stated_of
from dprelease.statistics.answer import Draw, answers, unrepeatable
from dprelease.statistics.planning.price import Price
from dprelease.store import checkpoints, datasets, plans, summed
from dprelease.store.event import LedgerEvent
from dprelease.store.releases import Publication, ReleaseState
from dprelease.verdict.certificate import certificate
from dprelease.verdict.recompute import compare_answers, stated_price
from dprelease.verdict.verify import verify
from dprelease.words import phrase
from dprelease.workspace.circumstances import circumstances, told_of_previews
from dprelease.workspace.publish import announce, slug
from dprelease.workspace.state import State

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Date of files in a zip file, which are the same bytes whenever it is made."""


def told_of_charge(state: State, charge: LedgerEvent) -> Mapping[str, Any]:
    """Return the event of a charge with the proof that a signed checkpoint of this ledger holds it."""
    with state.database.writing() as connection:
        today = datetime.now(UTC).date().isoformat()
        signed, proofs = checkpoints.take_within(connection, on=today, sign=state.keys.sign)
    state.write_checkpoint(signed)
    line = ProvenLine(charge.public, tuple(proofs.inclusion(charge.seq)))
    return {"charge": line.to_mapping(), **state.keys.known(signed).to_mapping()}


def stated_round(finished: Finished) -> StatedRound:
    """Return a certificate's statement of a round."""
    found = finished.round
    federation, plan = found.federation, found.plan
    shares = zip(plan.parts, finished.sigmas, finished.spreads, strict=True)
    return StatedRound(
        trust="masked",
        name=federation.name,
        roster=federation.hash,
        plan=plan.hash,
        attempt=found.attempt,
        round=found.id,
        sum=found.accounted(finished.total)["sum"],
        sites=tuple(
            StatedSite(name=site.name, key=site.key, charge=finished.charges[site.name]) for site in federation.sites
        ),
        lost_sites=federation.lost_sites,
        max_sites=federation.max_sites,
        shares=tuple(
            StatedShare(
                cells=part.cells,
                l2_squared=str(part.l2_squared),
                rho_nano=part.rho_nano,
                sigma=sigma,
                deviation=deviation,
            )
            for part, sigma, deviation in shares
        ),
        losses=tuple(StatedRest(sites=sites, rho_nano=rho) for sites, rho in finished.losses),
    )


def made(
    state: State, charge: LedgerEvent, price: Price, finished: Finished, files: Mapping[str, bytes], actor: Actor
) -> Release:
    """Publish the sum in this workspace, which is the first of the roster. Asked again, the same release.

    `price`: with the noise of the sum. Raises IntegrityError, before anything is kept, where it would not verify.
    """
    publication = summed.of_charge(state.database, charge)
    if publication is None:
        draw = drawn_of(price, finished)
        release_id = f"{slug(price.plan.title or finished.round.federation.name)}-{charge.hash[:16]}"
        day = max(datetime.now(UTC).date().isoformat(), charge.day)
        facts = _certificate(state, charge, price, release_id, day, stated_round(finished))
        found = answers(price, draw)
        outputs = {item.id: found[item.id] for item in price.statistics}
        facts = structs.replace(facts, statements=stated_of(Release(certificate=facts, outputs=outputs)))
        beside = {f"{ROUND_FOLDER}{name}": data for name, data in files.items()}
        compare_answers(Release(certificate=facts, outputs=outputs), stated_price(facts))
        check_masked(facts, outputs, beside)
        kept = {item.id: outputs[item.id] for item in unrepeatable(price)}
        publication = _kept(state, charge, facts, draw, packed(facts, kept, beside), actor)
    return announce(state, publication, stated_price(_read(publication)), actor)


def _certificate(
    state: State, charge: LedgerEvent, price: Price, release_id: str, day: str, several: StatedRound
) -> Certificate:
    record = plans.get(state.database, charge.body["round_plan"])
    dataset, _ = datasets.get(state.database, record.dataset)
    begun = Publication(
        id=release_id,
        plan_id=record.id,
        state=ReleaseState.CHARGED,
        charge=charge,
        certificate=None,
        published_on=None,
    )
    population, stands = circumstances(state, begun)
    return certificate(
        release_id=release_id,
        price=price,
        population=population,
        stands=stands,
        previewed=told_of_previews(state, record.id, record.plan_hash, price.plan, dataset, charge.seq),
        published=date.fromisoformat(day),
        limits=state.policy().grades,
        reaches=price.reaches,
        several=several,
        noise_library=state.noise.version,
    )


def _kept(
    state: State, charge: LedgerEvent, facts: Certificate, draw: Draw, beside: bytes, actor: Actor
) -> Publication:
    return summed.stand_on(
        state.database,
        charge,
        facts.id,
        payload=json.dumps(draw, separators=(",", ":")).encode(),
        certificate=json.dumps(facts.to_mapping(), ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        answers=beside,
        on=facts.day,
        actor=actor,
        body={"round": facts.several.round if facts.several else ""},
    )


def _read(publication: Publication) -> Certificate:
    return Certificate.read(json.loads(publication.certificate or "null"))


def taken(
    state: State, charge: LedgerEvent, path: Path, finished: Finished, files: Mapping[str, bytes], actor: Actor
) -> Release:
    """Take the bundle that the first site published into this workspace: the same bytes, on the own charge.

    Raises IntegrityError where it does not verify, is signed by another one, or is not of this round as it is here.
    """
    first, publication = finished.round.federation.sites[0], summed.of_charge(state.database, charge)
    if publication is None:
        verify(path, key=first.key)
        bundle = read(path)
        facts = bundle.release.certificate
        beside = {f"{ROUND_FOLDER}{name}": data for name, data in files.items()}
        if facts.several != stated_round(finished) or dict(bundle.release.beside) != beside:
            raise IntegrityError(phrase("workspace.bundle_of_another_round", site=first.name))
        price = stated_price(facts)
        kept = {item.id: bundle.release.outputs[item.id] for item in unrepeatable(price)}
        given = {name: bundle.contents[name] for name in (LEDGER, SIGNATURE, SIGNER)}
        answered = packed(facts, kept, {**beside, **given})
        publication = _kept(state, charge, facts, drawn_of(price, finished), answered, actor)
    return announce(state, publication, stated_price(_read(publication)), actor)


def zipped(release: Release) -> bytes:
    """Return the bundle as one file, in a folder of its name; the same bytes each time."""
    with TemporaryDirectory() as folder:
        contents = read_files(release.write(folder))
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in sorted(contents.items()):
            entry = zipfile.ZipInfo(f"{release.id}/{name}", EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            archive.writestr(entry, data, compresslevel=9)
    return buffer.getvalue()

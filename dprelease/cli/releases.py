"""Commands for releases: publish one, say what is wrong with it, finish what was interrupted, check a bundle."""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli import embargoes
from dprelease.cli.command import (
    Answer,
    add_command,
    add_group,
    add_page,
    figure,
    is_team,
    open_workspace,
    tell_more,
)
from dprelease.cli.plans import add_plan_command, approve_by, load_plan
from dprelease.errors import AccessError, BudgetError, InputError, IntegrityError, WaitingError
from dprelease.model.progress import reach
from dprelease.words import Figure, Phrase, phrase

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.model.plan import Plan
    from dprelease.model.release import Release
    from dprelease.model.stated import Worth
    from dprelease.store.notices import NoticeRecord
    from dprelease.workspace import Workspace


FAR = {
    "charged": phrase("cli.far_charged"),
    "sealed": phrase("cli.far_sealed"),
    "embargoed": phrase("cli.far_embargoed"),
    "published": phrase("cli.far_published"),
}
"""Progress of a release that is not finished, in words by state."""
POLL, WAITED = 2.0, 8
"""Seconds between two looks for an approval, and the exit code where `--wait` ran out."""
IN_PART = 9
"""The exit code of `verify` for a bundle whose page and pictures were not compared, though nobody asked for that."""


def add(commands: Any) -> None:
    publish = add_plan_command(
        commands,
        "publish",
        _publish,
        phrase("cli.charge_draw_publish_plan"),
        optional=True,
    )
    publish.set_defaults(standing=_standing)
    publish.add_argument("--again", action="store_true", help=str(phrase("cli.charge_draw_anew_although")))
    publish.add_argument("--supersedes", metavar="ID", help=str(phrase("cli.earlier_release_one_takes")))
    embargoes.add_hour(publish, nargs="?", const="")
    publish.add_argument("--out", type=Path, metavar="DIR", help=str(phrase("cli.also_write_bundle_into")))

    publish.add_argument("--dry-run", action="store_true", help=str(phrase("cli.dry_run")))
    publish.add_argument("--wait", type=seconds, metavar="TIME", help=str(phrase("cli.wait_for_approval")))

    verify = add_command(commands, "verify", _verify, phrase("cli.check_bundle_folder_zip"))
    verify.add_argument("path", help=str(phrase("cli.bundle_folder_zip_file")))
    verify.add_argument("more", nargs="*", help=str(phrase("cli.other_editions")))
    verify.add_argument("--key", help=str(phrase("cli.signer_fingerprint_signer_pub")))
    verify.add_argument(
        "--checkpoint",
        metavar="FILE",
        help=str(phrase("cli.checkpoint_publisher_ledger_ledger")),
    )
    verify.add_argument(
        "--tsa-certificate",
        metavar="PEM",
        help=str(phrase("cli.certificates_authority_made_bundle")),
    )
    verify.add_argument("--tables-only", action="store_true", help=str(phrase("cli.tables_only")))
    verify.add_argument("--no-pictures", action="store_false", dest="pictures", help=str(phrase("cli.no_pictures")))
    timestamp = add_command(commands, "timestamp", _timestamp, phrase("cli.attach_timestamp_rfc_3161"))
    timestamp.add_argument("bundle", type=Path, help=str(phrase("cli.bundle_folder")))
    timestamp.add_argument("token", type=Path, help=str(phrase("cli.what_timestamp_authority_answered")))

    _add_group(commands)


def _add_group(commands: Any) -> None:
    releases = add_group(commands, "release", phrase("cli.releases_what_said_them"))
    listed = add_command(releases, "list", _list, phrase("cli.list_published_releases_newest"))
    add_page(listed, phrase("cli.before_releases"))
    add_command(
        releases,
        "unfinished",
        _unfinished,
        phrase("cli.list_releases_charged_finished"),
    )
    resume = add_command(releases, "resume", _resume, phrase("cli.finish_what_was_interrupted"))
    resume.set_defaults(standing=_standing)
    erratum = add_command(releases, "erratum", _erratum, phrase("cli.state_what_wrong_release"))
    erratum.add_argument("release", metavar="ID")
    erratum.add_argument("text", metavar="TEXT")
    supersede = add_command(releases, "supersede", _supersede, phrase("cli.state_one_release_takes"))
    supersede.add_argument("release", metavar="OLD", help=str(phrase("cli.earlier_release_stays")))
    supersede.add_argument("--by", required=True, metavar="NEW", help=str(phrase("cli.release_takes_place")))
    supersede.add_argument("--reason", required=True, metavar="TEXT")
    embargoes.add(releases)


def _publish(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    if options.plan is None or options.due is not None:
        return embargoes.publish(workspace, actor, options)
    plan = load_plan(options)
    if options.dry_run:
        return _tried(workspace, actor, plan, options)
    if options.out is not None:
        _try_writing(options.out)
    release = _waited(workspace, actor, plan, options)
    if options.supersedes not in (None, release.certificate.supersedes):
        remedy = phrase("cli.add_again_say_so", supersedes=options.supersedes, release=release.id)
        raise InputError(
            "supersedes",
            found=phrase("cli.there", release=release.id),
            allowed=phrase("cli.new_release"),
            remedy=remedy,
        )
    path = workspace.releases.bundle(release.id, actor=actor) if options.out is None else _write(release, options.out)
    guarantee, spent = release.certificate.guarantee, release.certificate.cumulative
    lines = [
        phrase("cli.release_is", release=release.id),
        phrase("cli.loss_of_unit", loss=_loss(guarantee), unit=guarantee.unit, neighbors=guarantee.neighbors),
        phrase("cli.spent_so_far", releases=spent.releases, spent=_loss(spent)),
        phrase("cli.bundle_in", path=path),
        phrase("cli.check_it", command=f"dprelease verify {path} --key {workspace.public_key}"),
    ]
    if workspace.ledger.outside_problem is not None:
        lines.append(phrase("cli.outside_not_renewed", problem=workspace.ledger.outside_problem))
    return {
        "release": release.id,
        "bundle": str(path),
        "public_key": workspace.public_key,
        "certificate": release.certificate.to_mapping(),
    }, "\n".join(map(str, lines))


def seconds(text: str) -> float:
    """Return a time such as `90s`, `30m` or `2h` in seconds. Raises ArgumentTypeError for anything else."""
    found = re.fullmatch(r"([0-9]{1,6})(s|m|h)", text)
    if found is None:
        raise argparse.ArgumentTypeError(str(phrase("cli.a_time", found=text)))
    return int(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def _try_writing(folder: Path) -> None:
    """Make the folder, before anything is charged. Raises InputError where nothing can be written into it."""
    from tempfile import TemporaryFile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as cause:
        raise _unwritable(folder, cause, phrase("cli.nothing_was_charged")) from None


def _write(release: Release, folder: Path) -> Path:
    try:
        return release.write(folder)
    except OSError as cause:
        raise _unwritable(folder, cause, phrase("cli.published_all_same_say", release=release.id)) from None


def _unwritable(folder: Path, cause: OSError, state: Phrase) -> InputError:
    why = phrase("cli.of_the_system_and", reason=cause.strerror, state=state) if cause.strerror else state
    return InputError("out", found=str(folder), allowed=phrase("workspace.folder_can_written"), remedy=why)


def _publish_plan(workspace: Workspace, actor: Actor | None, plan: Plan, options: argparse.Namespace) -> Release:
    """Publish a plan; say what a reviewer has to do where two people decide, and nobody has approved it."""
    try:
        return workspace.publish(plan, again=options.again, supersedes=options.supersedes, actor=actor)
    except AccessError as error:
        plan_id = workspace.plans.submit(plan, actor=actor)
        if workspace.plans.lapse(plan_id, actor=actor) is None:
            raise
        said = phrase("cli.somebody_else_can_give", error=error, approve_by=approve_by(workspace, plan_id))
        raise WaitingError(said, plan_id) from None


def _waited(workspace: Workspace, actor: Actor | None, plan: Plan, options: argparse.Namespace) -> Release:
    """Publish a plan, for so long as `--wait` says after others have approved it. Raises the last refusal."""
    deadline = time.monotonic() + (options.wait or 0)
    while True:
        try:
            return _publish_plan(workspace, actor, plan, options)
        except WaitingError as error:
            if options.wait is None or time.monotonic() >= deadline:
                error.exit_code = WaitingError.exit_code if options.wait is None else WAITED
                raise
        reach("waiting")
        time.sleep(min(POLL, max(0.0, deadline - time.monotonic())))


def _tried(workspace: Workspace, actor: Actor | None, plan: Plan, options: argparse.Namespace) -> Answer:
    """Return what publishing a plan would do: its price, the budget after it, and what stands in its way."""
    price = workspace.price(plan, actor=actor)
    after = workspace.populations.budget_after(price, actor=actor)
    plan_hash = price.plan.hash
    known = workspace.plans.find(dataset=plan.dataset, plan_hash=plan_hash, actor=actor)
    is_done = not options.again and any(each.state == "published" for each in known)
    is_approved = not is_team(workspace) or any(each.state in {"approved", "published"} for each in known)
    now = workspace.populations.budget(after.population, actor=actor)
    is_covered = is_done or now.covers(price.loss)
    state = "published" if is_done else "no_budget" if not is_covered else "would_publish" if is_approved else "waits"
    options.exit_code = {"no_budget": BudgetError.exit_code, "waits": WaitingError.exit_code}.get(state, 0)
    told = {
        "state": state,
        "plan_hash": plan_hash,
        "price": price.to_mapping(),
        "remaining_after": str(after.remaining),
    }
    return told, f"{price!r}\n{after!r}\n{phrase(f'cli.dry_{state}')}"


def _loss(stated: Worth) -> Figure:
    """Return the loss that a certificate states: ε and δ, and ρ where it is counted in ρ."""
    counted = "" if stated.rho is None else f" (ρ = {stated.rho})"
    return Figure(f"ε = {stated.epsilon}, δ = {stated.delta}{counted}")


def _list(options: argparse.Namespace) -> Answer:
    from dprelease.model.stated import as_json

    workspace, actor = open_workspace(options)
    found, lines = [], []
    releases = workspace.releases.find(limit=options.limit + 1, before=options.before, actor=actor)
    if len(releases) > options.limit:
        releases.pop()
        tell_more(releases[-1].id)
    for release in releases:
        certificate, notices = release.certificate, workspace.releases.notices(release.id, actor=actor)
        found.append(
            {
                "release": release.id,
                "title": certificate.title,
                "published": certificate.day,
                "population": as_json(certificate.population),
                "guarantee": as_json(certificate.guarantee),
                "withheld": release.is_withheld,
                "status": _status(notices),
                "superseded_by": next((each.superseded_by for each in reversed(notices) if each.superseded_by), None),
                "notices": [asdict(notice) for notice in notices],
            }
        )
        population = certificate.population.name
        lines.append(
            f"{release.id}  {certificate.day} {population:20} {figure(_loss(certificate.guarantee))}"
            + ("" if _status(notices) == "current" else f"  {phrase(f'cli.status_{_status(notices)}')}")
            + (f"  {phrase('cli.withheld')}" if release.is_withheld else "")
        )
        lines += [f"  {_said(notice)}" for notice in notices]
    return found, "\n".join(lines) or phrase("cli.nothing_published")


def _status(notices: Sequence[NoticeRecord]) -> str:
    """current, corrected or superseded."""
    if any(notice.superseded_by for notice in notices):
        return "superseded"
    return "corrected" if notices else "current"


def _said(notice: NoticeRecord) -> str:
    by = notice.superseded_by
    what = phrase("cli.erratum") if by is None else phrase("cli.superseded_by", release=by)
    return f"{notice.published_on} {what}: {notice.text}"


def _unfinished(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found, lines = [], []
    for publication in workspace.releases.unfinished(actor=actor):
        charge = publication.charge
        found.append(
            {
                "release": publication.id,
                "plan": publication.plan_id,
                "state": publication.state,
                "population": charge.population,
                "charge": charge.seq,
                "at": charge.at,
                "actor": charge.actor,
                **charge.loss.to_mapping(),
            }
        )
        lines.append(
            f"{publication.id}  {charge.at[:10]} {charge.actor:12} {figure(charge.loss)}: {FAR[publication.state]}"
        )
    lines.append(str(phrase("cli.finish_them") if found else phrase("cli.all_published")))
    return found, "\n".join(lines)


def _standing(options: argparse.Namespace) -> str:
    """Describe the releases that are charged and not finished, and what finishes them: after an interruption."""
    workspace, actor = open_workspace(options)
    found = workspace.releases.unfinished(actor=actor)
    if not found:
        return str(phrase("cli.nothing_unfinished"))
    lines = [f"{each.id}: {FAR[each.state]}." for each in found]
    return "\n".join([*lines, str(phrase("cli.stays_charged"))])


def _resume(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    resumed = workspace.releases.resume(actor=actor)
    if resumed.failed:
        why = "\n".join(f"{name}: {words}" for name, words in resumed.failed.items())
        raise IntegrityError(phrase("cli.finished_finished_still_charged", count=len(resumed.finished), why=why))
    paths = {release.id: str(workspace.releases.bundle(release.id, actor=actor)) for release in resumed.finished}
    lines = [
        f"{phrase('cli.release_is', release=name)}\n{phrase('cli.bundle_in', path=path)}"
        for name, path in paths.items()
    ]
    return [{"release": name, "bundle": path} for name, path in paths.items()], (
        "\n".join(lines) or phrase("cli.none_interrupted")
    )


def _erratum(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    notice = workspace.releases.add_erratum(options.release, options.text, actor=actor)
    return asdict(notice), f"{notice.release_id}: {_said(notice)}"


def _supersede(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    notice = workspace.releases.supersede(options.release, by=options.by, reason=options.reason, actor=actor)
    return asdict(notice), f"{notice.release_id}: {_said(notice)}"


def _verify(options: argparse.Namespace) -> Answer:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a check multiplies no large matrix, and threads take time
    from dprelease.verdict.editions import check_editions
    from dprelease.verdict.verify import verify

    try:
        verdict, *others = (
            verify(
                path,
                options.key,
                options.checkpoint,
                options.tsa_certificate,
                tables_only=options.tables_only,
                pictures=options.pictures,
            )
            for path in (options.path, *options.more)
        )
        certificates = [each.release.certificate for each in (verdict, *others)]
        if others:
            verdict = replace(verdict, checks=(*verdict.checks, check_editions(certificates)))
    except IntegrityError as error:
        raise IntegrityError(phrase("cli.do_use_bundle_get", error=error)) from None
    lines = [verdict.warning.words] if verdict.warning else []
    options.exit_code = IN_PART if verdict.warning else 0
    lines += [f"{verdict.release.id}: {verdict.words}"]
    lines += [f"  {phrase('cli.holds', words=check.words)}" for check in verdict.checks]
    lines += [f"  {phrase('cli.does_not_fit', words=finding.words)}" for finding in verdict.findings]
    lines += [f"  {phrase('cli.cannot_be_shown', words=unknown.words)}" for unknown in verdict.cannot_show]
    return verdict.to_mapping(), "\n".join(lines)


def _timestamp(options: argparse.Namespace) -> Answer:
    from dprelease.bundle.fetch import fetch
    from dprelease.bundle.timestamp import MAX_BYTES, attach

    time = attach(options.bundle, fetch(options.token, MAX_BYTES))
    found = {"bundle": str(options.bundle), "time": time.isoformat()}
    return found, phrase("cli.has_timestamp", bundle=options.bundle, time=f"{time:%Y-%m-%d %H:%M:%S}")

"""Commands for one release: what a plan costs, its preview, its publication, and the check of its bundle."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, open_workspace
from dprelease.errors import IntegrityError
from dprelease.model.privacy import decimal_text

if TYPE_CHECKING:
    from dprelease.statistics.price import Price

FIGURES = {
    "basic": "plain sum, which is charged",
    "renyi": "Rényi composition",
    "advanced": "advanced composition",
    "pld": "privacy loss distributions",
}


def add(commands: Any) -> None:
    figures = _add_plan_command(
        commands, "figures", _figures, "What one release costs by other ways of adding up: shown, never charged."
    )
    figures.add_argument("--delta", type=float, default=1e-6, help="the δ of these figures (default: 1e-6)")
    _add_plan_command(
        commands,
        "price",
        _price,
        "What a plan costs and how far its results may err, without looking at any table.",
    )
    _add_plan_command(commands, "preview", _preview, "True values beside simulated ones, for the curator's eyes only.")
    publish = _add_plan_command(
        commands,
        "publish",
        _publish,
        "Charge, draw and publish a plan; an already published plan gives the same release.",
    )
    publish.add_argument("--again", action="store_true", help="charge and draw anew although the plan is published")
    publish.add_argument("--out", type=Path, metavar="DIR", help="also write the bundle into this folder")

    verify = add_command(
        commands, "verify", _verify, "Check a bundle (a folder or zip file) with nothing but its files."
    )
    verify.add_argument("path", type=Path, help="the bundle: a folder or a zip file")
    verify.add_argument("--key", help="the signer's fingerprint or signer.pub, obtained elsewhere than in the bundle")


def _add_plan_command(
    to: Any, name: str, run: Callable[[argparse.Namespace], Answer], words: str
) -> argparse.ArgumentParser:
    added = add_command(to, name, run, words)
    added.add_argument("plan", type=Path, help="a plan file (YAML or JSON)")
    return added


def _figures(options: argparse.Namespace) -> Answer:
    from dprelease.statistics.figures import figures

    found = figures(_priced(options), options.delta)
    lines = [f"Figures for this release alone: {found['note']}."]
    for name, figure in found["figures"].items():
        lines.append(f"  {FIGURES[name]:44} ε = {figure['epsilon']:.6g}, δ = {figure['delta']:g}")
    return found, "\n".join(lines)


def _price(options: argparse.Namespace) -> Answer:
    priced = _priced(options)
    plan, zcdp = priced.plan, priced.currency == "zcdp"
    lines = [f"{'statistic':24} {'mechanism':22} {'scale':>12} {'ρ' if zcdp else 'ε':>12} {'95 % error':>12}  basis"]
    for item in priced.statistics:
        error = "unknown" if item.error95 is None else f"{item.error95:.4g}"
        basis = item.basis or "declare expected rows"
        if item.source is not None:
            lines.append(f"{item.id:24} {f'counts follow from {item.source.id}':48} {error:>12}  {basis}")
        alike: dict[tuple[str, str], list[Decimal]] = {}
        for mechanism in item.mechanisms:
            alike.setdefault((mechanism.name, f"{mechanism.scale:.6g}"), []).append(mechanism.share.amount)
        for (mechanism_name, scale), amounts in alike.items():
            name = mechanism_name if len(amounts) == 1 else f"{len(amounts)} x {mechanism_name}"
            lines.append(f"{item.id:24} {name:22} {scale:>12} {float(sum(amounts)):12.6g} {error:>12}  {basis}")
    unit = "a row" if plan.unit.column is None else f"up to {plan.unit.max_rows} rows of one {plan.unit.column}"
    counted = f" ({priced.loss})" if zcdp else ""
    total = f"ε = {decimal_text(priced.epsilon)}, δ = {decimal_text(priced.delta)}{counted}"
    lines.append(f"In all {total}; unit: {unit}; {plan.neighbors}. Errors bound the noise only.")
    return priced.to_mapping(), "\n".join(lines)


def _priced(options: argparse.Namespace) -> Price:
    """The price of a plan file: by its own columns, or by those of a registered dataset and its population."""
    from dprelease.statistics import Plan
    from dprelease.statistics.price import price

    plan = Plan.load(options.plan)
    registered = options.home / "ledger.db"
    if registered.exists():
        workspace = open_workspace(options)
        if not _complete(plan) or plan.dataset in {dataset.name for dataset in workspace.datasets()}:
            return workspace.price(plan)
    return price(plan)


def _complete(plan: Any) -> bool:
    return all(name in plan.schema for name in plan.used_columns())


def _preview(options: argparse.Namespace) -> Answer:
    from dprelease.statistics import Plan

    preview = open_workspace(options).preview(Plan.load(options.plan))
    parts = ["Preview: true values, for the curator only. Choices made after seeing them are outside the guarantee."]
    parts += [f"{item.id}\n{item.frame().to_string(index=False)}" for item in preview.statistics]
    found = {item.id: json.loads(item.frame().to_json(orient="records")) for item in preview.statistics}
    return found, "\n\n".join(parts)


def _publish(options: argparse.Namespace) -> Answer:
    from dprelease.statistics import Plan

    workspace = open_workspace(options)
    plan_id = workspace.submit(Plan.load(options.plan))
    workspace.approve(plan_id)
    release = workspace.publish(plan_id, again=options.again)
    path = workspace.bundle_path(release.id) if options.out is None else release.write(options.out)
    guarantee, spent = release.certificate["guarantee"], release.certificate["cumulative"]
    words = (
        f"Release {release.id}\n"
        f"{_loss(guarantee)}; unit: {guarantee['unit']}; {guarantee['neighbors']}\n"
        f"Releases of this population: {spent['releases']}; spent: {_loss(spent)}\n"
        f"Bundle: {path}\nCheck it: dprelease verify {path} --key {workspace.public_key}"
    )
    return {
        "release": release.id,
        "bundle": str(path),
        "public_key": workspace.public_key,
        "certificate": release.certificate,
    }, words


def _loss(stated: Mapping[str, Any]) -> str:
    """What a certificate states: ε and δ, and ρ where it is counted in ρ."""
    counted = f" (ρ = {stated['rho']})" if "rho" in stated else ""
    return f"ε = {stated['epsilon']}, δ = {stated['delta']}{counted}"


def _verify(options: argparse.Namespace) -> Answer:
    from dprelease.workspace.verify import verify

    try:
        verdict = verify(options.path, key=options.key)
    except IntegrityError as error:
        raise IntegrityError(f"{error}. Do not use this bundle; get it again from its publisher.") from None
    lines = [f"{verdict.release.id}: {verdict.words}"]
    lines += [f"  holds: {check.words}" for check in verdict.checks]
    lines += [f"  cannot be shown: {words}" for words in verdict.cannot_show]
    return verdict.to_mapping(), "\n".join(lines)

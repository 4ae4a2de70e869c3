"""The same Workspace from a terminal. Exit code 0; 1 for a refused or failed operation; 2 for wrong usage."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.errors import DPReleaseError, InputError, IntegrityError
from dprelease.model.privacy import decimal_text

if TYPE_CHECKING:
    from dprelease.model.population import Population
    from dprelease.statistics.price import Price
    from dprelease.workspace import Workspace

HOME = "data/workspace"
FIGURES = {
    "basic": "plain sum, which is charged",
    "renyi": "Rényi composition",
    "advanced": "advanced composition",
    "pld": "privacy loss distributions",
}
Answer = tuple[Any, str]
"""What a command found: for `--json`, and in words."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command."""
    options = parser().parse_args(arguments)
    try:
        found, words = options.run(options)
    except DPReleaseError as error:
        if options.json:
            print(json.dumps({"error": type(error).__name__, "message": str(error)}, ensure_ascii=False))
        else:
            print(f"dprelease: {error}", file=sys.stderr)
        return 1
    try:
        print(json.dumps(found, indent=2, ensure_ascii=False) if options.json else words, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--home",
        type=Path,
        default=Path(os.environ.get("DPRELEASE_HOME", HOME)),
        metavar="DIR",
        help=f"the workspace's folder (default: $DPRELEASE_HOME, else {HOME})",
    )
    common.add_argument("--json", action="store_true", help="print the result as JSON")
    top = argparse.ArgumentParser(
        prog="dprelease", description="Private data release: publish statistics with a differential privacy guarantee."
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(
        group: Any, name: str, run: Callable[[argparse.Namespace], Answer], words: str
    ) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = group.add_parser(name, parents=[common], help=words, description=words)
        added.set_defaults(run=run)
        return added

    def group(name: str, words: str) -> Any:
        return commands.add_parser(name, help=words, description=words).add_subparsers(required=True, metavar="COMMAND")

    command(commands, "init", _init, "Make a workspace.")
    demo = command(commands, "demo", _demo, "Fill the workspace with an invented sample, or write its table and plan.")
    demo.add_argument("--out", type=Path, metavar="DIR", help="only write visits.csv and plan.yaml into this folder")
    serve = command(commands, "serve", _serve, "Open the dashboard on this machine and print a one-time sign-in link.")
    serve.add_argument("--port", type=int, default=8501)
    serve.add_argument("--no-browser", action="store_true", help="do not open a browser window")

    whose = group("population", "Whose privacy is spent.")
    command(whose, "list", _population_list, "List populations, with cap, spent and left.")
    population = command(whose, "add", _population_add, "Register a population and its cap.")
    population.add_argument("name", help="such as patients-2025")
    population.add_argument(
        "--unit", required=True, help="whose presence is hidden, in a word: person, household, visit"
    )
    population.add_argument("--epsilon", required=True, help="the cap on ε of all its releases together")
    _budget_options(population)

    dataset = command(
        group("dataset", "Private tables."),
        "add",
        _dataset_add,
        "Copy a table into the private folder and register it.",
    )
    dataset.add_argument("name", help="such as visits")
    dataset.add_argument("path", type=Path, help="a CSV, TSV or Parquet file")
    dataset.add_argument(
        "--population", help="a registered population (default: a new one of the dataset's name, with --epsilon)"
    )
    dataset.add_argument(
        "--unit-column",
        metavar="COLUMN",
        help="which column says whom a row is about (default: each row is a unit, which you attest)",
    )
    dataset.add_argument(
        "--schema", type=Path, metavar="FILE", help="a YAML or JSON file with `columns`, such as a plan"
    )
    dataset.add_argument("--epsilon", help="the cap of a new population")
    dataset.add_argument(
        "--unit", help="the new population's unit in a word (default: person with --unit-column, else row)"
    )
    _budget_options(dataset)

    figures = command(
        commands, "figures", _figures, "What one release costs by other ways of adding up: shown, never charged."
    )
    figures.add_argument("plan", type=Path, help="a plan file (YAML or JSON)")
    figures.add_argument("--delta", type=float, default=1e-6, help="the δ of these figures (default: 1e-6)")

    for name, run, words in (
        ("price", _price, "What a plan costs and how far its results may err, without looking at any table."),
        ("preview", _preview, "True values beside simulated ones, for the curator's eyes only."),
        ("publish", _publish, "Charge, draw and publish a plan; an already published plan gives the same release."),
    ):
        added = command(commands, name, run, words)
        added.add_argument("plan", type=Path, help="a plan file (YAML or JSON)")
        if name == "publish":
            added.add_argument(
                "--again", action="store_true", help="charge and draw anew although the plan is published"
            )
            added.add_argument("--out", type=Path, metavar="DIR", help="also write the bundle into this folder")

    verify = command(commands, "verify", _verify, "Check a bundle (a folder or zip file) with nothing but its files.")
    verify.add_argument("path", type=Path, help="the bundle: a folder or a zip file")
    verify.add_argument("--key", help="the signer's fingerprint or signer.pub, obtained elsewhere than in the bundle")

    ledger = group("ledger", "The append-only log of all events.")
    command(ledger, "list", _ledger_list, "List events.").add_argument("--population")
    command(ledger, "verify", _ledger_verify, "Check the hash chain and every sum.")
    export = command(ledger, "export", _ledger_export, "Write the events as JSON Lines.")
    export.add_argument("path", type=Path, help="the file to write")

    site = command(commands, "site", _site, "Write all published releases as a static site.")
    site.add_argument("out", type=Path, help="the folder to write")
    return top


def _budget_options(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--neighbors",
        default="add_remove",
        choices=("add_remove", "substitute"),
        help="the neighbouring relation (default: add_remove)",
    )
    to.add_argument("--delta", default="0", help="the cap on δ (default: 0)")
    to.add_argument(
        "--currency",
        default="pure",
        choices=("pure", "zcdp"),
        help="what releases add up: ε (pure, the default), or ρ (zcdp, which needs a δ above 0)",
    )
    to.add_argument("--size", type=int, help="declared public number of units")


def _workspace(options: argparse.Namespace, *, make: bool = False) -> Workspace:
    from dprelease.workspace import Workspace

    if not make and not (options.home / "ledger.db").exists():
        remedy = "Make one with `dprelease init`, or say where it is with --home."
        raise InputError("home", found=str(options.home), allowed="the folder of a workspace", remedy=remedy)
    return Workspace.open(options.home)


def _init(options: argparse.Namespace) -> Answer:
    workspace = _workspace(options, make=True)
    found = {"home": str(workspace.home), "public_key": workspace.public_key}
    words = f"Workspace: {workspace.home}\nReleases are signed by {workspace.public_key}: keep that elsewhere too."
    return found, words


def _demo(options: argparse.Namespace) -> Answer:
    from dprelease.workspace import sample

    if options.out is not None:
        files = [str(path) for path in sample.write_files(options.out)]
        return {"files": files}, "\n".join(files)
    workspace = _workspace(options, make=True)
    added = sample.install(workspace)
    words = "added to" if added else "already in"
    return {
        "home": str(workspace.home),
        "added": added,
    }, f"The sample (population {sample.POPULATION}, dataset {sample.DATASET}) is {words} {workspace.home}"


def _serve(options: argparse.Namespace) -> Answer:
    from dprelease.web.server import serve

    return {"stopped": serve(options.home, port=options.port, browser=not options.no_browser)}, "Stopped."


def _population_add(options: argparse.Namespace) -> Answer:
    population = _workspace(options, make=True).add_population(
        options.name,
        unit=options.unit,
        neighbors=options.neighbors,
        epsilon=options.epsilon,
        delta=options.delta,
        currency=options.currency,
        size=options.size,
    )
    return population.to_mapping(), f"{_described(population)}, cap {population.cap}"


def _population_list(options: argparse.Namespace) -> Answer:
    workspace = _workspace(options)
    found = [(population, workspace.budget(population.name)) for population in workspace.populations()]
    blocks = [
        f"{_described(population)}\n"
        f"  cap    {account.cap_text}\n"
        f"  spent  {account.spent_text}, in charges: {account.charges}\n"
        f"  left   {account.remaining_text}"
        for population, account in found
    ]
    mappings = [
        {
            **population.to_mapping(),
            "spent": {**_nothing(population), **account.spent.to_mapping()},
            "left": {**_nothing(population), **account.remaining.to_mapping()},
            "charges": account.charges,
        }
        for population, account in found
    ]
    return mappings, "\n".join(blocks) or "No population is registered."


def _nothing(population: Population) -> dict[str, int]:
    """Of ρ, which a loss without any does not mention."""
    return {"rho_nano": 0} if population.rho_nano else {}


def _described(population: Population) -> str:
    return f"Population {population.name}: unit {population.unit}, {population.neighbors}, {population.currency}"


def _dataset_add(options: argparse.Namespace) -> Answer:
    from dprelease.errors import SchemaError
    from dprelease.model.encoding import read_mapping

    columns = None
    if options.schema is not None:
        columns = read_mapping(_text(options.schema), error=SchemaError, what="schema").get("columns")
    dataset = _workspace(options, make=True).add_dataset(
        options.name,
        options.path,
        population=options.population,
        unit_column=options.unit_column,
        columns=columns,
        epsilon=options.epsilon,
        delta=options.delta,
        unit=options.unit,
        neighbors=options.neighbors,
        currency=options.currency,
        size=options.size,
    )
    unit = "each row" if dataset.unit_column is None else f"all rows with one {dataset.unit_column}"
    return (
        {
            "name": dataset.name,
            "population": dataset.population,
            "unit_column": dataset.unit_column,
            "columns": dataset.schema.to_mapping(),
        },
        f"Dataset {dataset.name} of population {dataset.population}, stored privately; the unit is {unit}.",
    )


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        raise InputError(
            "file", found=str(path), allowed="a file that can be read", remedy=cause.strerror or ""
        ) from None


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
        workspace = _workspace(options)
        if not _complete(plan) or plan.dataset in {dataset.name for dataset in workspace.datasets()}:
            return workspace.price(plan)
    return price(plan)


def _figures(options: argparse.Namespace) -> Answer:
    from dprelease.statistics.figures import figures

    found = figures(_priced(options), options.delta)
    lines = [f"Figures for this release alone: {found['note']}."]
    for name, figure in found["figures"].items():
        lines.append(f"  {FIGURES[name]:44} ε = {figure['epsilon']:.6g}, δ = {figure['delta']:g}")
    return found, "\n".join(lines)


def _complete(plan: Any) -> bool:
    return all(name in plan.schema for name in plan.used_columns())


def _preview(options: argparse.Namespace) -> Answer:
    from dprelease.statistics import Plan

    preview = _workspace(options).preview(Plan.load(options.plan))
    parts = ["Preview: true values, for the curator only. Choices made after seeing them are outside the guarantee."]
    parts += [f"{item.id}\n{item.frame().to_string(index=False)}" for item in preview.statistics]
    found = {item.id: json.loads(item.frame().to_json(orient="records")) for item in preview.statistics}
    return found, "\n\n".join(parts)


def _publish(options: argparse.Namespace) -> Answer:
    from dprelease.statistics import Plan

    workspace = _workspace(options)
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


def _ledger_list(options: argparse.Namespace) -> Answer:
    events = _workspace(options).ledger(options.population)
    lines = []
    for event in events:
        what = f"{event.actor:12} {event.kind:20} {event.population or '':20}"
        lines.append(f"{event.seq:6} {event.at:27} {what} {event.loss if event.kind == 'charge' else ''}".rstrip())
    return [event.to_mapping() for event in events], "\n".join(lines)


def _ledger_verify(options: argparse.Namespace) -> Answer:
    events = _workspace(options).verify_ledger()
    return {"events": events, "intact": True}, f"{events} events: the chain is intact and every sum is within its cap."


def _ledger_export(options: argparse.Namespace) -> Answer:
    events = _workspace(options).ledger()
    lines = [json.dumps(event.to_mapping(), ensure_ascii=False, sort_keys=True) for event in events]
    options.path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return {"events": len(lines), "path": str(options.path)}, f"{len(lines)} events written to {options.path}"


def _site(options: argparse.Namespace) -> Answer:
    releases = _workspace(options).write_site(options.out)
    return {
        "releases": releases,
        "path": str(options.out),
    }, f"Releases: {releases}. Open {options.out / 'index.html'}"

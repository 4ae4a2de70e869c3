"""Commands for plans: what one costs, its preview, and the way from its author to a reviewer's decision."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from decimal import Decimal
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dprelease.cli import conversation, planning, reading_report
from dprelease.cli.command import (
    Answer,
    add_command,
    add_group,
    add_page,
    figure,
    is_team,
    open_workspace,
    plan_path,
    tell_more,
)
from dprelease.cli.plan_words import errors_when_filtered, looks, planned
from dprelease.errors import InputError, NotFoundError
from dprelease.words import Figure, Phrase, phrase, verbatim

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.model.plan import Plan
    from dprelease.statistics.planning.price import Price
    from dprelease.statistics.planning.together import JointPricing
    from dprelease.store.plans import PlanRecord
    from dprelease.workspace import Workspace
    from dprelease.workspace.preview import StatisticPreview
    from dprelease.workspace.review import ReviewedPlan

FIGURES = {
    "basic": phrase("cli.sum_basic"),
    "renyi": phrase("cli.sum_renyi"),
    "advanced": phrase("cli.sum_advanced"),
    "pld": phrase("cli.sum_pld"),
}


def add(commands: Any) -> None:
    figures = add_plan_command(commands, "figures", _figures, phrase("cli.what_one_release_costs"))
    figures.add_argument("--delta", type=float, default=1e-6, help=str(phrase("cli.delta_of_figures")))
    priced = add_plan_command(commands, "price", _price, phrase("cli.what_plan_costs_how"))
    priced.add_argument("--data", action="store_true", help=str(phrase("cli.price_data")))
    add_plan_command(commands, "preview", _preview, phrase("cli.true_values_beside_simulated"))

    plans = add_group(commands, "plan", phrase("cli.submitted_plans_what_reviewers"))
    add_plan_command(plans, "submit", _submit, phrase("cli.hand_plan_review"))
    add_page(add_command(plans, "list", _list, phrase("cli.list_submitted_plans_oldest")), phrase("cli.before_plans"))
    _add_id(add_command(plans, "show", _show, phrase("cli.submitted_plan_price_state")))
    approve = add_command(plans, "approve", _approve, phrase("cli.approve_plan_team_one"))
    _add_id(approve)
    approve.add_argument("--comment", default="", metavar="TEXT")
    returned = add_command(plans, "return", _return, phrase("cli.return_plan_author_say"))
    _add_id(returned)
    returned.add_argument("--comment", required=True, metavar="TEXT")
    conversation.add(plans)
    planning.add(plans)
    schemas = add_group(commands, "schema", phrase("cli.schema_group"))
    for name in ("plan", "dataset"):
        add_command(schemas, name, _schema, phrase(f"cli.schema_{name}")).set_defaults(schema=name)
    told = add_command(schemas, "json", _shape, phrase("cli.schema_json"))
    told.add_argument("words", nargs="+", metavar="COMMAND", help=str(phrase("cli.schema_of_command")))
    columns = add_command(schemas, "columns", _columns, phrase("cli.schema_columns"))
    columns.add_argument("dataset", metavar="DATASET", help=str(phrase("cli.registered_dataset_declared_columns")))


def _schema(options: argparse.Namespace) -> Answer:
    """Return the JSON Schema of a plan file, or of the file of a dataset."""
    text = (files("dprelease.model") / f"{options.schema}.schema.json").read_text(encoding="utf-8")
    return json.loads(text), text.removesuffix("\n")


def _shape(options: argparse.Namespace) -> Answer:
    """Return the JSON Schema of what a command prints with `--json`; of `error`, of what it prints where it fails."""
    from dprelease.model.report import nearest

    shapes = json.loads((files("dprelease.cli") / "shapes.json").read_text(encoding="utf-8"))
    verb = " ".join(options.words)
    if verb not in shapes:
        allowed = phrase("cli.schema_of_command")
        raise NotFoundError("schema json", found=verb, allowed=allowed, remedy=nearest(verb, shapes))
    told = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"dprelease {verb} --json",
        **shapes[verb],
    }
    return told, json.dumps(told, indent=2)


def _columns(options: argparse.Namespace) -> Answer:
    """Return code that declares the columns of a registered dataset as a class."""
    from dprelease.statistics.plan_source import columns

    workspace, actor = open_workspace(options)
    dataset = workspace.datasets.get(options.dataset, actor=actor)
    text = columns(dataset.name, dataset.schema)
    return {"dataset": dataset.name, "code": text}, text.removesuffix("\n")


def add_plan_command(
    to: Any, name: str, run: Callable[[argparse.Namespace], Answer], words: Phrase, *, optional: bool = False
) -> argparse.ArgumentParser:
    """Add a command about a plan file, which may be left out where it is `optional`."""
    added = add_command(to, name, run, words)
    added.add_argument(
        "plan", type=plan_path, nargs="?" if optional else None, help=str(phrase("cli.plan_file_yaml_json"))
    )
    added.add_argument("--public", action="append", metavar="NAME=FILE", help=str(phrase("cli.public_file_of_plan")))
    return added


def load_plan(options: argparse.Namespace) -> Plan:
    """Return the plan of a file, with the public figures of the files beside it."""
    from dprelease.statistics import Plan

    files = {}
    for text in options.public or ():
        name, _, path = text.partition("=")
        if not name or not path or name in files:
            raise InputError("public", found=text, allowed=phrase("cli.name_and_file_once"))
        files[name] = path
    return Plan.load(options.plan, files)


def _add_id(to: argparse.ArgumentParser) -> None:
    to.add_argument("plan", metavar="ID", help=str(phrase("store.id_submitted_plan")))


def _figures(options: argparse.Namespace) -> Answer:
    from dprelease.statistics.planning.figures import figures

    found = figures(_priced(options), options.delta)
    lines = [str(phrase("cli.figures_alone"))]
    for name, each in found["figures"].items():
        worth = figure(f"ε = {each['epsilon']:.6g}, δ = {each['delta']:g}")
        lines.append(f"  {FIGURES[name]!s:44} {worth}")
    return found, "\n".join(lines)


def _price(options: argparse.Namespace) -> Answer:
    from dprelease.statistics.planning.together import together

    priced = _priced(options)
    found, words = together(priced), _price_words(priced)
    told = {**priced.to_mapping(), "remarks": _remarks(priced), "together": None if found is None else asdict(found)}
    words = words if found is None else f"{words}\n{_together_words(found)}"
    if not options.data:
        return told, words
    workspace, actor = open_workspace(options)
    plan = priced.plan
    names = plan.schema.with_inputs(plan.used_columns())
    report = workspace.datasets.reading(plan.dataset, columns=names, schema=plan.schema, actor=actor)
    return {**told, "reading": report.to_mapping()}, f"{words}\n\n{reading_report.words(report)}"


def _together_words(found: JointPricing) -> str:
    from dprelease.model.privacy import significant

    errors = {name: Figure(significant(getattr(found, name), 4)) for name in ("least", "most", "after")}
    asked = verbatim(json.dumps(found.asked, ensure_ascii=False))
    return str(phrase("cli.together", tables=", ".join(found.ids), asked=asked, **errors))


def _remarks(priced: Price) -> list[str]:
    from dprelease.bundle.guarantee import caveat
    from dprelease.statistics.remarks import remarks

    return list(map(caveat, remarks(priced)))


def _price_words(priced: Price) -> str:
    from dprelease.statements.display import shown

    plan, zcdp = priced.plan, priced.currency == "zcdp"
    heads = [str(phrase(f"cli.head_{each}")) for each in ("statistic", "mechanism", "scale", "error", "basis")]
    lines = [f"{heads[0]:24} {heads[1]:38} {heads[2]:>12} {'ρ' if zcdp else 'ε':>12} {heads[3]:>12}  {heads[4]}"]
    for item in priced.statistics:
        error = str(phrase("cli.unknown")) if item.error95 is None else shown(item.error95, 4)
        basis = item.basis or phrase("cli.declare_expected")
        if item.source is not None:
            follows = str(phrase("cli.counts_follow", source=item.source.id))
            lines.append(f"{item.id:24} {follows:64} {error:>12}  {basis}")
        alike: dict[tuple[str, str], list[Decimal]] = {}
        for mechanism in item.mechanisms:
            alike.setdefault((mechanism.name, shown(mechanism.scale, 6)), []).append(mechanism.share.amount)
        for (mechanism_name, scale), amounts in alike.items():
            named = str(phrase(f"bundle.mechanism_{mechanism_name}"))
            name = named if len(amounts) == 1 else f"{len(amounts)} x {named}"
            lines.append(f"{item.id:24} {name:38} {scale:>12} {shown(float(sum(amounts)), 6):>12} {error:>12}  {basis}")
        if item.trial95 is not None:
            lines.append(f"  {phrase('cli.trial', error=Figure(f'{item.trial95:.2g}'))}")
    column, rows = plan.unit.column, plan.unit.max_rows
    unit = phrase("cli.a_row") if column is None else phrase("cli.up_to_rows", rows=rows, column=column)
    lines.append(str(phrase("cli.in_all", total=_total(priced), unit=unit, neighbors=plan.neighbors)))
    lines += _remarks(priced)
    return "\n".join(lines)


def _total(priced: Price) -> Figure:
    """ε and δ, and ρ where the population counts in it."""
    from dprelease.model.privacy import decimal_text

    counted = f" ({priced.loss})" if priced.currency == "zcdp" else ""
    return Figure(f"ε = {decimal_text(priced.epsilon)}, δ = {decimal_text(priced.delta)}{counted}")


def _priced(options: argparse.Namespace) -> Price:
    """Return the price of a plan file: by its own columns, or by those of a registered dataset and its population."""
    from dprelease.statistics.planning.price import price

    plan = load_plan(options)
    found = registered(options, plan)
    if found is None:
        return price(plan)
    workspace, actor = found
    return workspace.price(plan, actor=actor)


def registered(options: argparse.Namespace, plan: Plan) -> tuple[Workspace, Actor | None] | None:
    """The workspace that a plan is of, and who acts in it; None where the plan is complete and of no dataset there."""
    if (options.home / "ledger.db").exists():
        workspace, actor = open_workspace(options)
        if not _complete(plan) or plan.dataset in {dataset.name for dataset in workspace.datasets.find(actor=actor)}:
            return workspace, actor
    return None


def _complete(plan: Any) -> bool:
    return not plan.schema.waiting and all(name in plan.schema for name in plan.used_columns())


def _preview(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    preview = workspace.preview(load_plan(options), actor=actor)
    parts = [str(phrase("cli.preview_true"))]
    if preview.invented is not None:
        parts = [str(phrase("cli.preview_blind", rows=preview.invented))]
    if preview.reading is not None:
        parts.append(reading_report.words(preview.reading))
    parts += [f"{_about(item)}\n{item.frame().to_string(index=False)}" for item in preview.statistics]
    tables = {item.id: json.loads(item.frame().to_json(orient="records")) for item in preview.statistics}
    caveats = {item.id: [each.to_mapping() for each in item.caveats] for item in preview.statistics if item.caveats}
    read = None if preview.reading is None else preview.reading.to_mapping()
    return {"statistics": tables, "caveats": caveats, "reading": read}, "\n\n".join(parts)


def _about(item: StatisticPreview) -> str:
    """Return the id of a table, and how far its true values are not those of all rows."""
    if not item.caveats:
        return item.id
    true = phrase("cli.true_within_bounds" if item.is_clipped else "cli.true_of_understood")
    return f"{item.id}\n{true}: {'; '.join(map(str, item.caveats))}"


def _submit(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    plan_id = workspace.plans.submit(load_plan(options), actor=actor)
    record = workspace.plans.get(plan_id, actor=actor)
    price = _total(workspace.plans.price_of(plan_id, actor=actor))
    if record.state == "published":
        words = str(phrase("cli.plan_published", plan=plan_id, price=price))
    else:
        words = str(phrase("cli.plan_is", plan=plan_id, state=phrase(f"cli.state_{record.state}"), price=price))
        if workspace.plans.lapse(plan_id, actor=actor) is not None:
            words += f" {phrase('cli.waits_for_approval', approve=approve_by(workspace, plan_id))}"
    return _mapping(record), words


def approve_by(workspace: Workspace, plan_id: str) -> str:
    """Return the command that approves a plan."""
    return f"dprelease plan approve {plan_id}{' --as NAME' if is_team(workspace) else ''}"


def _list(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    records = workspace.plans.find(latest=options.limit + 1, before=options.before, actor=actor)
    if len(records) > options.limit:
        tell_more(records[1].id)
        del records[0]
    lines = []
    for record in records:
        lines.append(
            f"{record.id}  {phrase(f'cli.state_{record.state}')!s:10} {record.created[:10]} {record.author:12} "
            f"{record.dataset}: {_title(record)}"
        )
        if record.state == "returned":
            lines += _decision(workspace.plans.decisions(record.id, actor=actor)[-1])
    return [_mapping(record) for record in records], "\n".join(lines) or phrase("cli.no_plan")


def _title(record: PlanRecord) -> str:
    return str(record.mapping.get("title") or phrase("cli.without_title"))


def _mapping(record: PlanRecord) -> dict[str, Any]:
    found = asdict(record)
    del found["plan"]
    return {**found, "title": record.mapping.get("title", "")}


def _show(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    reviewed = workspace.plans.review(options.plan, actor=actor)
    record, priced = reviewed.record, reviewed.price
    lapse = workspace.plans.lapse(record.id, actor=actor)
    decisions = workspace.plans.decisions(record.id, actor=actor)
    lines = [
        f"{record.id}: {_title(record)}",
        str(
            phrase(
                "cli.plan_line",
                dataset=record.dataset,
                author=record.author,
                day=record.created[:10],
                state=phrase(f"cli.state_{record.state}"),
            )
        ),
        str(phrase("cli.approval_holds") if lapse is None else phrase("cli.no_approval_holds", lapse=lapse)),
        *(line for each in decisions for line in _decision(each)),
        *_found(reviewed),
        *looks(reviewed),
        *planned(reviewed),
        _price_words(priced),
        *errors_when_filtered(reviewed),
        _budget_words(reviewed),
    ]
    found = {
        **_mapping(record),
        "lapse": None if lapse is None else str(lapse),
        "decisions": [asdict(each) for each in decisions],
        "budget": _budget(reviewed),
        "checks": _checks(reviewed),
        "looks": [asdict(each) for each in reviewed.looks],
        "price": priced.to_mapping(),
        "filtered": None if reviewed.filtered is None else asdict(reviewed.filtered),
        "plan": record.mapping,
    }
    return found, "\n".join(lines)


def _decision(decision: Any) -> list[str]:
    comment = f": {decision.comment}" if decision.comment else ""
    remarks = [f"    {name}: {text}" for name, text in decision.remarks.items()]
    decided = phrase(f"cli.decided_{decision.decision}", by=decision.actor)
    return [f"  {decision.at[:10]} {decided}{comment}", *remarks]


def _budget(reviewed: ReviewedPlan) -> dict[str, Any]:
    now, after = reviewed.now, reviewed.after
    left = {"after": after.remaining.to_mapping()} if now.covers(reviewed.price.loss) else {}
    return {
        "population": reviewed.population.name,
        "cap": now.cap.to_mapping(),
        "spent": now.used.to_mapping(),
        "left": now.remaining.to_mapping(),
        **left,
    }


def _checks(reviewed: ReviewedPlan) -> list[dict[str, Any]]:
    from dprelease.ui.words import say

    return [
        {
            "check": each.check,
            "severity": each.severity,
            "blocking": each in reviewed.blocking,
            "words": say(f"check_{each.check}" + (f"_{each.detail}" if each.detail else ""), **each.about),
        }
        for each in reviewed.findings
    ]


def _budget_words(reviewed: ReviewedPlan) -> str:
    """Return the budget before the release and after it."""
    now = reviewed.now
    fits = now.covers(reviewed.price.loss)
    left = phrase("cli.left_after", left=Figure(reviewed.after.remaining_text)) if fits else phrase("cli.costs_more")
    cap, spent, remaining = map(Figure, (now.cap_text, now.used_text, now.remaining_text))
    return str(phrase("cli.budget_of", population=now.population, cap=cap, spent=spent, left=remaining, after=left))


def _found(reviewed: ReviewedPlan) -> list[str]:
    """Say what the checks found, gravest first."""
    found = [(phrase(f"cli.severity_{each['severity']}"), each["words"]) for each in _checks(reviewed)]
    return [f"  {severity}: {words}" for severity, words in found] or [str(phrase("cli.checks_found_nothing"))]


def _approve(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    reviewed = workspace.plans.review(options.plan, actor=actor)
    record = workspace.plans.approve(options.plan, comment=options.comment, actor=actor)
    words = str(phrase("cli.plan_approved", plan=record.id, price=_total(reviewed.price)))
    found = {**_mapping(record), "budget": _budget(reviewed), "checks": _checks(reviewed)}
    return found, "\n".join([words, _budget_words(reviewed), *_found(reviewed)])


def _return(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    record = workspace.plans.return_plan(options.plan, comment=options.comment, actor=actor)
    return _mapping(record), phrase("cli.plan_returned", plan=record.id, author=record.author)

"""Commands that help to make a plan: a codebook's, the ε that an error needs, and what differs between two."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, figure, open_workspace, plan_path, unwritable
from dprelease.cli.describe import content_of
from dprelease.errors import InputError
from dprelease.words import ENGLISH, Figure, phrase


def add(plans: Any) -> None:
    codebook = add_command(plans, "codebook", _codebook, phrase("cli.plan_statistic_each_declared"))
    codebook.add_argument("dataset", metavar="DATASET", help=str(phrase("cli.registered_dataset_declared_columns")))
    codebook.add_argument("--epsilon", default="1", help=str(phrase("cli.epsilon_of_plan")))
    codebook.add_argument("--delta", default="0", help=str(phrase("cli.delta_of_plan")))
    codebook.add_argument("--max-rows", type=int, metavar="ROWS", help=str(phrase("cli.rows_used_one_unit")))
    codebook.add_argument("--expected-rows", type=int, metavar="ROWS", help=str(phrase("cli.codebook_expected_rows")))
    codebook.add_argument("--labels", type=Path, metavar="FILE", help=str(phrase("cli.codebook_labels")))
    codebook.add_argument("--language", default=ENGLISH, metavar="CODE", help=str(phrase("cli.codebook_language")))
    codebook.add_argument("--out", type=Path, metavar="FILE", help=str(phrase("cli.write_there_yaml")))
    needs = add_command(plans, "needs", _needs, phrase("cli.plan_needs_so_errors"))
    needs.add_argument("plan", type=plan_path, help=str(phrase("cli.plan_file_yaml_json")))
    needs.add_argument(
        "--error",
        action="append",
        required=True,
        metavar="ID=VALUE",
        help=str(phrase("cli.statistic_error_at_95")),
    )
    for name in ("script", "notebook"):
        made = add_command(plans, name, _source, phrase(f"cli.plan_{name}"))
        made.add_argument("plan", type=plan_path, help=str(phrase("cli.plan_file_yaml_json")))
        made.add_argument("--out", type=Path, metavar="FILE", help=str(phrase("cli.write_there")))
        made.set_defaults(form=name)
    compare = add_command(plans, "compare", _compare, phrase("cli.what_different_between_two"))
    compare.add_argument("plan", type=plan_path, help=str(phrase("cli.plan_file_yaml_json")))
    compare.add_argument("other", type=Path, help=str(phrase("cli.another_one")))


def _codebook(options: argparse.Namespace) -> Answer:
    from dprelease.model.yaml_text import dump
    from dprelease.statistics import Plan

    workspace, actor = open_workspace(options)
    dataset = workspace.datasets.get(options.dataset, actor=actor)
    population = workspace.populations.of(dataset.name, actor=actor)
    unit: Any = "row"
    if dataset.unit_column is not None:
        max_rows = options.max_rows or workspace.datasets.terms(dataset.name, actor=actor).max_rows
        if max_rows is None:
            raise InputError(
                "max_rows",
                found=phrase("model.nothing"),
                allowed=phrase("cli.how_many_rows_one"),
                remedy=phrase("cli.add_max_rows_from"),
            )
        unit = {"column": dataset.unit_column, "max_rows": max_rows}
    loss = {"epsilon": options.epsilon, "delta": options.delta}
    mapping: dict[str, Any] = {
        "dprelease": 1,
        "dataset": dataset.name,
        "privacy": {"unit": unit, "neighbors": population.neighbors.value, **loss},
        **_objective(options.expected_rows),
        "statistics": workspace.plans.codebook(dataset.name, actor=actor),
        **_texts(options, [column.name for column in dataset.schema]),
    }
    mapping = Plan.parse(mapping).to_mapping()
    text = dump(mapping)
    if options.out is None:
        return mapping, text.rstrip()
    try:
        options.out.write_text(text, "utf-8")
    except OSError as cause:
        raise unwritable(options.out, cause) from None
    return mapping, phrase("cli.codebook_written", path=options.out, count=len(mapping["statistics"]))


def _texts(options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Labels of a codebook file."""
    if options.labels is None:
        return {}
    from dprelease.codebook import read, texts_of

    found = texts_of(read(options.labels.name, content_of(options.labels)), names, options.language)
    return {"texts": found} if found else {}


def _objective(expected_rows: int | None) -> dict[str, Any]:
    """Weights by errors, which take a guess of how many rows there are."""
    from dprelease.model.plan import MINIMISE

    return {} if expected_rows is None else {"expected": {"rows": expected_rows}, "weights": MINIMISE}


def _source(options: argparse.Namespace) -> Answer:
    """Return code, or a notebook, that makes a plan of the same digest."""
    from dprelease.statistics import Plan, plan_source

    plan = Plan.load(options.plan)
    text = getattr(plan_source, options.form)(plan)
    told = {"form": options.form, "plan_hash": plan.hash}
    if options.out is None:
        return {**told, "text": text}, text.removesuffix("\n")
    try:
        options.out.write_text(text, encoding="utf-8")
    except OSError as cause:
        raise unwritable(options.out, cause) from None
    return {**told, "written": str(options.out)}, str(options.out)


def _needs(options: argparse.Namespace) -> Answer:
    from dprelease.model.privacy import decimal_text
    from dprelease.statistics import Plan

    workspace, actor = open_workspace(options)
    errors = _errors(options.error)
    needed = workspace.plans.needed_epsilon(Plan.load(options.plan), errors, actor=actor)
    wanted = tuple(phrase("cli.at_most", name=name, value=Figure(f"{value:g}")) for name, value in errors.items())
    words = phrase("cli.epsilon_needed", epsilon=Figure(decimal_text(needed)), wanted=wanted)
    return {"epsilon": decimal_text(needed), "errors": errors}, words


def _errors(given: Sequence[str]) -> dict[str, float]:
    from dprelease.model.report import as_decimal

    errors = {}
    for text in given:
        name, _, value = text.partition("=")
        number = as_decimal(value)
        if not name or number is None:
            raise InputError("error", found=text, allowed=phrase("cli.id_statistic_number_such"))
        errors[name] = float(number)
    return errors


def _compare(options: argparse.Namespace) -> Answer:
    from dprelease.model.difference import changes
    from dprelease.model.privacy import decimal_text
    from dprelease.statistics import Plan

    workspace, actor = open_workspace(options)
    both = [Plan.load(path) for path in (options.plan, options.other)]
    prices = [workspace.price(plan, actor=actor) for plan in both]
    found = changes(*(plan.to_mapping() for plan in both))
    lines = [f"{change.path}: {_written(change.before)} -> {_written(change.after)}" for change in found]
    lines = lines or [str(phrase("cli.same_plans"))]
    lines.append(f"{phrase('cli.head_statistic')!s:24} {phrase('cli.head_error')!s:>24}")
    for name in dict.fromkeys(item.id for price in prices for item in price.statistics):
        errors = [next((item.error95 for item in price.statistics if item.id == name), None) for price in prices]
        lines.append(f"{name:24} {_number(errors[0]):>12} -> {_number(errors[1])}")
    before, after = (figure(decimal_text(price.epsilon)) for price in prices)
    lines.append(f"{'ε':24} {before:>12} -> {after}")
    differences = [{"path": each.path, "before": each.before, "after": each.after} for each in found]
    return {"changes": differences, "prices": [price.to_mapping() for price in prices]}, "\n".join(lines)


def _written(value: Any) -> str:
    return str(phrase("cli.not_there") if value is None else value)


def _number(error: float | None) -> str:
    from dprelease.model.privacy import significant

    return str(phrase("cli.unknown")) if error is None else figure(significant(error, 4))

"""Commands for populations and datasets: whose privacy is spent, and the private tables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, open_workspace
from dprelease.errors import InputError, SchemaError

if TYPE_CHECKING:
    from dprelease.model.population import Population


def add(commands: Any) -> None:
    whose = add_group(commands, "population", "Whose privacy is spent.")
    add_command(whose, "list", _population_list, "List populations, with cap, spent and left.")
    population = add_command(whose, "add", _population_add, "Register a population and its cap.")
    population.add_argument("name", help="such as patients-2025")
    population.add_argument(
        "--unit", required=True, help="whose presence is hidden, in a word: person, household, visit"
    )
    population.add_argument("--epsilon", required=True, help="the cap on ε of all its releases together")
    _budget_options(population)

    dataset = add_command(
        add_group(commands, "dataset", "Private tables."),
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


def _population_list(options: argparse.Namespace) -> Answer:
    workspace = open_workspace(options)
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


def _population_add(options: argparse.Namespace) -> Answer:
    population = open_workspace(options, make=True).add_population(
        options.name,
        unit=options.unit,
        neighbors=options.neighbors,
        epsilon=options.epsilon,
        delta=options.delta,
        currency=options.currency,
        size=options.size,
    )
    return population.to_mapping(), f"{_described(population)}, cap {population.cap}"


def _described(population: Population) -> str:
    return f"Population {population.name}: unit {population.unit}, {population.neighbors}, {population.currency}"


def _dataset_add(options: argparse.Namespace) -> Answer:
    from dprelease.model.encoding import read_mapping

    columns = None
    if options.schema is not None:
        columns = read_mapping(_text(options.schema), error=SchemaError, what="schema").get("columns")
    dataset = open_workspace(options, make=True).add_dataset(
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

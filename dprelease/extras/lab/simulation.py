"""The command that tries a regression of several sites on invented rows: our sums beside methods of many rounds."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, figure, positive
from dprelease.words import Figure, phrase

if TYPE_CHECKING:
    from dprelease.extras.lab.compared_sites import MethodResult, Simulated

NAMES = {
    "masked": phrase("cli.simulated_masked"),
    "open": phrase("cli.simulated_open"),
    "one_by_one": phrase("cli.simulated_one_by_one"),
    "gradient": phrase("cli.simulated_gradient"),
    "gradient_tuned": phrase("cli.simulated_gradient_tuned"),
    "graph": phrase("cli.simulated_graph"),
    "proximal": phrase("cli.simulated_proximal"),
    "gradient_printed": phrase("cli.simulated_gradient_printed"),
    "graph_printed": phrase("cli.simulated_graph_printed"),
    "graph_misplaced": phrase("cli.simulated_graph_misplaced"),
    "proximal_literal": phrase("cli.simulated_proximal_literal"),
    "proximal_meant": phrase("cli.simulated_proximal_meant"),
}
MUCH = 10.0
"""From this error on, a power of ten says enough."""


def add(commands: Any) -> None:
    group = add_group(commands, "federation", phrase("cli.federation_group"))
    added = add_command(group, "simulate", _simulate, phrase("cli.federation_simulate"))
    added.add_argument("--rows", type=positive, default=1500, metavar="N", help=str(phrase("cli.simulated_rows")))
    added.add_argument("--epsilon", type=float, default=1.0, metavar="E", help=str(phrase("cli.simulated_epsilon")))
    added.add_argument("--draws", type=positive, default=8, metavar="N", help=str(phrase("cli.simulated_draws")))
    added.add_argument("--seed", default="1", metavar="TEXT", help=str(phrase("cli.simulated_seed")))


def _simulate(options: argparse.Namespace) -> Answer:
    from dprelease.extras.lab.compared_sites import simulate

    made = simulate(options.rows, options.epsilon, options.draws, options.seed)
    return made.to_mapping(), _words(made)


def _words(made: Simulated) -> str:
    from dprelease.extras.lab.compared_sites import SITES
    from dprelease.extras.lab.federated import DELTA
    from dprelease.extras.lab.patients import FLOOR

    asked = {"rows": made.rows, "sites": SITES, "draws": made.draws, "floor": Figure(str(FLOOR))}
    loss = {"epsilon": Figure(f"{made.epsilon:g}"), "delta": Figure(f"{DELTA:g}")}
    heads = (phrase("cli.simulated_error"), phrase("cli.simulated_rounds"), phrase("cli.simulated_real"))
    lines = [str(phrase("cli.simulated_head", **asked, **loss)), "", _line("", *map(str, heads))]
    lines += [
        _line(str(NAMES[each.name]), _error(each.error), str(each.rounds), _real(each, made.epsilon))
        for each in made.found
    ]
    return "\n".join([*lines, "", str(phrase("cli.simulated_note"))])


def _line(name: str, *cells: str) -> str:
    return f"{name:62} {cells[0]:>8} {cells[1]:>7} {cells[2]:>9}".rstrip()


def _error(error: float) -> str:
    return figure(f"{error:.4f}" if error < MUCH else f"{error:.0e}")


def _real(found: MethodResult, goal: float) -> str:
    """Return the real ε: the goal where it was kept, since rounding up a ρ keeps it."""
    if found.epsilon is None:
        return str(phrase("cli.simulated_none"))
    return figure(f"{found.epsilon:.3g}" if found.epsilon > goal or not found.epsilon else f"≤ {goal:g}")

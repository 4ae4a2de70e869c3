"""Commands for populations: whose privacy is spent, how much of it may be, and what else is known of them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dprelease.cli.command import Answer, add_command, add_group, figure, open_workspace
from dprelease.cli.requests import asked, told
from dprelease.words import Figure, Phrase, phrase, quoted

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.model.population import Overlap, Population
    from dprelease.model.privacy import PrivacyLoss
    from dprelease.store.account import Account
    from dprelease.workspace import Workspace

OVERLAPS, OPEN = ("same", "some", "none"), "open"


def add(commands: Any) -> None:
    whose = add_group(commands, "population", phrase("cli.whose_privacy_spent"))
    add_command(whose, "list", _list, phrase("cli.list_populations_cap_spent"))
    population = add_command(whose, "add", _add, phrase("cli.register_population_cap_team"))
    population.add_argument("name", help=str(phrase("cli.such_patients_2025")))
    population.add_argument("--unit", required=True, help=str(phrase("cli.whose_presence_hidden_word")))
    population.add_argument("--epsilon", required=True, help=str(phrase("cli.cap_on_epsilon")))
    add_budget_options(population)
    population.add_argument(
        "--overlap",
        type=_overlap_option,
        action="append",
        default=[],
        metavar="OTHER=same|some|none",
        help=str(phrase("cli.whether_same_units_another")),
    )
    population.add_argument(
        "--earlier-release",
        action="append",
        default=[],
        metavar="TEXT",
        help=str(phrase("cli.what_was_published_about")),
    )

    cap = add_command(whose, "raise-cap", _raise_cap, phrase("cli.raise_cap_team_ask"))
    cap.add_argument("name")
    _add_cap_options(cap)
    period = add_command(whose, "open-period", _open_period, phrase("cli.open_period_cap_own"))
    period.add_argument("name")
    period.add_argument("period", help=str(phrase("cli.such_2026")))
    _add_cap_options(period)

    overlap = add_command(whose, "overlap", _overlap, phrase("cli.state_how_two_populations"))
    overlap.add_argument("name")
    overlap.add_argument("other")
    overlap.add_argument("overlap", choices=OVERLAPS, help=str(phrase("cli.same_units_some_common")))
    add_command(whose, "compare", _compare, phrase("cli.compare_rows"))
    earlier = add_command(whose, "earlier-release", _earlier_release, phrase("cli.state_what_was_published"))
    earlier.add_argument("name")
    earlier.add_argument("releases", nargs="+", metavar="TEXT", help=str(phrase("cli.release_words")))


def add_budget_options(to: argparse.ArgumentParser) -> None:
    """Add what a new population is registered with, beside ε and its unit."""
    to.add_argument(
        "--neighbors",
        default="add_remove",
        choices=("add_remove", "substitute"),
        help=str(phrase("cli.neighbouring_relation_default_add")),
    )
    to.add_argument("--delta", default="0", help=str(phrase("cli.cap_on_delta")))
    to.add_argument(
        "--currency",
        default="pure",
        choices=("pure", "zcdp"),
        help=str(phrase("cli.what_releases_add_up")),
    )
    to.add_argument("--no-discovery", action="store_true", help=str(phrase("cli.nothing_discovered")))
    to.add_argument("--size", type=int, help=str(phrase("cli.declared_public_number_units")))


def _add_cap_options(to: argparse.ArgumentParser) -> None:
    to.add_argument("--epsilon", required=True, help=str(phrase("cli.new_cap")))
    to.add_argument("--delta", help=str(phrase("cli.new_cap_default")))
    to.add_argument("--reason", required=True, metavar="TEXT", help=str(phrase("cli.why_stands_ledger")))


def _overlap_option(text: str) -> tuple[str, str]:
    other, _, overlap = text.rpartition("=")
    if not other or overlap not in OVERLAPS:
        raise argparse.ArgumentTypeError(phrase("cli.no_overlap", text=quoted(text)))
    return other, overlap


def add_overlap_option(to: argparse.ArgumentParser) -> None:
    """Add the question whom else a table is about, which is put before it is registered."""
    to.add_argument(
        "--overlap",
        type=_answer_option,
        action="append",
        default=[],
        metavar="[OTHER=]same|some|none|open",
        help=str(phrase("cli.who_is_in_others")),
    )


def _answer_option(text: str) -> tuple[str, str]:
    """Return an answer for one other population, or for all that nobody spoke of (its name is empty then)."""
    other, _, answer = text.rpartition("=")
    if answer not in (*OVERLAPS, OPEN) or text.startswith("="):
        raise argparse.ArgumentTypeError(phrase("cli.no_answer_overlap", text=quoted(text)))
    return other, answer


def overlaps_of(options: argparse.Namespace, workspace: Workspace, actor: Actor | None) -> dict[str, str]:
    """Return a table's attested overlaps with other populations. Raises InputError naming those unanswered."""
    from dprelease.errors import InputError, Problem

    said = dict(options.overlap)
    owner = options.population or options.name
    others = workspace.populations.open_overlaps(owner, actor=actor)
    answers = {other: said.get("", "") for other in others} | {other: each for other, each in said.items() if other}
    unanswered = [other for other, answer in answers.items() if not answer]
    if unanswered:
        raise InputError.from_problems(
            [
                Problem(
                    f"overlaps.{other}",
                    phrase("cli.overlap_unsaid", other=other),
                    phrase("cli.overlap_answers"),
                    phrase("cli.overlap_remedy", other=other),
                )
                for other in unanswered
            ]
        )
    return {other: answer for other, answer in answers.items() if answer != OPEN}


def _list(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    mappings, blocks = [], []
    for population in workspace.populations.find(actor=actor):
        account = workspace.populations.budget(population.name, actor=actor)
        overlaps = workspace.populations.overlaps(population.name, actor=actor)
        earlier = workspace.populations.earlier_releases(population.name, actor=actor)
        mappings.append(
            {
                **population.to_mapping(),
                "period": population.period,
                "spent": _loss(population, account.spent),
                "used": _loss(population, account.used),
                "left": _loss(population, account.remaining),
                "charges": account.charges,
                "overlaps": overlaps,
                "earlier_releases": earlier,
            }
        )
        promised = [] if population.discovers else [f"  {phrase('cli.discovers_nothing')}"]
        known = [*promised, *_known(overlaps, earlier)]
        blocks.append("\n".join([str(described(population)), *_standing(account), *known]))
    return mappings, "\n".join(blocks) or phrase("cli.no_population")


def _loss(population: Population, loss: PrivacyLoss) -> dict[str, int]:
    """With ρ wherever the population counts in it, also where there is none."""
    return {**({"rho_nano": 0} if population.rho_nano else {}), **loss.to_mapping()}


def _standing(account: Account) -> list[str]:
    cap: object = figure(account.cap_text)
    spent: object = figure(account.spent_text)
    if account.period is not None:
        cap = phrase("cli.in_the_period", cap=cap, period=account.period)
        spent = phrase("cli.spent_in_period", used=figure(account.used_text), spent=spent)
    rows = (
        ("cap", cap),
        ("spent", phrase("cli.in_charges", spent=spent, charges=account.charges)),
        ("left", figure(account.remaining_text)),
    )
    return [f"  {phrase(f'cli.account_{name}')!s:6} {value}" for name, value in rows]


def _known(overlaps: dict[str, Overlap | None], earlier: list[str]) -> list[str]:
    attested = tuple(f"{other} ({overlap.value})" for other, overlap in overlaps.items() if overlap is not None)
    missing = tuple(other for other, overlap in overlaps.items() if overlap is None)
    lines = [f"  {phrase('cli.overlap_attested', others=attested)}"] if attested else []
    lines += [f"  {phrase('cli.overlap_missing', others=missing)}"] if missing else []
    return lines + [f"  {phrase('cli.released_earlier', text=text)}" for text in earlier]


def described(population: Population) -> Phrase:
    """Describe a population in a line."""
    return phrase(
        "cli.population_line",
        population=population.name,
        unit=population.unit,
        neighbors=population.neighbors,
        currency=population.currency,
    )


def _add(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    population = workspace.add_population(
        options.name,
        unit=options.unit,
        neighbors=options.neighbors,
        epsilon=options.epsilon,
        delta=options.delta,
        currency=options.currency,
        size=options.size,
        discovers=not options.no_discovery,
        overlaps=dict(options.overlap),
        earlier_releases=options.earlier_release,
        actor=actor,
    )
    return _answer(workspace, actor, "population", population)


def _raise_cap(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    population = workspace.populations.raise_cap(
        options.name, epsilon=options.epsilon, delta=options.delta, reason=options.reason, actor=actor
    )
    return _answer(workspace, actor, "cap", population)


def _open_period(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    population = workspace.populations.open_period(
        options.name,
        options.period,
        epsilon=options.epsilon,
        delta=options.delta,
        reason=options.reason,
        actor=actor,
    )
    return _answer(workspace, actor, "period", population)


def _answer(workspace: Workspace, actor: Actor | None, kind: str, population: Population) -> Answer:
    """Return the population as it stands now, and the request where a second person has yet to decide."""
    request = asked(workspace, actor, kind, population.name)
    if request is not None:
        return {**population.to_mapping(), "request": request.id}, told(request)
    words = phrase("cli.with_cap", population=described(population), cap=Figure(population.cap))
    if population.period is not None:
        words = phrase("cli.with_cap_in_period", cap=words, period=population.period)
    return {**population.to_mapping(), "request": None}, words


def _overlap(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    workspace.populations.attest_overlap(options.name, options.other, options.overlap, actor=actor)
    request = asked(workspace, actor, "overlap", options.name)
    found = {"population": options.name, "other": options.other, "overlap": options.overlap}
    if options.overlap == "none" and request is not None and request.body["other"] == options.other:
        return {**found, "request": request.id}, phrase("cli.overlap_waits", number=request.id)
    return found, phrase(f"cli.attested_{options.overlap}", population=options.name, other=options.other)


def _compare(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    found, lines = [], []
    for pair in workspace.populations.pairs(actor=actor):
        compared = workspace.populations.compare_rows(pair.population, pair.other, actor=actor)
        attested = None if pair.overlap is None else pair.overlap.value
        lines.append(str(phrase(f"cli.compared_{attested or 'open'}", population=pair.population, other=pair.other)))
        for each in compared:
            told = phrase(f"cli.in_common_{each.in_common}", dataset=each.dataset, other=each.other)
            lines.append(f"  {told}")
        rows = [{"dataset": each.dataset, "other": each.other, "in_common": each.in_common} for each in compared]
        found.append({"population": pair.population, "other": pair.other, "overlap": attested, "rows": rows})
    return found, "\n".join(lines) or phrase("cli.no_pair")


def _earlier_release(options: argparse.Namespace) -> Answer:
    workspace, actor = open_workspace(options)
    workspace.populations.declare_earlier_releases(options.name, options.releases, actor=actor)
    declared = workspace.populations.earlier_releases(options.name, actor=actor)
    lines = [str(phrase("cli.released_about", population=options.name)), *(f"  {text}" for text in declared)]
    return {"population": options.name, "earlier_releases": declared}, "\n".join(lines)

"""Releases and the answers of Python about them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas
import pytest

import dprelease
from tests.mechanisms.seeded import restart, seeded_noise
from tests.reader.ask import Asked
from tests.workspace.test_runs import opened

QUESTIONS = Path(__file__).parent / "questions.json"
ASKED = json.loads(QUESTIONS.read_text("utf-8"))
PLACES = ["north", "south", 'Ñuñoa, "alta"']


class Visits(dprelease.Columns):
    region = dprelease.category(*PLACES)
    sex = dprelease.category("F", "M")
    income = dprelease.integer(0, 99, unit="EUR")
    stay = dprelease.number(0, 10, resolution=0.25, unit="days")


def published(folder: Path, name: str, workspace: dprelease.Workspace, scale: int) -> None:
    size = 6_000 * scale
    places = [PLACES[number % 2] for number in range(size)]
    frame = pandas.DataFrame({"region": places, "sex": ["F", "M", "M"] * (size // 3)})
    frame["income"], frame["stay"] = [n % 100 for n in range(size)], [n % 41 / 4 for n in range(size)]
    gaussian = name == "gaussian"
    given = {"delta": 1e-5, "currency": "zcdp", "discovers": False} if gaussian else {}
    workspace.add_population(name, unit="row", neighbors="add_remove", epsilon=9, **given)
    workspace.add_dataset(name, frame, population=name)
    plan = dprelease.plan(name, Visits, unit="row", neighbors="add_remove", epsilon=3, delta=1e-5 if gaussian else 0)
    made = plan.add(
        dprelease.count(by=Visits.region, id="regions"),
        dprelease.crosstab([Visits.region, Visits.sex], id="both", margins=True),
        dprelease.sum(Visits.income, by=Visits.region, id="incomes"),
        dprelease.sum(Visits.stay, by=Visits.region, id="stays"),
        dprelease.mean(Visits.income, by=Visits.region, id="means"),
        dprelease.histogram(Visits.income, bins=10, id="incomes_by_tens"),
    )
    path = workspace.publish(made).write(folder)
    path.rename(folder / name)


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases by the names of their datasets, one with one byte changed, and an edition of a run."""
    folder, workspace = tmp_path_factory.mktemp("releases"), dprelease.Workspace.in_memory()
    with seeded_noise():  # made before the room's own seed, and once for all modules
        restart()
        for name, scale in (("visits", 1), ("later", 2), ("gaussian", 1)):
            published(folder, name, workspace, scale)
        opened().runs.publish("births", "2025-01").write(folder).rename(folder / "edition")
    shutil.copytree(folder / "visits", folder / "changed")
    table = folder / "changed/tables/regions.csv"
    table.write_bytes(table.read_bytes().replace(b"north", b"Borth", 1))
    return folder


@pytest.fixture(scope="session")
def answers(releases: Path) -> dict[str, str]:
    own = Asked(dprelease, releases)
    return {name: own.answer(asked) for name, asked in ASKED.items()}

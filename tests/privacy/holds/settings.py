"""Tables and budgets that intervals are tried at: axes, settings that cover pairs of them first, and their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from itertools import combinations
from typing import Any, Self

import numpy as np
import pandas

WIDTH = 10
"""Codes a bin of x."""
AXES: dict[str, tuple[Any, ...]] = {
    "n": (30_000, 3_000, 300, 30, 3, 1, 0),
    "shape": ("even", "exponential", "lower", "upper", "zeros", "clumps", "missing"),
    "part": (1.0, 0.5, 0.25, 0.125),
    "bins": (5, 10, 20, 50, 100, 2, 1),
    "categories": (3, 2, 10, 50, 1),
    "rare": (False, True),
    "share": (0.5, 0.2, 0.05, 0.005),
    "epsilon": (3.0, 1.0, 0.3, 0.1, 10.0),
    "currency": ("pure", "zcdp"),
    "neighbors": ("add_remove", "substitute"),
    "unit": (0, 1, 3),
    "by": (False, True),
}
"""Of each axis its values, the simple end first. `unit`: rows of an identifier, 0 where a row is a unit.

`part`: of the declared range of x, from its lower end on, where rows are. `rare`: 98 % are in one category. `by`: with
a group that has no rows. `share`: of the rows with the outcome yes, on average.
"""
COPIES = 30
"""Groups with the same integers, so that many releases are made at once."""
TRIED = 60
"""Drawn candidates of which the one with the most pairs that are new is taken."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    seed: int
    n: int = 30_000
    shape: str = "even"
    part: float = 1.0
    bins: int = 5
    categories: int = 3
    rare: bool = False
    share: float = 0.5
    epsilon: float = 3.0
    currency: str = "pure"
    neighbors: str = "add_remove"
    unit: int = 0
    by: bool = False

    @property
    def top(self) -> int:
        """The upper bound of x; bin k holds the codes from 10k to 10k + 9."""
        return WIDTH * self.bins - 1

    def __str__(self) -> str:
        """The words of `--setting`: what is not at its simple end."""
        usual = asdict(Setting(seed=self.seed))
        changed = {name: value for name, value in asdict(self).items() if name == "seed" or value != usual[name]}
        return ",".join(f"{name}={value}" for name, value in changed.items())

    @classmethod
    def parse(cls, text: str) -> Self:
        read = {"int": int, "float": float, "str": str, "bool": lambda word: word == "True"}
        types = {each.name: str(each.type) for each in fields(cls)}
        pairs = (part.split("=") for part in text.split(","))
        return cls(**{name: read[types[name]](value) for name, value in pairs})

    def simpler(self, name: str) -> Iterator[Self]:
        """With this axis nearer to its simple end, the simplest first; of rows fewer are simpler."""
        values = AXES[name]
        place = values.index(getattr(self, name))
        nearer = values[place + 1 :][::-1] if name == "n" else values[:place]
        yield from (replace(self, **{name: value}) for value in nearer)


def settings(seed: int) -> Iterator[Setting]:
    """Without end. First the easy one, then a greedy covering of all pairs of values of two axes, then free draws."""
    rng = np.random.default_rng(seed)
    yield Setting(seed=int(rng.integers(2**31)))
    left = {
        ((one, i), (other, j))
        for one, other in combinations(AXES, 2)
        for i in range(len(AXES[one]))
        for j in range(len(AXES[other]))
    }
    while True:
        tried = [{name: int(rng.integers(len(values))) for name, values in AXES.items()} for _ in range(TRIED)]
        best = (
            max(tried, key=lambda drawn: len(left.intersection(combinations(drawn.items(), 2)))) if left else tried[0]
        )
        left.difference_update(combinations(best.items(), 2))
        values = {name: AXES[name][place] for name, place in best.items()}
        yield Setting(seed=int(rng.integers(2**31)), **values)


def columns(setting: Setting) -> dict[str, dict[str, Any]]:
    """What is declared of the columns."""
    return {
        "x": {"type": "integer", "lower": 0, "upper": setting.top},
        "y": {"type": "integer", "lower": 0, "upper": 50},
        "w": {"type": "integer", "lower": 0, "upper": 3},
        "k": {"type": "integer", "lower": 0, "upper": 127},
        "c": {"type": "category", "categories": names(setting), "count_missing_as": "c0"},
        "found": {"type": "category", "categories": "discover"},
        "b": {"type": "category", "categories": ["no", "yes"]},
        "g": {"type": "category", "categories": ["one", "two", "none"]},
        "copy": {"type": "integer", "lower": 0, "upper": COPIES - 1},
        **({"id": {"type": "integer", "lower": 0, "upper": 10**6}} if setting.unit else {}),
    }


def names(setting: Setting) -> list[str]:
    return [f"c{place}" for place in range(setting.categories)]


def rows(setting: Setting) -> pandas.DataFrame:
    """The table: x by its shape, y about half of x, the outcome b by x and c, k constant."""
    rng, n, top = np.random.default_rng(setting.seed), setting.n, setting.top
    reach = max(1, round(setting.part * (top + 1)))
    spread = {
        "even": rng.integers(0, reach, n),
        "exponential": np.minimum(rng.exponential(reach / 8, n), reach - 1),
        "lower": np.zeros(n),
        "upper": np.full(n, reach - 1),
        "zeros": np.where(rng.random(n) < 0.9, 0, rng.integers(0, reach, n)),
        "clumps": np.where(rng.random(n) < 0.5, reach // 5, reach * 4 // 5),
    }
    x = spread.get(setting.shape, spread["even"]).astype(np.int64)
    c = rng.integers(0, setting.categories, n)
    c = np.where(rng.random(n) < 0.98, 0, c) if setting.rare else c
    pull = 2 * (x / max(1, top) - 0.5) + 0.5 * (c % 2)
    odds = np.log(setting.share / (1 - setting.share)) + pull - (pull.mean() if n else 0)
    return pandas.DataFrame(
        {
            "x": pandas.array([None] * n, dtype="Int64") if setting.shape == "missing" else x,
            "y": np.clip(25 * x // max(1, top) + rng.integers(0, 26, n), 0, 50),
            "w": rng.integers(0, 4, n),
            "k": np.full(n, 20),
            "c": pandas.Series(np.array(names(setting))[c], dtype="str"),
            "found": pandas.Series(np.array(names(setting))[c], dtype="str"),
            "b": pandas.Series(np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no"), dtype="str"),
            "g": pandas.Series(np.where(rng.random(n) < 0.7, "one", "two"), dtype="str"),
            "copy": np.zeros(n, dtype=np.int64),
            "id": np.arange(n) // max(1, setting.unit),
        }
    )

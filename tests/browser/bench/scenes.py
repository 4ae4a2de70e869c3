"""Invented data for the component, of the shape that the workbench sends."""

from __future__ import annotations

from typing import Any

import numpy as np

VISITS = [553, 998, 757, 436, 373, 349, 412, 664, 738, 940, 1424, 1440, 1707, 1535, 1471, 1091, 1007, 827, 581, 405]
SECRET = "Psittacosis"
"""A true value that stands nowhere else: an answer in words, which is found in a page's memory wherever it is."""
AGES = [f"{low}–{low + 4}" for low in range(0, 100, 5)]
TENS = [f"{low}–{low + 9}" for low in range(0, 100, 10)]
REGIONS = ("North", "South", "East", "West", "Other")
WARDS = ("Emergency", "Surgery", "Medicine", "Maternity", "Paediatrics", "Other")
LADDER = [float(f"{each:.4f}") for each in np.geomspace(0.05, 4, 25)]
STEPS = [round(0.05 + 0.02 * k, 2) for k in range(48)] + [round(1 + 0.05 * k, 2) for k in range(61)]
STATISTICS = {
    "age": ("Visits by age", "bars", 20, 0.25, 0.08),
    "region": ("Visits by region and sex", "rows", 10, 0.125, 0.05),
    "cost": ("Mean cost by ward, EUR", "dots", 6, 0.375, 0.18),
    "unplanned": ("Share of unplanned visits", "rows", 5, 0.125, 0.074),
    "small": ("Age by region, small cells", "table", 50, 0.125, 1.26),
}
OTHERS = {
    "boxes": ("Quartiles of cost by ward", "box"),
    "stairs": ("Share of visits up to each age", "steps"),
    "matrix": ("Covariance of age, cost and days", "table"),
    "span": ("Usual costs, from and to", "box"),
    "words": ("Most frequent diagnosis by ward", "words"),
    "one": ("Number of visits", "bars"),
    "many": ("Visits by age, ward and sex", "table"),
    "most": ("Visits by age, ward and day", "table"),
    "lost": ("Mean stay by ward, days", "dots"),
    "none": ("Coefficients of a model", "dots"),
}
"""Of the other forms; opened where the address says so."""

FIVE = ["Women", "Men", "Girls", "Boys", "No answer"]
CROSSED = {
    "many": (("Age", AGES), ("Ward", [*WARDS]), ("Sex", FIVE)),
    "most": (("Age", AGES), ("Ward", [*WARDS[:5]]), ("Day", [f"Day {k + 1}" for k in range(100)])),
}
"""Keys of cross tables of 600 and of 10,000 cells."""


def scene(
    selected: str,
    *,
    mode: str = "true",
    view: str = "beside",
    epsilon: float = 1.0,
    count: int = 5,
    looks: int = 14,
) -> dict[str, Any]:
    """As the page sends it; `count` statistics, the first five of them those above."""
    rows = [
        {"id": key, "title": title, "icon": icon, "numbers": numbers, "share": share, "problem": None}
        | {"error": [error / each for each in LADDER]}
        for key, (title, icon, numbers, share, error) in STATISTICS.items()
    ]
    if selected in OTHERS:
        title, icon = OTHERS[selected]
        rows[0] = {**rows[0], "id": selected, "title": title, "icon": icon}
    rows += [{**rows[k % 5], "id": f"more{k}", "title": f"Further question {k}"} for k in range(count - len(rows))]
    return {
        "mode": mode,
        "budget": {
            "name": "Patients 2025",
            "line": "per person, at most 5 visits each",
            "cap": 4,
            "spent": 1.15,
            "left": 2.85,
            "symbol": "ε",
        },
        "epsilon": {"value": epsilon, "steps": STEPS, "left": 2.85, "cap": 4},
        "sure": [[each, 100 / (1 + float(np.exp(-each)))] for each in LADDER],
        "statistics": rows[:count],
        "ladder": LADDER,
        "open": opened(selected, invented=mode == "invented", epsilon=epsilon),
        "flags": {
            "undo": looks > 0,
            "redo": False,
            "blind": False,
            "over": None if epsilon <= 2.85 else "Only 2.85 of ε is left for Patients 2025.",
            "looks": f"{looks} looks logged · draw 1 is simulated and never published",
        },
        "selected": selected,
        "view": view,
    }


def opened(name: str, *, invented: bool, epsilon: float) -> dict[str, Any]:
    random = np.random.default_rng([abs(hash(name)) % 1000 if name.startswith("more") else len(name), invented, 7])
    title = (STATISTICS | OTHERS).get(name, (name,))[0]
    common = {"statistic": name, "name": name, "title": title, "never_negative": False, "unit": "", "progress": None}
    common["read"] = {"caveats": [], "bounded": False, "many": False}
    common |= {"coarser": [], "left_out": 0, "keys": []}
    if name == "cost":
        return common | costs(epsilon, invented)
    if name == "lost":
        return common | costs(epsilon, invented, spread=40) | {"title": OTHERS[name][0]}
    if name in OTHERS and name not in CROSSED:
        return common | {"title": OTHERS[name][0]} | other(name, invented)
    if name in CROSSED:
        look = crossed(random, *CROSSED[name])
        tally = look.pop("tally")
    elif name == "small":
        shape = np.outer([1, 0.7, 0.5, 0.25, 0.04], [210, 160, 100, 140, 225, 385, 435, 345, 245, 145])
        tally = [int(each) for each in random.poisson(shape).ravel()]
        cells = [{"label": ten} for _ in REGIONS for ten in TENS]
        panels = [{"label": region, "cells": list(range(10 * k, 10 * k + 10))} for k, region in enumerate(REGIONS)]
        keys = [{"title": "Region", "labels": list(REGIONS)}, {"title": "Age", "labels": TENS}]
        look = {"cells": cells, "panels": panels, "ordered": True, "scale": 38, "keys": keys}
    elif name == "region":
        tally = [int(each) for each in random.integers(300, 3000, 10)]
        labels = [f"{region}, {sex}" for region in REGIONS for sex in ("women", "men")]
        look = {"cells": [{"label": each} for each in labels], "panels": [], "ordered": False, "scale": 20}
    else:
        tally = [int(each * (0.9 if invented else 1)) for each in VISITS]
        look = {"cells": [{"label": each} for each in AGES], "panels": [], "ordered": True, "scale": 20}
    scale = look.pop("scale")
    drawn = random.laplace(size=len(tally)) * scale / epsilon
    half = 3 * scale / epsilon
    return (
        common
        | look
        | {
            "look": "marks",
            "additive": True,
            "true": tally,
            "law": {"family": "laplace", "step": 1, "scale": [scale / each for each in LADDER]},
            "ladder": None,
            "drawn": {
                "epsilon": epsilon,
                "value": [each + round(noise) for each, noise in zip(tally, drawn, strict=True)],
                "lower": [each + round(noise - half) for each, noise in zip(tally, drawn, strict=True)],
                "upper": [each + round(noise + half) for each, noise in zip(tally, drawn, strict=True)],
            },
        }
    )


def crossed(random: np.random.Generator, *keys: tuple[str, list[str]]) -> dict[str, Any]:
    """A cross table of three keys of which the last splits the cells so far that most are too noisy."""
    first, second, third = ([*labels] for _, labels in keys)
    sizes = random.poisson(
        np.geomspace(300, 100, len(first))[:, None, None] / len(third) * np.ones((1, len(second), len(third)))
    )
    outer = [f"{one} · {other}" for one in first for other in second]
    many = len(third)
    return {
        "tally": [int(each) for each in sizes.ravel()],
        "cells": [{"label": each} for _ in outer for each in third],
        "panels": [{"label": each, "cells": list(range(many * k, many * (k + 1)))} for k, each in enumerate(outer)],
        "keys": [{"title": title, "labels": labels} for title, labels in keys],
        "coarser": [{"key": title.lower(), "place": place} for place, (title, _) in enumerate(keys)],
        "ordered": False,
        "scale": 20,
    }


def costs(epsilon: float, invented: bool, spread: float = 1) -> dict[str, Any]:
    """Means: their noise is none that can be scaled, so the server draws a ladder. `spread`: of the last, in times."""
    random = np.random.default_rng(5)
    tally = np.array([612.5, 4210, 1770.8, 2951, 1240, 1602]) * (0.9 if invented else 1)
    noise = np.array([40, 70, 55, 120, 100, 1500 * spread])
    draws = [
        [[round(float(each), 2) for each in tally + random.laplace(size=6) * spread / e] for _ in range(100)]
        for e in LADDER
    ]
    value = tally + random.laplace(size=6) * noise / epsilon
    return {
        "look": "marks",
        "additive": False,
        "ordered": False,
        "cells": [{"label": each} for each in WARDS],
        "panels": [],
        "true": [float(each) for each in tally],
        "law": None,
        "ladder": {"epsilon": LADDER, "draws": draws},
        "drawn": {
            "epsilon": epsilon,
            "value": [float(each) for each in value],
            "lower": [float(each) for each in value - 2.8 * noise / epsilon],
            "upper": [float(each) for each in value + 2.8 * noise / epsilon],
        },
    }


def other(name: str, invented: bool) -> dict[str, Any]:
    """Tables of the other forms, with a ladder of draws each."""
    random = np.random.default_rng(11)
    look, panels, keys, spread = name, [], [], 0.0
    if name == "boxes":
        tally = [round(base * part, 1) for base in (600, 4200, 1800) for part in (0.3, 0.7, 1, 1.4, 2.1)]
        cells = [{"label": each} for each in ("5 %", "25 %", "50 %", "75 %", "95 %")] * 3
        panels = [{"label": ward, "cells": list(range(5 * k, 5 * k + 5))} for k, ward in enumerate(WARDS[:3])]
        spread = 60
    elif name == "stairs":
        tally = [round(sum(VISITS[: k + 1]) / sum(VISITS), 4) for k in range(20)]
        cells = [{"label": str(5 * k), "start": 5 * k, "end": 5 * k + 5} for k in range(20)]
        spread = 0.01
    elif name == "matrix":
        tally = [412.3, 880.5, -12.1, 880.5, 91022.7, 310.2, -12.1, 310.2, 8.4]
        names = ("age", "cost", "days")
        cells = [{"label": column} for _ in range(3) for column in names]
        keys = [{"title": title, "labels": list(names)} for title in ("Column", "Beside")]
        panels = [{"label": row, "cells": list(range(3 * j, 3 * j + 3))} for j, row in enumerate(names)]
        spread = 30
    elif name == "span":
        tally, cells, spread = [120.5, 3810.25], [{"label": "lowest"}, {"label": "highest"}], 90
    elif name == "none":
        look, tally, cells, spread = "marks", [1.5, -2.25], [{"label": "age"}, {"label": "cost"}], 9
    elif name == "one":
        look, tally, cells, spread = "marks", [17708], [{"label": "records"}], 12
    else:
        answers = ["Fracture", "Asthma", "Appendicitis", "Delivery", "Fever", "Other" if invented else SECRET]
        cells = [{"label": each} for each in WARDS]
        draw = [[str(random.choice([each, "Fever"], p=[0.9, 0.1])) for each in answers] for _ in range(100)]
        ladder = {"epsilon": LADDER, "draws": [draw] * len(LADDER)}
        facts = {"additive": False, "ordered": False, "cells": cells, "panels": [], "true": answers}
        return {"look": "words", "axis": "Ward", "law": None, "ladder": ladder, "drawn": None} | facts
    draws = [
        [[round(float(each), 4) for each in tally + random.laplace(size=len(tally)) * spread / e] for _ in range(100)]
        for e in LADDER
    ]
    if name == "none":
        draws = [[[None] * len(tally)] * 100 for _ in LADDER]
    facts = {"additive": name == "one", "ordered": False, "cells": cells, "panels": panels, "true": tally, "keys": keys}
    return {"look": look, "law": None, "ladder": {"epsilon": LADDER, "draws": draws}, "drawn": None} | facts

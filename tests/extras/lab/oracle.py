"""Figures that the lab's attacks have to reproduce."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from dprelease.extras.lab.chance import Floats

ORACLE: dict[str, Any] = json.loads(Path(__file__).with_name("attacks.json").read_text("utf-8"))


def transformed(values: Floats) -> Floats:
    """The sums by all rows of the Hadamard matrix (fast Walsh and Hadamard transform); a power of 2 of them."""
    found, step = values.copy(), 1
    while step < len(found):
        pairs = found.reshape(-1, 2, step)
        found = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        step *= 2
    return found


def by_hadamard(truth: Floats, noise: Floats) -> Floats:
    """The bits from the sums over those in whose place a row has a 1, each with noise: from two transforms.

    A sum over places with +1 is (the sum over all + that by ±1) / 2; the former is the first answer.
    """
    told = (truth.sum() + transformed(truth)) / 2 + noise
    signed = 2 * told - told[0]
    return (transformed(signed) / len(truth) > 0.5).astype(np.float64)

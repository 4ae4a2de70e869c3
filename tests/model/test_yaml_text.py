"""Texts that look like something else are quoted: YAML 1.1 and 1.2 read the same of what we write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from dprelease.model.yaml_text import dump, load, one_line
from dprelease.ui.workbench.draft import as_yaml

pytestmark = pytest.mark.quick

TEXTS = ("1e5", "+1", "-.5e3", "007", "1_000", "12:30", "no", "null", "~", "2025-01-01", ".inf", ".", "-", "a: b", "")


@pytest.mark.parametrize("write", [dump, one_line, as_yaml])
def test_texts_that_are_like_numbers_stay_texts_for_every_reader(write: Callable[[dict[str, Any]], str]) -> None:
    said = {"categories": list(TEXTS), **dict.fromkeys(TEXTS, 1)}
    text = write(said)
    assert load(text, 9) == yaml.safe_load(text) == said
    assert "'1e5'" in text, "a number for YAML 1.2"

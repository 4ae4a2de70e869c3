"""Figures that the lab's attacks have to reproduce."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ORACLE: dict[str, Any] = json.loads(Path(__file__).with_name("attacks.json").read_text("utf-8"))

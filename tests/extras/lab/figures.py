"""Reference figures, each checked by quadrature, by enumeration or with a second library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("figures.json").read_text())
EXACT = 1e-9
FOUR = 6e-5
"""Of what is written down to four decimals."""
FIVE = 6e-6
SIX = 6e-7
SPARSE = 1e-4

"""The grammar of charts, for other rooms that compose one of their own until it is a form here."""

from __future__ import annotations

import altair as alt

__all__ = ["alt"]

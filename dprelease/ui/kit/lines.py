"""Lines that colour and dashes tell apart, as an image. Import late: V8 takes a second to load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.charts import render
from dprelease.charts.grammar import alt
from dprelease.charts.theme import LIGHT, config
from dprelease.ui.kit.charts import inline

Look = tuple[str, list[int]]
"""Colour and dashes: neither tells lines apart alone."""


def lines(
    rows: list[dict[str, Any]],
    x: Any,
    y: Any,
    looks: Mapping[str, Look],
    *,
    columns: int,
    width: int,
    height: int,
    said: str,
) -> bytes:
    """The lines as SVG, by the label `s` of each point; `said`: what the picture is told as."""
    legend = alt.Legend(title=None, orient="top", columns=columns, labelLimit=width - 40, symbolStrokeWidth=2)
    colours = alt.Scale(domain=[*looks], range=[colour for colour, _ in looks.values()])
    dashes = alt.Scale(domain=[*looks], range=[dash for _, dash in looks.values()])
    body = (
        inline(rows)
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color(field="s", type="nominal", scale=colours, legend=legend),
            strokeDash=alt.StrokeDash(field="s", type="nominal", scale=dashes, legend=legend),
        )
        .properties(width=width, height=height, config=alt.Config.from_dict(config(LIGHT)))
    )
    return render.svg(body.to_dict(), said)

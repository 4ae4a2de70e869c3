"""What a server loads before anybody asks for it."""

from __future__ import annotations

from importlib import import_module


def warm_up() -> None:
    """Loads what draws charts and draws a point, so that the first page with a chart need not wait a second."""
    import_module("altair")
    drawing = import_module("vl_convert")
    drawing.vegalite_to_svg({"data": {"values": [{}]}, "mark": "point"}, allowed_base_urls=[])

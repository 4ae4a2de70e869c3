"""The modules and data that a server loads before anybody asks for them."""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import walk_packages

from dprelease import ui
from dprelease.charts import render


def warm_up() -> None:
    """Load what pages are made of and draw a point, so that the first one need not wait a second.

    Streamlit collects garbage after each run of a page. What is loaded by now stays for good and is not looked at
    again: that took a tenth of a second, in which no page was answered.
    """
    import_module("altair")
    render.svg({"data": {"values": [{}]}, "mark": "point"}, "")
    for module in walk_packages(ui.__path__, f"{ui.__name__}."):
        if not module.name.endswith(".shell"):  # a script, which shows a page
            import_module(module.name)
    gc.collect()
    gc.freeze()

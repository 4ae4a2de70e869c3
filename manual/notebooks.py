"""Notebooks of docs/notebooks: pages whose Python blocks are cells, run one after the other in a folder."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import vl_convert

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/notebooks"
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.M | re.S)


@dataclass(frozen=True)
class NotebookCell:
    """A cell: words, or code with what it answered."""

    text: str
    is_code: bool
    outputs: tuple[tuple[str, str], ...] = ()
    """Media type and content of each."""


def run(page: str, folder: Path) -> Iterator[NotebookCell]:
    """Run a page's cells. What a cell raises goes through: a page that does not run is no page."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        for place, text in enumerate(BLOCK.split(page)):
            yield NotebookCell(text, True, tuple(_answered(text, names))) if place % 2 else NotebookCell(text, False)


def _answered(code: str, names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    tree, said = ast.parse(code), io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if said.getvalue():
        yield "text/plain", said.getvalue().rstrip()
    if value is None:
        return
    if hasattr(value, "to_dict") and type(value).__module__.startswith("altair"):
        yield "image/svg+xml", vl_convert.vegalite_to_svg(value.to_json())
    elif hasattr(value, "_repr_html_"):
        yield "text/html", value._repr_html_()
    else:
        yield "text/plain", repr(value)


def as_markdown(cells: list[NotebookCell], download: str) -> str:
    """Return the page with the answers below each cell; `download`: the link to the notebook, under the title."""
    title, _, rest = cells[0].text.partition("\n")
    parts = [f"{title}\n\n{download}\n{rest}"]
    for cell in cells[1:]:
        parts.append(f"```python\n{cell.text}```\n" if cell.is_code else cell.text)
        for kind, content in cell.outputs:
            shown = f"<pre>{escape(content)}</pre>" if kind == "text/plain" else content
            lines = "\n".join(
                line for line in shown.splitlines() if line.strip()
            )  # an empty line ends HTML in Markdown
            parts.append(f'\n<div class="output" tabindex="0">\n{lines}\n</div>\n')
    return "\n".join(parts)


def as_notebook(cells: list[NotebookCell]) -> str:
    """Return the notebook (nbformat 4.5) with its outputs."""
    made = []
    for place, cell in enumerate(cells):
        answered = [
            {"output_type": "display_data", "metadata": {}, "data": {kind: content.splitlines(keepends=True)}}
            for kind, content in cell.outputs
        ]
        more = {"execution_count": None, "outputs": answered} if cell.is_code else {}
        kind = "code" if cell.is_code else "markdown"
        source = cell.text.strip().splitlines(keepends=True)
        made.append({"cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": source, **more})
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1) + os.linesep

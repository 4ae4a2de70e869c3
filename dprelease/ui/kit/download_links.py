"""Downloads of a figure: a link to what is shown, pictures, numbers, and a program that prints these."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.words import say


def along(
    name: str,
    query: Mapping[str, str],
    pictures: Mapping[str, bytes],
    numbers: str,
    program: str,
    *,
    called: str = "",
) -> None:
    """Show the downloads, folded. `name`: of the page, and of the files unless they are `called` otherwise; `pictures`:
    as SVG by what their files are called."""
    files_called = called or name
    with st.expander(say(f"along_title_{called}" if called else "along_title")):
        asked = f"?{urlencode(query)}" if query else ""
        blocks.links([blocks.anchor(f"/{name}{asked}", say("along_link"))])
        files: list[tuple[str, str | bytes, str, str]] = [
            (say("along_svg", name=picture), drawn, f"{picture}.svg", "image/svg+xml")
            for picture, drawn in pictures.items()
        ]
        files.append((say("along_csv"), numbers, f"{files_called}.csv", "text/csv"))
        files.append((say("along_py"), program, f"{files_called}.py", "text/x-python"))
        with st.container(horizontal=True):
            for label, content, file, kind in files:
                st.download_button(
                    label, content, file_name=file, mime=kind, on_click="ignore", key=f"along-{name}-{file}"
                )
        blocks.note("along_program")
        blocks.code(program)

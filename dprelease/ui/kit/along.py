"""What a figure is taken along as: a link to what is shown, pictures, numbers, and a program that prints these."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.words import say


def along(name: str, query: Mapping[str, str], pictures: Mapping[str, bytes], numbers: str, program: str) -> None:
    """Shows it folded. `name`: of the page, and of the files; `pictures`: as SVG by what their files are called."""
    with st.expander(say("along_title")):
        asked = f"?{urlencode(query)}" if query else ""
        blocks.links([blocks.anchor(f"/{name}{asked}", say("along_link"))])
        with st.container(horizontal=True):
            for called, picture in pictures.items():
                st.download_button(
                    say("along_svg", name=called),
                    picture,
                    file_name=f"{called}.svg",
                    mime="image/svg+xml",
                    on_click="ignore",
                    key=f"along-{name}-{called}",
                )
            st.download_button(
                say("along_csv"),
                numbers,
                file_name=f"{name}.csv",
                mime="text/csv",
                on_click="ignore",
                key=f"along-{name}-csv",
            )
            st.download_button(
                say("along_py"),
                program,
                file_name=f"{name}.py",
                mime="text/x-python",
                on_click="ignore",
                key=f"along-{name}-py",
            )
        blocks.note("along_program")
        blocks.code(program)

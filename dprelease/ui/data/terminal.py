"""The same by terminal: the command that reads a file, and declares its columns, as this dataset's are."""

from __future__ import annotations

import streamlit as st

from dprelease.model.population import Dataset
from dprelease.ui.kit import blocks, session
from dprelease.ui.words import say
from dprelease.workspace.same_command import same_command


def by_terminal(dataset: Dataset) -> None:
    """Shows it folded; nothing of rows that came in no file."""
    layout = session.workspace().datasets.layout(dataset.name, actor=session.actor())
    if layout is None:
        return
    with st.expander(say("terminal_title")):
        same = same_command(dataset, layout)
        blocks.note("terminal_note")
        blocks.code(same.command)
        if same.content:
            blocks.text("terminal_file", filename=same.filename)
            st.download_button(
                say("terminal_download", filename=same.filename),
                same.content,
                file_name=same.filename,
                mime="application/yaml",
                on_click="ignore",
                key=f"terminal-{dataset.name}",
            )

"""The same by terminal: the command that reads a file, and declares its columns, as this dataset's are."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.population import Dataset
from dprelease.model.reading import Reading
from dprelease.ui.kit import blocks, session
from dprelease.ui.words import say
from dprelease.workspace.same_command import same_command


def dataset_by_terminal(dataset: Dataset) -> None:
    """Show the commands of a registered dataset, folded; nothing of rows that came in no file."""
    datasets, actor = session.workspace().datasets, session.actor()
    layout = datasets.layout(dataset.name, actor=actor)
    if layout is not None:
        by_terminal("terminal_note", dataset, layout, datasets.terms(dataset.name, actor=actor))


def by_terminal(
    note: str,
    dataset: Dataset,
    layout: Reading,
    terms: DatasetTerms,
    source: str = "",
    overlaps: Mapping[str, str] | None = None,
) -> None:
    """Show the commands, folded. `source`: what the file is called, where that is known; `overlaps`: answers so far."""
    with st.expander(say("terminal_title")):
        same = same_command(dataset, layout, terms, source, overlaps or {})
        blocks.note(note)
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

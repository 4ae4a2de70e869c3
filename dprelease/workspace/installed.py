"""Paths of installed files that are no modules: the dashboard's pages, its settings, and the documents."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
INSTALLED = PACKAGE / "dashboard"
"""Made by the build of a wheel (pyproject.toml); a checkout has none."""
DASHBOARD = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent
"""A checkout or what a wheel holds of it, laid out alike."""
APP = DASHBOARD / "app.py"
PAGES = DASHBOARD / "pages"
DOCS = DASHBOARD / "docs"
SETTINGS = DASHBOARD / ".streamlit" / "config.toml"
"""Streamlit reads them wherever it is started, since they lie beside the app."""

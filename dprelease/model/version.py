"""The version of this program, which every certificate states; `pyproject.toml` has the same."""

VERSION = "0.9.0"

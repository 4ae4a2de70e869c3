"""The version of this program, which every certificate states; `pyproject.toml` has the same."""

VERSION = "1.0.0.dev0"

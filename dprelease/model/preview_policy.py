"""Policy of a workspace on previews."""

from __future__ import annotations

from enum import StrEnum


class PreviewPolicy(StrEnum):
    """Content of a preview. `true`: true values. `blind`: those of rows made up from the schema. `none`: nothing."""

    TRUE = "true"
    BLIND = "blind"
    NONE = "none"

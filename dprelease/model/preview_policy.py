"""What previews of a workspace show."""

from __future__ import annotations

from enum import StrEnum


class PreviewPolicy(StrEnum):
    """What a preview shows. `true`: true values. `blind`: those of rows made up from the schema. `none`: nothing."""

    TRUE = "true"
    BLIND = "blind"
    NONE = "none"

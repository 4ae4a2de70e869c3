"""Limits on the size of a codebook: counted as it is met, before anything is trimmed or built of it.

The limits lie ten times or more above the codebooks of surveys and statistics offices. Together they keep what is done
for 5 MB of any content at about two seconds of processor.
"""

from __future__ import annotations

from typing import NamedTuple

from dprelease.codebook.fault import CodebookError
from dprelease.words import phrase


class PartLimit(NamedTuple):
    """The most of one part, which has its words."""

    part: str
    most: int

    def check(self, source: str, count: int) -> None:
        """Raise CodebookError where there are more."""
        if count > self.most:
            raise CodebookError(
                source,
                found=phrase(f"codebook.more_{self.part}"),
                allowed=phrase(f"codebook.most_{self.part}", most=self.most),
                remedy=phrase("codebook.leave_out_or_divide"),
            )


BYTES = PartLimit("bytes", 2**25)
"""Maximum bytes of a workbook when it is unpacked."""
TAGS = PartLimit("tags", 500_000)
"""The `<` in the parts of a workbook: no parser makes more things of it than these."""
GAP = PartLimit("gap", 2**18)
"""Bytes between two of them: a parser that is fed by pieces begins anew with each in what has no end yet."""
CELLS = PartLimit("cells", 1_200_000)
"""Maximum cells of a table: empty ones too, and one for each row; a sheet may have 1,048,576 of these."""
WIDTH = PartLimit("width", 2**14)
"""Cells of a row of text, as many as a sheet has columns."""
CHARACTERS = PartLimit("characters", 5_000_000)
"""Maximum characters of all cells of a workbook."""
ELEMENTS = PartLimit("elements", 300_000)
"""Maximum elements of XML, and their attributes."""
LEVELS = PartLimit("levels", 40)
"""Maximum levels of XML: elements within elements."""
TEXT = PartLimit("text", 2**17)
"""Characters of a single text."""
CODES = PartLimit("codes", 150_000)
"""Maximum codes of all columns together, those of a list as often as a column names it."""
YAML = PartLimit("yaml", 1_000_000)
"""Characters of cells that hold YAML, and a hundred for each such cell."""
EVERY = (BYTES, TAGS, GAP, CELLS, WIDTH, CHARACTERS, ELEMENTS, LEVELS, TEXT, CODES, YAML)

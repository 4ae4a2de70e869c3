"""True beside simulated values, for the curator only. Kept in memory while the page is open, never exported."""

from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor
from dprelease.ui.preview.beside import page
from dprelease.workspace.access import authorise

with blocks.screen("preview"):
    # Who may not preview (any more) is refused, whatever this tab still holds.
    authorise("preview", actor())
    page()

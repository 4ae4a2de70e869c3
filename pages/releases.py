"""The catalogue: every published release, for everyone."""

from dprelease.ui import blocks
from dprelease.ui.release_list import release_list
from dprelease.ui.session import actor, workspace

with blocks.screen("releases"):
    releases = workspace().releases(actor=actor())
    release_list(releases)
    if not releases:
        blocks.note("releases_teach")

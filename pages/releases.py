"""The catalogue: every published release, for everyone."""

from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.release.listed import release_list

with blocks.screen("releases"):
    releases = workspace().releases(actor=actor())
    release_list(releases)
    if not releases:
        blocks.note("releases_teach")

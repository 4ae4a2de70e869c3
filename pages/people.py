"""Who may sign in here and what they may do, for administrators."""

from dprelease.ui import blocks
from dprelease.ui.people import change, everybody, invite
from dprelease.ui.preview_policy import preview_policy
from dprelease.ui.second_factor import required
from dprelease.ui.session import may

with blocks.screen("people"):
    found = everybody()
    invite()
    change(found)
    required()
    if not may("preview"):  # else it stands on the page of previews
        preview_policy()

"""The people who may sign in here and what they may do, for administrators."""

from dprelease.ui.kit import blocks
from dprelease.ui.people.calendar import calendar
from dprelease.ui.people.office import office
from dprelease.ui.people.overlaps import overlaps
from dprelease.ui.people.people import change, everybody, invite
from dprelease.ui.people.second_factor import required
from dprelease.ui.workbench.policy import preview_policy

with blocks.screen("people"):
    overlaps()
    found = everybody()
    invite()
    change(found)
    required()
    preview_policy()
    office()
    calendar()

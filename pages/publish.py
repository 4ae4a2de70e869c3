"""The last step: what will happen, a second person's approval where it takes one, a confirmation, and the release."""

from dprelease.ui.kit import blocks
from dprelease.ui.workbench.in_hand import in_hand
from dprelease.ui.workbench.own_plans import own_plans
from dprelease.ui.workbench.progress import going_on
from dprelease.ui.workbench.publication import steps, submitted
from dprelease.ui.workbench.saving import resume
from dprelease.ui.workbench.summary import summary

with blocks.screen("publish"):
    resume()  # also while it is being published: whoever goes back from the release finds the same plan
    if not going_on():
        blocks.guide_link("publish")
        hand = in_hand("publish")
        if hand is not None:
            summary(hand)
            steps(hand)
        own_plans(but=None if hand is None else submitted(hand))

"""The last step: what will happen, a second person's approval where it takes one, a confirmation, and the release."""

from dprelease.ui.kit import blocks
from dprelease.ui.plan.in_hand import in_hand
from dprelease.ui.plan.own_plans import own_plans
from dprelease.ui.plan.saving import resume
from dprelease.ui.publish.progress import going_on
from dprelease.ui.publish.publication import steps, submitted
from dprelease.ui.publish.summary import summary

with blocks.screen("publish"):
    resume()  # also while it is being published: whoever goes back from the release finds the same plan
    if not going_on():
        blocks.guide_link("publish")
        hand = in_hand("publish")
        if hand is not None:
            summary(hand)
            steps(hand)
        own_plans(but=None if hand is None else submitted(hand))

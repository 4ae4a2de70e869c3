"""The last step: what will happen, a second person's approval where it takes one, a confirmation, and the release."""

from dprelease.ui import blocks
from dprelease.ui.complete import in_hand
from dprelease.ui.guide import guide_link
from dprelease.ui.own_plans import own_plans
from dprelease.ui.progress import going_on
from dprelease.ui.publication import steps, submitted
from dprelease.ui.publication_summary import summary
from dprelease.ui.saving import resume

with blocks.screen("publish"):
    resume()  # also while it is being published: whoever goes back from the release finds the same plan
    if not going_on():
        guide_link("publish")
        hand = in_hand("publish")
        if hand is not None:
            summary(hand)
            steps(hand)
        own_plans(but=None if hand is None else submitted(hand))

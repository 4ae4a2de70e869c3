"""The last step: what will happen, a second person's approval where it takes one, a confirmation, and the release."""

from dprelease.ui import blocks
from dprelease.ui.complete import in_hand
from dprelease.ui.publication import done, steps, summary

with blocks.screen("publish"):
    if not done():
        hand = in_hand("publish")
        if hand is not None:
            summary(hand)
            steps(hand)

"""The last step: what will happen, a confirmation, and the release."""

from dprelease.ui import blocks
from dprelease.ui.complete import in_hand
from dprelease.ui.publication import done, first_time, once_more, published_releases, summary

with blocks.screen("publish"):
    if not done():
        hand = in_hand("publish")
        if hand is not None:
            earlier = published_releases(hand)
            summary(hand)
            if earlier:
                once_more(hand, earlier)
            else:
                first_time(hand)

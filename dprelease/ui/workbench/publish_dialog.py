"""The last step, in a dialog: what will happen, and the button that sends it for review or publishes it."""

from __future__ import annotations

from dprelease.ui.kit import blocks
from dprelease.ui.workbench.publication import steps
from dprelease.ui.workbench.standing import Standing
from dprelease.ui.workbench.summary import InHand, summary


def publish_dialog(standing: Standing) -> None:
    """Shows it for the plan as it stands."""
    if standing.bench is None:
        blocks.text("publish_bad_plan")
        return
    price = standing.bench.price
    hand = InHand(price=price, dataset=standing.dataset, population=standing.population)
    summary(hand)
    steps(hand)

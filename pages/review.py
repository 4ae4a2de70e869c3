"""What waits for the decision of a second person. Never true values, never previews."""

from dprelease.ui.kit import blocks
from dprelease.ui.review.waiting import open_requests, plans, published_plans

with blocks.screen("review"):
    blocks.guide_link("approve")
    plans()
    open_requests()
    published_plans()

"""What waits for the decision of a second person. Never true values, never previews."""

from dprelease.ui import blocks
from dprelease.ui.review_parts import open_requests, plans, published_plans

with blocks.screen("review"):
    plans()
    open_requests()
    published_plans()

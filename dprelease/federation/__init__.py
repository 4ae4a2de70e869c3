"""Several sites, one release: sums of exact integers under masks, with noise in shares. Messages are signed files.

Nothing here knows a workspace: a site's integers are given to it, as is the event by which its ledger was charged.
"""

"""What an adversary can tell of a plan, computed from its mechanisms alone, and of small cells that are hidden.

`plan` attacks the mechanisms of a plan, `population` a budget; `suppression` attacks hidden cells. Nothing is drawn.
"""

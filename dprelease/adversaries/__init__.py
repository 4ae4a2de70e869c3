"""Attacks by an adversary: on a plan, computed from its mechanisms alone, and on small cells that are hidden.

`plan` attacks the mechanisms of a plan, `population` a budget; `suppression` attacks hidden cells. Nothing is drawn.
"""

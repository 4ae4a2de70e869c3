"""Costs of a plan before any row is read: its shares, prices, goals and criteria; what is measured once."""

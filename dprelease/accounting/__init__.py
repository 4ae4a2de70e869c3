"""Composition and conversion of privacy loss: pure functions on integers and decimals, rounding always against us."""

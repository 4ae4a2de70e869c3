"""Checks by `verify` of a sum of several sites. They share no code with what makes such sums."""

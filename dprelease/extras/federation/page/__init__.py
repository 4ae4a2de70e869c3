"""Rounds of several sites on the screen."""

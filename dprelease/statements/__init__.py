"""Decides what is said of a published number, and by which name: sentences, grades in words, noun phrases."""

"""Statements and names of published numbers: sentences, grades in words, noun phrases."""

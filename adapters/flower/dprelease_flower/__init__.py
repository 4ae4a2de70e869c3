"""Carries the files of a round between the folders of its sites, by Flower. It reads none of them."""

"""The screens of published releases."""
